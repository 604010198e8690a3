"""The one owner of session state. Pages read and change it by these functions only.

A session knows one data file (`Source`), how it is read (`Setup`), the table that came
of it, one run, the decisions on the file's cells, and what is selected. All of it but
the selection hangs on the run as well, so that ``?run=<id>`` finds it after a reload.
"""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from cellval.detect.suspicion import Suspicion, make_suspicion
from cellval.errors import InputError
from cellval.jobs import background as jobs
from cellval.jobs import registry
from cellval.jobs.background import Job, Scores, Steps
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import Repair, repaired
from cellval.table.table import Table, read
from cellval.values.result import CellValues

SHORT_RUN = 0.5  # seconds: so long a new run is waited for, to draw its end at once
PAGES = {
    "data": "pages/data.py",
    "heatmap": "pages/heatmap.py",
    "inspect": "pages/inspect.py",
    "sample": "pages/sample.py",
    "columns": "pages/columns.py",
    "sources": "pages/sources.py",
    "validate": "pages/validate.py",
    "repair": "pages/repair.py",
    "export": "pages/export.py",
}

# Every key of st.session_state that is not a widget's own.
_SOURCE = "_source"
_SETUP = "_setup"
_READ = "_read"  # (what was read, Table): reading again is slow
_TABLE = "_table"
_JOB = "_job"
_DECISIONS = "_decisions"  # sha256 of the file -> {(row number, column): decision}
_REPAIRS = "_repairs"  # sha256 of the file -> {(row number, column): Repair}
_PRIOR = "_prior"  # sha256 of the file -> {cell: decision before its repair, or None}
_SIDE = "_side"  # sha256 of the file -> {name: (what it was made from, Steps)}
_BEFORE = "_before"  # run on the original table, while its repaired one is shown
_AFTER = "_after"  # latest run on the repaired table, also while it is not shown
_CHANGES = "_changes"  # in a run's memo: the repairs that made its table
_UPLOAD = "_upload"  # what came of the last decisions file: (went well, sentence)
_EDITS = "_edits"  # sha256 of the file -> {row number: Edits}
_BUILT = "_built"  # name of a file to download -> (what it was built from, bytes)
_CELL = "_cell"
_ROW = "_row"
_MARKED = "_marked"  # key of the chart whose figure marks the selected cell
_OTHER_ROW = "_other_row"  # compared with the selected one
_TEST_SOURCE = "_test_source"
_TEST = "_test"  # (what was read, Table)
_FAULT = "_fault"  # why the last change of the setup was not possible
_VERSION = "_version"  # of widgets that must show what was read, not what was typed
_DRAWN = "_drawn"  # when and how a page was last drawn
_FRAMED = "_framed"  # app.py has run in this session
_WANTED = "_wanted"  # page that was asked for before it had


@dataclass(frozen=True)
class Source:
    """A file as it came: its name, its bytes and their SHA-256."""

    name: str
    raw: bytes = field(repr=False)
    sha256: str

    @classmethod
    def of(cls, name: str, raw: bytes) -> "Source":
        return cls(name, raw, hashlib.sha256(raw).hexdigest())


@dataclass(frozen=True)
class Setup:
    """What a person chose about the columns; None is guessed."""

    label: str | None = None
    id_column: str | None = None
    exclude: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()


@dataclass
class Edits:
    """Texts of one row that are tried out, by column, and those its editor began with.

    An editor's frame must not change while it is open, so it is told only the latter.
    """

    texts: dict[str, str] = field(default_factory=dict)
    begun: dict[str, str] = field(default_factory=dict)
    version: int = 0  # of the editor


# --- data ---------------------------------------------------------------------------


def source() -> Source | None:
    return st.session_state.get(_SOURCE)


def set_source(new: Source) -> None:
    """Take another file; a run on the old one ends, decisions on it are kept."""
    old = source()
    if old is not None and old.sha256 == new.sha256:
        return
    for _, beside in _of_file(_SIDE).values():
        beside.stop()
    _leave_run()
    for key in (_SETUP, _READ, _TABLE, _TEST_SOURCE, _TEST, _FAULT, _UPLOAD, _BUILT):
        st.session_state.pop(key, None)
    st.session_state[_SOURCE] = new


