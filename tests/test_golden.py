"""What version 0.1 computed is what is computed now: values, ranks, texts and files.

`python tests/test_golden.py --write` writes `golden.json` anew: only where a number is
meant to change, and then the change is named in the changelog. Numbers are kept as
projections on random directions, so that any cell that moves is seen; texts as hashes.
"""

import hashlib
import html
import io
import json
import re
import sys
import tempfile
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.suggestions import suggest_many
from cellval.detect.surprise import surprise
from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import make_suspicion
from cellval.export.frames import csv_bytes, decisions_frame, write_results
from cellval.export.report import report_html
from cellval.export.xlsx import xlsx_bytes
from cellval.games.blocks import BlockGame
from cellval.games.groups import columns_by_kind, rows_by_column
from cellval.games.models import utility_of
from cellval.repairs.repair import Repair, changes_frame, repaired, repaired_file
from cellval.valuation import expected_seconds

FILE = Path(__file__).with_name("golden.json")
SAMPLES = Path(__file__).parents[1] / "sample_data"
LABELS = {
    "davis": "sex",
    "breast_cancer": "class",
    "wine": "cultivar",
    "adult_2000": "income",
    "ugly": "grade",
}
ROWS = 300  # of a sample, at most: what holds for them holds for more
TOLERANCE = 1e-9  # of the size of the numbers that are projected
OF_FLOAT32 = 1e-6  # where libraries and processors round float32 differently
LOOSE = ("surprise", "rarity", "residual", "suspicion", "numbers of the workbook")


def raw_of(name):
    """The first rows of a sample's file."""
    lines = (SAMPLES / f"{name}.csv").read_bytes().splitlines(keepends=True)
    return b"".join(lines[: ROWS + 1])


def read(name):
    return cellval.read(raw_of(name), label=LABELS[name])


def numbers(array):
    """Shape, count of NaN, mean, mean size, and three random projections."""
    array = np.asarray(array, float)
    flat = array.ravel()
    known = np.nan_to_num(flat)
    draw = np.random.default_rng(flat.size)
    sides = [draw.standard_normal(flat.size) @ known / flat.size for _ in range(3)]
    missing = int(np.isnan(flat).sum())
    size = float(np.abs(known).mean())
    return [list(array.shape), missing, float(known.mean()), size, *map(float, sides)]


def text(value):
    if isinstance(value, pd.DataFrame):
        value = value.to_csv(index=False, float_format="%.9g")
    raw = value if isinstance(value, bytes) else str(value).encode()
    return hashlib.sha256(raw).hexdigest()[:16]


