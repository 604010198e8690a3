"""The Repair page: the list of changes, did it help, the repaired table."""

import time

import pytest
from cases import WRONG_FILES
from helpers import (
    WAIT,
    button,
    click,
    davis_source,
    davis_table,
    drawn,
    goto,
    headings,
    labels,
    link_of,
    open_app,
    pick,
    restarted,
    running,
    session_of,
    settled,
    shown,
    text_of,
    tick,
    upload,
    valued,
    wait_for,
)

import cellval
from cellval.repairs import measure
from cellval.repairs.repair import Repair
from cellval.ui.text import changes_words

SWAP = {
    (12, "height"): Repair("replace", "166", "Swapped with 'weight' in the same row."),
    (12, "weight"): Repair("replace", "57", "Swapped with 'height' in the same row."),
}
MORE = {**SWAP, (20, ""): Repair("drop", reason="A test.")}


def opened(run, repairs=None, **known):
    work = {"source": davis_source(), "repairs": dict(repairs or {}), **known}
    return shown("repair", run, **work)


def made(app):
    return session_of(app).file.repairs


def comparison(app):
    return session_of(app).file.comparison.job


# --- the list of changes --------------------------------------------------------------


def test_a_repair_page_without_changes_says_how_to_make_them(davis):
    app = opened(davis)
    assert "Nothing is changed" in text_of(app)
    assert "Change something first" in text_of(app)
    assert button(app, "Value the repaired table").disabled


def test_a_repair_page_of_a_running_run():
    app = opened(running(davis_table()), SWAP)
    assert "2 cells changed" in text_of(app)


def test_changes_are_listed_and_all_undone(davis):
    app = opened(davis, MORE)
    assert "2 cells changed, 1 row dropped." in text_of(app)
    frame = app.dataframe[0].value
    assert frame["row"].tolist() == [12, 12, 20]
    assert frame["column"].tolist() == ["height", "weight", "(whole row)"]
    assert frame["before"].tolist()[:2] == ["57", "166"]
    assert frame["after"].tolist() == ["166", "57", "(dropped)"]
    click(app, "Yes, undo all")
    assert made(app) == {}
    assert "Nothing is changed" in text_of(app)


def test_ticked_lines_are_undone_singly(davis):
    app = tick(opened(davis, MORE), [0, 2])
    click(app, "Undo 2 ticked lines")
    assert made(app) == {(12, "weight"): SWAP[12, "weight"]}


def test_repairs_that_do_not_fit_the_table_are_told_and_can_be_undone(davis):
    app = opened(davis, {(5, "gone"): Repair("blank")})
    assert "has no column 'gone'" in text_of(app)
    click(app, "Measure before")
    assert "has no column 'gone'" in text_of(app)
    click(app, "Yes, undo all")
    assert not app.error


def test_uploaded_decisions_are_taken_and_faults_are_told(davis):
    app = opened(davis)
    raw = b"row,column,content,decision,repair,after\n12,height,57,error,,166\n"
    upload(app, "mine.csv", raw)
    assert "mine.csv: 1 decision and 1 repair were read" in text_of(app)
    assert made(app) == {(12, "height"): Repair("replace", "166")}
    assert app.dataframe[0].value["after"].tolist() == ["166"]
    upload(app, "other.csv", b"row,column,content,after\n12,height,58,166\n")
    assert "other.csv, line 2" in text_of(app)
    assert "different versions" in text_of(app)
    assert len(made(app)) == 1


@pytest.mark.parametrize("name", WRONG_FILES)
def test_decisions_in_a_file_of_a_wrong_kind_are_told(davis, name):
    raw, said = WRONG_FILES[name]
    app = upload(opened(davis, SWAP), name, raw)
    assert said.partition(" but ")[0] in text_of(app)  # what it is
    assert made(app) == SWAP


def test_a_blanked_label_takes_its_row_out(davis):
    app = upload(opened(davis), "mine.csv", b"row,column,repair\n12,sex,blank\n")
    assert app.dataframe[0].value["before"].tolist() == ["F"]
    settled(click(app, "Value the repaired table"))
    assert session_of(app).run.table.labelled.n_rows == 199
    assert "Before and after" in headings(app)


def grouped(app, cells):
    file = session_of(app).file
    with file.together(f"{len(cells)} cells blanked", cells):
        for cell in cells:
            file.repair(*cell, Repair("blank"))
    return drawn(app)


def test_a_change_of_many_is_one_line_that_is_undone_whole(davis):
    app = grouped(opened(davis, SWAP), [(row, "weight") for row in (1, 2, 3)])
    assert "5 cells changed" in text_of(app)
    assert "3 cells blanked." in text_of(app)
    assert app.dataframe[0].value["row"].tolist() == [12, 12]
    click(app, "Undo all 3")
    assert made(app) == SWAP


def test_single_cells_of_a_change_of_many_can_be_undone(davis):
    app = grouped(opened(davis), [(row, "weight") for row in (1, 2, 3)])
    assert [*app.dataframe[0].value] == ["step", "what", "cells"]
    tick(pick(app, "List each of their cells, too", True), [1])
    click(app, "Undo 1 ticked line")
    assert list(made(app)) == [(1, "weight"), (3, "weight")]
    assert "1 of them was changed since" in text_of(app)
    click(app, "Undo all 2")
    assert made(app) == {}