def setup() -> Setup:
    return st.session_state.get(_SETUP, Setup())


def try_setup(new: Setup) -> None:
    """Read the file in another way; if that fails, keep the old way and say why."""
    old = setup()
    st.session_state[_SETUP] = new
    st.session_state.pop(_FAULT, None)
    try:
        read_source()
    except InputError as error:
        st.session_state[_SETUP] = old
        st.session_state[_FAULT] = str(error)
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1


def setup_fault() -> str | None:
    """Why the last change of the setup was not possible."""
    return st.session_state.get(_FAULT)


def widget_key(name: str, *, versioned: bool = False) -> str:
    """Key of a widget that belongs to the file at hand; see `_VERSION`."""
    file = source()
    key = f"{name}:{file.sha256[:12] if file else ''}"
    return f"{key}:{st.session_state.get(_VERSION, 0)}" if versioned else key


def read_source() -> Table | None:
    """The file read as set up, or InputError; read again only if either changed."""
    file, how = source(), setup()
    if file is None:
        return None
    key = (file.sha256, how)
    known = st.session_state.get(_READ)
    if known is None or known[0] != key:
        read = read(
            _named(file),
            label=how.label,
            id_column=how.id_column,
            exclude=how.exclude,
            kinds=dict(how.kinds),
        )
        known = (key, read)
        st.session_state[_READ] = known
    set_table(known[1])
    return known[1]


def test_source() -> Source | None:
    """The second file, with test rows."""
    return st.session_state.get(_TEST_SOURCE)


def set_test(file: Source) -> None:
    st.session_state[_TEST_SOURCE] = file


def read_test(file: Source, like: Table) -> Table:
    """A second file read like the first, or InputError."""
    key = (file.sha256, like.fingerprint)
    known = st.session_state.get(_TEST)
    if known is None or known[0] != key:
        known = (key, read(_named(file), like=like))
        st.session_state[_TEST] = known
    return known[1]


def _named(file: Source) -> Any:
    buffer = BytesIO(file.raw)
    buffer.name = file.name
    return buffer


def data_name() -> str | None:
    """Name of the file at hand, read or not."""
    shown, file = table(), source()
    return shown.name if shown else file.name if file else None


def table() -> Table | None:
    """The table that pages show: that of the run, if there is one."""
    run = job()
    return run.table if run else st.session_state.get(_TABLE)


def set_table(new: Table | None) -> None:
    st.session_state[_TABLE] = new


# --- run ----------------------------------------------------------------------------


def job() -> Job | None:
    return st.session_state.get(_JOB)


def values() -> CellValues | None:
    """Values so far of the run; None before the first ones."""
    run = job()
    return run.values if run else None


def suspicion() -> Suspicion | None:
    """The ranking of the run's cells so far; None before values or surprise."""
    run = job()
    return suspicion_of(run) if run else None


def suspicion_of(run: Job) -> Suspicion | None:
    """The same for any run."""
    values, found = run.values, run.surprise
    if values is None or found is None:
        return None
    return _suspicion(run.table, values, found)


# Kept for the last few results: pages ask again on every click.
_suspicion = lru_cache(maxsize=4)(make_suspicion)


def start_run(options: Mapping[str, Any]) -> Job:
    """Start on the chosen table; an old run of this session is stopped."""
    chosen = st.session_state.get(_TABLE)
    assert chosen is not None, "no table was chosen"
    _leave_run()
    return _start(chosen, options, None)


def _start(chosen: Table, options: Mapping[str, Any], before: Job | None) -> Job:
    run = registry.start(chosen, **options)
    run.memo = {
        _SOURCE: source(),
        _SETUP: setup(),
        _DECISIONS: _decisions(),
        _REPAIRS: _repairs(),
        _PRIOR: _of_file(_PRIOR),
        _SIDE: _of_file(_SIDE),
        _BEFORE: before,
        _CHANGES: repairs() if before else {},
    }
    st.session_state[_JOB] = run
    st.session_state[_BEFORE] = before
    st.query_params["run"] = run.id
    run.wait(SHORT_RUN)
    return run


def stop_run() -> None:
    run = job()
    if run:
        run.stop()


