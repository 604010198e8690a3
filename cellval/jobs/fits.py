"""Do memory and time allow a run in the app? What does not fit is told before it."""

import math
from typing import Any

from cellval.errors import InputError
from cellval.jobs.background import ValuationJob
from cellval.jobs.expected import run_seconds
from cellval.jobs.queue import check_room
from cellval.limits import how_to_raise, limits
from cellval.progress import Snapshot
from cellval.table.table import Table
from cellval.text import spoken_time
from cellval.values.memory import check_memory, needed_memory
from cellval.values.options import RunOptions


def check_run(
    table: Table,
    options: RunOptions,
    share: float = 1.0,
    *,
    instead_of: ValuationJob | None = None,
) -> None:
    """InputError if a run, or this share of one, takes more than there is, or than is
    allowed, or if too many wait. It may have the memory of one that goes on and is
    stopped for it.
    """
    check_room()
    freed = 0
    if instead_of is not None and instead_of.active:
        freed = needed_memory(instead_of.table)
    check_memory(table, freed=freed)
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


def check_step(step: Snapshot[Any]) -> None:
    """InputError if something goes on for longer than is allowed. What it says of the
    time that is left is no reason to end it: at first that is a guess.
    """
    allowed = limits().hours * 3600
    if step.seconds > allowed:
        raise InputError(
            f"This went on for longer than the limit of {spoken_time(allowed)}; what "
            f"it found by then is kept. {how_to_raise('hours')} of the server."
        )
