"""Being asked to end: the work stops, what there is is written, and the person is told.

SIGINT (Ctrl-C), SIGTERM (`kill`, a system that shuts down) and SIGHUP (the terminal was
closed) ask the same. Each interrupts the work, but never the writing: what was found is
not lost to a second one, and it often comes, as an impatient Ctrl-C, or as SIGHUP right
behind SIGTERM.
"""

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from cellval.parallel import SIGNALS


class _Asked:
    """What was asked of this process."""

    number: int | None = None  # the first signal that came
    interrupts: bool = True  # now, or does it wait until writing is over?
    waits: bool = False  # one came meanwhile


_asked = _Asked()


@contextmanager
def heard() -> Iterator[None]:
    """Within it signals are heeded as this file says."""
    _asked.number, _asked.interrupts, _asked.waits = None, True, False
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # no other may ask
        for number in filter(None, (getattr(signal, name, None) for name in SIGNALS)):
            # `nohup` and `trap '' HUP` ask to go on without a terminal: that is wanted
            # when SIGHUP is ignored from the start. But a shell without job control
            # starts everything behind an & with SIGINT ignored, so that the Ctrl-C of
            # the terminal ends the script alone; nobody asked for that, and `kill -INT`
            # is then meant for us. SIGTERM that is ignored would leave only SIGKILL.
            if number.name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN:
                continue
            before[number] = signal.signal(number, _heed)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _heed(number: int, frame: FrameType | None) -> None:
    _asked.number = _asked.number or number
    if _asked.interrupts:
        hold()
        raise KeyboardInterrupt
    _asked.waits = True
    # not print: the signal may have come amid another one's
    with suppress(OSError):
        os.write(2, b"\nOne moment: what there is is being kept.\n")


def hold() -> None:
    """From here on nothing is interrupted."""
    _asked.interrupts = False


def heed() -> None:
    """From here on the work is interrupted, at once if somebody asked meanwhile."""
    _asked.interrupts = True
    if _asked.waits:
        _asked.waits = False
        hold()
        raise KeyboardInterrupt


def exit_code() -> int:
    """As shells have it for a process that a signal ended."""
    return 128 + (_asked.number or signal.SIGINT)


def was_asked() -> bool:
    """Did a signal come, whatever became of it?"""
    return _asked.number is not None


def say(text: str) -> None:
    """A line to the person, if there still is a terminal."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def command(words: list[str]) -> str:
    """What to type for a command line, quoted for the shell."""
    by_module = os.path.basename(sys.argv[0]) != "cellval"
    whole = [*(["python", "-m", "cellval"] if by_module else ["cellval"]), *words]
    return subprocess.list2cmdline(whole) if os.name == "nt" else shlex.join(whole)


def going_on(words: list[str], option: str, file: object) -> str:
    """The same command line, taking up what was kept in a file."""
    first, *rest = words
    while option in rest:  # of an earlier time
        at = rest.index(option)
        del rest[at : at + 2]
    rest = [word for word in rest if not word.startswith(f"{option}=")]
    # In front: behind a -- nothing is an option.
    return command([first, option, str(file), *rest])
