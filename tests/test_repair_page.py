"""Repairing in the app, without a browser: the cell's detail, Repair and Export."""

import io
import sys
import time
import types
from pathlib import Path

import pandas as pd
import pytest

import cellval
from cellval.errors import InputError
from cellval.jobs import registry
from cellval.jobs.background import Job
from cellval.repairs import decisions
from cellval.repairs.repair import Repair, repaired, repaired_csv
from cellval.text import share
from cellval.ui.export.files import _repaired_bytes
from cellval.ui.session import Source
from cellval.ui.text import changes_words

testing = pytest.importorskip("streamlit.testing.v1")
ROOT = Path(__file__).resolve().parents[1]
DAVIS = ROOT / "sample_data" / "davis.csv"
WAIT = 120
SWAP = {
    (12, "height"): Repair("replace", "166", "Swapped with 'weight' in the same row."),
    (12, "weight"): Repair("replace", "57", "Swapped with 'height' in the same row."),
}

pytestmark = [
    pytest.mark.usefixtures("app_runs_first", "no_runs_left"),
    pytest.mark.filterwarnings(
        # Streamlit's own; nothing we could do about them
        "default::DeprecationWarning",
        "default::pytest.PytestUnraisableExceptionWarning",
    ),
]


def opened(page, raw=None, *, name="davis.csv", label="sex", cell=None, repairs=None):
    """A page of an app whose run on a file has finished."""
    file = Source.of(name, DAVIS.read_bytes() if raw is None else raw)
    table = cellval.read(io.BytesIO(file.raw), label=label)
    job = registry.start(table, n_neighbors=5)
    assert job.wait(WAIT)
    return with_run(page, job, file, cell=cell, repairs=repairs)


def with_run(page, job, file, *, cell=None, repairs=None):
    app = testing.AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["_job"] = job
    app.session_state["_table"] = job.table
    app.session_state["_source"] = file
    if cell is not None:
        app.session_state["_cell"] = cell
    if repairs is not None:
        app.session_state["_repairs"] = {file.sha256: dict(repairs)}
    app.run().switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def click(app, label):
    button = next(b for b in app.button if b.label.startswith(label))
    assert not button.disabled
    button.click().run()
    assert not app.exception
    return app


def labels(app):
    return [button.label for button in app.button]


def text_of(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.error, *app.warning]
    parts += [*app.success, *app.toast, *app.sidebar.markdown, *app.sidebar.caption]
    return "\n".join(str(part.value) for part in parts).replace("\\", "")


def made(app):
    return next(iter(app.session_state["_repairs"].values()))


def decided(app):
    return next(iter(app.session_state["_decisions"].values()))


def the_scores(app):
    return next(iter(app.session_state["_side"].values()))["scores"][1]


def downloads_of(app):
    return {button.proto.label: button for button in app.get("download_button")}


# --- beside the heatmap and the list --------------------------------------------------


@pytest.mark.parametrize("page", ["heatmap", "inspect"])
def test_the_detail_says_how_suspicious_a_cell_is(page):
    text = text_of(opened(page, cell=(11, "height")))
    assert "**Suspicion** below 0.0001 · rank" in text
    assert "**Surprise** below 0.0001 · surprising but harmless" in text
    assert "Rows like this one have about 165" in text


def test_an_accepted_swap_changes_both_cells_and_is_undone_as_one():
    app = opened("heatmap", cell=(11, "height"))
    click(app, "**166**")
    assert made(app) == SWAP
    assert decided(app) == {(12, "height"): "error", (12, "weight"): "error"}
    assert "height: 57 → **166**" in text_of(app)
    assert "weight: 166 → **57**" in text_of(app)
    assert "Blank it" not in labels(app)
    click(app, "Undo both")
    assert made(app) == {} and decided(app) == {}
    assert any(label.startswith("**166**") for label in labels(app))


def test_undo_brings_the_earlier_decision_back():
    app = opened("heatmap", cell=(11, "height"))
    click(app, "Fine")
    click(app, "**166**")
    assert decided(app)[12, "height"] == "error"
    click(app, "Undo both")
    assert decided(app) == {(12, "height"): "fine"}


