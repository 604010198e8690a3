"""What if a row held something else: what it, and each of its cells, would be worth.

Only one row changes, so only its own values are computed: the other rows are ordered
around each test point once, and every content of the row finds its place among them.
The answers are those of a new run on the changed table: kinds and features stay, the
scale of a changed column is measured anew, and the test points are those of the run. So
is the width within which labels agree that are numbers.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cellval.errors import require
from cellval.knn.distance import distances
from cellval.stats import SURE
from cellval.table.table import Table, as_table
from cellval.text import content
from cellval.values.options import RunOptions
from cellval.values.result import CellValues, explained
from cellval.values.words import Unit
from cellval.whatif.changed_row import Run, changed_row, position_of, run_of
from cellval.whatif.contents import (
    CELL_WORK,
    TestContributions,
    exact_cells,
    sampled_cells,
    sentences,
    whole_row,
)

MOST_LABELS = 10


@dataclass(frozen=True, eq=False)
class LabelOrCell:
    """What each single change of a row would do to its value.

    Attributes
    ----------
    row_number : int
        As a person counts, from 1.
    now, now_stderr : float
        The row's value as it is.
    changes : DataFrame
        One line per change; see `frame`.
    verdict : str
        The change that helps most, in a sentence or two.
    note : str
        What was sampled or read in an unexpected way; else empty.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> found = cellval.label_or_cell(table, values, 165, {"height": "178"})
    >>> found.verdict
    "Changing sex from M to F would raise the row's value most: ..."
    """

    row_number: int
    now: float
    now_stderr: float
    changes: pd.DataFrame
    verdict: str
    note: str

    def frame(self) -> pd.DataFrame:
        """Columns change, column, before, after, value, gain, stderr (of the gain)."""
        return self.changes.copy()


@dataclass(frozen=True, eq=False)
class WhatIf:
    """The cells of a row before and after a change, each with its value.

    Attributes
    ----------
    row_number : int
        As a person counts, from 1.
    before, after : DataFrame
        As `CellValues.explain`: column, cell, value, stderr; values sum to the total.
        A standard error after is that before and that of the change together, which is
        rather too large than too small.
    before_total, after_total, before_stderr, after_stderr : float
        The row's value, with its standard error.
    gain, gain_stderr : float
        After less before on the same test points: more precise than the two.
    seconds : float
        How long it took.
    note : str
        How `after` was computed, and what was read in an unexpected way.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> new = {"weight": "57", "height": "166"}
    >>> answer = cellval.what_if(table, values, 12, new)
    >>> answer.after["cell"].tolist(), answer.gain > 0
    (['163', '166', '56', '57'], True)
    """

    row_number: int
    before: pd.DataFrame
    after: pd.DataFrame
    before_total: float
    after_total: float
    before_stderr: float
    after_stderr: float
    gain: float
    gain_stderr: float
    seconds: float
    note: str


def label_or_cell(
    table: Table | pd.DataFrame,
    values: CellValues,
    row_number: int,
    suggestions: Mapping[str, str | Mapping[str, str]],
    *,
    test: Table | pd.DataFrame | None = None,
    unit: Unit | None = None,
) -> LabelOrCell:
    """Label or cell: a row's value under each other label and each suggested cell.

    Of a label of numbers there is one other: the middle one of the rows that are
    nearest in all columns.

    Parameters
    ----------
    row_number : int
        The row as a person counts, from 1.
    suggestions : mapping of column to the text that a suspicious cell should have
        Or to a mapping of columns to texts, where several cells change at once.
    test : Table or DataFrame, optional
        The test table of the run, if it had one.
    unit : Unit, optional
        Of the numbers in the verdict; else one that suits them.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> found = cellval.label_or_cell(table, values, 12, {"height": "163"})
    >>> found.frame()["change"].tolist()
    ['sex: F → M', 'height: 57 → 163']
    """
    table = as_table(table)
    run = run_of(table, values, None if test is None else as_table(test, like=table))
    position = position_of(run, table, row_number)
    labels = _other_labels(run, position)
    changes = [(table.label, {table.label: text}) for text in labels]
    is_mapping = isinstance(suggestions, Mapping)
    require("suggestions", suggestions, is_mapping, "a mapping of columns to texts")
    for name, new in suggestions.items():
        changes.append((name, dict(new) if isinstance(new, Mapping) else {name: new}))
    row = changed_row(run, position, [texts for _, texts in changes])
    told = whole_row(run, row)
    lines, moves = [], []
    for q, (name, texts) in enumerate(changes, 1):
        olds = {column: str(row.texts[0][column]).strip() for column in texts}
        pairs = [(c, content(olds[c]), content(new)) for c, new in texts.items()]
        text = ", ".join(f"{c}: {old} → {new}" for c, old, new in pairs)
        moves.append([f"{c} from {old} to {new}" for c, old, new in pairs])
        values_then = told.mean(q)[0], *told.mean(q, 0)
        lines.append((text, name, olds[name], texts[name], *values_then))
    columns = ["change", "column", "before", "after", "value", "gain", "stderr"]
    frame = pd.DataFrame(lines, columns=columns)
    now, now_stderr = told.mean(0)
    return LabelOrCell(
        int(row_number),
        float(now),
        float(now_stderr),
        frame,
        _verdict(frame, moves, table, float(now), told, unit),
        sentences(told.note, *row.notes),
    )


def _other_labels(run: Run, position: int) -> list[str]:
    """Texts of labels to try: of classes the commonest others, of numbers one."""
    table = run.table
    if table.target is None:
        counts = np.bincount(table.y)
        common = np.argsort(-counts, kind="stable")
        labels = [table.classes[k] for k in common if k != table.y[position]]
        if len(labels) == 1 and counts[table.y[position]] == 1:
            return []  # the other one would leave a single class
        return labels[:MOST_LABELS]
    encoded, others = run.encoded, ~run.held_out
    others[position] = False
    around = np.flatnonzero(others)
    if around.size == 0:
        return []
    columns = encoded.weight, encoded.is_category, encoded.cells[:, position]
    apart = distances(np.ascontiguousarray(encoded.cells[:, around]), *columns)
    k = min(int(run.settings.n_neighbors or RunOptions.n_neighbors), around.size)
    near = around[apart <= np.sort(apart)[k - 1]]  # with all that are as near
    middle = near[np.argsort(table.target[near], kind="stable")[(near.size - 1) // 2]]
    same = table.target[middle] == table.target[position]
    return [] if same else [table.labels[middle]]  # its text fits the file


def what_if(
    table: Table | pd.DataFrame,
    values: CellValues,
    row_number: int,
    changes: Mapping[str, str],
    *,
    test: Table | pd.DataFrame | None = None,
    seconds: float = 0.8,
) -> WhatIf:
    """Values of all cells of a row after a change of any of its cells or its label.

    Parameters
    ----------
    row_number : int
        The row as a person counts, from 1.
    changes : mapping of column or label to its new text
    test : Table or DataFrame, optional
        The test table of the run, if it had one.
    seconds : float
        About how long it may take on two cores; more time, smaller errors.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> new = {"weight": "57", "height": "166"}
    >>> answer = cellval.what_if(table, values, 12, new)
    >>> answer.before_total < answer.after_total
    True
    """
    started = time.monotonic()
    table = as_table(table)
    run = run_of(table, values, None if test is None else as_table(test, like=table))
    row = changed_row(run, position_of(run, table, row_number), [changes])
    at = values.position(row_number)
    whole = whole_row(run, row)
    total, total_stderr = whole.mean(1)
    gain, gain_stderr = whole.mean(1, 0)
    old, old_stderr = values.values[at], values.stderr[at]
    work, known = CELL_WORK * seconds, values.settings.is_exact
    told = exact_cells(run, row, work, old_known=known)
    if told is None:
        told = sampled_cells(run, row, work)
    if len(told.by_test) == 1:
        new, new_stderr = told.mean(0)
    else:
        change, stderr = told.mean(1, 0)
        new, new_stderr = old + change, np.hypot(old_stderr, stderr)
    new = new + (total - new.sum()) / new.size
    texts = [row.texts[1][name] for name in values.column_names]
    of_total, stopped = "", ""
    if whole.note:
        of_total = f"The row's value was {whole.note[0].lower()}{whole.note[1:]}"
    if values.n_test < run.n_tests:
        stopped = (
            f"The run before saw {values.n_test:,} of {run.n_tests:,} test points, so "
            "before and after differ by its noise, too."
        )
    return WhatIf(
        int(row_number),
        values.explain(row_number),
        explained(values.column_names, texts, new, new_stderr),
        float(values.row_values[at]),
        float(total),
        float(values.row_stderr[at]),
        float(total_stderr),
        float(gain),
        float(gain_stderr),
        time.monotonic() - started,
        sentences(told.note, of_total, *row.notes, stopped),
    )


def _verdict(
    frame: pd.DataFrame,
    moves: Sequence[Sequence[str]],
    table: Table,
    now: float,
    told: TestContributions,
    unit: Unit | None,
) -> str:
    """The change that helps most, and whether that is more than noise."""
    label, of_numbers = table.label, table.target is not None
    if frame.empty:
        return "There is no other label and no suggestion to try."
    unit = unit or Unit.of(max(abs(now), float(frame["value"].abs().max())))
    best = int(frame["gain"].argmax())
    line = frame.iloc[best]
    move = f"from {_signed(unit, now)} to {_signed(unit, line['value'])}"
    if line["gain"] <= 0:
        labels = "the label of rows like it" if of_numbers else "every other label"
        return (
            f"No single change helps: the row's value is {_signed(unit, now)}, and "
            f"{labels} and every suggestion would leave or lower it."
        )
    if not line["gain"] > SURE * line["stderr"]:
        return (
            f"No single change helps much: the best one, {line['change']}, would move "
            f"the row's value {move}, which is within two standard errors."
        )
    said = (
        f"Changing {' and '.join(moves[best])} would raise the row's value most: {move}"
    )
    is_label = line["column"] == label
    rivals = frame[(frame["column"] == label) != is_label]
    if rivals.empty:
        return f"{said}. " + (
            "The label may be wrong."
            if is_label
            else "There is no other label to compare it with."
        )
    rival = rivals.index[int(rivals["gain"].argmax())]
    ahead, stderr = told.mean(best + 1, int(rival) + 1)
    if not ahead > SURE * stderr:
        return (
            f"{said}. But {frame.loc[rival, 'change']} would do nearly as much, within "
            "two standard errors: label or cell cannot be told apart."
        )
    if is_label:
        return f"{said}; more than any cell. The label may be wrong."
    who = "cell is" if len(moves[best]) == 1 else "cells are"
    other = "the label of rows like it" if of_numbers else "any other label"
    return f"{said}; more than {other}. The {who} the likelier culprit."


def _signed(unit: Unit, value: float) -> str:
    text = unit.text(value)
    return f"+{text}" if value > 0 else text
