"""Steps and decisions in the database come back as they were."""

import json
import sqlite3

import pytest

from cellval.detect.rule import Rule, rule_of
from cellval.project.database import connect
from cellval.project.kept_work import put_cell, put_rules, put_steps, step_of
from cellval.repairs.repair import Repair
from cellval.repairs.work import Work

NAMES = "words, cells, is_group, kind, finding, rules, reading"
STEPS = f"SELECT {NAMES} FROM steps ORDER BY n"


@pytest.fixture
def database(tmp_path):
    connection = connect(tmp_path / "project.sqlite", create=True)
    yield connection
    connection.close()


def done():
    work = Work()
    work.decide(3, "x", "fine")
    with work.together("2 cells", [(1, "x"), (2, "y")], kind="code", finding="code-1"):
        work.repair(1, "x", Repair("replace", "7", "why"))
        work.repair(2, "y", Repair("blank"))
        work.answer("rule-1", "accepted", {"given": ["a"], "target": "b"})
    work.read_so({"label": "sex", "without x": True}, "Read with the label sex")
    return work


def test_steps_come_back_as_they_were(database):
    work = done()
    put_steps(database, [], work.steps)
    back = [step_of(*line) for line in database.execute(STEPS)]
    assert [*map(vars, back)] == [*map(vars, work.steps)]


def test_only_steps_that_differ_are_written(database):
    work = done()
    put_steps(database, [], work.steps)
    database.execute("UPDATE steps SET words = 'old' WHERE n = 1")
    put_steps(database, work.steps, work.steps[:1])
    assert [line[0] for line in database.execute(STEPS)] == ["old"]


def test_a_cell_without_anything_leaves_nothing(database):
    work = done()
    for cell in [(1, "x"), (3, "x")]:
        put_cell(database, cell, work.standing(cell))
    count = "SELECT (SELECT count(*) FROM decisions), (SELECT count(*) FROM repairs)"
    assert database.execute(count).fetchone() == (2, 1)
    for cell in [(1, "x"), (3, "x")]:
        put_cell(database, cell, Work().standing(cell))
    assert database.execute(count).fetchone() == (0, 0)


def test_an_edited_rule_comes_back_with_its_numbers(database: sqlite3.Connection):
    rule = Rule(("inch",), "cm", kind="multiple", factor=1 / 0.3937, within=0.05)
    work = Work()
    work.answer("rule-1", "accepted", rule.told)
    put_rules(database, work.rules)
    ((_, _, told),) = database.execute("SELECT * FROM rules").fetchall()
    assert rule_of(json.loads(told)) == rule
    put_steps(database, [], work.steps)
    (line,) = database.execute(STEPS)
    assert rule_of(step_of(*line).rules_after["rule-1"].finding) == rule


def test_rules_are_replaced_as_a_whole(database: sqlite3.Connection):
    put_rules(database, done().rules)
    put_rules(database, done().rules)
    (line,) = database.execute("SELECT * FROM rules").fetchall()
    assert line == ("rule-1", "accepted", '{"given": ["a"], "target": "b"}')
