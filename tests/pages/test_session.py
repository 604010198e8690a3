"""What a person has open: files, decisions, repairs, selection, computations."""

import threading

import pytest
from helpers import WAIT, davis_source, davis_table

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


def test_a_decision_is_taken_back_with_none_and_must_be_one():
    file = FileWork()
    file.decide(3, "x", "fine")
    assert file.decisions == {(3, "x"): "fine"}
    file.decide(3, "x", None)
    file.decide(4, "x", None)
    assert file.decisions == {}
    with pytest.raises(ValueError, match="no decision"):
        file.decide(3, "x", "perhaps")


def test_a_repair_is_an_error_until_it_is_undone():
    file = FileWork()
    file.decide(3, "x", "unsure")
    for text in ("1", "2"):
        file.repair(3, "x", Repair("replace", text))
    file.repair(4, "", Repair("drop"))
    assert file.decisions == {(3, "x"): "error"}
    assert list(file.repairs) == [(3, "x"), (4, "")]
    for cell in list(file.repairs):
        file.undo(cell)
    assert file.decisions == {(3, "x"): "unsure"}
    assert file.repairs == {} == file.before_repair


def test_what_was_done_together_is_undone_together():
    file = FileWork()
    file.decide(1, "x", "unsure")
    file.repair(2, "x", Repair("replace", "7"))
    cells = [(row, "x") for row in (1, 2, 3)]
    before = dict(file.decisions), dict(file.repairs), dict(file.before_repair)
    with file.together("3 cells blanked", cells):
        for cell in cells:
            file.repair(*cell, Repair("blank"))
    (group,) = file.groups
    assert set(file.repairs) == set(file.standing_cells(group)) == set(cells)
    file.undo_together(group)
    assert (file.decisions, file.repairs, file.before_repair) == before
    assert file.groups == []


def test_what_was_decided_since_stays_when_a_group_is_undone():
    file = FileWork()
    cells = [(row, "x") for row in (1, 2, 3)]
    with file.together("3 cells blanked", cells):
        for cell in cells:
            file.repair(*cell, Repair("blank"))
    file.undo((1, "x"))
    file.repair(2, "x", Repair("replace", "7"))
    (group,) = file.groups
    assert file.standing_cells(group) == [(3, "x")]
    file.undo_together(group)
    assert file.repairs == {(2, "x"): Repair("replace", "7")}
    assert file.decisions == {(2, "x"): "error"}


def test_groups_of_which_nothing_is_left_are_forgotten():
    file = FileWork()
    for decision in ("fine", "error"):
        with file.together(decision, [(1, "x")]):
            file.decide(1, "x", decision)
    with file.together("nothing", [(1, "x")]):
        pass
    assert [group.words for group in file.groups] == ["error"]


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
    session.try_setup(Setup(label="weight"))
    assert "classes that repeat" in session.fault
    assert session.setup == Setup() and session.read_file() is table
    assert session.widget_key("x", as_read=True) != key, "widgets show it again"
    assert session.widget_key("x") == Session(file=session.file).widget_key("x")


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
    second = side.start(table, "b", count)
    assert first.status == "stopped" and side.on(table) is second
    side.stop()
    go.set()
    assert first.wait(WAIT) and second.wait(WAIT)
