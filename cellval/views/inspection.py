"""Curves over all cells of a table, the worst first: where they are drawn."""

import numpy as np

POINTS = 250  # of a line over all cells, and as many over the first tenth


def inspected(n_cells: int) -> np.ndarray:
    """Numbers of inspected cells at which lines are drawn: close at the start."""
    steps = [np.linspace(0, end, POINTS) for end in (n_cells / 10, n_cells)]
    return np.unique(np.concatenate(steps).round().astype(int))
