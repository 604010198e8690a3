"""All valuations of this process, found again by their random id."""

import threading
from typing import Any

from cellval.jobs.background import Job
from cellval.table.table import Table

KEPT_JOBS = 20
KEPT_CELLS = 2_000_000  # of finished runs together; a cell costs about 100 bytes
_jobs: dict[str, Job] = {}  # oldest first
_jobs_lock = threading.Lock()


def start(table: Table, **options: Any) -> Job:
    """Value the cells of a table in the background; options are those of `iter_values`.

    Examples
    --------
    >>> import cellval
    >>> job = start(cellval.read_csv("sample_data/davis.csv"), n_neighbors=5)
    >>> job.wait(), job.status
    (True, 'done')
    """
    job = Job(table, options)
    job.on_end = _forget_old
    with _jobs_lock:
        _jobs[job.id] = job
    job._start()
    _forget_old()
    return job


def get(job_id: str | None) -> Job | None:
    """The run with this id, unless it is unknown or was dropped long ago."""
    return _jobs.get(job_id) if job_id else None


def _forget_old() -> None:
    """Drop the oldest finished runs; the newest stays whatever its size."""
    with _jobs_lock:
        kept = cells = 0
        for job_id, job in reversed(list(_jobs.items())):
            if job.active:
                continue
            kept += 1
            cells += job.table.cells.size
            if kept > 1 and (kept > KEPT_JOBS or cells > KEPT_CELLS):
                del _jobs[job_id]