def words(page):
    """What a person reads of an HTML page: no tags, no scripts."""
    page = re.sub(r"(?s)<(style|script).*?</\1>", " ", page.decode())
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def cells_of(workbook):
    """Texts and colours of a workbook's cells, and its numbers."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(workbook))
    cells = [
        (f"{sheet.title}!{cell.coordinate}", cell.value, cell.fill.fgColor.rgb)
        for sheet in book
        for line in sheet.iter_rows()
        for cell in line
        if cell.value is not None
    ]
    told = "\n".join(
        f"{at} {'number' if isinstance(value, float) else repr(value)} {colour}"
        for at, value, colour in cells
    )
    return told, [value for _, value, _ in cells if isinstance(value, float)]


def valued(values):
    return {
        "values": numbers(values.values),
        "stderr": numbers(values.stderr),
        "rows": numbers(values.row_values),
        "row stderr": numbers(values.row_stderr),
        "columns": numbers(values.column_values),
        "column stderr": numbers(values.column_stderr),
        "n_test": values.n_test,
    }


def sample(name):
    """One sample through the whole loop: value, rank, suggest, repair, export."""
    table = read(name)
    # by default so many that it takes half a minute, however few rows there are
    many = len(table.features) > 9
    values = cellval.value_cells(table, subsets=200 if many else "auto")
    found = surprise(table)
    suspicion = make_suspicion(table, values, found)
    first = suspicion.order[:60]
    m = len(table.features)
    places = [(int(at) // m, int(at) % m) for at in first]
    suggested = suggest_many(table, found, places)
    frame = suspects_frame(suspicion, 300)
    told = ["row_number", "id", "column", "content", "reason", "suggestion"]
    repairs = {}
    for (i, j), options in zip(places[:10], suggested[:10], strict=True):
        cell = (int(table.row_numbers[i]), table.feature_names[j])
        if options:
            repairs[cell] = Repair("replace", options[0].text, options[0].why)
            if not options[0].text:
                repairs[cell] = Repair("blank", reason=options[0].why)
    repairs[int(table.row_numbers[-1]), ""] = Repair("drop", reason="twice")
    decisions = {cell: "error" for cell in repairs if cell[1]}
    decided = decisions_frame(values, decisions, repairs=repairs, table=table)
    again = cellval.read_decisions(csv_bytes(decided), table)
    raw = raw_of(name)
    with tempfile.TemporaryDirectory() as folder:
        write_results(values, table, Path(folder))
        written = {
            path: pd.read_csv(Path(folder) / path, dtype=str, keep_default_na=False)
            for path in ("values.csv", "lowest.csv")
        }
        loaded = cellval.load(Path(folder) / "values.npz")
    told_by_workbook, in_workbook = cells_of(xlsx_bytes(suspicion, repairs=repairs))
    page = report_html(
        suspicion, repairs=repairs, decisions=decisions, date=date(2026, 1, 1)
    )
    return {
        **valued(values),
        "fingerprint": table.fingerprint[:16],
        "notes": text(table.notes),
        "loaded": numbers(loaded.values),
        "surprise": numbers(found.surprise),
        "rarity": numbers(found.rarity),
        "residual": numbers(found.residual),
        "misfits": text(sorted(found.misfits.items())),
        "codes": text(found.placeholders),
        "suspicion": numbers(suspicion.scores),
        "n_flagged": suspicion.n_flagged,
        "suspects": text(frame[told].rename(columns={"row_number": "row"})),
        "suggestions": text(
            [[(o.text, o.why, o.also) for o in options] for options in suggested]
        ),
        "repaired": repaired(table, repairs).fingerprint[:16],
        "repaired csv": text(repaired_file(raw, repairs)),
        "changes": text(changes_frame(table, repairs)),
        "decisions": text(decided),
        "read decisions": text((sorted(again[0].items()), sorted(again[1].items()))),
        "values.csv": text(written["values.csv"].map(_rounded)),
        "lowest.csv": text(written["lowest.csv"].map(_rounded)),
        "report": text(words(page)),
        "workbook": text(told_by_workbook),
        "numbers of the workbook": numbers(in_workbook),
    }


def _rounded(cell):
    try:
        return f"{float(cell):.9g}"
    except ValueError:
        return cell


def options_of_knn():
    adult, wine, davis = read("adult_2000"), read("wine"), read("davis")
    value = cellval.value_cells
    part = davis.with_cells({}, drop=range(100, 200))
    half = value(wine, subsets=60, random_state=3)
    return {
        "near": valued(value(adult, near=200, subsets=60)),
        "sampled": valued(half),
        "continued": valued(
            value(wine, subsets=200, random_state=3, continue_from=half)
        ),
        "ends": valued(value(wine, subsets=300, n_neighbors=3)),
        "hold-out": valued(value(wine, test=0.3, scoring="balanced")),
        "chance": valued(value(davis, baseline="chance")),
        "banzhaf": valued(value(davis, column_weights="banzhaf")),
        "beta": valued(value(wine, column_weights="beta(4, 1)", subsets=60)),
        "table": valued(value(davis, test=part)),
        "merged": valued(half.merge(value(wine, subsets=60, random_state=4))),
        "rows": numbers(cellval.value_rows(wine)),
        "seconds": expected_seconds(adult, cellval.RunOptions(subsets=30)) > 0,
    }


def other_methods():
    davis, wine = read("davis"), read("wine")
    small = davis.with_cells({}, drop=range(8, 200))
    value = cellval.value_cells
    return {
        "mc": valued(value(davis, method="mc", rounds=4, random_state=1)),
        "logistic": valued(value(small, method="mc", model="logistic", rounds=3)),
        "truncated": valued(value(davis, method="mc", rounds=3, truncation=0.02)),
        "oob": valued(value(wine, method="oob", rounds=150, random_state=1)),
        "loo": valued(value(davis, method="loo")),
        "flat": valued(value(small, method="flat", rounds=3)),
        "exact": valued(value(small, method="exact", model="knn", n_neighbors=2)),
        "random": valued(value(davis, method="random")),
    }


def block_values(h, rows, columns, **options):
    *_, last = BlockGame.of(h, rows, columns, **options).play()
    return last.result


def blocks():
    adult = read("adult_2000")
    groups = rows_by_column(adult, "sex"), columns_by_kind(adult)
    many = rows_by_column(adult, "education", 12), columns_by_kind(adult)
    found = {
        "knn": block_values(utility_of(adult), *groups),
        "tree": block_values(utility_of(adult, "tree"), *groups),
        "sampled": block_values(utility_of(adult), *many, method="mc", rounds=12),
    }
    return {
        name: [numbers(b.values), numbers(b.stderr), text(b.to_frame().columns)]
        for name, b in found.items()
    }


def changed_rows():
    davis, wine = read("davis"), read("wine")
    found = {}
    for name, table, row, new in (
        ("davis", davis, 12, {"weight": "57", "height": "166"}),
        ("wine", wine, 21, {"alcohol": "14.9", "cultivar": "2"}),
    ):
        values = cellval.value_cells(table)
        answer = cellval.what_if(table, values, row, new)
        cells = dict(list(new.items())[:1])
        label = cellval.label_or_cell(table, values, row, cells)
        found[name] = {
            "after": numbers(answer.after["value"]),
            "gain": numbers([answer.gain, answer.gain_stderr, answer.after_total]),
            "note": text(answer.note),
            "label": numbers(label.changes[["value", "gain", "stderr"]]),
            "verdict": label.verdict,
        }
    return found


def measured():
    davis = read("davis")
    fixed = davis.with_cells({(11, "weight"): "57", (11, "height"): "166"}, drop=[3])
    compared = cellval.compare_models(davis, fixed, folds=3, repeats=2)
    planted = cellval.validate(read("wine"), kind="times ten", n_neighbors=5)
    curves = planted.curves
    return {
        "before": numbers(compared.before),
        "after": numbers(compared.after),
        "verdicts": [compared.verdict(model) for model in compared.models],
        "planted": {name: numbers(curve.found) for name, curve in curves.items()},
        "removal": {name: numbers(c.accuracy) for name, c in planted.removal.items()},
    }


PARTS = {
    **{name: (lambda name=name: sample(name)) for name in LABELS},
    "knn": options_of_knn,
    "methods": other_methods,
    "blocks": blocks,
    "what if": changed_rows,
    "measured": measured,
}


def same(now, then, at=""):
    """Differences between two results, as lines."""
    if isinstance(then, dict):
        keys = dict.fromkeys([*then, *now])
        return [
            line
            for key in keys
            for line in same(now.get(key), then.get(key), f"{at}/{key}")
        ]
    is_numbers = isinstance(then, list) and len(then) == 7
    if is_numbers and isinstance(then[0], list) and isinstance(now, list):
        loose = at.rsplit("/", 1)[-1] in LOOSE
        size = (OF_FLOAT32 if loose else TOLERANCE) * max(then[3], 1e-12)
        ends = zip(now[2:], then[2:], strict=True)
        if now[:2] == then[:2] and all(abs(a - b) <= size for a, b in ends):
            return []
    elif isinstance(then, list) and isinstance(now, list) and len(now) == len(then):
        pairs = enumerate(zip(now, then, strict=True))
        return [line for k, (a, b) in pairs for line in same(a, b, f"{at}/{k}")]
    elif now == then:
        return []
    return [f"{at}: {now} instead of {then}"]


@pytest.mark.parametrize("part", PARTS)
def test_everything_is_as_in_version_0_1(part):
    known = json.loads(FILE.read_text())[part]
    assert not same(json.loads(json.dumps(PARTS[part]())), known)


def test_a_single_cell_that_moves_is_seen():
    cells = np.linspace(-1, 1, 500)
    moved = cells.copy()
    moved[77] += 1e-5
    assert same(numbers(moved), numbers(cells))
    assert not same(numbers(cells), numbers(cells))


if __name__ == "__main__" and "--write" in sys.argv:
    FILE.write_text(json.dumps({k: v() for k, v in PARTS.items()}, indent=1) + "\n")