def note_draw(seconds: float) -> None:
    """Called when a page was drawn: what it showed decides when it is drawn again."""
    st.session_state[_DRAWN] = (values() is not None, time.monotonic(), seconds)


def page_is_stale() -> bool:
    """While a run goes on: are there values that the page should show by now?"""
    had_values, at, seconds = st.session_state.get(_DRAWN, (False, 0.0, 0.0))
    run = job()
    if run is None or run.values is None:
        return False
    # The longer a run has gone on, the less a moment changes its values.
    pause = min(15.0, max(2.5, 0.15 * run.progress.seconds))
    return not had_values or time.monotonic() - at > max(pause, 4 * seconds)


def _leave_run() -> None:
    run = st.session_state.pop(_JOB, None)
    if run is not None:
        run.stop()
    for key in (_BEFORE, _AFTER, _CELL, _ROW, _OTHER_ROW):
        st.session_state.pop(key, None)
    st.query_params.pop("run", None)


def sync_link() -> None:
    """Called on every run of app.py: a link finds its run, a run keeps its link."""
    run, asked = job(), st.query_params.get("run")
    if run is None and asked:
        run = registry.get(asked)
        if run is None:
            st.query_params.pop("run", None)
            st.toast("The run of this link is no longer there. Please start again.")
            return
        file = run.memo.get(_SOURCE)
        st.session_state[_JOB] = run
        st.session_state[_SOURCE] = file
        st.session_state[_SETUP] = run.memo.get(_SETUP, Setup())
        before = run.memo.get(_BEFORE)
        st.session_state[_BEFORE] = before
        st.session_state[_TABLE] = before.table if before else run.table
        if file is not None:
            st.session_state[_READ] = ((file.sha256, setup()), original())
            for what in (_DECISIONS, _REPAIRS, _PRIOR, _SIDE):
                _kept(what)[file.sha256] = run.memo.setdefault(what, {})
    if run is not None and st.query_params.get("run") != run.id:
        st.query_params["run"] = run.id


# --- decisions ----------------------------------------------------------------------


def _kept(what: str) -> dict[str, dict[Any, Any]]:
    return st.session_state.setdefault(what, {})


def _of_file(what: str) -> dict[Any, Any]:
    """Of the file at hand: the same dict that its runs hold."""
    file = source()
    if file is not None:
        return _kept(what).setdefault(file.sha256, {})
    shown = original()
    return _kept(what).setdefault(shown.fingerprint if shown else "", {})


def _decisions() -> dict[tuple[int, str], str]:
    return _of_file(_DECISIONS)


def get_decision(row_number: int, column: str) -> str | None:
    """ "error", "fine", "unsure", or None where nothing was decided."""
    return _decisions().get((int(row_number), column))


def decide(row_number: int, column: str, decision: str | None) -> None:
    """Decide on a cell; row as a person counts (from 1), None takes it back."""
    if decision is None:
        _decisions().pop((int(row_number), column), None)
        return
    if decision not in DECISIONS:
        raise ValueError(f"decision must be one of {DECISIONS} or None: {decision!r}")
    _decisions()[int(row_number), column] = decision


def all_decisions() -> dict[tuple[int, str], str]:
    """(row number, column) -> decision, a copy."""
    return dict(_decisions())


# --- repairs ------------------------------------------------------------------------


def _repairs() -> dict[tuple[int, str], Repair]:
    return _of_file(_REPAIRS)


def repairs() -> dict[tuple[int, str], Repair]:
    """(row number, column) -> Repair in the order of deciding, a copy.

    A dropped row has the column "".
    """
    return dict(_repairs())


def repair(row_number: int, column: str, new: Repair) -> None:
    """Change a cell, or drop its row (column ""); the cell counts as an error then."""
    cell = (int(row_number), column)
    _repairs().pop(cell, None)
    _repairs()[cell] = new
    if column:
        _of_file(_PRIOR).setdefault(cell, get_decision(*cell))
        _decisions()[cell] = "error"


def undo(row_number: int, column: str) -> None:
    """Take one change back, and the decision that came with it."""
    cell = (int(row_number), column)
    _repairs().pop(cell, None)
    prior = _of_file(_PRIOR)
    if cell in prior:
        decide(*cell, prior.pop(cell))


