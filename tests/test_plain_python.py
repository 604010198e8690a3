"""A process that makes calls without compiling what they need."""

import operator
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cellval.plain_python import PlainPython

WAIT = 900  # seconds until a test gives up


def test_calls_are_made_in_one_process_that_compiles_nothing():
    with PlainPython() as plain:
        calls = [plain.submit(os.getpid) for _ in range(2)]
        flag = plain.submit(os.getenv, "NUMBA_DISABLE_JIT")
        first, second = (call.result(WAIT) for call in calls)
        assert first == second != os.getpid()
        assert flag.result(WAIT) == "1" != os.environ.get("NUMBA_DISABLE_JIT")


def test_what_a_call_prints_is_no_answer():
    with PlainPython() as plain:
        assert plain.submit(print, "words").result(WAIT) is None
        assert plain.submit(operator.add, 1, 2).result(WAIT) == 3


def test_files_of_the_folder_that_somebody_works_in_are_not_run(tmp_path, monkeypatch):
    (tmp_path / "pickle.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    with PlainPython() as plain:
        assert plain.submit(os.getcwd).result(WAIT) == os.getcwd()


def test_after_a_call_that_failed_all_others_do():
    with PlainPython() as plain:
        assert plain.submit(operator.truediv, 1, 1).result(WAIT) == 1
        for _ in range(2):
            with pytest.raises((EOFError, OSError)):
                plain.submit(operator.truediv, 1, 0).result(WAIT)


def test_it_ends_in_the_midst_of_a_call():
    plain = PlainPython()
    process = plain.submit(os.getpid).result(WAIT)
    endless = plain.submit(time.sleep, 10 * WAIT)
    plain.shutdown()
    assert endless.exception(WAIT) is not None
    assert not _lives(process)


def test_without_whoever_asked_it_ends():
    words = (
        "import os; from cellval.plain_python import PlainPython\n"
        "print(PlainPython().submit(os.getpid).result(), flush=True); os._exit(0)"
    )
    run = subprocess.run([sys.executable, "-c", words], capture_output=True, check=True)
    process = int(run.stdout)
    until = time.monotonic() + WAIT
    while _lives(process):
        assert time.monotonic() < until
        time.sleep(0.05)


def _lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or ") Z " not in stat.read_text()


def test_where_there_can_be_no_processes_calls_fail(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with PlainPython() as plain, pytest.raises(OSError):
        plain.submit(os.getpid).result(WAIT)
