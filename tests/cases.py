"""Small tables for the tests, with the naive games that belong to them."""

import io
import sys
from pathlib import Path

import naive
import numpy as np
import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table.columns import Column
from cellval.table.encoding import encode
from cellval.table.formats import file_cells, rewritten
from cellval.table.labels import usual_width
from cellval.table.table import Table, read
from cellval.values.result import CellValues, describe
from cellval.values.settings import Settings

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_data"


def message_of(call, *arguments, **options):
    """The sentence with which a call is refused."""
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def file_fault(raw, name, changes=None, drop=()):
    """The sentence with which a file is refused, read or (with changes) rewritten."""
    if changes is None:
        return message_of(file_cells, raw, name)
    return message_of(rewritten, raw, changes, drop, name)


def column(name, kind, cells):
    """A feature column from numbers, or codes of categories; None is missing."""
    missing = np.array([c is None for c in cells])
    if kind == "number":
        numbers = np.array([np.nan if c is None else c for c in cells], float)
        return Column(name, kind, "", missing, numbers=numbers)
    codes = np.array([-1 if c is None else c for c in cells], np.int32)
    categories = tuple("abcdefgh")
    return Column(name, kind, "", missing, codes=codes, categories=categories)


def make_table(columns, y, name="table", classes=("no", "yes", "maybe"), numbers=None):
    """A Table without the checks of read: one row or one class are allowed.

    With `numbers` these are its label, and the classes bands of no meaning.
    """
    y = np.array(y, np.int32)
    made = tuple(
        column(f"c{j}", kind, cells) for j, (kind, cells) in enumerate(columns)
    )
    text = {
        f"c{j}": ["" if c is None else str(c) for c in cells]
        for j, (_, cells) in enumerate(columns)
    }
    text["label"] = [classes[k] for k in y] if numbers is None else map(str, numbers)
    return Table(
        name=name,
        cells=pd.DataFrame(text, dtype=str),
        columns=made,
        label="label",
        classes=classes,
        y=y,
        row_numbers=np.arange(1, y.size + 1),
        id_column=None,
        notes=(),
        format=None,
        target=None if numbers is None else np.array(numbers, float),
    )


def random_columns(rng, n, kinds, levels=3, missing=0.0):
    columns = []
    for kind in kinds:
        cells = [int(v) for v in rng.integers(0, levels, n)]
        if kind == "decimal":
            kind, cells = "number", [round(float(v), 1) for v in rng.normal(size=n)]
        columns.append((kind, [None if rng.random() < missing else c for c in cells]))
    return columns


def random_table(
    seed, n, kinds, n_classes=2, levels=3, missing=0.0, name="table", numbers=False
):
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, n, kinds, levels, missing)
    y = rng.integers(0, n_classes, n)
    if numbers:  # with ties, and far enough apart that some do not agree at all
        return make_table(columns, y, name, numbers=rng.integers(0, 8, n) / 4)
    return make_table(columns, y, name)


def naive_games(table, k, test=None, baseline="zero", near=0, width=None):
    """One naive game per test point, on the distances that `encode` defines."""
    if table.target is not None:
        width = width or usual_width(table.target)
    train, seen = encode(table), encode(test or table, like=table)
    kinds = ["category" if c else "number" for c in train.is_category]

    def plain(cells):
        return [None if np.isnan(c) else float(c) for c in cells]

    columns = [
        (kind, float(w), plain(cells))
        for kind, w, cells in zip(kinds, train.weight, train.cells, strict=True)
    ]
    return [
        naive.Game(
            columns,
            train.y.tolist(),
            plain(seen.cells[:, t]),
            seen.y[t] if width or seen.y[t] >= 0 else "unseen",
            k,
            baseline,
            own=t if test is None else None,
            near=near,
            width=width,
        )
        for t in range(seen.y.size)
    ]


def naive_values(
    table, k, test=None, baseline="zero", weights=None, near=0, width=None
):
    games = naive_games(table, k, test, baseline, near, width)
    shape = (table.n_rows, len(table.features))
    return np.array(naive.cell_values(games, *shape, weights)).reshape(shape)


def values_of(table, cells, stderr=None, **settings):
    """CellValues with the given numbers."""
    cells = np.array(cells, float)
    stderr = np.full(cells.shape, 0.001) if stderr is None else np.array(stderr, float)
    return CellValues(
        values=cells,
        stderr=stderr,
        row_values=cells.sum(axis=1),
        row_stderr=np.sqrt((stderr**2).sum(axis=1)),
        column_values=np.nansum(cells, axis=0),
        column_stderr=np.sqrt(np.nansum(stderr**2, axis=0)),
        n_test=10,
        settings=Settings(table=table.fingerprint, **settings),
        **describe(table),
    )


