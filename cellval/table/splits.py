"""Rows to learn from and rows to test on."""

import numpy as np

from cellval.errors import InputError
from cellval.table.table import Table, part
from cellval.text import listed, whole_percent

HOLD_OUT = 0.3  # share of the rows that models are tested on, if nothing is said


def split(
    table: Table, test: Table | float | None, random_state: int
) -> tuple[np.ndarray, Table, Table]:
    """Positions of the rows that play, training and test table."""
    if isinstance(test, Table):
        check_classes(table, test)
        return np.arange(table.n_rows), table, test.labelled
    out = hold_out(table.y, HOLD_OUT if test is None else test, random_state)
    players = np.flatnonzero(~out)
    return players, part(table, players), part(table, np.flatnonzero(out))


def check_classes(table: Table, test: Table) -> None:
    """A test table must have a class of the training table; numbers always fit."""
    if table.target is None and not set(test.classes) & set(table.classes):
        raise InputError(
            f"The test table '{test.name}' has no class of '{table.name}': "
            f"{listed(test.classes)} against {listed(table.classes)}. Write the "
            "labels in the same way."
        )


def stratified(
    y: np.ndarray, share: float, draw: np.random.Generator, *, keep: int = 0
) -> np.ndarray:
    """About a share of each class, as a mask; at least `keep` rows of it are left."""
    chosen = np.zeros(y.size, bool)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        n = min(round(share * members.size), members.size - keep)
        chosen[draw.permutation(members)[:n]] = True
    return chosen


def hold_out(y: np.ndarray, share: float, random_state: int) -> np.ndarray:
    """Rows to test on: about the given share of each class."""
    if isinstance(share, bool) or not isinstance(share, (int, float, np.number)):
        raise InputError(
            f"test={share!r} is not understood. Use None (leave-one-out), a share of "
            "the rows such as 0.3, or a second table."
        )
    if not 0 < share < 1:
        raise InputError(
            f"test={share!r}: the share of rows to hold out must lie between 0 and 1, "
            "such as 0.3."
        )
    draw = np.random.default_rng([random_state, 2**31])
    held_out = stratified(y, float(share), draw)
    if held_out.all() or not held_out.any():
        raise InputError(
            f"A hold-out of {whole_percent(share)} leaves no rows on one side. Choose "
            "another share, a second table, or KNN with leave-one-out."
        )
    return held_out
