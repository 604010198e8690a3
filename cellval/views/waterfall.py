"""From 0 to a row's value, contribution by contribution."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

MAX_BARS = 12


def folded(explained: pd.DataFrame, max_bars: int = MAX_BARS) -> pd.DataFrame:
    """The largest contributions, and the others as one line; the sum stays."""
    if len(explained) <= max_bars:
        return explained
    shown, rest = explained.iloc[: max_bars - 1], explained.iloc[max_bars - 1 :]
    line = {
        "column": f"{len(rest):,} other columns",
        "cell": None,
        "value": rest["value"].sum(),
        "stderr": float(np.sqrt(np.sum(rest["stderr"] ** 2))),
    }
    return pd.concat([shown, pd.DataFrame([line])], ignore_index=True)


def running_limits(values: np.ndarray, total: float) -> tuple[float, float]:
    """Smallest and largest point that a waterfall of these values passes."""
    path = np.concatenate([[0.0, total], np.cumsum(values)])
    low, high = float(np.nanmin(path)), float(np.nanmax(path))
    return (low, high) if low < high else (low - 1e-9, high + 1e-9)


def shared_limits(rows: Iterable[tuple[pd.DataFrame, float]]) -> tuple[float, float]:
    """Limits of one axis for the waterfalls of several rows.

    Each has its lines, as from `CellValues.explain`, and its total.
    """
    limits = [
        running_limits(folded(lines)["value"].to_numpy(), total)
        for lines, total in rows
    ]
    return min(low for low, _ in limits), max(high for _, high in limits)
