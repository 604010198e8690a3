"""How what a person decided is written in a project's database, and read again."""

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cellval.project.database import FAULTS, Damaged
from cellval.project.source import Setup
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import WORDS, Repair
from cellval.repairs.work import Cell, Standing, Step, Verdict, cell_of

WRITTEN = "written"  # how often, among the facts about a project


@dataclass(frozen=True)
class Told:
    """What a database tells about a project and of what a person did, but the cells."""

    facts: dict[str, Any] = field(default_factory=dict, compare=False)
    steps: list[Step] = field(default_factory=list)
    n_done: int = 0
    rules: dict[str, Verdict] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def times(self) -> int:
        """How often it was written."""
        return int(self.facts.get(WRITTEN, 0))


Cells = tuple[dict[Cell, str], dict[Cell, Repair], dict[Cell, str | None]]


def _as_known(steps: list[Step], known: Iterable[Step]) -> list[Step]:
    """Each of the known ones once, in place of an equal one."""
    left: dict[str, list[Step]] = {}
    for step in known:
        left.setdefault(step.words, []).append(step)

    def found(step: Step) -> Step:
        alike = left.get(step.words, [])
        same = next((old for old in alike if vars(old) == vars(step)), None)
        if same is None:
            return step
        alike.remove(same)
        return same

    return [found(step) for step in steps]


def read_told(database: sqlite3.Connection, known: Iterable[Step] = ()) -> Told:
    """`Damaged` if cellval cannot have written it. Steps that are `known` are the same
    objects: buttons of a page that undo them were drawn before.
    """
    names = "words, cells, is_group, kind, finding, rules, reading"
    try:
        lines = database.execute("SELECT name, value FROM about")
        facts = {name: json.loads(value) for name, value in lines}
        lines = database.execute(f"SELECT {names} FROM steps ORDER BY n")
        steps = _as_known([step_of(*line) for line in lines], known)
        # Steps of before there was a number are all done.
        n_done = max(0, min(int(facts.get("n_done", len(steps))), len(steps)))
        lines = database.execute("SELECT key, answer, finding FROM rules")
        rules = {key: Verdict(said, dict(json.loads(f))) for key, said, f in lines}
        reading = Setup.from_dict(facts.get("setup", vars(Setup()))).told
        told = Told(facts, steps, n_done, rules, reading)
        told.times  # noqa: B018 - is it a number?
        return told
    except FAULTS as error:
        raise Damaged(str(error)) from error


def read_cells(database: sqlite3.Connection) -> Cells:
    """Decisions, repairs, and the decisions that these replaced; or `Damaged`."""
    repairs: dict[Cell, Repair] = {}
    replaced: dict[Cell, str | None] = {}
    names = "row, column, replaced, action, after, reason"
    try:
        decisions = {
            cell_of(row, column): decision
            for row, column, said in database.execute("SELECT * FROM decisions")
            if (decision := decision_of(said)) is not None
        }
        lines = database.execute(f"SELECT {names} FROM repairs ORDER BY n")
        for row, column, before, *how in lines:
            repairs[cell_of(row, column)] = repair_of(*how)
            for decision in json.loads(before):
                replaced[row, column] = decision_of(decision)
    except FAULTS as error:
        raise Damaged(str(error)) from error
    return decisions, repairs, replaced


def times_written(database: sqlite3.Connection) -> int:
    """How often decisions or facts were."""
    query = "SELECT value FROM about WHERE name = ?"
    found = database.execute(query, (WRITTEN,)).fetchone()
    return int(json.loads(found[0])) if found else 0


def joined(known: Told, own: Told, theirs: Told) -> tuple[Told, Told]:
    """Where two programs went on from what was `known`: what the other one wrote, and
    what is to be written now. Steps of this one stand after theirs, and answers to
    rules count one by one. If this one undid something, only the cells tell of it.
    """
    done, n = own.steps[: own.n_done], known.n_done
    steps, n_done = list(theirs.steps), theirs.n_done
    stand = steps[:n_done]
    new = [step for step in done[n:] if step not in stand]  # not done again by both
    if new and done[:n] == known.steps[:n]:
        steps = [*stand, *new]
        n_done = len(steps)
    rules = dict(theirs.rules)
    for key in {**known.rules, **own.rules}:
        if own.rules.get(key) != known.rules.get(key):
            rules.pop(key, None)
            if key in own.rules:
                rules[key] = own.rules[key]
    reading = theirs.reading if own.reading == known.reading else own.reading
    return theirs, Told(theirs.facts, steps, n_done, rules, reading)


