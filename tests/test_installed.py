"""`cellval` as a newcomer has it, in a folder of their own.

The checkout is tried, or what CELLVAL_COMMAND names: .ci/wheel tries the wheel so, in
an environment that has nothing else.
"""

import os
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request

import pytest
from cases import ROOT, SAMPLES
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

INSTALLED = os.environ.get("CELLVAL_COMMAND")
COMMAND = shlex.split(INSTALLED) if INSTALLED else [sys.executable, "-m", "cellval"]
SETTINGS = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
LONG = 600  # seconds, however slow a machine is


@pytest.fixture
def started(tmp_path):
    """Starts the command in a folder that has settings of another app."""
    (tmp_path / ".streamlit").mkdir()
    other = '[server]\naddress = "0.0.0.0"\n[theme]\nprimaryColor = "#ff0000"\n'
    (tmp_path / ".streamlit/config.toml").write_text(other)
    (tmp_path / "streamlit.py").write_text("raise SystemExit('not this one')")
    known = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    known["CELLVAL_HOME"] = str(tmp_path / "home")
    if not INSTALLED:
        known["PYTHONPATH"] = str(ROOT)
    processes = []

    def start(*arguments):
        with (tmp_path / "log.txt").open("ab") as log:
            process = subprocess.Popen(
                [*COMMAND, *map(str, arguments)],
                cwd=tmp_path,
                env=known,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.terminate()
        process.communicate()


def test_alone_it_says_in_ten_lines_what_it_can_do(started):
    process = started()
    said, _ = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert len(said.splitlines()) == 10
    assert "cellval app" in said and "cellval suspects" in said


def test_suspects_are_found(started, tmp_path):
    process = started("suspects", SAMPLES / "davis.csv", "--label", "sex")
    said, _ = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert "2 suspects among 800 cells" in said
    assert (tmp_path / "suspects.csv").exists()


def test_a_report_is_written_with_its_looks(started, tmp_path):
    """They are files beside the code, which a wheel could lack."""
    davis = SAMPLES / "davis.csv"
    process = started("report", davis, "--label", "sex", "--out", "report.html")
    process.communicate(timeout=LONG)
    assert process.returncode == 0
    looks = (ROOT / "cellval/export/report.css").read_text("utf-8").splitlines()[0]
    assert looks in (tmp_path / "report.html").read_text("utf-8")


def messages(url, query):
    """All that the server tells a browser, until the page is drawn."""
    told = []
    asks = BackMsg()
    asks.rerun_script.query_string = query
    address = f"ws{url.removeprefix('http')}_stcore/stream"
    with connect(
        address, subprotocols=["streamlit"], origin=url, max_size=None
    ) as socket_:
        socket_.send(asks.SerializeToString())
        while not told or told[-1].WhichOneof("type") != "script_finished":
            told.append(ForwardMsg.FromString(socket_.recv(timeout=LONG)))
    return told


def test_the_app_opens_with_its_pages_theme_samples_and_settings(started):
    file = SAMPLES / "davis.csv"
    process = started("app", file, "--no-browser")
    address = process.stdout.readline().split()[3]
    url, _, query = address.partition("?")
    with urllib.request.urlopen(f"{url}_stcore/health", timeout=LONG) as answer:
        assert answer.read() == b"ok"
        assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"

    drawn = messages(url, query)
    texts = "".join(str(message.delta) for message in drawn)
    assert "Or try a sample" in texts  # said where there are some
    assert "What cellval noticed" in texts  # in the file that is open
    session = drawn[0].new_session
    assert session.config.toolbar_mode == session.config.VIEWER
    assert not session.config.gather_usage_stats
    theme = session.custom_theme
    assert theme.light.primary_color == SETTINGS["theme"]["light"]["primaryColor"]
    assert theme.dark.primary_color == SETTINGS["theme"]["dark"]["primaryColor"]
    menus = [m.navigation for m in drawn if m.WhichOneof("type") == "navigation"]
    pages = menus[-1].app_pages  # the first is Streamlit's own
    assert len(pages) == len(list((ROOT / "pages").glob("*.py")))
    sizes = {
        message.delta.new_element.file_uploader.max_upload_size_mb for message in drawn
    }
    assert SETTINGS["server"]["maxUploadSize"] in sizes
    assert is_local(int(url.rsplit(":")[-1].strip("/")))

    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONG)
    assert process.returncode == 0


def is_local(port):
    """Is the port closed to other computers?"""
    with socket.socket() as taken:
        try:  # on Linux all of 127.x.x.x is this computer, and only .1 is localhost
            taken.bind(("127.0.0.2", port))
        except OSError:
            return sys.platform != "linux"
    return True
