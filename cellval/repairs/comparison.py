"""`Comparison`: accuracies before and after a repair, and what may be said of them.

Training sets of different folds overlap, so that their differences are less independent
than they look. The variance is corrected as by Nadeau and Bengio (2003):

    var(mean) = var(differences) * (1 / n_differences + n_test / n_train)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from cellval.text import brief, percent

CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Comparison:
    """Accuracies before and after a repair, as far as they are known.

    Attributes
    ----------
    models : tuple of str
    before, after : ndarray of shape (n_models, n_repeats, n_folds)
        Share of the held-out rows predicted rightly; NaN where not yet measured.
    test_to_train : float
        Rows held out per row trained on.
    n_touched, n_dropped : int
        Rows that the repair changed or dropped, and those it dropped.
    n_tested : int
        Untouched rows, which are predicted.
    guess, guess_accuracy : str, float
        The commonest class of these rows, and its share of them.
    note : str
        What was reduced or left out and why; may be empty.
    failures : mapping of str to str
        For each model that failed a sentence.
    """

    models: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    test_to_train: float
    n_touched: int
    n_dropped: int
    n_tested: int
    guess: str
    guess_accuracy: float
    note: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def measured(self) -> float:
        """Share of the folds that were measured, 0 to 1."""
        known = ~np.isnan(self.before).all(axis=0)
        return float(known.mean())

    @property
    def reference(self) -> str:
        """What a model without any knowledge would reach, as a sentence."""
        return (
            f"For reference: always guessing the commonest class, '{brief(self.guess)}'"
            f", is right in {percent(self.guess_accuracy)} of these rows."
        )

    @cached_property
    def _frame(self) -> pd.DataFrame:
        rows = [self._row(m) for m in range(len(self.models))]
        return pd.DataFrame(rows, index=pd.Index(self.models, name="model"))

    def frame(self) -> pd.DataFrame:
        """One row per model.

        Columns are before, before_spread, after, after_spread (means over the folds,
        and standard deviations of the complete repeats' means), difference, stderr
        (corrected for overlapping training sets), low, high (the 95 % interval),
        n_folds (that were measured) and verdict. All but the last two are shares.
        """
        return self._frame.copy()

    def verdict(self, model: str) -> str:
        """What the difference means for one model, as a sentence."""
        return str(self._frame.loc[model, "verdict"])

    def _row(self, m: int) -> dict[str, float | int | str]:
        before, after = self.before[m], self.after[m]
        differences = (after - before)[~np.isnan(after)]
        difference, stderr, low, high = corrected(differences, self.test_to_train)
        return {
            "before": _mean(before[~np.isnan(before)]),
            "before_spread": _spread(before),
            "after": _mean(after[~np.isnan(after)]),
            "after_spread": _spread(after),
            "difference": difference,
            "stderr": stderr,
            "low": low,
            "high": high,
            "n_folds": differences.size,
            "verdict": self.failures.get(self.models[m])
            or _verdict(differences, difference, low, high),
        }


def corrected(
    differences: np.ndarray, test_to_train: float
) -> tuple[float, float, float, float]:
    """Mean, standard error, and 95 % interval of differences of overlapping folds.

    NaN for what cannot be said: fewer than two differences, or all alike but not 0.
    """
    n, mean = differences.size, _mean(differences)
    if n < 2 or (mean != 0 and np.ptp(differences) == 0):
        return mean, np.nan, np.nan, np.nan
    stderr = float(np.sqrt(np.var(differences, ddof=1) * (1 / n + test_to_train)))
    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * stderr
    return mean, stderr, mean - reach, mean + reach


def _mean(x: np.ndarray) -> float:
    return float(np.mean(x)) if x.size else np.nan


def _spread(accuracies: np.ndarray) -> float:
    """Of the means of complete repeats; there must be two."""
    means = accuracies.mean(axis=1)
    means = means[~np.isnan(means)]
    return float(np.std(means, ddof=1)) if means.size > 1 else np.nan


def _verdict(
    differences: np.ndarray, difference: float, low: float, high: float
) -> str:
    if differences.size < 2:
        return "Too early to say: fewer than two folds are measured."
    if not differences.any():
        return "No difference."
    if np.isnan(low):
        return (
            f"Too early to say: the difference is {_signed(difference)} pp in "
            "every fold, which does not show how far chance reaches."
        )
    decimals = 1 if high - low >= 0.01 else 2
    one, *ends = (_signed(x, decimals) for x in (difference, low, high))
    interval = f"95 % interval {ends[0]} to {ends[1]}"
    if low <= 0 <= high:
        return f"Within noise: the difference of {one} pp could be chance ({interval})."
    better = "Better" if difference > 0 else "Worse"
    return f"{better} by {one[1:]} pp ({interval})."


def _signed(share: float, decimals: int = 1) -> str:
    """In percent; what is rounded to 0 has no sign."""
    text = f"{100 * share:+.{decimals}f}".replace("-", "−")
    return text if float(text[1:]) else text[1:]
