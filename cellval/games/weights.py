"""How much a player's marginal contribution counts, by how many others are there.

A *semivalue* is a weighted sum of marginal contributions with weights w[s] that depend
on the number s of others only, such that they sum to 1 over all coalitions of the n - 1
others. Shapley's weights are the only ones with efficiency: values sum to the utility
of all players. Banzhaf and Beta weights give that up; they still treat equal players
alike, are linear, and give nothing to a player who changes nothing.
"""

from collections.abc import Callable
from math import comb, lgamma

import numpy as np

Weights = Callable[[int], np.ndarray]


def shapley(n: int) -> np.ndarray:
    """1 / (n C(n-1, s)): every order of the players is equally likely.

    Examples
    --------
    >>> shapley(3).tolist()
    [0.3333333333333333, 0.16666666666666666, 0.3333333333333333]
    """
    return np.array([1.0 / (n * comb(n - 1, s)) for s in range(n)])


def banzhaf(n: int) -> np.ndarray:
    """1 / 2^(n-1): every coalition is equally likely; robust to noise of the utility.

    Examples
    --------
    >>> banzhaf(3).tolist()
    [0.25, 0.25, 0.25]
    """
    return np.full(n, 0.5 ** (n - 1))


def beta(a: float, b: float) -> Weights:
    """Beta(a, b) weights: B(s + b, n - s - 1 + a) / B(a, b) (Kwon and Zou, 2022).

    beta(1, 1) is Shapley; a larger a stresses small coalitions, a larger b large ones.

    Examples
    --------
    >>> np.allclose(beta(1, 1)(5), shapley(5))
    True
    """

    def log_beta(x: float, y: float) -> float:
        return lgamma(x) + lgamma(y) - lgamma(x + y)

    def weights(n: int) -> np.ndarray:
        logs = [log_beta(s + b, n - s - 1 + a) - log_beta(a, b) for s in range(n)]
        return np.exp(logs)

    return weights


def relative(weights: Weights, n: int) -> np.ndarray:
    """Weights relative to Shapley's, for marginal contributions in random orders.

    A player's place in a random order is uniform, so each of them counts n C(n-1, s) w.
    """
    counts = np.array([float(n * comb(n - 1, s)) for s in range(n)])
    return np.asarray(counts * weights(n))
