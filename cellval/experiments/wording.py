"""Numbers and verdicts as words, for the paragraphs of experiments."""

from collections.abc import Iterable

import numpy as np


def percent(share: float, digits: int = 0) -> str:
    """A share in per cent, such as "12 %"."""
    return f"{100 * share:.{digits}f} %"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * difference:+.1f} points"


def spread(shares: Iterable[float], digits: int = 0) -> str:
    """Mean of shares and their standard deviation over seeds, in per cent."""
    known = 100 * np.array(list(shares), float)
    if known.size < 2:
        return f"{known.mean():.{digits}f} %"
    return f"{known.mean():.{digits}f} ± {known.std(ddof=1):.{digits}f} %"


def seeds_words(n: int) -> str:
    """ "one seed" or "5 seeds"."""
    return "one seed" if n == 1 else f"{n} seeds"


def orders_words(n: int) -> str:
    """ "one random order" or "20 random orders"."""
    return "one random order" if n == 1 else f"{n} random orders"


def listed(names: Iterable[str]) -> str:
    """Names with commas and a last "and"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
