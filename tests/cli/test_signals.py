"""Whoever ends a run, and however often: what there is is written."""

import os
import pty
import shlex
import signal
import subprocess
import sys

import pandas as pd
import pytest
from cases import ROOT, SAMPLES
from command_line import cellval_process, on_davis, read_until

import cellval
from cellval.cli import find, signals
from cellval.cli.arguments import main
from cellval.progress import Snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")

ROWS = 500
# Takes long enough; the first values with a standard error soon are there.
LONG = ("--label", "income", "--subsets", "all")


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    lines = (SAMPLES / "adult_2000.csv").read_text().splitlines()[: ROWS + 1]
    file = tmp_path_factory.mktemp("adult") / "adult.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.fixture(autouse=True)
def heard_hangup():
    """SIGHUP is heard by what is started here, also if the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def long_run(adult, folder, ignored=None):
    """A run that has values; one signal can be ignored from its start."""

    def ignore():
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)

    words = ("run", adult, *LONG, "--out", folder)
    process = cellval_process(*words, preexec_fn=ignore)
    read_until(process, "standard error")
    return process


def is_kept(folder):
    n_test = cellval.load(folder / "values.npz").n_test
    cells = len(pd.read_csv(folder / "lowest.csv"))
    left = [path.name for path in folder.iterdir() if path.name.endswith(".part")]
    return 0 < n_test < ROWS and cells == ROWS * 14 and not left


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_stops_writes_and_says_how_to_go_on(name, adult, tmp_path):
    process, number = long_run(adult, tmp_path), getattr(signal, name)
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == 128 + number, err
    assert "keeping what there is" in err
    assert "Traceback" not in err
    assert is_kept(tmp_path)
    n_test = cellval.load(tmp_path / "values.npz").n_test
    typed = shlex.split(out[out.index("To go on from here:\n") :].splitlines()[1])
    assert typed[:3] == ["python", "-m", "cellval"]
    again = cellval_process(*typed[3:])
    read_until(again, "standard error")
    again.send_signal(number)
    again.communicate()
    assert again.returncode == 128 + number
    assert cellval.load(tmp_path / "values.npz").n_test >= n_test


def test_further_signals_do_not_lose_the_results(adult, tmp_path):
    process = long_run(adult, tmp_path)
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode > 128, err
    assert "Traceback" not in err
    assert is_kept(tmp_path)


def test_a_run_in_the_background_of_a_script_can_be_stopped(adult, tmp_path):
    """There SIGINT is ignored from the start, and nobody chose that."""
    process = long_run(adult, tmp_path, signal.SIGINT)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert is_kept(tmp_path)


def test_a_run_under_nohup_goes_on_without_its_terminal(adult, tmp_path):
    process = long_run(adult, tmp_path, signal.SIGHUP)
    process.send_signal(signal.SIGHUP)
    read_until(process, "standard error")
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 143
    assert is_kept(tmp_path)


def test_a_terminal_that_is_closed_ends_the_run_with_its_results(adult, tmp_path):
    own, terminal = pty.openpty()
    command = [sys.executable, "-m", "cellval", "run", str(adult), *LONG]
    # A session of its own, in which the terminal is the controlling one: closing it
    # sends SIGHUP, and nothing can be printed any more.
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, *command, "--out", str(tmp_path)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(terminal)
    seen = b""
    while b"standard error" not in seen:
        seen += os.read(own, 100)
    os.close(own)
    assert process.wait() == 128 + signal.SIGHUP
    assert is_kept(tmp_path)


TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_values_are_kept_when_the_search_for_surprise_is_stopped(
    tmp_path, monkeypatch, capsys
):
    def asked(*arguments, **options):
        yield Snapshot(preparing=True)
        os.kill(os.getpid(), signal.SIGTERM)
        yield Snapshot(0.5)

    with monkeypatch.context() as patch:
        patch.setattr(find, "iter_surprise", asked)
        assert on_davis("suspects", "--out", tmp_path / "s.csv") == 143
    told = capsys.readouterr().err
    assert cellval.load(tmp_path / "s_values.npz").n_test == 200
    typed = shlex.split(told[told.index("To go on with them:\n") :].splitlines()[1])
    assert main(typed[3:]) == 0
    assert len(pd.read_csv(tmp_path / "s.csv")) == 800


def test_signals_wait_while_files_are_written(tmp_path, monkeypatch, capfd):
    """One that comes then does not keep the others from being written."""
    from cellval.export import frames

    write = frames.write_csv

    def asked(frame, file):
        os.kill(os.getpid(), signal.SIGINT)
        write(frame, file)

    monkeypatch.setattr(frames, "write_csv", asked)
    assert on_davis("run", "--out", tmp_path) == 0
    assert len(pd.read_csv(tmp_path / "lowest.csv")) == 800
    assert "One moment" in capfd.readouterr().err


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with signals.heard():
        assert signal.getsignal(signal.SIGTERM) != before[1]
    assert before == (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))


def test_the_command_that_goes_on_holds_each_option_once():
    words = ["run", "my data.csv", "--continue", "old.npz", "--label", "y"]
    typed = signals.going_on(words, "--continue", "new.npz")
    assert typed.endswith("run --continue new.npz 'my data.csv' --label y")
    assert "old.npz" not in signals.going_on(
        ["run", "a.csv", "--continue=old.npz"], "--continue", "new.npz"
    )
