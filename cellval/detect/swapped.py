"""Two columns that were swapped in some rows: each cell fits only the other one."""

from itertools import combinations

import numpy as np

from cellval.detect.domains import FITS, domains, fits_of, own_fits
from cellval.detect.finding import Finding, column_name, finding
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import content, counted

EACH = 0.5  # that each of both cells must speak for it
SURE = 0.9
SHARED = 0.1  # of the texts, at most, stand in both columns
MOST_ODD = 3  # cells of a row: what is odd all over was not merely swapped
COMPLETE = 0.1  # of the cells of a column are blank, at most, where none should be
MOST_PAIRS = 1_000  # of columns that are looked at, those with most rows first


@kept(1)
def swapped(table: Table) -> list[Finding]:
    """One for each pair of columns, with all its rows."""
    names = [str(name) for name in table.cells]
    known, own = domains(table), own_fits(table)
    pairs: dict[tuple[int, int], np.ndarray] = {}
    for (a, b), rows in _candidates(table, own):
        if _share_texts(table, names[a], names[b], rows):
            continue
        texts_a, texts_b = (
            table.cells[names[j]].iloc[rows].str.strip().tolist() for j in (a, b)
        )
        fits_b, fits_a = fits_of(known[b], texts_a), fits_of(known[a], texts_b)
        speaks_a, speaks_b = -own[rows, a] * fits_b, -own[rows, b] * fits_a
        wrong = (speaks_a >= EACH) & (speaks_b >= EACH)
        wrong &= np.maximum(fits_a, fits_b) == FITS  # two free texts may be anything
        wrong &= np.array(texts_a, object) != np.array(texts_b, object)
        rows = rows[wrong]
        beyond = known[a].is_beyond(rows) & known[b].is_beyond(rows)
        if beyond.any():
            pairs[a, b] = rows[beyond]
    # What could be swapped with either of two columns was perhaps not swapped at all.
    n_pairs = np.bincount(np.concatenate([*pairs.values(), np.empty(0, np.int64)]))
    alone = {pair: rows[n_pairs[rows] == 1] for pair, rows in pairs.items()}
    return [
        _finding(table, (names[a], names[b]), rows)
        for (a, b), rows in alone.items()
        if rows.size
    ]


def _share_texts(table: Table, a: str, b: str, rows: np.ndarray) -> bool:
    """Do two columns hold the same texts anyhow, as from and to do?"""
    others = np.setdiff1d(np.arange(table.n_rows), rows)
    one, other = (set(table.cells[name].iloc[others].str.strip()) for name in (a, b))
    return len(one & other) > SHARED * min(len(one), len(other))


def _candidates(
    table: Table, own: np.ndarray
) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Pairs of columns, and the rows in which both cells are odd and hardly another."""
    odd = own < 0
    missing = np.column_stack(
        [(table.cells[name].str.strip() == "").to_numpy(bool) for name in table.cells]
    )
    # A cell lost where hardly any other is: the row was shifted rather than swapped.
    odd[missing[:, missing.mean(axis=0) <= COMPLETE].any(axis=1)] = False
    n_odd = odd.sum(axis=1)
    pairs: dict[tuple[int, int], list[int]] = {}
    for i in np.flatnonzero((n_odd >= 2) & (n_odd <= MOST_ODD)).tolist():
        for pair in combinations(np.flatnonzero(odd[i]).tolist(), 2):
            pairs.setdefault(pair, []).append(i)
    most = sorted(pairs.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(pair, np.array(rows)) for pair, rows in most[:MOST_PAIRS]]


def _finding(table: Table, pair: tuple[str, str], rows: np.ndarray) -> Finding:
    texts_a, texts_b = (table.cells[name].iloc[rows].str.strip() for name in pair)
    texts_a, texts_b = texts_a.tolist(), texts_b.tolist()
    a, b = (column_name(name) for name in pair)
    n = rows.size
    examples = f"{content(texts_a[0], 30)} in {a} and {content(texts_b[0], 30)} in {b}"
    return finding(
        table,
        "swap",
        pair[0],
        [*rows.tolist(), *rows.tolist()],
        [*texts_b, *texts_a],
        columns=[pair[0]] * n + [pair[1]] * n,
        about=pair,
        sure=SURE,
        title=f"{a} and {b} swapped in {counted(n, 'row')}",
        evidence=(
            f"Each of both cells is unlike all others of its column and like those of "
            f"the other one: {examples}."
        ),
    )
