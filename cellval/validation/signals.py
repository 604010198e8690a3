"""Scores of every cell that an order of inspection can follow. Lower is worse."""

import numpy as np

from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.stats import robust_spread
from cellval.table.table import Table
from cellval.values.result import CellValues

SUSPICION, VALUE, ALL = "Suspicion", "Value within the class", "Value over all cells"
SURPRISE, RARITY, RANDOM = "Surprise", "Class-wise |z|", "Random"
SIGNALS = (SUSPICION, VALUE, ALL, SURPRISE, RARITY, RANDOM)


def within_class(values: CellValues) -> np.ndarray:
    """Rank of every cell's value among those of its class; NaN where there is none."""
    ranks = values.ranks(within_class=True).astype(float)
    return np.where(ranks == 0, np.nan, ranks)


def suspicion_of(
    table: Table, values: CellValues, *, random_state: int = 0
) -> np.ndarray:
    """Rank of every cell by suspicion, 1 for the most suspicious."""
    found = surprise(table, random_state=random_state)
    return make_suspicion(table, values, found).ranks.astype(float)


def rarity(table: Table) -> np.ndarray:
    """Minus the class-wise |z|: how usual a cell is within the class of its row.

    Numbers by their distance from the median in robust standard deviations, categories
    by how common they are; a missing cell is as usual as can be.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> int(rarity(table)[:, 0].argmin()) == table.position(12)  # swapped with height
    True
    """
    scores = np.zeros((table.n_rows, len(table.features)))
    for j, column in enumerate(table.features):
        for label in np.unique(table.y):
            own = np.flatnonzero((table.y == label) & ~column.missing)
            if own.size == 0:
                continue
            if column.numbers is not None:
                x = column.numbers[own]
                scores[own, j] = -np.abs(x - np.median(x)) / robust_spread(x)
            else:
                assert column.codes is not None
                codes = column.codes[own]
                share = np.bincount(codes) / own.size
                # as far out as three standard deviations if nobody else has it
                scores[own, j] = -3.0 * (1.0 - share[codes])
    return scores


def chance(shape: tuple[int, int], seed: int) -> np.ndarray:
    """A random order."""
    places = np.random.default_rng([seed, 11]).permutation(shape[0] * shape[1])
    return places.reshape(shape).astype(float)
