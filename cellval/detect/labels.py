"""How odd the label of every row is, given the rest of the row.

The label is taken for one more column of a table without a label, and asked what every
cell is asked: is it rare, and is it far from what the rows most like its row say?
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cellval.detect.neighbours import Asking
from cellval.detect.surprise import odds_of, sure_codes, without
from cellval.errors import InputError, is_whole, require
from cellval.parallel import drive
from cellval.table.labels import Labels
from cellval.table.table import Table, as_table


@dataclass(frozen=True, eq=False)
class LabelSurprise:
    """How unusual the label of each row is; lower is worse."""

    surprise: np.ndarray  # 0 to 1: the share of ordinary labels that look as odd
    # What the rows most like it say: the code of a class, or a number; NaN for nothing.
    expected: np.ndarray


def judged_labels(
    table: Table, *, random_state: int = 0, n_jobs: int | None = None
) -> LabelSurprise:
    if not table.label:
        raise InputError(
            f"{table.name} was read without a label, so there are no labels to judge. "
            "Choose a label first."
        )
    require("random_state", random_state, is_whole(random_state, 0), "whole, from 0 on")
    whole = with_label_as_column(without(table, sure_codes(table)))
    asking = Asking(whole, random_state, targets=(len(whole.features) - 1,))
    *_, last = drive(asking, n_jobs=n_jobs)
    odds = odds_of(asking, last.result)
    return LabelSurprise(odds.both[:, 0], last.result.expected[:, 0])


def label_surprise(table: Table, random_state: int = 0) -> np.ndarray:
    """How odd each row's label is, given its features; 0 to 1, lower is worse."""
    return judged_labels(table, random_state=random_state).surprise


def with_label_as_column(table: Table) -> Table:
    column = table.label_column or table.class_column
    assert column is not None
    none = Labels.none(table.n_rows)
    return replace(
        table,
        columns=(*table.columns, column),
        label="",
        classes=none.classes,
        y=none.y,
        target=None,
    )


def suspect_labels(
    table: Table | pd.DataFrame, *, random_state: int = 0, n_jobs: int | None = None
) -> pd.DataFrame:
    """Labels by how odd they are, given the rest of the row; the worst first.

    A label that lies far from what rows like it have is a question to a person: it may
    be wrong, or the row a rare case. It needs no values, and serves classes and numbers
    alike.

    Returns
    -------
    DataFrame
        Columns row_number, id, label, expected (what the rows most like it have: their
        commonest class, or the median of their numbers), and surprise: about the share
        of ordinary labels that look at least as odd, 0 to 1.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> found = cellval.suspect_labels(table)
    >>> found.columns.tolist()
    ['row_number', 'id', 'label', 'expected', 'surprise']
    >>> bool(found["surprise"].is_monotonic_increasing)
    True
    """
    table = as_table(table).labelled
    found = judged_labels(table, random_state=random_state, n_jobs=n_jobs)
    label, expected = table.target, found.expected
    if label is None:
        names = np.array([*table.classes, None], object)
        label = names[table.y]
        expected = names[np.where(np.isnan(expected), -1, expected).astype(int)]
    frame = pd.DataFrame(
        {
            "row_number": table.row_numbers,
            "id": table.ids,
            "label": label,
            "expected": expected,
            "surprise": found.surprise,
        }
    )
    return frame.sort_values("surprise", kind="stable", ignore_index=True)
