"""How long what runs in the background will take on this machine, foretold.

Parts of the work are made and timed as soon as kernels are compiled; before that it is
said from what a usual machine takes. What is foretold is kept with the table.
"""

import math
from dataclasses import dataclass

from cellval import valuation
from cellval.detect import surprise
from cellval.jobs.warm_up import is_warm
from cellval.kept import kept
from cellval.knn.backends import chosen
from cellval.knn.engine import Outlook
from cellval.parallel import n_cores
from cellval.table.table import Table
from cellval.text import counted
from cellval.values.options import RunOptions
from cellval.values.settings import Settings
from cellval.values.words import Unit, approximation_words

# Nanoseconds of an H200 for a row, a column subset and a test point, with transfers: in
# the near field, and with all rows in order; seconds until it begins. Measured by
# benchmarks/gpu.py (results/scale.md).
GPU = "one NVIDIA H200"
GPU_NEAR, GPU_SORTED, GPU_START = 0.009, 0.4, 0.5


@dataclass(frozen=True)
class Estimate:
    """What a run would take, before it is begun."""

    outlook: Outlook | None  # of KNN
    stderr: float  # of a cell, to expect; NaN where it is not known
    seconds: float  # here, with the search for surprising cells beside it
    values: float  # seconds of the values alone
    looking: float  # seconds of that search alone, on one core
    cores: int  # that compute here; 0: a GPU does

    def on_cores(self, n: int) -> float:
        """Seconds on a cluster of so many cores like these; NaN where not known."""
        if self.outlook is None or not self.cores:
            return math.nan
        return max(self.values * self.cores / n, self.looking)

    @property
    def on_h200(self) -> float:
        """Seconds on that GPU, by what was measured; NaN where not known."""
        if self.outlook is None:
            return math.nan
        is_near = 0 < self.outlook.near < self.outlook.n_rows
        each = GPU_NEAR if is_near else GPU_SORTED
        return GPU_START + each * self.outlook.work / 1e9

    @property
    def words(self) -> list[str]:
        """What would be done, in sentences; none of other methods than KNN."""
        if self.outlook is None:
            return []
        run = self.outlook
        tests = f"{run.n_visited:,} of {run.n_tests:,}, drawn at random"
        if run.n_visited == run.n_tests:
            tests = f"all {run.n_tests:,}"
        near = approximation_words(Settings(near=run.near)) if run.near else ""
        error = ""
        if math.isfinite(self.stderr):
            error = f"standard error to expect {Unit.of(self.stderr).text(self.stderr)}"
        lines = (
            f"test points: {tests}",
            f"{counted(run.n_subsets, 'column subset')} for each of them",
            near,
            error,
        )
        return [line for line in lines if line]


def estimate(
    table: Table, options: RunOptions, *, timed: bool | None = None
) -> Estimate:
    """What a run would do, and take on this machine.

    With `timed`, kernels that are not compiled yet are waited for.
    """
    timed = is_warm() if timed is None else timed
    run, stderr = _outlook(table, options, timed)
    on_gpu = options.method == "knn" and chosen(options.backend) == "cuda"
    values, looking = _values(table, options, timed), _surprise(table, timed)
    return Estimate(
        run,
        stderr,
        _together(values, looking, options),
        values,
        looking,
        0 if on_gpu else n_cores(),
    )


def run_seconds(table: Table, options: RunOptions) -> float:
    """Of a `ValuationJob`: values on all cores, the search for surprise beside them."""
    values, looking = values_seconds(table, options), surprise_seconds(table)
    return _together(values, looking, options)


def _together(values: float, looking: float, options: RunOptions) -> float:
    both = values + looking / n_cores()
    if options.budget is not None:
        both = min(both, float(options.budget))
    return max(both, looking)


def values_seconds(table: Table, options: RunOptions) -> float:
    """Of the values alone, on all cores."""
    return float(_values(table, options, is_warm()))


def surprise_seconds(table: Table) -> float:
    """Of the search for surprise alone, on one core."""
    return float(_surprise(table, is_warm()))


@kept(16)
def _values(table: Table, options: RunOptions, timed: bool) -> float:
    return valuation.expected_seconds(table, options, timed=timed)


@kept(16)
def _outlook(
    table: Table, options: RunOptions, tried: bool
) -> tuple[Outlook | None, float]:
    return valuation.outlook(table, options, tried=tried)


@kept(2)
def _surprise(table: Table, timed: bool) -> float:
    return surprise.expected_seconds(table, timed=timed)