def undo_all() -> None:
    for cell in list(_repairs()):
        undo(*cell)
    note_upload(None)


def set_decisions(
    decided: Mapping[tuple[int, str], str],
    changed: Mapping[tuple[int, str], Repair],
) -> None:
    """Add decisions and repairs from a file; they replace those on the same cells."""
    _decisions().update(decided)
    _repairs().update(changed)


def original() -> Table | None:
    """The table as it is in the file, also while a repaired one is shown."""
    before = st.session_state.get(_BEFORE)
    return before.table if before else table()


def repaired_table() -> Table | None:
    """The file's table with all repairs, or InputError; itself if there are none."""
    shown = original()
    if shown is None or not _repairs():
        return shown
    return _repaired(shown, tuple(_repairs().items()))


@lru_cache(maxsize=2)
def _repaired(shown: Table, changes: tuple[tuple[tuple[int, str], Repair], ...]) -> Any:
    return repaired(shown, dict(changes))


def before_run() -> Job | None:
    """The run on the file as it was, if the run at hand is on the repaired table."""
    return st.session_state.get(_BEFORE)


def run_repaired() -> Job:
    """Value the repaired table as the file was valued; its run stays at hand."""
    first, run, after = before_run() or job(), job(), repaired_table()
    assert first is not None and run is not None and after is not None, "no run"
    known = st.session_state.get(_AFTER)
    if run is not first:
        run.stop()
    first.stop()
    if known and known.status == "done" and known.memo[_CHANGES] == repairs():
        st.session_state[_JOB], st.session_state[_BEFORE] = known, first
        st.query_params["run"] = known.id
    else:
        known = _start(after, first.options, first)
        st.session_state[_AFTER] = known
    _move_selection(run.table, after)
    return known


def leave_repaired() -> None:
    """Show the run on the file as it was again."""
    first, run = before_run(), job()
    if first is None or run is None:
        return
    run.stop()
    st.session_state[_JOB] = first
    st.session_state[_BEFORE] = None
    st.query_params["run"] = first.id
    _move_selection(run.table, first.table)


def _move_selection(old: Table, new: Table) -> None:
    """Positions change where rows were dropped, row numbers do not."""
    for key in (_CELL, _ROW, _OTHER_ROW):
        chosen = st.session_state.pop(key, None)
        if chosen is None:
            continue
        index = chosen[0] if key == _CELL else chosen
        if index < old.n_rows and old.row_numbers[index] in new.row_numbers:
            index = new.position(int(old.row_numbers[index]))
            st.session_state[key] = (index, chosen[1]) if key == _CELL else index


def run_changes() -> dict[tuple[int, str], Repair]:
    """The repairs in the table that pages show; none in the file as it was."""
    run = job()
    return dict(run.memo.get(_CHANGES, {})) if run else {}


def is_up_to_date() -> bool:
    """Is the repaired table of the run at hand that of the repairs made by now?"""
    return before_run() is not None and run_changes() == repairs()


def start_scores() -> Scores:
    """Measure models before and after the repairs, in the background."""
    before, after = original(), repaired_table()
    assert before is not None and after is not None, "no table was chosen"
    run = job()
    options = dict(run.options) if run else {}
    neighbors = {k: v for k, v in options.items() if k == "n_neighbors"}
    started = jobs.start_scores(before, after, **neighbors)
    keep_side("scores", repairs(), started)
    return started


def stop_scores() -> None:
    stop_side("scores")


def scores() -> Scores | None:
    """The latest measurement on this file."""
    _, found = side("scores")
    return found if isinstance(found, Scores) else None


def scores_are_stale() -> bool:
    """Were repairs made or undone since they were measured?"""
    measured, found = side("scores")
    return found is not None and measured != repairs()


# --- computations beside the run ----------------------------------------------------


def keep_side(name: str, made_from: Any, steps: Steps) -> None:
    """Keep a computation on the file at hand, in place of its last of this name."""
    stop_side(name)
    _of_file(_SIDE)[name] = (made_from, steps)


def side(name: str) -> tuple[Any, Steps | None]:
    """The latest computation of this name on the file, and what it was made from."""
    made_from, found = _of_file(_SIDE).get(name, (None, None))
    shown = original()
    if found is None or shown is None:
        return None, None
    if found.table.fingerprint != shown.fingerprint:
        return None, None
    return made_from, found