def test_a_person_types_their_own_text():
    app = opened("heatmap", cell=(11, "height"))
    own = next(box for box in app.text_input if box.label == "Type your own")
    own.set_value("167")
    click(app, "Change")
    assert made(app) == {(12, "height"): Repair("replace", "167", "Typed by hand.")}
    assert "57 → **167**" in text_of(app)
    click(app, "Undo")
    assert made(app) == {}


@pytest.mark.parametrize(
    ("text", "sentence", "changes"),
    [
        ("  ", "Type the new text first", 0),
        ("57", "holds this text already", 0),
        ("tall", "cannot be read as a number", 1),
        ("1e999", "is infinite", 0),
    ],
)
def test_a_typed_text_that_may_be_a_mistake_is_told(text, sentence, changes):
    app = opened("heatmap", cell=(11, "height"))
    next(box for box in app.text_input if box.label == "Type your own").set_value(text)
    click(app, "Change")
    assert sentence in text_of(app)
    assert len(made(app)) == changes


def test_a_cell_is_blanked_and_a_row_is_dropped():
    app = opened("inspect", cell=(11, "height"))
    click(app, "Blank it")
    assert made(app) == {(12, "height"): Repair("blank", reason="Blanked by hand.")}
    assert "57 → **(blank)**" in text_of(app)
    click(app, "Undo")
    click(app, "Drop the row")
    assert made(app)[12, ""].action == "drop"
    assert "Row 12 will be dropped" in text_of(app)
    click(app, "Undo")
    assert made(app) == {}


def test_texts_of_a_file_are_no_markdown_in_suggestions():
    lines = ["a,b,y"]
    for k in range(60):
        b = "**bold**" if k % 2 else ":red[x]"
        lines.append(f"{k % 2 * 10 + k % 3},{b},{'yes' if k % 2 else 'no'}")
    lines[8] = lines[8].replace("**bold**", ":red[x]")
    app = opened("heatmap", "\n".join(lines).encode(), label="y", cell=(7, "b"))
    found = next(label for label in labels(app) if "bold" in label)
    assert r"\*\*bold\*\*" in found


def test_a_run_without_surprise_yet_offers_no_suggestions():
    file = Source.of("davis.csv", DAVIS.read_bytes())
    job = registry.start(cellval.read(DAVIS, label="sex"), n_neighbors=5)
    assert job.wait(WAIT)
    job.surprise = None
    app = with_run("heatmap", job, file, cell=(11, "height"))
    assert "Suggestions come as soon as" in text_of(app)
    assert "Blank it" in labels(app)


# --- the Repair page ------------------------------------------------------------------


def test_an_empty_repair_page_says_what_to_do():
    app = testing.AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run().switch_page("pages/repair.py").run()
    assert not app.exception
    assert "Open the Data page" in labels(app)


def test_a_repair_page_without_changes_says_how_to_make_them():
    app = opened("repair")
    assert "Nothing is changed" in text_of(app)
    button = next(b for b in app.button if b.label == "Value the repaired table")
    assert button.disabled


def test_a_repair_page_of_a_running_run():
    file = Source.of("davis.csv", DAVIS.read_bytes())
    job = Job(cellval.read(DAVIS, label="sex"), {})
    app = with_run("repair", job, file, repairs=SWAP)
    assert "2 cells changed" in text_of(app)


def test_changes_are_listed_and_all_undone():
    more = {**SWAP, (20, ""): Repair("drop", reason="A test.")}
    app = opened("repair", repairs=more)
    assert "2 cells changed, 1 row dropped." in text_of(app)
    frame = app.dataframe[0].value
    assert frame["row"].tolist() == [12, 12, 20]
    assert frame["column"].tolist() == ["height", "weight", "(whole row)"]
    assert frame["before"].tolist()[:2] == ["57", "166"]
    assert frame["after"].tolist() == ["166", "57", "(dropped)"]
    click(app, "Yes, undo all")
    assert made(app) == {}
    assert "Nothing is changed" in text_of(app)


def test_ticked_lines_are_undone_singly():
    more = {**SWAP, (20, ""): Repair("drop", reason="A test.")}
    app = opened("repair", repairs=more)
    # AppTest cannot tick; the key is the end of the element's id.
    key = app.dataframe[0].proto.id.split("-", 2)[-1]
    ticks = {"rows": [0, 2], "columns": [], "cells": []}
    app.session_state[key] = {"selection": ticks}
    app.run()
    click(app, "Undo 2 ticked lines")
    assert made(app) == {(12, "weight"): SWAP[12, "weight"]}


