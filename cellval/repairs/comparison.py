"""`Comparison`: scores before and after a repair, and what may be said of them.

The score is accuracy. Where the label is a number it is R², and beside it stands the
mean absolute error (MAE), in the unit of the label.

Training sets of different folds overlap, so that their differences are less independent
than they look. The variance is corrected as by Nadeau and Bengio (2003):

    var(mean) = var(differences) * (1 / n_differences + n_test / n_train)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from cellval.in_notebooks import InNotebooks
from cellval.stats import unit_of
from cellval.text import brief, full, percent

CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Comparison(InNotebooks):
    """Scores before and after a repair, as far as they are known.

    Attributes
    ----------
    models : tuple of str
    before, after : ndarray of shape (n_models, n_repeats, n_folds)
        Share of the held-out rows predicted rightly; NaN where not yet measured. Of
        numbers R², 1 less the mean squared error in variances of all tested rows.
    test_to_train : float
        Rows held out per row trained on.
    n_touched, n_dropped : int
        Rows that the repair changed or dropped, and those it dropped.
    n_tested : int
        Untouched rows, which are predicted.
    guess, guess_accuracy : str, float
        The commonest class of these rows, and its share of them; of numbers the median,
        and its R².
    note : str
        What was reduced or left out and why; may be empty.
    failures : mapping of str to str
        For each model that failed a sentence.
    errors_before, errors_after : ndarray, or None
        Of numbers the mean absolute errors, in the unit of the label, as `before`;
        below the other is better. None of classes.
    guess_error : float
        Of numbers the mean absolute error of the guess.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> fixed = cellval.repair(table, {(12, "weight"): "57", (12, "height"): "166"})
    >>> helped = cellval.compare_models(table, fixed, folds=2, repeats=1)
    >>> helped.models, helped.n_touched, helped.n_tested
    (('KNN', 'Logistic regression', 'Gradient boosting'), 1, 199)
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
    errors_before: np.ndarray | None = None
    errors_after: np.ndarray | None = None
    guess_error: float = float("nan")

    @property
    def of_numbers(self) -> bool:
        """Is the label a number, and the score R² instead of accuracy?"""
        return self.errors_before is not None

    @property
    def measured(self) -> float:
        """Share of the folds that were measured, 0 to 1."""
        known = ~np.isnan(self.before).all(axis=0)
        return float(known.mean())

    @property
    def reference(self) -> str:
        """What a model without any knowledge would reach, as a sentence."""
        if self.of_numbers:
            return (
                f"For reference: always guessing the median, {self.guess}, has a mean "
                f"absolute error of {full(self.guess_error, 3)} in these rows."
            )
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
        n_folds (that were measured) and verdict. All but the last two are shares; of
        numbers they are R², and the mean absolute error has columns error_before,
        error_after, error_difference, error_stderr, error_low and error_high.
        """
        return self._frame.copy()

    def __str__(self) -> str:
        """What may be said of each model, a line each."""
        lines = [f"{model}: {self.verdict(model)}" for model in self.models]
        return "\n".join([*lines, self.reference])

    def verdict(self, model: str) -> str:
        """What the difference means for one model, as a sentence."""
        return str(self._frame.loc[model, "verdict"])

    def _row(self, m: int) -> dict[str, float | int | str]:
        before, after = self.before[m], self.after[m]
        differences = (after - before)[~np.isnan(after)]
        found = corrected(differences, self.test_to_train)
        row: dict[str, float | int | str] = {
            "before": _mean(before[~np.isnan(before)]),
            "before_spread": _spread(before),
            "after": _mean(after[~np.isnan(after)]),
            "after_spread": _spread(after),
            **dict(zip(("difference", "stderr", "low", "high"), found, strict=True)),
            "n_folds": differences.size,
        }
        of_errors = ""
        if self.errors_before is not None and self.errors_after is not None:
            errors, then = self.errors_before[m], self.errors_after[m]
            changes = (then - errors)[~np.isnan(then)]
            unit = unit_of(changes)  # labels may be as large as can be
            scaled = corrected(changes / unit, self.test_to_train)
            of_error = tuple(unit * x for x in scaled)
            row |= {
                "error_before": _mean(errors[~np.isnan(errors)]),
                "error_after": _mean(then[~np.isnan(then)]),
                "error_difference": of_error[0],
                "error_stderr": of_error[1],
                "error_low": of_error[2],
                "error_high": of_error[3],
            }
            of_errors = _change_of_error(of_error)
        said = _verdict(differences, *found, of_numbers=self.of_numbers)
        row["verdict"] = self.failures.get(self.models[m]) or f"{said}{of_errors}"
        return row


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
    differences: np.ndarray,
    difference: float,
    stderr: float,
    low: float,
    high: float,
    *,
    of_numbers: bool = False,
) -> str:
    factor, unit = (1.0, "R²") if of_numbers else (100.0, "pp")
    if differences.size < 2:
        return "Too early to say: fewer than two folds are measured."
    if not differences.any():
        return "No difference."
    if np.isnan(low):
        return (
            f"Too early to say: the difference is {_signed(factor * difference)} {unit}"
            " in every fold, which does not show how far chance reaches."
        )
    decimals = (2 if of_numbers else 1) + (high - low < (0.1 if of_numbers else 0.01))
    one, *ends = (_signed(factor * x, decimals) for x in (difference, low, high))
    interval = f"95 % interval {ends[0]} to {ends[1]}"
    if low <= 0 <= high:
        said = f"the difference of {one} {unit} could be chance ({interval})"
        return f"Within noise: {said}."
    better = "Better" if difference > 0 else "Worse"
    return f"{better} by {one[1:]} {unit} ({interval})."


def _change_of_error(found: tuple[float, ...]) -> str:
    """How the mean absolute error moves, as one more sentence; or nothing."""
    change, _, low, high = found
    if np.isnan(low) or not change:
        return ""
    decimals = max(0, 1 - math.floor(math.log10(max(high - low, abs(change)))))
    one, *ends = (_signed(x, decimals) for x in (change, low, high))
    return (
        f" The mean absolute error changes by {one} (95 % interval {ends[0]} to "
        f"{ends[1]}; below 0 is better)."
    )


def _signed(number: float, decimals: int = 1) -> str:
    """What is rounded to 0 has no sign."""
    text = f"{number:+,.{decimals}f}".replace("-", "−")
    return text if float(text[1:].replace(",", "")) else text[1:]