def blobs(n=300, seed=0, **extra):
    """Two classes, two columns that go together, and a category that fits them."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    x = 10.0 * y + draw.normal(size=n)
    frame = {
        "x": x.round(2),
        "twice": (2 * x + draw.normal(size=n)).round(2),
        "word": np.where(draw.random(n) < 0.95, np.where(y, "high", "low"), "mid"),
        **extra,
        "y": np.where(y, "yes", "no"),
    }
    return pd.DataFrame(frame)


def csv_of(columns, delimiter=","):
    """A CSV file of columns by name, every cell in quotes."""
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    return "\n".join([delimiter.join(names), *lines]).encode()


def one_column(cells, name="x", delimiter=",", **options):
    """Read a table of the given column, a plain feature and a label."""
    n = len(cells)
    columns = {
        name: cells,
        "other": [[2.5, 7.25, 1.5][i % 3] for i in range(n)],
        "y": ["ab"[i % 2] for i in range(n)],
    }
    if delimiter != ",":
        columns["other"] = [str(v).replace(".", ",") for v in columns["other"]]
    table = read(csv_of(columns, delimiter), label="y", **options)
    return table, table.columns[0]


def calls(function, *arguments, **options):
    """How many Python functions a call calls: work, whatever the machine."""
    counted = [0]

    def count(frame, event, argument):
        counted[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments, **options)
    finally:
        sys.setprofile(before)
    return counted[0]


# A file with a mark, decimal commas, a row without a label, quotes and formulas.
PEOPLE = (
    b"\xef\xbb\xbfkey;height;=note;sex\r\n"
    b"a;1,80;=1+1;m\r\n"
    b"b;57;x;f\r\n"
    b"\r\n"
    b"c;1,70;y;\r\n"  # row 3 has no label
    b'd;"1,65";-;f\r\n'
    b"e;1,90; ;m\r\n"
    b'f;1,75;"it\'s; so";m'
)


def people():
    return read(PEOPLE, label="sex", id_column="key")


def shuffled(frame, rng):
    """Each column in an order of its own."""
    return frame.apply(lambda column: column.to_numpy()[rng.permutation(len(column))])


def bits(values):
    """All numbers of CellValues, to the last bit."""
    arrays = (values.values, values.stderr, values.row_values, values.row_stderr)
    return [array.tobytes() for array in arrays]


def plain_row_values(dist, match, k, near=0, left_out=-1):
    """The oracle's closed form in floating point, with numpy sums: for large n."""
    rows = [i for i in range(len(dist)) if i != left_out]
    d = np.array([dist[i] for i in rows], float)
    if near and near < len(rows):
        reach = np.sort(d)[near - 1]
        d = np.where(d <= reach, d, np.inf)
    p = np.arange(1, len(rows) + 1)
    g = 1 / np.maximum(p, k)
    w = np.where(p > k, 1 / (p * np.maximum(p - 1, 1)), 0.0)
    later_of = np.cumsum(w[::-1])[::-1] - w  # sum of w beyond each position
    out, tail, b = np.zeros(len(dist)), 0.0, len(rows)
    for value in np.unique(d)[::-1]:
        group = np.flatnonzero(d == value)
        size, hits = group.size, sum(float(match[rows[i]]) for i in group)
        at = slice(b - size, b)
        beyond = later_of[b - 1] if b else 0.0
        later = np.mean(later_of[at] - beyond)
        for i in group:
            hit = float(match[rows[i]])
            taken = (hits - hit) / (size - 1) * later if size > 1 else 0.0
            out[rows[i]] = hit * g[at].mean() - taken - tail
        tail += hits / size * w[at].sum()
        b -= size
    return out


def untidy_table(seed=0, n=40, n_columns=4, name="table", like=None):
    """Ties, missing cells, categories, three classes, some equal rows."""
    rng = np.random.default_rng(seed)
    cells = {}
    for j in range(n_columns):
        kind = ("whole", "category", "decimal")[j % 3]
        if kind == "whole":
            column = rng.integers(0, 5, n).astype(str)
        elif kind == "category":
            column = rng.choice(["red", "green", "blue"], n)
        else:
            column = np.round(rng.normal(size=n), 1).astype(str)
        column = column.astype(object)
        column[rng.random(n) < 0.1] = ""
        cells[f"c{j}"] = column
    cells["kind"] = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    df = pd.DataFrame(cells)
    df.iloc[:3] = df.iloc[3:6].to_numpy()
    if like:
        return Table.from_frame(df, like=like, name=name)
    kinds = {f"c{j}": "category" if j % 3 == 1 else "number" for j in range(n_columns)}
    return Table.from_frame(df, label="kind", kinds=kinds, name=name)


def mixed_table(n, seed, name="table", like=None):
    """A number with gaps and a word that follow the label, and noise."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "x": np.where(draw.random(n) < 0.1, np.nan, y + 0.3 * draw.normal(size=n)),
            "word": np.where(draw.random(n) < 0.8, np.where(y, "up", "down"), "side"),
            "noise": draw.normal(size=n),
            "y": np.where(y, "yes", "no"),
        }
    )
    if like is not None:
        return Table.from_frame(frame, like=like, name=name)
    return Table.from_frame(frame, label="y", name=name)


def number_table(n, seed, name="table", like=None, **extra):
    """A label of numbers that a number with gaps and a word tell, and noise."""
    draw = np.random.default_rng(seed)
    size, word = draw.normal(size=n), draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "x": np.where(draw.random(n) < 0.05, np.nan, size.round(3)),
            "word": np.where(word, "up", "down"),
            "noise": draw.normal(size=n).round(3),
            **extra,
            "price": (50 + 10 * size + 8 * word + draw.normal(size=n)).round(2),
        }
    )
    if like is not None:
        return Table.from_frame(frame, like=like, name=name)
    return Table.from_frame(frame, label="price", name=name)


def two_sites(n=120, seed=0):
    """Rows of two sites; the number and the word follow the label."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "site": np.where(np.arange(n) < n // 2, "north", "south"),
            "x": y + 0.3 * draw.normal(size=n),
            "word": np.where(draw.random(n) < 0.8, np.where(y, "up", "down"), "side"),
            "noise": draw.normal(size=n),
            "y": np.where(y, "yes", "no"),
        }
    )
    return Table.from_frame(frame, label="y", exclude=["site"])


