"""`python -m cellval ...`, and the command `cellval`."""

import os
import sys

from cellval.cli import signals
from cellval.cli.arguments import main


def run() -> None:
    """The command line, where output may be cut off by its reader or a full disk."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        signals.say(f"cellval: cannot write the output: {error.strerror}.")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # The terminal is gone, and that was told by a signal: files are written by now.
        code = signals.exit_code() if signals.was_asked() else 2
    sys.exit(code)


if __name__ == "__main__":
    run()
