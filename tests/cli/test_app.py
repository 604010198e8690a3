"""The command `app`, but for the process itself, which tests/test_installed.py has."""

import socket
from contextlib import closing

import pandas as pd
import pytest
from cases import SAMPLES, message_of

from cellval.cli import app
from cellval.cli.arguments import main
from cellval.project.archive import pack
from cellval.project.shelf import Shelf

DAVIS = str(SAMPLES / "davis.csv")


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))


def opened(link):
    project, may = Shelf().by_link(link)
    assert may == "edit"
    return closing(project)


def test_a_file_becomes_a_project_and_is_found_again_with_what_was_decided():
    link = app.link_to(DAVIS)
    with opened(link) as project:
        assert project.table.n_rows == 200
        project.work.decide(12, "height", "error")
    assert app.link_to(DAVIS) == link


def test_another_file_of_the_same_name_is_another_project(tmp_path):
    first = app.link_to(DAVIS)
    other = tmp_path / "davis.csv"
    other.write_text("a,b\n" + "1,x\n2,y\n" * 20)
    assert app.link_to(str(other)) != first
    assert len(Shelf().entries()) == 2


def test_a_table_that_cannot_have_a_label_is_opened_without_one(tmp_path):
    file = tmp_path / "visits.csv"
    days = pd.date_range("2020-01-01", periods=60, freq="31h")
    pd.DataFrame({"came": days, "left": days.shift(2)}).to_csv(file, index=False)
    with opened(app.link_to(str(file))) as project:
        assert not project.table.label


def test_a_packed_project_is_brought_in(tmp_path):
    with opened(app.link_to(DAVIS)) as project:
        project.work.decide(12, "height", "error")
        (tmp_path / "davis.cellval").write_bytes(pack(project))
    with opened(app.link_to(str(tmp_path / "davis.cellval"))) as twin:
        assert twin.id != project.id
        assert twin.work.decisions == {(12, "height"): "error"}


def test_what_cannot_be_opened_is_said_before_anything_starts(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(app.subprocess, "Popen", None)
    assert main(["app", str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err
    (tmp_path / "home").write_text("no folder")
    assert main(["app", DAVIS]) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_the_first_free_port_is_taken_and_a_taken_one_refused():
    with socket.socket() as other:
        other.bind(("localhost", 0))
        other.listen()
        taken = other.getsockname()[1]
        assert str(taken) in message_of(app.free_port, "localhost", taken)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(app, "FIRST_PORT", taken)
            assert app.free_port("localhost", None) > taken
    assert app.free_port("localhost", taken) == taken


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "²"])
def test_what_is_no_port_is_refused(port, capsys):
    with pytest.raises(SystemExit):
        main(["app", f"--port={port}"])
    assert "is no port" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("known", "wanted"),
    [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "w"}, True)],
)
def test_without_a_screen_no_browser_is_opened_in_the_terminal(
    monkeypatch, known, wanted
):
    monkeypatch.setattr(app.sys, "platform", "linux")
    monkeypatch.setattr(app.os, "environ", known)
    assert app._has_screen() == wanted
