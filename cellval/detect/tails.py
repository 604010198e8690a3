"""How far from what is expected ordinary cells are: tail probabilities."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from cellval.detect.neighbours import bent

LOWEST = 1e-12  # no probability is told apart from smaller ones
SHAPES = (0.35, 2.0)  # of tails: 2 is normal, 1 exponential, below heavy


@dataclass(frozen=True)
class Tail:
    """How far ordinary cells of a column of numbers are from what is expected.

    The probability of being at least x away is exp(-depth (x / far)^shape).
    """

    usual: float  # gap of the column, beside the spread of the neighbours
    far: float
    depth: float
    shape: float
    bend: float = 0.0  # see `bent`

    @np.errstate(all="ignore")  # likewise
    def probability(
        self, numbers: np.ndarray, expected: ArrayLike, apart: ArrayLike
    ) -> np.ndarray:
        """Of an ordinary cell to be at least as far from what is expected."""
        gaps = np.abs(bent(numbers, self.bend) - bent(expected, self.bend))
        return self(gaps / np.hypot(self.usual, apart))

    @np.errstate(all="ignore")  # numbers may be as large, or as small, as can be
    def __call__(self, away: np.ndarray) -> np.ndarray:
        depths = self.depth * (away / self.far) ** self.shape
        return np.maximum(np.exp(-depths), LOWEST)

    def drawn_to(self, other: "Tail", share: float) -> "Tail":
        """The tail between this one (share 0) and another (share 1)."""
        if self.depth == 0 or other.depth == 0:
            return self
        # Where this tail is as deep as the other one is at its `far`.
        far = self.far * (other.depth / self.depth) ** (1 / self.shape)
        return replace(
            self,
            far=far ** (1 - share) * other.far**share,
            depth=other.depth,
            shape=self.shape ** (1 - share) * other.shape**share,
        )


def tail_of(away: np.ndarray) -> Tail:
    """The tail through the points that half and a tenth of the cells exceed.

    Where most cells are at 0: half and a fifth of the others. Contamination of less
    than a tenth leaves it alone, and heavy tails bend it.
    """
    known = away[~np.isnan(away)]
    positive = float(np.mean(known > 0)) if known.size else 0.0
    if positive == 0:
        return Tail(1.0, 1.0, 0.0, 1.0)
    exceeded = np.array([min(0.5, positive / 2), min(0.1, positive / 5)])
    near, far = np.quantile(known, 1 - exceeded, method="inverted_cdf").tolist()
    # Numbers repeat, so take the shares that really are as far.
    near_depth, depth = (
        -float(np.log(np.mean(known >= x) - 0.5 / known.size)) for x in (near, far)
    )
    shape = np.log(depth / near_depth) / np.log(far / near) if far > near > 0 else 1.0
    return Tail(1.0, far, depth, float(np.clip(shape, *SHAPES)))


def calibrated(probability: np.ndarray) -> np.ndarray:
    """Probabilities raised where more than a twentieth of the cells is below 0.05."""
    known = probability[~np.isnan(probability)]
    if known.size == 0:
        return probability
    factor = max(1.0, float(np.mean(known <= 0.05)) / 0.05)
    return np.clip(probability * factor, LOWEST, 1.0)
