"""The app started from Python: a real server, and projects that it shows."""

import http.client
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from cases import ROOT, number_table
from helpers import open_app, restarted, session_of, settled, text_of

import cellval
from cellval import launch
from cellval.project.shelf import Shelf
from cellval.values.options import RunOptions
from cellval.values.settings import Settings

# Streamlit's own, in the page that is opened; and the server's pipe
pytestmark = pytest.mark.filterwarnings(
    "default::DeprecationWarning",
    "default::ResourceWarning",
    "default::pytest.PytestUnraisableExceptionWarning",
)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path))
    restarted()
    yield tmp_path
    restarted()


@pytest.fixture(scope="module")
def table():
    return cellval.read("sample_data/davis.csv", label="sex")


@pytest.fixture(scope="module")
def values(table):
    return cellval.value_cells(table, n_neighbors=5)


def answer(url):
    """Status and text of a page of a server on this computer."""
    host, _, path = url.removeprefix("http://").partition("/")
    with closing(http.client.HTTPConnection(host, timeout=900)) as connection:
        connection.request("GET", f"/{path}")
        got = connection.getresponse()
        return got.status, got.read().decode()


def kept(app):
    project, may = Shelf().by_link(app.url.partition("?project=")[2])
    assert may == "edit"
    return project


def test_values_are_shown_by_a_server_that_can_be_stopped(table, values):
    app = launch.show(values, table=table, browser=False)
    try:
        base = app.url.partition("?")[0]
        assert answer(f"{base}_stcore/health") == (200, "ok")
        assert answer(app.url)[0] == 200
        assert f'href="{app.url}"' in app._repr_html_() and app.url in repr(app)
        with closing(kept(app)) as project:
            assert project.name == "davis"
            assert np.array_equal(project.values.values, values.values)
        again = launch.show(values, table=table, browser=False)
        assert again.url == app.url  # the same server and project
        assert launch.start().url == base
        with pytest.raises(cellval.InputError, match="cannot be used, perhaps"):
            launch._free_port(launch._port())
    finally:
        app.stop()
    assert not app.is_running and "stopped" in app._repr_html_() + repr(app)
    with pytest.raises(OSError):
        answer(base)


def test_the_page_behind_the_link_shows_these_values(table, values):
    with closing(launch.project_of(values, table)) as project:
        link = project.link("edit")
    app = settled(open_app("heatmap", project=link))
    shown = session_of(app).values
    assert np.array_equal(shown.values, values.values)
    assert shown.settings == values.settings
    assert "Partial" not in text_of(app)


def test_a_project_is_shown_as_it_is(monkeypatch, table):
    asked = []
    monkeypatch.setattr(launch, "start", lambda port, **how: asked.append(how))
    monkeypatch.setattr(launch, "_in_notebook", lambda: True)
    project = cellval.open_project("own", "sample_data/davis.csv", label="sex")
    launch.show(project)
    assert asked == [{"browser": False, "at": project.link("edit")}]


def test_a_table_or_frame_is_a_project_without_a_run(table):
    frame = pd.DataFrame({"x": [1.5, 2, 3, 4] * 5, "label": list("abab") * 5})
    with closing(launch.project_of(frame)) as project:
        assert project.runs == [] and project.table.label == "label"
    with pytest.raises(cellval.InputError, match="A table or a DataFrame is needed"):
        launch.project_of(3)


def test_what_was_decided_is_found_again(table, values):
    with closing(launch.project_of(values, table)) as project:
        project.work.decide(12, "weight", "error")
        first = project.id
    with closing(launch.project_of(values, table)) as project:
        assert project.id == first
        assert project.work.decisions == {(12, "weight"): "error"}
        assert len(project.runs) == 1
    other = cellval.value_cells(table, n_neighbors=3)
    with closing(launch.project_of(other, table)) as project:
        assert project.id == first and len(project.runs) == 2
    assert cellval.open_project("davis").id == first


