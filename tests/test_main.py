"""The command `cellval` where streams are closed and names are hostile."""

import importlib
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from cellval.__main__ import run

ROWS = [(k, k % 3, k % 2) for k in range(12)]
HERE = Path(__file__).parents[1]


def table(header="x,z,y"):
    lines = [header, *(f"{a},{b},{['no', 'yes'][c]}" for a, b, c in ROWS)]
    return "\n".join(lines).encode()


def cellval(folder, arguments, redirect=""):
    """Output and messages as bytes, and the exit code, of a command in a folder."""
    command = [sys.executable, "-m", "cellval", *arguments]
    if redirect:
        command = ["sh", "-c", f'"$@" {redirect}', "sh", *command]
    environment = os.environ | {"PYTHONPATH": str(HERE), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=900
    )
    return done.stdout, done.stderr, done.returncode


def steers(printed):
    """Control characters that reach a terminal."""
    return {byte for byte in printed if byte < 32 and byte not in b"\n"} | (
        {0x7F} & set(printed)
    )


@pytest.mark.parametrize("redirect", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_do_not_stop_a_run(tmp_path, redirect):
    (tmp_path / "t.csv").write_bytes(table())
    arguments = ["run", "t.csv", "--label", "y", "--out", "out"]
    _, err, code = cellval(tmp_path, arguments, redirect)
    assert (code, b"Traceback" in err) == (0, False)
    assert (tmp_path / "out" / "values.csv").stat().st_size > 100


@pytest.fixture
def printed(tmp_path, monkeypatch, capfdbinary):
    """Output and messages of the same in this process."""
    monkeypatch.chdir(tmp_path)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))  # put back afterwards

    def say(arguments):
        monkeypatch.setattr(sys, "argv", ["cellval", *arguments])
        with suppress(SystemExit):
            run()
        return capfdbinary.readouterr()

    return say


def test_escape_codes_of_names_do_not_reach_the_terminal(tmp_path, printed):
    name = "evil\x1b]0;owned\x07\x1b[2J.csv"
    header = '"x\x1b[31m\rfake",z\x9b2J\x08\u202e,y'
    (tmp_path / name).write_bytes(table(header))
    for arguments in (
        ["run", name, "--label", "y", "--out", "o\x1b[1m"],
        ["explain", name, "--label", "y", "--row", "3"],
        ["suspects", name, "--label", "y", "--no-values", "--top", "5"],
        ["run", name, "--label", "no\x1b[2Jsuch"],
        ["run", name, "extra\x1b[2J.csv"],
        ["run", "missing\x1b[2J.csv"],
    ):
        out, err = printed(arguments)
        assert out or err
        assert steers(out) == steers(err) == set(), arguments
        said = (out + err).decode()
        assert "\u202e" not in said and "\x9b" not in said
        assert "Traceback" not in said


def test_a_header_of_100_000_letters_is_cut(tmp_path, printed):
    (tmp_path / "t.csv").write_bytes(table(f"{'x' * 100_000},z,{'y' * 100_000}"))
    for arguments in (
        ["run", "t.csv"],
        ["explain", "t.csv", "--row", "2"],
        ["suspects", "t.csv", "--no-values"],
        ["run", "t.csv", "--label", "q" * 100_000],
    ):
        out, err = printed(arguments)
        assert 0 < len(out) + len(err) < 20_000, arguments


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_file_name_that_is_no_utf_8_stands_in_the_report(tmp_path):
    name = b"caf\xe9\xff.csv"
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(table())
    except OSError:
        pytest.skip("this file system takes no such name")
    arguments = ["report", os.fsdecode(name), "--label", "y", "--out", "r.html"]
    _, err, code = cellval(tmp_path, arguments)
    assert (code, b"Traceback" in err) == (0, False), err
    assert "caf\ufffd\ufffd.csv" in (tmp_path / "r.html").read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("how", [signal.SIG_DFL, signal.SIG_IGN])
def test_ctrl_c_while_it_is_loaded_ends_it_quietly(tmp_path, how):
    """Also if a script has started it in the background, where SIGINT is ignored."""
    program = (
        "import os, signal, sys\n"
        "class Asks:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pandas':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Asks())\n"
        "from cellval.__main__ import run\n"
        "run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(HERE)},
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, how),
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_what_asks_for_the_command_keeps_its_own_ctrl_c():
    before = signal.getsignal(signal.SIGINT)
    importlib.reload(sys.modules["cellval.__main__"])
    assert signal.getsignal(signal.SIGINT) == before