def test_repairs_that_do_not_fit_the_table_are_told_and_can_be_undone():
    app = opened("repair", repairs={(5, "gone"): Repair("blank")})
    assert "has no column 'gone'" in text_of(app)
    click(app, "Measure before")
    assert "has no column 'gone'" in text_of(app)
    click(app, "Yes, undo all")
    assert not app.error


def test_uploaded_decisions_are_taken_and_faults_are_told():
    app = opened("repair")
    raw = b"row,column,content,decision,repair,after\n12,height,57,error,,166\n"
    app.file_uploader[0].upload("mine.csv", raw, "text/csv").run()
    assert "mine.csv: 1 decision and 1 repair were read" in text_of(app)
    assert made(app) == {(12, "height"): Repair("replace", "166")}
    assert app.dataframe[0].value["after"].tolist() == ["166"]
    raw = b"row,column,content,after\n12,height,58,166\n"
    app.file_uploader[0].upload("other.csv", raw, "text/csv").run()
    assert "other.csv, line 2" in text_of(app)
    assert "different versions" in text_of(app)
    assert len(made(app)) == 1
    assert not app.exception


def test_a_blanked_label_takes_its_row_out():
    app = opened("repair")
    raw = b"row,column,repair\n12,sex,blank\n"
    app.file_uploader[0].upload("mine.csv", raw, "text/csv").run()
    assert app.dataframe[0].value["before"].tolist() == ["F"]
    click(app, "Value the repaired table")
    job = app.session_state["_job"]
    assert job.wait(WAIT)
    assert job.table.n_rows == 199
    app.run()
    assert not app.exception
    assert "Before and after" in [heading.value for heading in app.subheader]


# --- did it help? ---------------------------------------------------------------------


def test_measuring_ends_with_a_verdict_for_each_model():
    app = opened("repair", repairs=SWAP)
    click(app, "Measure before and after")
    scores = the_scores(app)
    assert scores.options == {"n_neighbors": 5}
    app.switch_page("pages/export.py").run().switch_page("pages/repair.py").run()
    assert scores.wait(WAIT) and scores.status == "done"
    app.run()
    assert not app.exception
    text = text_of(app)
    for model in scores.result.models:
        assert f"**{model}.** {scores.result.verdict(model)}" in text
    assert "Measured on the 199 rows that were not touched" in text
    assert "always guessing the commonest class" in text
    frame = next(f.value for f in app.dataframe if "difference" in f.value)
    assert frame["model"].tolist() == list(scores.result.models)
    assert "Changes were made or undone" not in text


@pytest.fixture
def endless_scores(monkeypatch):
    from cellval.repairs import measure as remeasure

    measured = remeasure.iter_scores

    def iter_scores(*args, **kwargs):
        steps = measured(*args, **kwargs)
        for _ in range(4):
            last = next(steps)
            yield last
        while True:
            time.sleep(0.01)
            yield last

    monkeypatch.setattr(remeasure, "iter_scores", iter_scores)


def test_measuring_is_watched_stopped_and_kept(endless_scores):
    app = opened("repair", repairs=SWAP)
    click(app, "Measure before and after")
    scores = the_scores(app)
    while scores.progress.done == 0:
        time.sleep(0.01)
    app.run()
    assert "Stop measuring" in labels(app)
    assert next(b for b in app.button if b.label == "Measure again").disabled
    click(app, "Stop measuring")
    assert scores.status == "stopped"
    app.run()
    assert "What was measured so far is kept" in text_of(app)
    assert "Too early to say" in text_of(app)


def test_a_measurement_is_stale_once_changes_are_undone(endless_scores):
    app = opened("repair", repairs=SWAP)
    click(app, "Measure before and after")
    assert "since this was measured" not in text_of(app)
    the_scores(app).stop()
    click(app, "Yes, undo all")
    assert "since this was measured" in text_of(app)


def test_what_cannot_be_measured_is_told_in_a_sentence():
    app = opened("repair", repairs={(12, "height"): Repair("replace", " 57")})
    click(app, "Measure before and after")
    assert the_scores(app).wait(WAIT)
    app.run()
    assert "Nothing was changed that a model could see" in text_of(app)