def permuted(table, rows, columns):
    """The same table with rows and feature columns in another order."""
    cells = [
        (
            "number" if c.numbers is not None else "category",
            (c.numbers if c.numbers is not None else c.codes)[rows].tolist(),
        )
        for c in (table.columns[j] for j in columns)
    ]
    return make_table(cells, table.y[rows])


def clean_frame(n=240, seed=0):
    """Two numbers, one with gaps, and a category; the label follows from x and tone."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n).round(2), rng.normal(size=n).round(1)
    tone = rng.choice(["low", "mid", "high"], n)
    y = x + (tone == "high") - (tone == "low") + 0.3 * rng.normal(size=n) > 0
    frame = pd.DataFrame({"x": x, "z": z, "tone": tone, "y": np.where(y, "yes", "no")})
    frame.loc[rng.random(n) < 0.1, "z"] = np.nan
    frame.loc[rng.random(n) < 0.1, "tone"] = None
    return frame


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


def survey_workbook():
    """Three sheets: a remark, a survey with a title above it, and sums of formulas."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "About"
    book.active["A1"] = "Who was asked, and when"
    sheet = book.create_sheet("Survey")
    sheet.append(["Survey of the spring"])
    sheet.append([])
    sheet.append(["id", "height", "weight", "sex"])
    with (SAMPLES / "davis.csv").open() as file:
        next(file)
        for k, line in enumerate(file, 1):
            sex, weight, height = line.split(",")[:3]
            sheet.append([k, float(height), float(weight), sex])
    sheet["B4"].number_format = "0.00"
    sums = book.create_sheet("Sums")
    sums["A1"] = "=SUM(Survey!C4:C203)"
    for row in (["mean", "sex"], [57, "F"], [76, "M"], [58, "F"], [77, "M"]):
        sums.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


# Bytes of files that are no CSV, and what is said of each.
WRONG_FILES = {
    "paper.pdf": (b"%PDF-1.7\n%\xe2\xe3", "a PDF document. It holds pages"),
    "photo.png": (b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG image. A picture cannot"),
    "photo.jpg": (b"\xff\xd8\xff\xe0" + bytes(99), "a JPEG image. A picture cannot"),
    "book.xlsx": (b"PK\x03\x04__xl/workbook.xml", "an Excel workbook but cannot"),
    "book.xls": (b"\xd0\xcf\x11\xe0" + bytes(99), "workbook (.xls) but cannot be"),
    "all.zip": (b"PK\x03\x04__data.csv", "a ZIP archive but cannot be read"),
    "t.parquet": (b"PAR1" + bytes(99), "a Parquet file but cannot be read"),
    "empty.csv": (b"", "is empty. A table has a line of column names"),
    "model.bin": (bytes(range(20)) * 9, "binary data. Open it in the program"),
    "page.html": (b"<!DOCTYPE html><p>", "a web page (HTML). Perhaps a link"),
    "misnamed.csv": (b"PK\x03\x04__xl/workbook.xml", "an Excel workbook but cannot"),
}


def visits_csv():
    """240 visits with errors of many kinds: spellings, a code, broken rules, numbers.

    City goes with state and with the first digits of the code of its place.
    """
    rng = np.random.default_rng(14)
    places = [("Boston", "MA", "021"), ("Denver", "CO", "802"), ("Austin", "TX", "787")]
    lines = []
    for _ in range(240):
        city, state, code = places[int(rng.integers(3))]
        age, weight = int(rng.integers(20, 80)), int(rng.normal(75, 6))
        place = f"{code}{int(rng.integers(10, 14))}"
        lines.append([city, state, place, age, weight, int(weight * 0.4)])
    for n, k in enumerate(range(5, 240, 30)):  # one wrong letter each
        city = lines[k][0]
        lines[k][0] = city[: n % 5 + 1] + "x" + city[n % 5 + 2 :]
    for k in range(11, 240, 40):
        lines[k][3] = 999
    for k in range(17, 240, 60):
        lines[k][1] = {"MA": "CO", "CO": "TX", "TX": "MA"}[lines[k][1]]
    for n, k in enumerate(range(23, 240, 16)):
        lines[k][4] *= 3 + n
    head = "city,state,place,age,weight,dose"
    return "\n".join([head, *(",".join(map(str, line)) for line in lines)]).encode()
