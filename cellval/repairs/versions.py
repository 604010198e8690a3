"""A table before and after a repair, as one table that models can be trained on."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.table.columns import Column, cells_of
from cellval.table.table import Table, part


@dataclass(frozen=True, eq=False)
class Versions:
    """Both versions in one table, so that a training set is a list of positions."""

    rows: Table  # those of `before`, then the touched ones as they are after
    untouched: np.ndarray  # positions
    old: np.ndarray  # touched rows as they were
    new: np.ndarray  # touched rows as they are, without the dropped ones
    n_touched: int  # rows that differ: changed, dropped, with or without a label now
    n_dropped: int  # of these

    @cached_property
    def X(self) -> np.ndarray:
        """For scikit-learn: one row per row; numbers and codes, NaN where missing."""
        return np.column_stack([cells_of(column) for column in self.rows.features])

    @cached_property
    def is_category(self) -> np.ndarray:
        return np.array([column.codes is not None for column in self.rows.features])


def versions_of(before: Table, after: Table) -> Versions:
    n = before.n_rows
    at = np.searchsorted(after.row_numbers, before.row_numbers)
    kept = np.isin(before.row_numbers, after.row_numbers)
    alike = [(c.name, c.kind) for c in before.features] == [
        (c.name, c.kind) for c in after.features
    ]
    other_label = (before.label, before.target is None) != (
        after.label,
        after.target is None,
    )
    if not alike or other_label or kept.sum() != after.n_rows:
        raise InputError(
            f"{after.name} is no repaired version of {before.name}: it has other rows, "
            "features or another label. Make it with before.with_cells."
        )
    columns = map(_joined, before.features, after.features)
    classes = tuple(dict.fromkeys(before.classes + after.classes))
    place = {text: k for k, text in enumerate(classes)}
    other = np.array([*(place[text] for text in after.classes), -1], np.int32)
    both = replace(
        before,
        cells=pd.DataFrame(index=range(n + after.n_rows)),  # nobody asks for texts
        columns=tuple(columns),
        classes=classes,
        y=np.concatenate([before.y, other[after.y]]),
        target=_both(before.target, after.target),
        row_numbers=np.concatenate([before.row_numbers, after.row_numbers]),
    )
    then, now = np.flatnonzero(kept), n + at[kept]
    touched = ~kept
    label = both.y if both.target is None else both.target
    for x in (label, *(cells_of(column) for column in both.features)):
        equal = (x[then] == x[now]) | (np.isnan(x[then]) & np.isnan(x[now]))
        touched[then] |= ~equal
    learnt = both.y >= 0  # from rows without a label no model learns
    seen = learnt[:n].copy()
    seen[then] |= learnt[now]
    touched &= seen
    if not touched.any():
        raise InputError(
            "Nothing was changed that a model could see, so there is nothing to "
            "measure. Correct or drop something first."
        )
    if touched[learnt[:n]].all():
        raise InputError(
            "Every row was changed or dropped, so no row is left to measure on: only "
            "untouched rows tell fairly whether models got better. Repair fewer rows."
        )
    new = now[touched[then] & learnt[now]]
    old = np.flatnonzero(learnt[:n])
    return Versions(
        part(both, np.concatenate([old, new])),
        np.flatnonzero(~touched[old]),
        np.flatnonzero(touched[old]),
        old.size + np.arange(new.size),
        int(touched.sum()),
        int(np.sum(touched & ~kept)),
    )


def _both(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    return None if a is None or b is None else np.concatenate([a, b])


def _joined(a: Column, b: Column) -> Column:
    """Cells of a, then cells of b, whatever codes their categories have."""
    missing = np.concatenate([a.missing, b.missing])
    if a.numbers is not None and b.numbers is not None:
        numbers = np.concatenate([a.numbers, b.numbers])
        return replace(a, missing=missing, strays=(), numbers=numbers)
    assert a.codes is not None and b.codes is not None
    categories = tuple(dict.fromkeys(a.categories + b.categories))
    place = {text: code for code, text in enumerate(categories)}
    other = np.array([*(place[text] for text in b.categories), -1], np.int32)
    codes = np.concatenate([a.codes, other[b.codes]])
    return replace(a, missing=missing, codes=codes, categories=categories)
