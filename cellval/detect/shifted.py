"""Rows whose cells stand a column too far left or right from some column on."""

import numpy as np

from cellval.detect.domains import Domain, domains, fits_of, own_fits
from cellval.detect.finding import Finding, column_name, finding
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import content, counted

# Cells that fit their neighbour's column and not their own, at least: of numbers out of
# range, which count half, five.
EVIDENCE = 2.5
AGAINST = 0.25  # of the evidence, at most, speaks for the column a cell stands in
SURE = 0.9
LOSING = 0.4  # the same where moving cells back would overwrite another one
LEFT, RIGHT = -1, 1  # where cells went


@kept(1)
def shifted(table: Table) -> list[Finding]:
    """One for each direction and first column, with all its rows."""
    own = own_fits(table)
    rows = np.flatnonzero((own < 0).sum(axis=1) >= EVIDENCE)
    if rows.size == 0:
        return []
    cells = table.cells.iloc[rows]
    texts = np.column_stack([cells[name].str.strip().tolist() for name in cells])
    texts = texts.astype(object)
    found: dict[tuple[int, int], list[int]] = {}
    best = np.zeros(rows.size)
    where = np.zeros((rows.size, 2), np.int64)
    for way in (RIGHT, LEFT):
        speaks = _evidence(domains(table), texts, own[rows], way)
        for k in range(rows.size):
            first, evidence = _first(speaks[k], texts[k], way)
            if evidence > best[k]:
                best[k], where[k] = evidence, (way, first)
    for k in np.flatnonzero(best).tolist():
        way, first = where[k].tolist()
        found.setdefault((way, first), []).append(k)
    return [
        _finding(table, way, first, rows[members], texts[members])
        for (way, first), members in found.items()
    ]


def _evidence(
    known: tuple[Domain, ...], texts: np.ndarray, own: np.ndarray, way: int
) -> np.ndarray:
    """For each cell, how much speaks for (against, if negative) its having gone that
    way: it fits the column that it came from, and not its own, or the other way round.
    """
    speaks = np.zeros(own.shape)
    for j in range(own.shape[1]):
        if 0 <= j - way < own.shape[1]:
            there = fits_of(known[j - way], texts[:, j].tolist())
            differ = there * own[:, j] < 0
            size = np.abs(there * own[:, j])
            speaks[:, j] = np.where(differ, np.sign(there) * size, 0.0)
    return speaks


def _first(speaks: np.ndarray, texts: np.ndarray, way: int) -> tuple[int, float]:
    """Column from which on most speaks for it, and how much; 0 for not enough."""
    if way == LEFT and texts[-1]:  # something stands where nothing can have come from
        return 0, 0.0
    from_here = np.cumsum(speaks[::-1])[::-1]
    first = int(np.flatnonzero(from_here == from_here.max())[-1])
    own = speaks[first:]
    evidence, against = own[own > 0].sum(), -own[own < 0].sum()
    if evidence < EVIDENCE or against > AGAINST * evidence:
        return 0, 0.0
    return first, float(evidence - against)


def _finding(
    table: Table, way: int, first: int, rows: np.ndarray, texts: np.ndarray
) -> Finding:
    """All cells from the first on; moved back, one of them is left without content."""
    names = [str(name) for name in table.cells]
    from_column = first - 1 if way == RIGHT else first
    own = texts[:, from_column:]
    after = np.full(own.shape, "", object)
    if way == RIGHT:
        after[:, :-1] = own[:, 1:]
    else:
        after[:, 1:] = own[:, :-1]
    # What stood there before would be lost, unless it is twice there or blank.
    lost = (own[:, 0] != "") & (own[:, 0] != own[:, 1]) & (way == RIGHT)
    touched = after != own
    at, columns = np.nonzero(touched)
    side = "right" if way == RIGHT else "left"
    name, shown = column_name(names[from_column]), column_name(names[first])
    held, meant = (
        content(own[0, first - from_column], 30),
        column_name(names[first - way]),
    )
    return finding(
        table,
        "shift",
        "",
        rows[at],
        after[touched].tolist(),
        columns=[names[from_column + k] for k in columns.tolist()],
        about=(side, names[from_column]),
        sure=SURE if not lost.any() else LOSING,
        title=f"{counted(rows.size, 'row')} shifted to the {side} from {name} on",
        evidence=(
            f"Cells fit the column to the {'left' if way == RIGHT else 'right'} of "
            f"theirs and not their own: {held} in {shown} looks like {meant}."
        ),
    )
