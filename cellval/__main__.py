"""`python -m cellval ...`, and the command `cellval`."""

import os
import signal
import sys
import threading
from typing import Any

# Ctrl-C while all of this is loaded ends it quietly, as other signals do, also where a
# script has started it in the background.
is_main = threading.current_thread() is threading.main_thread()
before = signal.signal(signal.SIGINT, signal.SIG_DFL) if is_main else None

from cellval.cli import signals  # noqa: E402
from cellval.cli.arguments import main  # noqa: E402
from cellval.text import harmless  # noqa: E402

if before is not None:
    signal.signal(signal.SIGINT, before)


class Terminal:
    """A stream that prints no control character but the ends of lines, whoever asks.

    Names of files and columns, also those in messages of Python itself, may hold codes
    that steer a terminal. A carriage return begins a line of progress.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        start = "\r" * text.startswith("\r")
        lines = text[len(start) :].split("\n")
        self._stream.write(start + "\n".join(map(harmless, lines)))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _open_streams() -> None:
    """Standard streams that may be closed (`>&-`): then what is said goes nowhere."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # Else the next file that is opened would get the number of the stream.
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - stays open
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    guarded: Any = Terminal(sys.stdout), Terminal(sys.stderr)
    sys.stdout, sys.stderr = guarded


def run() -> None:
    """The command line, where output may be cut off by its reader or a full disk."""
    _open_streams()
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:  # just before signals are heard
        code = 128 + signal.SIGINT
    except OSError as error:
        signals.say(f"cellval: cannot write the output: {error.strerror}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # The terminal is gone, and that was told by a signal: files are written by now.
        code = signals.exit_code() if signals.was_asked() else 2
    sys.exit(code)


if __name__ == "__main__":
    run()
