"""A session holds no tables and values that pages show no more."""

import weakref

import pytest
from pages.helpers import (
    click,
    davis_table,
    drawn,
    goto,
    open_app,
    running,
    session_of,
    settled,
    shown,
    upload,
)
from streamlit import config

import cellval
from cellval.jobs.warm_up import warm_up
from cellval.ui import parts
from cellval.ui.projects import close_project

# Not those that choose from many rows: what these offer is kept by the test's browser.
PAGES = ["heatmap", "columns", "inspect", "repair", "export", "validate"]


@pytest.mark.parametrize("page", ["heatmap", "columns"])
def test_values_go_when_newer_ones_are_shown(page, monkeypatch):
    """Streamlit keeps the callbacks of figures that were replaced."""
    warm_up().join()
    monkeypatch.setattr(parts, "COLLECT_EVERY", 0.0)
    monkeypatch.setattr(parts, "OF_COLLECTING", 0.0)
    table = davis_table()
    run = running(table)
    app = shown(page, run)
    old = weakref.ref(session_of(app).held.values)
    steps = cellval.iter_values(table, n_neighbors=5, subsets=4)
    run._renew(next(step for step in steps if step.has_result and step.done > 0.5))
    steps.close()
    drawn(app)
    assert session_of(app).held.values is run.values
    assert old() is None


@pytest.mark.parametrize("then", ["another file", "no file"])
def test_a_table_and_its_values_go_when_their_project_is_left(then):
    app = click(click(open_app("data"), "Davis"), "Value the cells")
    settled(app)
    for page in PAGES:
        goto(app, page)
    run = session_of(app).run
    old = [weakref.ref(one) for one in (run.table, run.values, run.suspicion)]
    assert all(one() is not None for one in old)
    del run
    goto(app, "data")
    if then == "no file":  # the page ends before its end
        close_project(session_of(app))
        app.query_params.clear()
        drawn(app)
        assert session_of(app).table is None
    else:
        lines = "\n".join(f"{i},{i * i % 17},{'xy'[i % 2]}" for i in range(40))
        upload(app, "other.csv", f"a,b,c\n{lines}".encode())
        assert session_of(app).table.name == "other.csv"
    assert [one() for one in old] == [None] * 3


def test_streamlit_does_not_look_through_all_objects_after_every_drawing():
    """With people on a server that compiles, that was nearly all that it did."""
    assert config.get_option("runner.postScriptGC") is False
