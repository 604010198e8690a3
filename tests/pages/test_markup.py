"""Text of a file is text on every page, whatever it is to Markdown, HTML or plotly.

Each hostile text has the letter ж right behind one of its signs. Escapes leave the
letter alone and stand before the sign, also where a text was cut.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from google.protobuf.message import Message
from helpers import (
    WAIT,
    click,
    drawn,
    goto,
    open_app,
    pick,
    session_of,
    settled,
    shown,
    text_of,
    upload,
    valued,
    waiting,
)

import cellval
from cellval.detect.finding import finding
from cellval.detect.learning import Taught
from cellval.detect.rule import Rule
from cellval.figures import distribution
from cellval.progress import Snapshot
from cellval.project.results import told
from cellval.project.run import changes_told
from cellval.repairs.repair import Repair
from cellval.ui import cell_detail, runs, tables
from cellval.ui import session as sessions
from cellval.ui.export import files
from cellval.ui.navigation import PAGES

IMAGE, TAG, LINK = "![ж](//e.co/ж)", "<img src=ж onerror=ж()>", "[ж](http://e.co/ж)"
ICON, BOLD, MATHS, CODE, RED = ":material/ж:", "**ж**", "$ж$", "`ж`", ":red[ж]"
NAME = f"[ж](www.e.co) {TAG}.csv"
UNESCAPED = re.compile(r"(?<!\\)[!-/:-@\[-`{-~]ж")
# Fields that a browser writes as they are; all others count as Markdown.
AS_IT_IS = {"id", "element_id", "url", "code_text", "placeholder", "alt"}
AS_IT_IS |= {"default", "value", "set_value", "raw_values"}  # in boxes to type in
LISTS = {"selectbox", "multiselect"}  # whose options are as they are, too


def raw(*classes):
    """A code for "missing", a sum that one row breaks, and markup everywhere."""
    rng = np.random.default_rng(0)
    lines = [";".join((BOLD, IMAGE, TAG, LINK, RED, ICON))]
    for k in range(60):
        a = 999.0 if k % 12 == 5 else round(float(rng.normal(10 * (k % 2))), 1)
        b = 50.0 if k == 7 else round(2 * a, 1)
        text, c = (LINK, TAG, IMAGE)[k % 3], round(float(rng.normal()), 2)
        lines.append(f"{CODE}{k};{a};{b};{text};{c};{classes[k % len(classes)]}")
    return "\n".join(lines).encode()


# --- what a browser is told -----------------------------------------------------------


def elements(block):
    for child in block.children.values():
        yield child
        yield from elements(child) if hasattr(child, "children") else ()


def texts_of(message):
    """Texts of an element and of its parts, each with the name of its field."""
    for field, value in message.ListFields():
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        for one in value if is_list else [value]:
            if isinstance(one, Message):
                yield from texts_of(one)
            elif isinstance(one, str):
                yield field.name, one


def texts_in(told):
    """The same of what was read from JSON."""
    for name, value in told.items() if isinstance(told, dict) else enumerate(told):
        if isinstance(value, dict | list):
            yield from texts_in(value)
        elif isinstance(value, str):
            yield name, value


def unescaped(app):
    """Text of the file that a browser would take for markup, with where it stands."""
    found = []
    for element in elements(app._tree):
        for name, text in texts_of(element.proto) if element.proto else ():
            if name == "spec":  # of a figure: plotly knows tags, and nothing else
                texts = [own for _, own in texts_in(json.loads(text)) if "<img" in own]
            elif name == "columns":  # of a table: its tooltips are Markdown
                told = texts_in(json.loads(text))
                texts = [own for key, own in told if key == "help"]
            elif name in AS_IT_IS or (name == "options" and element.type in LISTS):
                continue
            else:
                texts = [text]
            if name != "spec":
                texts = filter(UNESCAPED.search, texts)
            found += [(element.type, name, own) for own in texts]
    return found


# --- states ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile():
    """A finished run."""
    table = cellval.read(raw(MATHS, CODE), label=ICON, id_column=BOLD)
    return valued(replace(table, name=NAME), n_neighbors=3)


REPAIRS = {(8, TAG): Repair("replace", "21.5", f"As in {IMAGE}.")}
WORK = {
    "repairs": {**REPAIRS, (8, LINK): Repair("replace", IMAGE, f"Not {LINK}.")},
    "decisions": {(8, TAG): "error", (9, IMAGE): "error", (10, TAG): "fine"},
}


def from_elsewhere(run):
    """A run that goes on, of a project whose words are anybody's."""
    settings = replace(run.values.settings, model=IMAGE)
    values = replace(run.values, settings=settings)
    going = waiting(run.table, n_neighbors=3)
    going.surprise = run.surprise
    going._see(Snapshot(0.5, 1.0, 1.0, IMAGE, make=lambda: values))
    assert going.active and going.values is not None
    return going


