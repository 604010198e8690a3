"""Errors planted into a person's own table, as if they had been typed into its file."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.table.columns import Column
from cellval.table.describe import number_text
from cellval.table.splits import stratified
from cellval.table.table import Table
from cellval.validation.planting import KINDS, plant

FEWEST = 5  # errors: a curve through fewer says nothing
NUMBERS_ONLY = ("times ten", "zero")
DATES = {
    "month/day/year": "%m/%d/%Y",
    "day/month/year": "%d/%m/%Y",
    "day.month.year": "%d.%m.%Y",
    "year-month-day": "%Y-%m-%d",
    "day month year": "%d %b %Y",
    "month day, year": "%b %d, %Y",
    "year month day": "%Y-%b-%d",
    "month year": "%b %Y",
}


@dataclass(frozen=True, eq=False)
class PlantedTable:
    """A table with planted errors, and the same rows without."""

    table: Table  # errors as texts; kinds and features are those of the clean one
    clean: Table
    held_out: np.ndarray  # positions of the rows in the person's table: in neither
    wrong: np.ndarray  # bool, over the features
    texts: dict[tuple[int, str], str]  # planted, by position in `table` and column

    @property
    def n_wrong(self) -> int:
        return int(self.wrong.sum())


def plant_into(
    table: Table,
    kind: str,
    *,
    share: float = 0.02,
    test_share: float = 0.0,
    random_state: int = 0,
) -> PlantedTable:
    """Plant errors of one of `planting.KINDS` into a share of the cells.

    "times ten" and "zero" go to columns of numbers; cells that are missing stay as they
    are. `test_share` of the rows of each class is held out clean.
    """
    if kind not in KINDS:
        raise InputError(f"'{kind}' is no kind of error; take one of {list(KINDS)}.")
    if not 0 < share <= 0.5:
        raise InputError(
            f"A share of {share:g} is not possible: it must be above 0, and at most "
            "0.5, so that most cells stay right."
        )
    if not 0 <= test_share < 1:
        raise InputError(
            f"A share of {test_share:g} of the rows cannot be held out: it must be at "
            "least 0 and below 1."
        )
    columns = [c for c in table.features if takes(c, kind)]
    if not columns:
        raise InputError(
            f"{table.name} has no column of numbers that is a feature, and '{kind}' "
            f"needs one: {KINDS[kind]}. Take another kind of error, such as 'swap'."
        )
    draw = np.random.default_rng([random_state, 21])
    held_out = np.flatnonzero(stratified(table.y, test_share, draw, keep=1))
    clean = without_rows(table, held_out)
    own = {column.name: column for column in clean.features}
    columns = [own[column.name] for column in columns]
    texts = _planted(clean, columns, kind, share, random_state)
    planted = with_errors(clean, held_out, texts)
    if (n := planted.n_wrong) < FEWEST:
        raise InputError(
            f"Only {n or 'no'} error{'s' * (n != 1)} could be planted into "
            f"{clean.n_rows:,} rows x {len(columns)} columns, and fewer than {FEWEST} "
            "say nothing. Choose a larger share of cells or another kind of error; a "
            "table of a few rows is too small to try it on."
        )
    return planted


def with_errors(
    clean: Table, held_out: np.ndarray, texts: dict[tuple[int, str], str]
) -> PlantedTable:
    """Texts planted into a table that is `without_rows` that are held out."""
    planted = clean.with_cells(texts)
    wrong = np.column_stack(
        [_differ(a, b) for a, b in zip(clean.features, planted.features, strict=True)]
    )
    return PlantedTable(planted, clean, held_out, wrong, texts)


def without_rows(table: Table, held_out: np.ndarray) -> Table:
    return table.with_cells({}, drop=held_out.tolist()) if held_out.size else table


def takes(column: Column, kind: str) -> bool:
    """Can cells of this column have such an error?"""
    if kind in NUMBERS_ONLY:
        return column.kind == "number" and column.numbers is not None
    return column.numbers is not None or column.codes is not None


def possible_kinds(table: Table) -> list[str]:
    """Kinds of errors that can be planted into a table."""
    return [kind for kind in KINDS if any(takes(c, kind) for c in table.features)]


def n_plantable(table: Table, kind: str) -> int:
    """Cells of a table that can have an error of this kind."""
    columns = [column for column in table.features if takes(column, kind)]
    return sum(int((~column.missing).sum()) for column in columns)


def n_held_out(table: Table, test_share: float) -> int:
    """Rows of a table that stay clean, whatever the draw."""
    draw = np.random.default_rng(0)
    return int(stratified(table.y, test_share, draw, keep=1).sum())


def _planted(
    clean: Table, columns: list[Column], kind: str, share: float, random_state: int
) -> dict[tuple[int, str], str]:
    """Texts of the errors."""
    frame = pd.DataFrame({j: _contents(column) for j, column in enumerate(columns)})
    frame["label"] = clean.y
    # a class without any cell in a column has no density
    with np.errstate(all="ignore"):
        planted = plant(frame, "label", kind, share=share, random_state=random_state)
    texts = {}
    for j, column in enumerate(columns):
        new = planted.frame[j]
        places = np.flatnonzero(planted.wrong[:, j] & ~column.missing & new.notna())
        written = _texts(clean, column, new.iloc[places].to_list())
        for i, text in zip(places.tolist(), written, strict=True):
            if text:
                texts[i, column.name] = text
    return texts


def _contents(column: Column) -> pd.Series:
    if column.numbers is not None:
        return pd.Series(column.numbers)
    assert column.codes is not None
    names = np.array([*column.categories, None], object)
    return pd.Series(names[column.codes], dtype=object)


def _texts(table: Table, column: Column, contents: list) -> list[str]:
    """Contents as the file would have them; empty where the column cannot."""
    if column.numbers is None or not contents:
        return [str(text) for text in contents]
    digits = _digits(column.numbers)
    numbers = [round(float(x), digits) for x in contents]
    texts = [""] * len(numbers)
    # What their texts leave out: the time of a day, or the seconds of a time.
    slack = {"date": 1.0, "time": 60.0}.get(column.word, 0.0)
    for way in _ways(table, column, numbers):
        read = table.read_texts(column.name, way).numbers
        assert read is not None
        right = np.isclose(read, numbers, rtol=1e-5, atol=slack)
        texts = [
            new if r and not t else t
            for t, new, r in zip(texts, way, right, strict=True)
        ]
    return texts


def _digits(numbers: np.ndarray) -> int:
    """Digits behind the decimal mark that the column has."""
    known = numbers[~np.isnan(numbers)]
    for digits in range(7):
        if np.allclose(known, known.round(digits), rtol=0, atol=1e-9):
            return digits
    return 7


def _ways(table: Table, column: Column, numbers: list[float]) -> Iterator[list[str]]:
    """Ways to write numbers or days that the column may understand."""
    if column.word == "time":
        yield [number_text(column, max(x, 0.0)) for x in numbers]
        return
    if column.kind == "date":
        epoch, form = date(1970, 1, 1), DATES.get(column.form, "%Y-%m-%d")
        # far outside of the calendar is nowhere
        days = [min(max(int(x), -719162), 2932896) for x in numbers]
        yield [(epoch + timedelta(days=k)).strftime(form) for k in days]
        return
    mark = table.decimal
    plain = [_number_text(x).replace(".", mark) for x in numbers]
    yield plain
    for unit in (f" {column.form}", column.form):
        yield [f"{text}{unit}" for text in plain]
        yield [f"{unit.strip()}{' ' * unit.startswith(' ')}{text}" for text in plain]


def _number_text(number: float) -> str:
    text = f"{number:.7g}"
    return f"{number:.0f}" if "e" in text and number.is_integer() else text


def _differ(a: Column, b: Column) -> np.ndarray:
    """Cells whose content is not the same any more."""
    if a.numbers is not None and b.numbers is not None:
        same = (a.numbers == b.numbers) | (np.isnan(a.numbers) & np.isnan(b.numbers))
        return ~same
    assert a.codes is not None and b.codes is not None
    names = (np.array([*c.categories, ""], object)[c.codes] for c in (a, b))
    return np.not_equal(*names).astype(bool)