def test_flagged_cells_without_a_repair_are_listed_and_repaired_together(davis):
    flags = {(12, "height"): "error", (12, "weight"): "error", (3, "weight"): "error"}
    app = opened(davis, decisions={**flags, (5, "weight"): "fine", (9, "sex"): "error"})
    assert "3 flagged cells are not repaired yet. 2 of them have" in text_of(
        app
    ).replace("*", "")
    frame = app.dataframe[0].value
    assert frame["row"].tolist() == [3, 12, 12]
    assert frame["suggestion"].tolist() == ["no clear suggestion", "57", "166"]
    assert frame["why"].tolist()[1].startswith("Swapped with")
    click(app, "Take the suggestions")
    click(app, "Change 2 cells")
    assert set(made(app)) == set(SWAP)
    assert "1 flagged cell is not repaired yet" in text_of(app)


def test_the_ticked_flagged_cell_opens_on_the_heatmap(davis):
    flags = {(12, "height"): "error", (3, "weight"): "error"}
    app = opened(davis, decisions=flags)
    opener = "Open the ticked cell on the heatmap"
    assert button(app, opener).disabled
    assert button(tick(app, [0, 1]), opener).disabled
    click(tick(app, [1]), opener)
    assert session_of(app).selection.cell == (11, "height")
    assert app.title[0].value == "Heatmap"
    assert "height: 57" in text_of(app)
    assert "Row 12" in text_of(app)


def test_flagged_cells_that_are_marked_as_fine_can_be_undone(davis):
    flags = {(12, "height"): "error", (12, "weight"): "error"}
    app = opened(davis, decisions=dict(flags))
    assert button(app, "Mark 2 as wrong").disabled
    click(app, "Mark 2 as fine")
    assert "not repaired yet" not in text_of(app)
    click(app, "Undo all 2")
    assert session_of(app).file.decisions == flags


# --- did it help? ---------------------------------------------------------------------


def test_measuring_ends_with_a_verdict_for_each_model(davis):
    app = click(opened(davis, SWAP), "Measure before and after")
    job = comparison(app)
    settled(goto(goto(app, "export"), "repair"))
    assert job.status == "done"
    text, result = text_of(app), job.result
    for model in result.models:
        assert f"**{model}.** {result.verdict(model)}" in text
    assert "on the 199 rows that were not changed" in text
    assert "always guessing the commonest class" in text
    frame = next(f.value for f in app.dataframe if "difference" in f.value)
    assert frame["model"].tolist() == list(result.models)
    assert "Changes were made or undone" not in text


@pytest.fixture
def endless_measuring(monkeypatch):
    measured, asked = measure.iter_comparison, []

    def iter_endless(*args, **options):
        asked.append(options)
        snapshots = measured(*args, **options)
        last = next(snapshot for snapshot in snapshots if snapshot.done > 0)
        while True:
            yield last
            time.sleep(0.01)

    monkeypatch.setattr(measure, "iter_comparison", iter_endless)
    return asked


def test_measuring_is_watched_stopped_and_kept(davis, endless_measuring):
    app = click(opened(davis, SWAP), "Measure before and after")
    job = comparison(app)
    wait_for(lambda: job.progress.done > 0)
    assert endless_measuring == [{"n_neighbors": 5, "executor": None}]
    drawn(app)
    assert "Stop measuring" in labels(app)
    assert button(app, "Measure before and after").disabled
    click(app, "Stop measuring")
    assert job.status == "stopped"
    assert job.wait(WAIT)  # it is on disk then, and only then this is said
    drawn(app)
    assert "What was measured so far is kept" in text_of(app)
    assert "Too early to say" in text_of(app)


def test_a_measurement_is_stale_once_changes_are_undone(davis, endless_measuring):
    app = click(opened(davis, SWAP), "Measure before and after")
    assert "since this was measured" not in text_of(app)
    comparison(app).stop()
    click(app, "Yes, undo all")
    assert "since this was measured" in text_of(app)


def test_a_class_that_is_left_out_of_measuring_is_named():
    lines = [f"{k},{k % 7},{'ab'[k % 2]}" for k in range(40)] + ["3,3,lonely"]
    run = valued(cellval.read("\n".join(["x,z,y", *lines]).encode(), label="y"))
    app = shown("repair", run, repairs={(2, "x"): Repair("replace", "9")})
    settled(click(app, "Measure before and after"))
    assert "on the 39 rows that were not changed" in text_of(app)
    assert "Left out: 1 row of class 'lonely'." in text_of(app)


def test_what_cannot_be_measured_is_told_in_a_sentence(davis):
    change = {(12, "height"): Repair("replace", " 57")}
    app = settled(click(opened(davis, change), "Measure before and after"))
    assert "Nothing was changed that a model could see" in text_of(app)


# --- the repaired table ---------------------------------------------------------------