@pytest.mark.parametrize("page", PAGES)
def test_text_of_a_file_is_text_on_every_page(page, hostile):
    assert not unescaped(shown(page, table=hostile.table))
    going = from_elsewhere(hostile)
    for view in ("Findings", "Cells", "Map") if page == "inspect" else (None,):
        for run in (going, hostile):
            app = shown(page, run, cell=(7, TAG), row=7, view=view, **WORK)
            assert not unescaped(app), view


def test_text_of_a_file_is_text_where_it_is_opened():
    app = upload(open_app(), NAME, raw("1", "2", "3"))
    assert "different numbers: do they name groups" in text_of(app)
    assert not unescaped(app)
    session_of(app).file.decide(8, TAG, "error")
    app = upload(goto(app, "data"), f"{IMAGE}.pdf", b"%PDF-1.7")
    assert "stays open" in text_of(app)
    assert not unescaped(app)


def test_text_of_a_file_is_text_in_rules(hostile, monkeypatch):
    table, rule = hostile.table, Rule((LINK,), TAG, kind="order")
    how = {"about": ("rule", TAG), "title": TAG, "evidence": LINK, "sure": 0.8}
    one = finding(table, "rule", TAG, [7], [IMAGE], rule=rule, **how)

    def lesson(suspicion, decisions):
        return Taught((one,), (), 0, {one.key: IMAGE}, suspicion, suspicion)

    monkeypatch.setattr(sessions, "taught", lesson)
    app = shown("inspect", hostile, view="Findings")
    assert "holds neither numbers nor dates" in text_of(app)
    assert not unescaped(app)
    assert not unescaped(click(app, "Keep the rule"))
    assert "You kept it." in text_of(app)


def test_text_of_a_file_is_text_in_what_repairs_did(hostile, monkeypatch):
    table, elsewhere = hostile.table, from_elsewhere(hostile)
    after = cellval.repair(table, REPAIRS)
    found = cellval.compare_models(table, after, folds=2, repeats=1)
    found = replace(found, models=(IMAGE, TAG, LINK), note=IMAGE)
    changed = {"first": elsewhere, "changes": REPAIRS, "repairs": REPAIRS}
    app = shown("repair", from_elsewhere(valued(after, n_neighbors=3)), **changed)
    made = changes_told(REPAIRS)
    file = session_of(app).file
    runs._restore_comparison(file, table, made, told(found))
    assert file.comparison.job.wait(WAIT)
    app = drawn(app)
    assert "Before and after" in text_of(app) and "cross-validation" in text_of(app)
    assert not unescaped(app)

    session_of(app).file.decide(8, TAG, "error")
    monkeypatch.setattr(sessions.Session, "turn", lambda *how: f"There is no {LINK}.")
    app = click(goto(app, "repair"), "Undo the latest step")
    assert "This step stays as it is." in text_of(app)
    assert not unescaped(app)


def test_text_of_a_file_is_text_among_exports(hostile, monkeypatch):
    monkeypatch.setattr(files, "comes_as_csv", lambda table: True)
    table = replace(hostile.table, name=f"x.{BOLD}")
    monkeypatch.setattr(hostile, "table", table)
    app = shown("export", hostile, repairs=REPAIRS)
    assert "files are read but cannot be written" in text_of(app)
    assert not unescaped(app)


def test_text_of_a_file_is_text_in_sources_and_planted_errors(hostile):
    app = pick(shown("sources", hostile), "Rows: one source is", LINK)
    app = settled(click(app, "Value the sources"))
    assert "The source that adds most" in text_of(app)
    assert not unescaped(app)
    app = pick(shown("validate", hostile), "Train a decision tree, too", False)
    app = settled(click(app, "Plant errors and look for them"))
    assert "What would be found" in text_of(app)
    assert not unescaped(app)


def test_hostile_text_would_be_found(hostile, monkeypatch):
    """Where nothing is escaped, it is: in Markdown, tooltips, buttons and figures."""
    for module in (cell_detail, tables):
        monkeypatch.setattr(module, "plain", str)
    monkeypatch.setattr(distribution, "figure_names", lambda names, length: [*names])
    app = shown("heatmap", hostile, cell=(7, LINK))
    names = {name for _, name, _ in unescaped(app)}
    assert {"body", "label", "spec"} <= names, names
