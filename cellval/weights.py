"""How much a player's marginal contribution counts, by how many others are there.

A *semivalue* is a weighted sum of marginal contributions with weights w[s] that depend
on the number s of others only, such that they sum to 1 over all coalitions of the n - 1
others. Shapley's weights are the only ones with efficiency: values sum to the utility
of all players. Banzhaf and Beta weights give that up; they still treat equal players
alike, are linear, and give nothing to a player who changes nothing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isfinite, log

import numpy as np

from cellval.errors import InputError
from cellval.text import shortened


@dataclass(frozen=True)
class Weights:
    """Called with n, the weights of n players: w[s] for s = 0..n-1 others.

    Kept as logarithms: with some hundred players w is too small, and the number of
    coalitions too large, for a float.
    """

    name: str
    logs: Callable[[int], np.ndarray]

    def __call__(self, n: int) -> np.ndarray:
        return np.asarray(np.exp(self.logs(n)))


def _log_beta_function(x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
    from scipy.special import betaln  # takes a while to load, and Shapley does without

    return np.asarray(betaln(x, y))


def _log_shapley(n: int) -> np.ndarray:
    s = np.arange(n)
    return _log_beta_function(s + 1, n - s)


def _log_banzhaf(n: int) -> np.ndarray:
    return np.full(n, (1 - n) * log(2))


def _log_beta(a: float, b: float, n: int) -> np.ndarray:
    s = np.arange(n)
    return _log_beta_function(s + b, n - s - 1 + a) - _log_beta_function(a, b)


# 1 / (n C(n-1, s)): every order of the players is equally likely
shapley = Weights("shapley", _log_shapley)

# 1 / 2^(n-1): every coalition is equally likely; robust to noise of the utility
banzhaf = Weights("banzhaf", _log_banzhaf)


def beta(a: float, b: float) -> Weights:
    """Beta(a, b) weights: B(s + b, n - s - 1 + a) / B(a, b) (Kwon and Zou, 2022).

    beta(1, 1) is Shapley; a larger a stresses small coalitions, a larger b large ones.
    """
    first, second = (repr(float(x)).removesuffix(".0") for x in (a, b))
    return Weights(f"beta({first}, {second})", partial(_log_beta, a, b))


def named(text: str) -> Weights:
    """Weights by their name: "shapley", "banzhaf" or "beta(a, b)"."""
    plain = re.sub(r"\s", "", text.lower()) if isinstance(text, str) else ""
    for weights in (shapley, banzhaf):
        if plain == weights.name:
            return weights
    if inside := re.fullmatch(r"beta\(([^,]+),([^,]+)\)", plain):
        try:
            a, b = map(float, inside.groups())
        except ValueError:
            a = b = 0.0
        if a > 0 and b > 0 and isfinite(a + b):
            return beta(a, b)
    raise InputError(
        f"{shortened(repr(text))} names no weights. Use 'shapley', 'banzhaf', or "
        "'beta(a, b)' with two numbers above 0, such as 'beta(4, 1)'."
    )


def relative(weights: Weights, n: int) -> np.ndarray:
    """Weights relative to Shapley's, for marginal contributions in random orders.

    A player's place in a random order is uniform, so each of them counts n C(n-1, s) w.
    """
    if weights == shapley:
        return np.ones(n)
    counts = -log(n) - _log_shapley(n)  # log C(n-1, s): the coalitions of s others
    return np.asarray(n * np.exp(counts + weights.logs(n)))