def test_valuing_the_repaired_table_and_back():
    more = {**SWAP, (5, ""): Repair("drop", reason="A test.")}
    first = valued(davis_table())
    app = opened(first, more, cell=(11, "height"))
    settled(click(app, "Value the repaired table"))
    session = session_of(app)
    second = session.run
    assert second is not first and second.status == "done"
    assert second.options == first.options
    assert "Repaired: 2 cells changed, 1 row dropped." in text_of(app)
    assert session.selection.cell == (10, "height"), "the same row"
    old, new = 100 * first.values.total, 100 * second.values.total
    metrics = {m.label: m for m in app.metric}
    total = metrics["Valued accuracy of the KNN model"]
    assert total.value == f"{new:.1f} %"
    change = f"{new - old:+.2f}".replace("-", "−")
    assert total.delta == f"{change} percentage points (before: {old:.1f} %)"
    look = total.proto
    assert look.color == look.MetricColor.GRAY, "it may be chance"
    assert look.direction == look.MetricDirection.NONE
    assert metrics["Suspects"].value == "0"
    look = metrics["Suspects"].proto
    assert look.direction == look.MetricDirection.DOWN, "for all the real minus"
    assert look.color == look.MetricColor.GREEN
    frame = app.dataframe[-1].value
    assert set(frame["rank before"]) == {1, 2}
    assert (frame["rank after"] > 100).all()
    for page in ("heatmap", "inspect", "sample", "columns", "export", "repair"):
        assert "Repaired:" in text_of(goto(app, page))
    click(app, "Back to the file as it was")
    assert session.run is first
    assert session.selection.cell == (11, "height")
    assert "All pages show the file as it was" in text_of(app)
    assert len(made(app)) == 3
    click(app, "Value the repaired table")
    assert session.run is second, "nothing changed: no second run"


def test_changes_after_valuing_ask_to_value_again():
    first = valued(davis_table())
    app = settled(click(opened(first, SWAP), "Value the repaired table"))
    session = session_of(app)
    second = session.run
    session.selection.choose_cell(19, "height")
    click(goto(app, "heatmap"), "Drop the row")
    assert made(app)[20, ""].action == "drop"
    assert "Changes were made or undone since" in text_of(app)
    settled(click(goto(app, "repair"), "Value again"))
    third = session.run
    assert third not in (first, second)
    assert third.table.n_rows == 199
    assert session.memo.first is first
    assert "Changes were made or undone since" not in text_of(app)


def test_repaired_tables_are_valued_by_the_same_method():
    app = opened(valued(davis_table(), n_neighbors=10, method="oob", rounds=20), SWAP)
    settled(click(app, "Value the repaired table"))
    assert session_of(app).run.values.settings.method == "oob"
    assert [metric.label for metric in app.metric] == ["Suspects"]


def test_all_rows_can_be_compared_in_a_window(davis):
    app = settled(click(opened(davis, SWAP), "Value the repaired table"))
    assert not app.slider
    pick(app, "All rows", True)
    assert app.slider[0].label == "First row of the window"
    app.slider[0].set_value(141)
    drawn(app)


def test_a_link_finds_repairs_measurements_and_the_first_run():
    app = settled(click(click(open_app(), "Davis"), "Value the cells"))
    for cell, change in SWAP.items():
        session_of(app).file.repair(*cell, change)
    goto(app, "repair")
    settled(click(app, "Measure before and after"))
    settled(click(app, "Value the repaired table"))
    for restart in (lambda: None, restarted):
        restart()
        again = settled(open_app("repair", project=link_of(app)))
        assert made(again) == SWAP
        assert "Repaired: 2 cells changed" in text_of(again)
        assert "on the 199 rows that were not changed" in text_of(again)
    click(again, "Yes, undo all")
    restarted()
    last = open_app("repair", project=link_of(app))
    assert made(last) == {}
    click(again, "Back to the file as it was")
    assert session_of(again).run.table.n_rows == 200
    assert session_of(app).run is not session_of(again).run, "shows its own run"


def test_changes_are_counted_in_words():
    assert changes_words({}) == "nothing changed"
    assert changes_words({(1, ""): Repair("drop")}) == "1 row dropped"
    cells = {(1, "a"): Repair("blank"), (2, ""): Repair("drop")}
    assert changes_words(cells) == "1 cell changed, 1 row dropped"


def test_the_history_goes_back_and_forth_and_loses_a_step_of_its_middle(davis):
    app = opened(davis)
    work = session_of(app).file
    work.decide(3, "weight", "fine")
    work.repair(12, "height", Repair("replace", "166"))
    work.decide(5, "weight", "error")
    app.run()
    assert "3 steps done, 0 undone" in text_of(app)
    click(app, "Undo the latest step")
    assert (5, "weight") not in work.decisions
    click(app, "Redo (1)")
    assert work.decisions[5, "weight"] == "error"
    place = next(k for k, d in enumerate(app.dataframe) if "step" in d.value)
    assert app.dataframe[place].value["step"].tolist() == [3, 2, 1]
    tick(app, [1], place)
    click(app, "Take the ticked step back")
    assert work.repairs == {}
    assert work.decisions == {(3, "weight"): "fine", (5, "weight"): "error"}