def say(database: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    insert = "INSERT OR REPLACE INTO about VALUES (?, ?)"
    lines = [(name, json.dumps(fact)) for name, fact in facts.items()]
    database.executemany(insert, lines)


def put_cell(database: sqlite3.Connection, cell: Cell, now: Standing) -> None:
    """What stands on a cell; a repair that did not change keeps its place."""
    where = "WHERE row = ? AND column = ?"
    if now.decision is None:
        database.execute(f"DELETE FROM decisions {where}", cell)
    else:
        insert = "INSERT OR REPLACE INTO decisions VALUES (?, ?, ?)"
        database.execute(insert, (*cell, now.decision))
    known = "SELECT action, after, reason FROM repairs"
    old = database.execute(f"{known} {where}", cell).fetchone()
    replaced = json.dumps(now.replaced)
    if now.repair is None:
        database.execute(f"DELETE FROM repairs {where}", cell)
        return
    new = (now.repair.action, now.repair.after, now.repair.reason)
    if old == new:
        set_it = f"UPDATE repairs SET replaced = ? {where}"
        database.execute(set_it, (replaced, *cell))
        return
    database.execute(f"DELETE FROM repairs {where}", cell)
    database.execute(
        "INSERT INTO repairs (row, column, action, after, reason, replaced) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (*cell, *new, replaced),
    )


def put_steps(
    database: sqlite3.Connection, written: list[Step], now: list[Step]
) -> None:
    """Only those that differ: a history may be long, and its last step is new."""
    pairs = enumerate(zip(written, now, strict=False))
    shorter = min(len(written), len(now))
    same = next((k for k, (old, new) in pairs if old is not new), shorter)
    if same == len(written) == len(now):
        return
    database.execute("DELETE FROM steps WHERE n > ?", (same,))
    database.executemany(
        "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(n, *_step_told(step)) for n, step in enumerate(now[same:], same + 1)],
    )


def put_rules(database: sqlite3.Connection, rules: Mapping[str, Verdict]) -> None:
    database.execute("DELETE FROM rules")
    database.executemany(
        "INSERT INTO rules VALUES (?, ?, ?)",
        [(key, v.answer, json.dumps(dict(v.finding))) for key, v in rules.items()],
    )


def _step_told(step: Step) -> tuple[Any, ...]:
    """Every cell of a step with what stood on it before and after, its rules, and how
    the file was read."""
    cells = [
        [*cell, *(_standing(side[cell]) for side in (step.before, step.after))]
        for cell in step.cells
    ]
    rules = [
        [key, _verdict(step.rules_before[key]), _verdict(step.rules_after[key])]
        for key in step.rules_after
    ]
    reading = [
        [name, step.reading_before[name], now]
        for name, now in step.reading_after.items()
    ]
    told = (int(step.is_group), step.kind, step.finding)
    return step.words, json.dumps(cells), *told, json.dumps(rules), json.dumps(reading)


def _standing(was: Standing) -> list[Any]:
    repair = was.repair and [was.repair.action, was.repair.after, was.repair.reason]
    return [was.decision, repair, list(was.replaced)]


def _verdict(was: Verdict | None) -> list[Any] | None:
    return None if was is None else [was.answer, dict(was.finding)]


# --- what anybody may have written: ValueError or TypeError if it cannot be -----------


def finite(number: Any) -> float:
    if not math.isfinite(float(number)):
        raise ValueError("a number is not finite")
    return float(number)


def decision_of(said: Any) -> str | None:
    """None is none."""
    if said is not None and said not in DECISIONS:
        raise ValueError("a decision is none that cellval knows")
    return None if said is None else str(said)


def repair_of(*how: Any) -> Repair:
    if not all(isinstance(text, str) for text in how) or how[0] not in WORDS:
        raise ValueError("a repair is none that cellval knows")
    return Repair(*how)


def step_of(
    words: str,
    cells: str,
    is_group: int,
    kind: str,
    finding: str,
    rules: str,
    reading: str,
) -> Step:
    def stood(saved: list[Any]) -> Standing:
        decision, repair, replaced = saved
        return Standing(
            decision_of(decision),
            repair_of(*repair) if repair else None,
            tuple(map(decision_of, replaced)),
        )

    def said(saved: list[Any] | None) -> Verdict | None:
        return None if saved is None else Verdict(saved[0], dict(saved[1]))

    before, after = {}, {}
    for row, column, was, now in json.loads(cells):
        cell = cell_of(row, column)
        before[cell], after[cell] = stood(was), stood(now)
    told = {key: (said(was), said(now)) for key, was, now in json.loads(rules)}
    read = json.loads(reading)
    for name, *both in read:
        for one in both:
            Setup.from_told({str(name): one})  # which looks at it
    return Step(
        str(words),
        before,
        after,
        bool(is_group),
        kind,
        finding,
        {key: was for key, (was, _) in told.items()},
        {key: now for key, (_, now) in told.items()},
        {name: was for name, was, _ in read},
        {name: now for name, _, now in read},
    )
