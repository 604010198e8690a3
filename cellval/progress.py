"""One line on the terminal that says how far a run is."""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from cellval.text import spoken_time


def line(snapshot: Any) -> str:
    """Bar, test points, standard error and time left."""
    if snapshot.compiling:
        return "preparing (the first run on a machine compiles for about 15 s) ..."
    filled = round(24 * snapshot.done)
    stderr = snapshot.values.typical_stderr if snapshot.has_values else float("nan")
    return (
        f"[{'#' * filled}{'.' * (24 - filled)}] {snapshot.done:4.0%}  "
        f"{snapshot.seen}, standard error {stderr:.2g}, "
        f"{spoken_time(snapshot.seconds_left)} left"
    )


def shown(
    snapshots: Iterator[Any],
    stream: TextIO | None = None,
    say: Callable[[Any], str] = line,
) -> Iterator[Any]:
    """Pass snapshots on, and keep one line of a terminal up to date.

    Where there is no terminal, such as in a log, a line is added every few seconds.
    """
    stream = stream or sys.stderr
    terminal = stream.isatty()
    every = 0.2 if terminal else 5.0
    width, last = 0, -every
    snapshot: Any = None
    for snapshot in snapshots:
        now = time.monotonic()
        if now - last >= every or snapshot.done >= 1:
            text = say(snapshot)
            stream.write(f"\r{text:{width}}" if terminal else f"{text}\n")
            stream.flush()
            width, last = (
                len(text),
                now if not getattr(snapshot, "compiling", False) else -every,
            )
        yield snapshot
    if snapshot is not None and terminal:
        stream.write("\n")
