"""Does a cell hurt, against: is it surprising? Which cells stand for a large table."""

import numpy as np

from cellval.detect.suspicion import CORNERS, Suspicion
from cellval.stats import SURE
from cellval.values.result import CellValues

MOST_DRAWN = 3000
# Of these at most so many are the most suspicious of the surprising cells, where there
# are too many; the rest is a fair sample of the two ordinary corners.
MOST_SURPRISING = 1500


def in_standard_errors(values: CellValues) -> np.ndarray:
    """Values in standard errors from 0; NaN where either is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = values.values / values.stderr
    return np.where((values.stderr == 0) & (values.values == 0), 0.0, scores)


def corner_counts(
    suspicion: Suspicion, keep: np.ndarray | None = None
) -> dict[str, int]:
    """How many of the cells (in the mask, if there is one) lie in each corner."""
    corners = suspicion.corner.ravel() if keep is None else suspicion.corner[keep]
    counts = np.bincount(corners, minlength=len(CORNERS))
    return dict(zip(CORNERS, counts.tolist(), strict=True))


def drawn_cells(
    suspicion: Suspicion, keep: np.ndarray, most: int = MOST_DRAWN
) -> np.ndarray:
    """Flat positions of the cells to draw, the most suspicious last (on top).

    All that are not fine, and a sample of the fine ones. Where that is too much, the
    most suspicious of the surprising cells, and samples of the others.
    """
    corner = np.where(_placed(suspicion, keep), suspicion.corner, -1).ravel()
    ranks = suspicion.ranks.ravel()
    odd = np.flatnonzero((corner == 0) | (corner == 1))
    odd = odd[np.argsort(ranks[odd])]
    hard, fine = np.flatnonzero(corner == 2), np.flatnonzero(corner == 3)
    if odd.size + hard.size > most:
        odd = odd[: max(MOST_SURPRISING * most // MOST_DRAWN, most - hard.size)]
        half = (most - odd.size) // 2
        hard = _sample(hard, max(half, most - odd.size - fine.size))
    fine = _sample(fine, most - odd.size - hard.size)
    drawn = np.concatenate([odd, hard, fine])
    return drawn[np.argsort(-ranks[drawn])]


def _placed(suspicion: Suspicion, keep: np.ndarray) -> np.ndarray:
    assert suspicion.values is not None
    known = ~np.isnan(suspicion.values.values) & ~np.isnan(suspicion.values.stderr)
    return np.asarray(keep & known)


def _sample(cells: np.ndarray, k: int) -> np.ndarray:
    if cells.size <= k:
        return cells
    chosen = np.random.default_rng(0).choice(cells.size, k, replace=False)
    return cells[np.sort(chosen)]


def not_drawn_words(suspicion: Suspicion, keep: np.ndarray, cells: np.ndarray) -> str:
    """How many cells are drawn and which are not, as sentences."""
    n, total = cells.size, int(keep.sum())
    if n == total:
        return f"All {n:,} cells are drawn."
    known = _placed(suspicion, keep)
    left = known.copy()
    left.ravel()[cells] = False
    parts = [
        f"{count:,} {CORNERS[name].partition(':')[0]}"
        for name, count in corner_counts(suspicion, left).items()
        if count
    ]
    unknown = total - int(known.sum())
    if unknown:
        parts.append(f"{unknown:,} whose value or standard error is not known")
    more = " Of the ordinary cells a random sample is drawn." if left.any() else ""
    return f"{n:,} of {total:,} cells are drawn.{more} Not drawn: {', '.join(parts)}."


def score_limits(scores: np.ndarray) -> tuple[float, float]:
    """Lowest and highest score to draw, so that a few cells far away do not press the
    others into a line.
    """
    known = scores[np.isfinite(scores)]
    if known.size == 0:
        return -2 * SURE, 2 * SURE
    low, high = np.quantile(known, [0.005, 0.995]).tolist()
    return min(low, -3 * SURE), max(high, 2 * SURE)