def stop_side(name: str) -> None:
    _, found = _of_file(_SIDE).get(name, (None, None))
    if found is not None:
        found.stop()


def edits(row_number: int) -> Edits:
    """What is tried out in a row of the file at hand; change its `texts`."""
    return _of_file(_EDITS).setdefault(int(row_number), Edits())


def reset_edits(row_number: int) -> None:
    """Forget them; an open editor begins anew."""
    version = edits(row_number).version + 1
    _of_file(_EDITS)[int(row_number)] = Edits(version=version)


def note_upload(went_well: bool | None, sentence: str = "") -> None:
    """Remember what came of a decisions file; None forgets it."""
    st.session_state[_UPLOAD] = None if went_well is None else (went_well, sentence)


def upload_outcome() -> tuple[bool, str] | None:
    return st.session_state.get(_UPLOAD)


def keep_built(name: str, made_from: Any, raw: bytes) -> None:
    """Keep a file that takes long to make until it is downloaded."""
    st.session_state.setdefault(_BUILT, {})[name] = (made_from, raw)


def built(name: str, made_from: Any) -> bytes | None:
    """The file, unless what it was made from has changed since."""
    known, raw = st.session_state.get(_BUILT, {}).get(name, (None, None))
    return raw if known == made_from else None


# --- selection and pages ------------------------------------------------------------


def select_cell(index: int, column: str) -> None:
    """Select a cell: row index from 0, column name. Selects its row, too."""
    st.session_state[_CELL] = (int(index), column)
    st.session_state[_ROW] = int(index)


def selected_cell() -> tuple[int, str] | None:
    return st.session_state.get(_CELL)


def select_row(index: int | None) -> None:
    """Select a row by its index from 0."""
    st.session_state[_ROW] = None if index is None else int(index)


def selected_row() -> int | None:
    return st.session_state.get(_ROW)


def need_frame() -> None:
    """Called by every page: run app.py first, if it has not.

    Until app.py has called st.navigation, a fresh server takes each file in pages/ as
    an app of its own; a link to a page would show it without navigation and run.
    """
    if st.session_state.get(_FRAMED):
        return
    st.session_state[_WANTED] = (st.context.url or "").rstrip("/").rpartition("/")[2]
    try:
        st.switch_page("app.py", query_params=st.query_params.to_dict())
    except StreamlitAPIException:
        return  # the page was started by itself


def note_frame() -> str | None:
    """Called by app.py: the page to switch to, if one was asked for earlier."""
    st.session_state[_FRAMED] = True
    wanted = st.session_state.pop(_WANTED, None)
    return PAGES.get(wanted) if wanted != "data" else None


def goto(page: str) -> None:
    """Switch to a page by its short name, one of `PAGES`."""
    st.switch_page(PAGES[page])


# --- how the heatmap is looked at: its widgets' own keys, set from elsewhere ---------


def heatmap_key(name: str) -> str:
    """Key of a widget of the heatmap page: order, column, start, ..."""
    return widget_key(f"heatmap {name}")


def move_heatmap(start: int) -> None:
    """Let the window begin at this position (from 0) in the order of the rows."""
    st.session_state[heatmap_key("start")] = int(start) + 1


def sort_heatmap_by(column: str) -> None:
    """Order the heatmap by a column's values, lowest first, from the top."""
    st.session_state[heatmap_key("order")] = "column"
    st.session_state[heatmap_key("column")] = column
    move_heatmap(0)


def mark_in(key: str) -> None:
    """The figure of the chart with this key marks the selected cell from now on."""
    st.session_state[_MARKED] = key


def is_marked(key: str) -> bool:
    return st.session_state.get(_MARKED) == key


# --- samples compared: "a" is the selected row, "b" the one beside it -----------------


def selected_sample(key: str) -> int | None:
    return selected_row() if key == "a" else st.session_state.get(_OTHER_ROW)


def select_sample(key: str, index: int) -> None:
    """Choose row "a" (that is the selected row) or "b" by its index from 0."""
    if key == "a":
        select_row(index)
    else:
        st.session_state[_OTHER_ROW] = int(index)
