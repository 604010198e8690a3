"""`PlainPython`: a process that makes calls without compiling what they need."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")

# Modules are those that are found here, none of the folder that somebody works in.
BEGIN = """
import sys
sys.path[:] = {path}
from cellval.plain_python import answer_calls
answer_calls()
"""


class PlainPython(Executor):
    """One call at a time. After one that failed all others do, as they do where there
    can be no processes.
    """

    def __init__(self) -> None:
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="cellval-plain")
        self._process = self._asking.submit(_begun)

    def submit(
        self, function: Callable[..., Answer], /, *args: Any, **kwargs: Any
    ) -> "Future[Answer]":
        return self._asking.submit(self._ask, (function, args, kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End it at once, also in the midst of a call."""
        process = None if self._process.exception() else self._process.result()
        if process is not None:
            process.kill()
        self._asking.shutdown(wait, cancel_futures=cancel_futures)
        if process is not None:
            process.communicate()  # its pipes are closed by that

    def _ask(self, call: tuple[Any, ...]) -> Any:
        process = self._process.result()
        assert process.stdin is not None and process.stdout is not None
        pickle.dump(call, process.stdin)
        process.stdin.flush()
        return pickle.load(process.stdout)


def _begun() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN.format(path=list(map(str, sys.path)))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )


def answer_calls() -> None:
    """Make the calls that come in, until no more do; run by the process."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    while True:
        try:
            function, args, kwargs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(function(*args, **kwargs), answers)
        answers.flush()