@pytest.mark.parametrize(
    "name", ["ugly.csv", "adult_2000.csv", "diamonds.csv", "breast_cancer.csv"]
)
def test_the_file_of_a_project_is_read_as_the_table_was(name):
    """Decimal commas, days first, ids, numbers as a label, missing cells."""
    table = cellval.read(f"sample_data/{name}")
    setup, source = launch._kept(table)
    again = setup.read(source)
    assert again.fingerprint == table.fingerprint
    assert again.decimal == table.decimal and again.ids == table.ids
    for mine, other in zip(again.features, table.features, strict=True):
        if other.numbers is not None:
            assert np.array_equal(mine.numbers, other.numbers, equal_nan=True)


def test_values_without_their_table_are_shown_with_what_they_know(values):
    with closing(launch.project_of(values)) as project:
        assert np.array_equal(project.values.values, values.values)
        assert project.table.label == "label"
        assert project.table.labels == values.labels


def test_values_that_do_not_tell_their_columns_need_their_table():
    frame = pd.DataFrame({"x": ["a b c d", "7"] * 10, "k": range(20), "y": [0, 1] * 10})
    kinds = {"k": "category"}
    table = cellval.read(frame, label="y", kinds=kinds)
    values = cellval.value_cells(table, method="random")
    if cellval.read(values.cells.assign(y=values.labels)).feature_names == ("x", "k"):
        pytest.skip("kinds are guessed as they were given")
    with pytest.raises(cellval.InputError, match="Give the table, too"):
        launch.project_of(values)
    launch.project_of(values, table).close()


def test_values_of_another_table_are_refused(values):
    with pytest.raises(cellval.InputError, match="of another table"):
        launch.project_of(values, number_table(30, 0))


@pytest.mark.parametrize(
    "asked",
    [
        {"n_neighbors": 3, "random_state": 4, "near": 50},
        {"test": 0.25, "baseline": "chance", "scoring": "balanced"},
        {"method": "oob", "rounds": 5},
        {"method": "random"},
    ],
)
def test_options_follow_from_settings(table, asked):
    settings = cellval.value_cells(table, **asked).settings
    found = launch._options(settings, table.n_rows)
    assert found == RunOptions(**asked)


def test_a_model_of_ones_own_is_not_an_option_again():
    how = {"method": "mc", "truncation": 0.5, "rounds": 7, "random_state": 3}
    settings = Settings(**how, model="logistic", test="hold-out", test_rows=60)
    found = launch._options(settings, 200)
    assert found == RunOptions(**how, model="logistic", test=0.3)
    own = replace(settings, model="SVC(C=3)", scoring="closeness", width=2.0)
    assert launch._options(own, 200) == RunOptions(**how, test=0.3, width=2.0)


def test_a_folder_that_cannot_be_written_is_said(monkeypatch, tmp_path, values):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("CELLVAL_HOME", str(blocked))
    with pytest.raises(cellval.InputError, match="data folder"):
        launch.project_of(values)


def test_a_script_waits_and_takes_its_server_with_it(home, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import cellval, webbrowser\n"
        "webbrowser.open = lambda url: None\n"
        "table = cellval.read('sample_data/davis.csv', label='sex')\n"
        "cellval.show(table)\n"
        "print('over')\n"
    )
    run = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # tests that run in the background of a script ignore Ctrl-C
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    line = run.stdout.readline()
    try:
        assert line.startswith("cellval is at http://localhost:")
        url = line.split()[3]
        assert answer(f"{url.partition('?')[0]}_stcore/health")[0] == 200
        assert run.poll() is None
    finally:
        run.send_signal(signal.SIGINT)
        rest = run.communicate(timeout=900)[0]
    assert "over" in rest and run.returncode == 0
    time.sleep(0.1)
    with pytest.raises(OSError):
        answer(url)


def test_a_server_that_ends_at_once_says_why(monkeypatch, tmp_path):
    words = [sys.executable, "-m", "streamlit", "run", str(tmp_path / "nowhere.py")]
    monkeypatch.setattr(launch, "command", lambda port: words)
    with pytest.raises(cellval.InputError, match=r"(?s)did not start at port.*nowhere"):
        launch._new(launch._free_port(0))
