"""What a person has open: files, decisions, repairs, selection, computations."""

import threading

from helpers import WAIT, davis_source, davis_table, wait_for

from cellval.progress import Snapshot
from cellval.repairs.repair import Repair
from cellval.ui.session import (
    Edits,
    FileWork,
    Selection,
    Session,
    Setup,
    SideJob,
    Source,
    read_test,
)


def test_a_source_is_known_by_its_bytes():
    assert Source.of("a.csv", b"1").sha256 == Source.of("b.csv", b"1").sha256
    assert Source.of("a.csv", b"1").sha256 != Source.of("a.csv", b"2").sha256


def test_a_file_is_read_again_only_if_it_is_read_in_another_way():
    session = Session()
    assert session.read_file() is None
    session.take_file(FileWork(source=davis_source()), Setup(), None)
    table = session.read_file()
    assert session.read_file() is table
    session.try_setup(Setup(label="sex", id_column="repwt"))
    assert session.read_file() is not table
    assert session.read_file().id_column == "repwt"


def test_a_setup_that_is_not_possible_is_taken_back():
    session = Session()
    session.take_file(FileWork(source=davis_source()), Setup(), None)
    table, key = session.read_file(), session.widget_key("x", as_read=True)
    session.try_setup(Setup(label="weight", kinds=(("weight", "category"),)))
    assert "Classes must repeat" in session.fault
    assert session.setup == Setup() and session.read_file() is table
    assert session.widget_key("x", as_read=True) != key, "widgets show it again"
    assert session.widget_key("x") == Session(file=session.file).widget_key("x")


def of_davis(setup):
    session = Session()
    session.take_file(FileWork(source=davis_source()), setup, None)
    session.read_file()
    return session, session.file


def test_a_reading_goes_back_and_the_file_is_read_so():
    session, file = of_davis(Setup(label="sex"))
    session.try_setup(Setup(label="sex", id_column="repwt"))
    file.decide(1, "height", "fine")
    (step, _) = file.steps
    assert session.turn(step, lambda: file.take_back(0), file.redo_step) == ""
    assert session.setup == Setup(label="sex") and session.table.id_column is None
    assert file.decisions == {(1, "height"): "fine"}
    assert session.turn(step, file.redo_step, file.undo_step) == ""
    assert session.table.id_column == "repwt"


def test_a_reading_that_is_not_possible_any_more_stays():
    session, file = of_davis(Setup(label="sex"))
    session.try_setup(Setup(label="weight"))
    session.try_setup(Setup(label="weight", exclude=("sex",)))
    said = session.turn(file.steps[0], lambda: file.take_back(0), file.redo_step)
    assert "sex" in said and session.fault == ""
    assert session.setup == Setup(label="weight", exclude=("sex",))
    assert Setup.from_told(file.reading) == session.setup
    assert session.table.label == "weight"


def test_a_sheet_that_was_decided_on_stays():
    session, file = of_davis(Setup(label="sex"))
    file.read_so({"label": "sex", "header_row": 1}, "header")
    session.setup = Setup(label="sex", header_row=1)
    file.decide(1, "height", "fine")
    said = session.turn(file.steps[0], lambda: file.take_back(0), file.redo_step)
    assert said == "Your decisions are about this sheet; undo them first."
    assert file.reading["header_row"] == 1 and session.setup.header_row == 1


def test_repaired_tables_are_kept_with_the_original():
    session = Session()
    session.take_file(FileWork(source=davis_source()), Setup(label="sex"), None)
    table = session.read_file()
    assert session.repaired_table() is table
    session.file.repair(12, "height", Repair("replace", "166"))
    fixed = session.repaired_table()
    assert fixed.cells["height"].iat[11] == "166"
    assert session.repaired_table() is fixed
    session.file.undo((12, "height"))
    assert session.repaired_table() is table


def test_a_second_file_is_read_like_the_first_and_kept_with_it():
    table, file = davis_table(), davis_source()
    test = read_test(table, file)
    assert read_test(table, Source.of("davis.csv", file.raw)) is test
    assert test.feature_names == table.feature_names


def test_a_selection_follows_its_rows_into_another_version():
    old = davis_table()
    new = old.with_cells({}, drop=[4])
    selection = Selection(position=4, other_position=20)
    selection.choose_cell(11, "height")
    assert selection.position == 11
    moved = selection.moved(old, new)
    assert (moved.cell, moved.position, moved.other_position) == (
        (10, "height"),
        10,
        19,
    )
    assert Selection((4, "height"), 4).moved(old, new) == Selection()
    assert moved.moved(new, old) == Selection((11, "height"), 11, 20)


def test_edits_are_reset_with_a_new_editor():
    tried = Edits({"x": "1"}, {"x": "0"})
    tried.reset()
    assert tried == Edits(version=1)


def test_a_side_job_belongs_to_a_table_and_ends_with_the_next():
    go, table = threading.Event(), davis_table()

    def count():
        yield Snapshot(0.5, make=lambda: 1)
        go.wait(WAIT)

    side = SideJob()
    assert side.on(table) is None
    first = side.start(table, "a", count)
    assert side.on(table) is first and side.made_from == "a"
    assert side.on(table.with_cells({}, drop=[0])) is None
    assert side.start(table, "a", count) is first and first.active  # a second click
    second = side.start(table, "b", count)
    assert first.status == "stopped" and side.on(table) is second
    side.stop()
    third = side.start(table, "b", count)  # what was stopped begins anew
    assert third is not second
    side.stop()
    go.set()
    assert first.wait(WAIT) and second.wait(WAIT) and third.wait(WAIT)


def test_an_older_result_is_not_kept_behind_a_newer_one():
    """One that was stopped keeps what it has when it ends, perhaps later."""
    side, kept, go_on = SideJob(), [], threading.Event()

    def slow():
        yield Snapshot(0.5, make=lambda: "old")
        assert go_on.wait(WAIT)
        yield Snapshot(0.6, make=lambda: "older")

    table = davis_table()
    old = side.start(table, 0, slow, kept.append)
    wait_for(lambda: old.result is not None)
    new = side.start(table, 1, lambda: [Snapshot(1.0, make=lambda: "new")], kept.append)
    assert new.wait(WAIT) and kept == ["new"]
    go_on.set()
    assert old.wait(WAIT) and kept == ["new"]
