"""Does a run fit into memory? What does not is told before the work."""

import re
from contextlib import suppress
from pathlib import Path

from cellval.errors import InputError
from cellval.limits import how_to_raise, limits
from cellval.table.table import Table
from cellval.text import spoken_bytes

# Of each cell while it is valued, compared and written, at most: some ten numbers of 8
# bytes for the sums of a run, as many again while they are added, the parts of the
# workers (300), then ranks, surprise, suspicion and findings. A run of the app on a
# million rows x 20 took 10.4 GB beside the table.
BYTES_A_CELL = 520
# Of each where cells are compared only, or models trained: 100,000 rows x 20 took 145
# and 104.
COMPARED = 200


def needed_memory(table: Table, each: int = BYTES_A_CELL) -> int:
    """Bytes that valuing the table takes, about, or what takes so many for a cell."""
    return each * table.n_rows * len(table.feature_names)


def check_memory(table: Table, each: int = BYTES_A_CELL, *, freed: int = 0) -> None:
    """InputError if that is more than there is, or will be `freed`, or is allowed."""
    n_cells = table.n_rows * len(table.feature_names)
    needed, free = needed_memory(table, each), free_memory()
    takes = f"{table.name} has {n_cells:,} cells, for which a run takes about "
    if free is not None and needed > free + freed:
        raise InputError(
            f"{takes}{spoken_bytes(needed)} of memory, but {spoken_bytes(free)} are "
            "free. Use fewer rows or columns, or allow more memory."
        )
    allowed = limits().memory_mb * 1e6
    if needed > allowed:
        raise InputError(
            f"{takes}{spoken_bytes(needed)} of memory; the limit is "
            f"{spoken_bytes(allowed)}. {how_to_raise('memory_mb')}, or use fewer rows "
            "or columns."
        )


def free_memory() -> int | None:
    """Bytes that this process may still take; None where the system does not say."""
    known = []
    with suppress(OSError, TypeError):
        status = Path("/proc/self/status").read_text()
        everyone = Path("/proc/meminfo").read_text()
        known.append(1024 * _number("MemAvailable", everyone))
        limit = _address_limit()
        if limit is not None:
            known.append(max(0, limit - 1024 * _number("VmSize", status)))
    for most, used in CGROUPS:
        with suppress(OSError, ValueError):  # "max" is no number: there is no limit
            known.append(max(0, int(Path(most).read_text()) - _used(Path(used))))
    return min(known, default=None)


# Limits of containers: of version 2 and version 1 of control groups.
CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def _used(path: Path) -> int:
    """What a container holds, without the copies of files that it gives up if asked."""
    files = 0
    with suppress(OSError, TypeError):
        text = path.with_name("memory.stat").read_text()
        files = _number("inactive_file", text) + _number("active_file", text)
    return int(path.read_text()) - files


def _address_limit() -> int | None:
    """That of `ulimit -v`."""
    import resource  # Windows has none; nor has it /proc

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _number(name: str, text: str) -> int:
    found = re.search(rf"^{name}:?\s+(\d+)", text, re.MULTILINE)
    return int(found[1])  # type: ignore[index] # TypeError where it is not said