# --- the repaired table ---------------------------------------------------------------


def test_valuing_the_repaired_table_and_back():
    more = {**SWAP, (5, ""): Repair("drop", reason="A test.")}
    app = opened("repair", repairs=more, cell=(11, "height"))
    first = app.session_state["_job"]
    click(app, "Value the repaired table")
    second = app.session_state["_job"]
    assert second is not first and second.wait(WAIT)
    app.run()
    assert not app.exception
    assert second.options == first.options
    assert app.query_params["run"] in (second.id, [second.id])
    assert "Repaired: 2 cells changed, 1 row dropped." in text_of(app)
    assert app.session_state["_cell"] == (10, "height"), "the same row"
    old, new = 100 * first.values.total, 100 * second.values.total
    metrics = {m.label: m for m in app.metric}
    total = metrics["KNN accuracy: total of all values"]
    assert total.value == f"{new:.1f} %"
    assert total.delta == f"{new - old:+.2f} pp (before: {old:.1f} %)"
    assert metrics["Suspicious cells"].value == "0"
    frame = app.dataframe[-1].value
    assert set(frame["rank before"]) == {1, 2}
    assert (frame["rank after"] > 100).all()
    for page in ("heatmap", "inspect", "sample", "columns", "export", "repair"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception
        assert "Repaired:" in text_of(app)
    click(app, "Back to the file as it was")
    assert app.session_state["_job"] is first
    assert app.session_state["_cell"] == (11, "height")
    assert "All pages show the file as it was" in text_of(app)
    assert len(made(app)) == 3
    click(app, "Value the repaired table")
    assert app.session_state["_job"] is second, "nothing changed: no second run"


def test_changes_after_valuing_ask_to_value_again():
    app = opened("repair", repairs=SWAP)
    first = app.session_state["_job"]
    click(app, "Value the repaired table")
    second = app.session_state["_job"]
    assert second.wait(WAIT)
    app.session_state["_cell"] = (19, "height")
    app.switch_page("pages/heatmap.py").run()
    click(app, "Drop the row")
    assert made(app)[20, ""].action == "drop"
    assert "Changes were made or undone since" in text_of(app)
    app.switch_page("pages/repair.py").run()
    click(app, "Value again")
    third = app.session_state["_job"]
    assert third not in (first, second) and third.wait(WAIT)
    assert third.table.n_rows == 199
    assert app.session_state["_before"] is first
    app.run()
    assert "Changes were made or undone since" not in text_of(app)


def test_all_rows_can_be_compared_in_a_window():
    app = opened("repair", repairs=SWAP)
    click(app, "Value the repaired table")
    assert app.session_state["_job"].wait(WAIT)
    app.run()
    assert not app.slider
    next(t for t in app.toggle if t.label == "All rows").set_value(True).run()
    assert not app.exception
    assert app.slider[0].label == "First row of the window"
    app.slider[0].set_value(141).run()
    assert not app.exception


def test_a_link_finds_repairs_measurements_and_the_first_run():
    app = opened("repair", repairs=SWAP)
    click(app, "Measure before and after")
    assert the_scores(app).wait(WAIT)
    click(app, "Value the repaired table")
    second = app.session_state["_job"]
    assert second.wait(WAIT)
    again = testing.AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    again.query_params["run"] = second.id
    again.run().switch_page("pages/repair.py").run()
    assert not again.exception
    assert made(again) == SWAP
    text = text_of(again)
    assert "Repaired: 2 cells changed" in text
    assert "Measured on the 199 rows" in text
    click(again, "Yes, undo all")
    assert made(app) == {}, "it is the same list"
    click(again, "Back to the file as it was")
    assert again.session_state["_job"].table.n_rows == 200


# --- export ---------------------------------------------------------------------------


def test_export_offers_the_repaired_file_and_the_rest():
    app = opened("export", repairs=SWAP)
    assert list(downloads_of(app)) == [
        "Download the repaired CSV",
        "Download the change log",
        "Download flagged cells",
        "Download the whole list",
        "Download the values",
    ]
    assert "byte for byte" in text_of(app)
    assert "formulas to a spreadsheet" not in text_of(app)
    assert {"Make the report", "Make the workbook"} <= set(labels(app))


def test_the_repaired_file_is_the_drop_in():
    raw = DAVIS.read_bytes()
    file, table = Source.of("davis.csv", raw), cellval.read(DAVIS, label="sex")
    found = _repaired_bytes(file, table, tuple(SWAP.items()))
    assert found == repaired_csv(raw, SWAP, "davis.csv")
    changed = [
        (a, b)
        for a, b in zip(raw.splitlines(), found.splitlines(), strict=True)
        if a != b
    ]
    assert len(changed) == 1


def test_without_changes_there_is_nothing_to_download():
    app = opened("export")
    found = downloads_of(app)
    assert found["Download the repaired CSV"].proto.disabled
    assert found["Download the change log"].proto.disabled


def test_a_text_that_the_file_cannot_hold_is_told_on_the_export_page():
    lines = ["größe;b;y"] + [
        f"{k % 7};{k % 3};{'ja' if k % 2 else 'nö'}" for k in range(40)
    ]
    raw = "\r\n".join(lines).encode("cp1252")
    change = {(3, "b"): Repair("replace", "漢", "Typed by hand.")}
    app = opened("export", raw, label="y", repairs=change)
    assert "cannot be written in Latin-1" in text_of(app)
    assert "Download the repaired CSV" not in downloads_of(app)
    assert "Download flagged cells" in downloads_of(app)


def test_formulas_in_the_file_are_kept_and_told():
    lines = ["a,b,y"] + [
        f"{k % 7},=x{k % 2},{'n' if k % 2 else 'm'}" for k in range(20)
    ]
    change = {(3, "a"): Repair("replace", "@sum", "Typed by hand.")}
    change[4, "b"] = Repair("blank")
    change[5, ""] = Repair("drop")
    app = opened("export", "\n".join(lines).encode(), label="y", repairs=change)
    assert "19 cells of the repaired CSV would be run as a formula" in text_of(app)
    assert "keeps what you have in it as it is" in text_of(app)


def test_reports_are_made_on_demand_and_faults_are_told(monkeypatch):
    seen = {}

    def report_html(about, **options):
        seen.update(options)
        return b"<html>"

    def xlsx_bytes(about, **options):
        raise InputError("openpyxl is *not* installed.")

    report = types.SimpleNamespace(report_html=report_html)
    monkeypatch.setitem(sys.modules, "cellval.export.report", report)
    xlsx = types.SimpleNamespace(xlsx_bytes=xlsx_bytes)
    monkeypatch.setitem(sys.modules, "cellval.export.xlsx", xlsx)
    app = opened("export", repairs=SWAP)
    click(app, "Make the report")
    assert seen["repairs"] == SWAP and seen["original"].n_rows == 200
    assert seen["comparison"] is None
    assert "Download the report" in downloads_of(app)
    click(app, "Make the workbook")
    assert "openpyxl is *not* installed." in text_of(app)
    assert "Download the workbook" not in downloads_of(app)
    assert "Download the report" in downloads_of(app)


def test_exported_decisions_can_be_read_again():
    table = cellval.read(DAVIS, label="sex")
    more = {**SWAP, (20, ""): Repair("drop", reason="A test.")}
    after = repaired(table, more)
    values = cellval.value_cells(after, n_neighbors=3)
    frame = cellval.export.frames.decisions_frame(
        values, {(12, "height"): "error"}, repairs=more, table=table, only=["error"]
    )
    raw = cellval.export.frames.csv_bytes(frame)
    assert decisions.read_decisions(raw, table) == ({(12, "height"): "error"}, more)
    assert len(pd.read_csv(io.BytesIO(raw))) == 3


# --- words ----------------------------------------------------------------------------


def test_shares_and_counts_in_words():
    assert [share(x) for x in (0.0, 0.00041, 0.05, 0.256, float("nan"))] == [
        "below 0.0001",
        "0.00041",
        "0.05",
        "0.26",
        "–",
    ]
    assert changes_words({}) == "nothing changed"
    assert changes_words({(1, ""): Repair("drop")}) == "1 row dropped"
    cells = {(1, "a"): Repair("blank"), (2, ""): Repair("drop")}
    assert changes_words(cells) == "1 cell changed, 1 row dropped"
