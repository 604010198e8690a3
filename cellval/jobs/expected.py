"""How long what runs in the background will take on this machine, foretold.

Parts of the work are made and timed as soon as kernels are compiled; before that it is
said from what a usual machine takes. What is foretold is kept with the table.
"""

from cellval import valuation
from cellval.detect import surprise
from cellval.jobs.warm_up import is_warm
from cellval.kept import kept
from cellval.parallel import n_cores
from cellval.table.table import Table
from cellval.values.options import RunOptions


def run_seconds(table: Table, options: RunOptions) -> float:
    """Of a `ValuationJob`: values on all cores, the search for surprise beside them."""
    values, looking = values_seconds(table, options), surprise_seconds(table)
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


@kept(2)
def _surprise(table: Table, timed: bool) -> float:
    return surprise.expected_seconds(table, timed=timed)
