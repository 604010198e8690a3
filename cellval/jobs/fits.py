"""Do memory and time allow a run in the app? What does not fit is told before it."""

import math

from cellval.errors import InputError
from cellval.jobs.expected import run_seconds
from cellval.limits import how_to_raise, limits
from cellval.progress import Snapshot
from cellval.table.table import Table
from cellval.text import spoken_time
from cellval.values.memory import check_memory
from cellval.values.options import RunOptions


def check_run(table: Table, options: RunOptions, share: float = 1.0) -> None:
    """InputError if a run, or this share of one, takes more than there is, or than is
    allowed.
    """
    check_memory(table)
    check_seconds(share * run_seconds(table, options))


def check_seconds(seconds: float) -> None:
    """InputError if that is longer than is allowed; NaN is not known yet."""
    allowed = limits().hours * 3600
    if allowed < seconds < math.inf:
        raise InputError(
            f"This would take about {spoken_time(seconds)}; the limit is "
            f"{spoken_time(allowed)}. Choose what takes less time, or use fewer rows "
            f"or columns. {how_to_raise('hours')} of the server."
        )


def check_step(step: Snapshot) -> None:
    """The same of what goes on, as soon as it knows how long it takes."""
    check_seconds(step.seconds + step.seconds_left)
