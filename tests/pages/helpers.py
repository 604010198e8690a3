"""What page tests share: runs in every state, opening pages, reading and using them."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from streamlit.testing.v1 import AppTest

import cellval
from cellval.jobs import queue
from cellval.jobs.background import ValuationJob
from cellval.project.source import Setup, Source
from cellval.ui import projects
from cellval.ui import session as sessions
from cellval.ui.navigation import file_of
from cellval.ui.session import Edits, FileWork, RunMemo, Session
from cellval.values.options import RunOptions

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_data"
WAIT = 900  # seconds
DAVIS = SAMPLES / "davis.csv"


# --- runs -----------------------------------------------------------------------------


def davis_table():
    return cellval.read(DAVIS, label="sex")


def valued(table, **options):
    """A run that has finished."""
    run = queue.start(table, RunOptions(**{"n_neighbors": 5, **options}))
    assert run.wait(WAIT)
    assert run.status == "done", run.error
    return run


def waiting(table, **options):
    """A run that has not begun."""
    return ValuationJob(table, RunOptions(**options))


def running(table, surprise=None):
    """A run with some values, that goes on."""
    run = waiting(table, n_neighbors=5, subsets=4)
    run.surprise = surprise
    snapshots = cellval.iter_values(table, n_neighbors=5, subsets=4)
    for snapshot in snapshots:
        run._see(snapshot)
        if snapshot.has_result:
            break
    snapshots.close()
    assert run.active and run.values is not None
    return run


def failed(table, sentence):
    run = waiting(table)
    run.end_as("failed", sentence)
    return run


# --- opening --------------------------------------------------------------------------


def open_app(page=None, **query):
    """As a person who comes by a link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=WAIT)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    return goto(app, page) if page else app


def shown(
    page,
    run=None,
    *,
    table=None,
    source=None,
    cell=None,
    row=None,
    first=None,
    changes=None,
    edits=None,
    view=None,
    **work,
):
    """A page of a session with a run or a table, perhaps with work done on its file.

    `cell` and `row` are selected by position; `first` is the run on the file as it was
    where `run` is on its repaired table, made by `changes`. `edits` are texts tried out
    by row number, `work` is decisions and repairs, `view` is that of the inspection
    list: Findings, or Cells if a cell is selected.
    """
    session = Session(file=FileWork(source=source, **work))
    for row_number, texts in (edits or {}).items():
        session.file.edits[row_number] = Edits(dict(texts))
    original = first or run
    session.take_file(session.file, Setup(), original.table if original else table)
    if run is not None:
        run.memo = RunMemo(session.file, session.setup, first, changes or {})
        session.run = run
    session.selection.position = row
    if cell is not None:
        session.selection.choose_cell(*cell)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=WAIT)
    app.session_state[sessions.KEY] = session
    if view is not None or cell is not None:
        app.session_state[session.widget_key("list view")] = view or "Cells"
    return goto(app.run(), page)


def listed(run, **how):
    """The inspection list with its cells one by one."""
    return shown("inspect", run, view="Cells", **how)


def davis_source():
    return Source.of("davis.csv", DAVIS.read_bytes())


def goto(app, page):
    return drawn(app.switch_page(file_of(page)))


def session_of(app) -> Session:
    return app.session_state[sessions.KEY]


def link_of(app, may="edit"):
    return session_of(app).file.project.link(may)


def restarted():
    """As if the server had ended: only what is on disk is left."""
    projects._open.clear()
    projects._unkept.clear()
    projects.shelf.cache_clear()


def settled(app):
    """Wait for all that runs in the background, and draw again."""
    session = session_of(app)
    file = session.file
    sides = (file.comparison, file.blocks, file.blocks_seconds, file.validation)
    jobs = [session.run, *(side.job for side in sides)]
    assert all(job.wait(WAIT) for job in jobs if job is not None)
    return drawn(app)


def wait_for(condition):
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def drawn(app):
    app.run()
    assert not app.exception, "\n".join(app.exception[0].stack_trace)
    return app


# --- reading --------------------------------------------------------------------------


def raw_text_of(app):
    """All that is written on a page, as Markdown."""
    parts = [*app.title, *app.header, *app.subheader, *app.markdown, *app.caption]
    parts += [*app.info, *app.error, *app.warning, *app.success, *app.toast]
    return "\n".join(str(part.value) for part in parts)


def text_of(app):
    """The same as a person reads it, without escapes."""
    return raw_text_of(app).replace("\\", "")


def texts(elements):
    return " ".join(str(element.value) for element in elements)


def labels(app):
    return [button.label for button in app.button]


def headings(app):
    return [heading.value for heading in (*app.header, *app.subheader)]


def downloads_of(app):
    return {button.proto.label: button for button in app.get("download_button")}


def n_charts(app):
    return len(app.get("plotly_chart"))


# --- using ----------------------------------------------------------------------------


def button(app, label):
    """By its label, or the beginning of it."""
    found = [b for b in app.button if b.label == label]
    found += [b for b in app.button if b.label.startswith(label)]
    assert found, f"{label!r} is not among {labels(app)}"
    return found[0]


def click(app, label):
    assert not button(app, label).disabled
    button(app, label).click()
    return drawn(app)


def box(app, label):
    """A widget that holds a value."""
    every = [*app.selectbox, *app.radio, *app.number_input, *app.button_group]
    every += [*app.toggle, *app.text_input, *app.multiselect]
    return next(widget for widget in every if widget.label == label)


def pick(app, label, value):
    box(app, label).set_value(value)
    return drawn(app)


def tick(app, lines, table=0):
    """Tick lines of a table; AppTest cannot, but its id ends in its key."""
    key = app.dataframe[table].proto.id.split("-", 2)[-1]
    ticks = {"rows": lines, "columns": [], "cells": []}
    app.session_state[key] = {"selection": ticks}
    return drawn(app)


def list_tables(app):
    """The parts of the inspection list: suspects, and what comes after the rule."""
    return [table for table in app.dataframe if "rank" in table.value]


def upload(app, name, raw, index=0):
    app.file_uploader[index].upload(name, raw, "text/csv")
    return drawn(app)


def run(coroutine):
    """In a thread of its own: playwright may have a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
