"""All valuations of this process: they outlive the page that started them.

Whoever knows a run's random id finds it again.
"""

import threading

from cellval.jobs.background import ValuationJob
from cellval.table.table import Table
from cellval.values.options import RunOptions

KEPT_JOBS = 20
KEPT_CELLS = 2_000_000  # of finished runs together; a cell costs about 100 bytes

_jobs: dict[str, ValuationJob] = {}  # oldest first
_lock = threading.Lock()


def start(table: Table, options: RunOptions) -> ValuationJob:
    """Value the cells of a table in the background."""
    job = ValuationJob(table, options)
    job.on_end = _forget_old
    with _lock:
        _jobs[job.id] = job
    job.start()
    _forget_old()
    return job


def get(job_id: str | None) -> ValuationJob | None:
    """The run with this id, unless it is unknown or was dropped long ago."""
    return _jobs.get(job_id) if job_id else None


def _forget_old() -> None:
    """Drop the oldest finished runs; the newest stays whatever its size."""
    with _lock:
        kept = cells = 0
        for job_id, job in reversed(list(_jobs.items())):
            if job.active:
                continue
            kept += 1
            cells += job.table.cells.size
            if kept > 1 and (kept > KEPT_JOBS or cells > KEPT_CELLS):
                del _jobs[job_id]
