"""`Work`: what a person decided on the cells of one file, step by step, and undo."""

import json
import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from cellval.errors import InputError, check_text
from cellval.glossary import DECIDED
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import Repair
from cellval.text import brief, content, counted

Cell = tuple[int, str]  # row number from 1, and column; "" is the whole row
ANSWERS = ("accepted", "refused")  # to a rule
MOST_ROWS = 2**53


def cell_of(row_number: Any, column: Any) -> Cell:
    """A cell as it can be kept, also where the number came out of a frame."""
    try:
        row = operator.index(row_number)
    except TypeError as error:
        raise InputError(f"{row_number!r} is no row: give its whole number.") from error
    if abs(row) > MOST_ROWS:
        raise InputError(f"Row {row_number} is none: no table has as many.")
    check_text("a column", column)
    return row, column


class Standing(NamedTuple):
    """What is decided on a cell; None is nothing."""

    decision: str | None
    repair: Repair | None
    replaced: tuple[str | None, ...]  # the decision that the repair replaced


@dataclass(frozen=True)
class Verdict:
    """What a person says of a rule, as found or as edited.

    `finding` tells what the rule is, for a recipe: "given" (columns), "target",
    "title".
    """

    answer: str  # one of ANSWERS
    finding: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.answer not in ANSWERS:
            raise ValueError(f"no answer to a rule: {self.answer!r}")


@dataclass(frozen=True, eq=False)
class Step:
    """What a person did at once, to be taken back at once."""

    words: str  # such as: 12 cells blanked
    before: Mapping[Cell, Standing]
    after: Mapping[Cell, Standing]
    is_group: bool = False  # many cells that were chosen together
    kind: str = ""  # of the finding that was answered, if it was one
    finding: str = ""  # its key
    rules_before: Mapping[str, Verdict | None] = field(default_factory=dict)
    rules_after: Mapping[str, Verdict | None] = field(default_factory=dict)
    # Options of how the file is read, by name; None is what is guessed.
    reading_before: Mapping[str, Any] = field(default_factory=dict)
    reading_after: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cells(self) -> Iterable[Cell]:
        return self.after.keys()


@dataclass(eq=False)
class Work:
    """Decisions and repairs; every change goes through a method, is a step of a
    history, and is kept at once.

    Examples
    --------
    >>> work = Work()
    >>> work.decide(12, "height", "error")
    >>> work.repair(12, "height", Repair("replace", "166"))
    >>> [step.words for step in work.steps]
    ['height in row 12 marked as wrong', 'height in row 12 made “166”']
    >>> work.undo_step().words
    'height in row 12 made “166”'
    >>> work.decisions, work.repairs
    ({(12, 'height'): 'error'}, {})
    """

    decisions: dict[Cell, str] = field(default_factory=dict)  # one of DECISIONS each
    repairs: dict[Cell, Repair] = field(default_factory=dict)  # as they were decided
    # Decisions that repairs replaced.
    before_repair: dict[Cell, str | None] = field(default_factory=dict)
    rules: dict[str, Verdict] = field(default_factory=dict)  # by the finding's key
    reading: dict[str, Any] = field(
        default_factory=dict
    )  # as `project.source` tells it
    # The latest last; those from `n_done` on were undone, and can be done again.
    steps: list[Step] = field(default_factory=list)
    n_done: int = 0
    # Called with the cells of every change, before anybody is told of it.
    keep: Callable[[Iterable[Cell]], None] = lambda cells: None
    # Held while something changes: nobody sees half of it.
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _begun: "_Begun | None" = field(default=None, repr=False)  # a step that goes on

    @contextmanager
    def changing(self, *cells: Cell, words: str = "", **how: Any) -> Iterator[None]:
        """What is done to these cells within is one step, and is kept in one go.

        The outermost says what it is in `words`, and `how` it is told in a `Step`.
        """
        with self.lock:
            outermost = self._begun is None
            begun = self._begun = self._begun or _Begun(words, how)
            for cell in cells:
                begun.cells.setdefault(cell, self.standing(cell))
            try:
                yield
            finally:
                if outermost:
                    self._begun = None
                    self._note(begun)
                    self.keep(begun.cells)

    def decide(self, row_number: int, column: str, decision: str | None) -> None:
        """Decide on a cell; None takes it back."""
        if decision is not None and decision not in DECISIONS:
            raise ValueError(f"no decision: {decision!r}")
        cell = cell_of(row_number, column)
        said = "not decided on any more"
        if decision is not None:
            said = f"marked as {DECIDED[decision]}"
        with self.changing(cell, words=f"{_place(cell)} {said}"):
            self._set_decision(cell, decision)

    def repair(self, row_number: int, column: str, new: Repair) -> None:
        """Change a cell, or drop its row (column ""); the cell is wrong then."""
        self.repair_cells({(row_number, column): new})

    def repair_cells(self, changes: Mapping[Cell, Repair | None]) -> None:
        """Changes that make sense together only, such as of two cells swapped; None
        takes one back.
        """
        told = {cell_of(*cell): new for cell, new in changes.items()}
        new_ones = {
            cell: new
            for cell, new in told.items()
            if new is not None or cell in self.repairs
        }
        made = (f"{_place(cell)} {_made(new)}" for cell, new in new_ones.items())
        with self.changing(*new_ones, words=", ".join(made)):
            for cell, new in new_ones.items():
                if new is None:
                    self._take_back(cell)
                    continue
                self._set_repair(cell, new)
                if cell[1]:
                    self.before_repair.setdefault(cell, self.decisions.get(cell))
                    self.decisions[cell] = "error"

    def undo(self, *cells: Cell) -> None:
        """Take changes back, and the decisions that came with them."""
        n = _place(cells[0]) if len(cells) == 1 else counted(len(cells), "change")
        with self.changing(*cells, words=f"{n} taken back"):
            for cell in cells:
                self._take_back(cell)

    def take(
        self, decisions: Mapping[Cell, str], repairs: Mapping[Cell, Repair]
    ) -> None:
        """Decisions and repairs of a file; they replace those on the same cells."""
        decisions = {cell_of(*cell): said for cell, said in decisions.items()}
        repairs = {cell_of(*cell): new for cell, new in repairs.items()}
        cells = {**decisions, **repairs}
        words = f"{counted(len(cells), 'cell')} decided as a file says"
        with self.changing(*cells, words=words):
            self.decisions |= decisions
            for cell, new in repairs.items():
                self._set_repair(cell, new)

    def answer(
        self,
        key: str,
        answer: str | None,
        finding: Mapping[str, Any] | None = None,
        *,
        instead: Iterable[str] = (),
    ) -> None:
        """Accept or refuse a rule, by the key of its finding; None takes it back.

        Answers to others that ask about the same rule, `instead` of which it stands,
        are gone then.
        """
        told = dict(finding or {})
        try:
            check_text("a finding", json.dumps([key, told], ensure_ascii=False))
        except TypeError as error:  # such as a number of numpy
            raise InputError(f"A finding is told as JSON: {error}.") from error
        new = None if answer is None else Verdict(answer, told)
        rule = brief(told.get("title") or "a rule", 80)
        words = f"{rule}: {answer or 'not answered any more'}"
        with self.changing(words=words):
            assert self._begun is not None
            for other in (*instead, key):
                self._begun.rules.setdefault(other, self.rules.get(other))
                _put(self.rules, other, new if other == key else None)

    def read_so(self, reading: Mapping[str, Any], words: str) -> None:
        """The file is read in another way; what was decided on its cells stays."""
        with self.changing(words=words):
            assert self._begun is not None
            gone = [name for name in self.reading if name not in reading]
            for name in [*gone, *reading]:  # which then stand in the order of the new
                self._begun.reading.setdefault(name, self.reading.get(name))
                _put(self.reading, name, reading.get(name))

    # --- many at once -----------------------------------------------------------------

    @contextmanager
    def together(
        self, words: str, cells: Iterable[Cell], *, kind: str = "", finding: str = ""
    ) -> Iterator[None]:
        """What is done to these cells within is a group, to be undone at once.

        `kind` and `finding` (its key) say which question that answers.
        """
        how = {"is_group": True, "kind": kind, "finding": finding}
        with self.changing(*cells, words=words, **how):
            yield

    @property
    def groups(self) -> list[Step]:
        """Of the steps those on many cells of which something is left."""
        done = self.steps[: self.n_done]
        return [step for step in done if step.is_group and self._stands(step)]

    def undo_together(self, group: Step) -> None:
        """As before; what was decided on its cells since then stays."""
        with self.lock:
            if group in self.steps[: self.n_done]:  # else somebody was faster
                self.take_back(self.steps.index(group))

    def standing_cells(self, group: Step) -> list[Cell]:
        """Cells of a group that are still as it made them."""
        made = group.after.items()
        return [cell for cell, was in made if self.standing(cell) == was]

    def _stands(self, step: Step) -> bool:
        return any(self.standing(cell) == was for cell, was in step.after.items())

    # --- history ----------------------------------------------------------------------

    def undo_step(self) -> Step | None:
        """Take the latest step back; None if there is none."""
        with self.lock:
            if not self.n_done:
                return None
            step = self.steps[self.n_done - 1]
            self.n_done -= 1
            self._turn(step, back=True)
            return step

    def redo_step(self) -> Step | None:
        """Do again what was undone last; None if there is nothing."""
        with self.lock:
            if self.n_done >= len(self.steps):
                return None
            step = self.steps[self.n_done]
            self.n_done += 1
            self._turn(step, back=False)
            return step

    def take_back(self, n: int) -> list[Cell]:
        """Take one step out of the middle, by its place in `steps`.

        Cells that a later step changed keep that; they are returned. The others can be
        had again by `redo_step`.
        """
        with self.lock:
            if not 0 <= n < self.n_done:
                raise ValueError(f"no step to take back: {n}")
            step, later = self.steps[n], self.steps[n + 1 : self.n_done]
            cells, rules = dict(step.before), dict(step.rules_before)
            reading = dict(step.reading_before)
            for k, other in enumerate(later):  # what they replaced is another now
                own = {c: cells.pop(c) for c in [*cells] if c in other.before}
                told = {r: rules.pop(r) for r in [*rules] if r in other.rules_before}
                read = {
                    o: reading.pop(o) for o in [*reading] if o in other.reading_before
                }
                if own or told or read:
                    later[k] = replace(
                        other,
                        before={**other.before, **own},
                        rules_before={**other.rules_before, **told},
                        reading_before={**other.reading_before, **read},
                    )
            free = replace(
                step,
                before=cells,
                after={cell: step.after[cell] for cell in cells},
                rules_before=rules,
                rules_after={key: step.rules_after[key] for key in rules},
                reading_before=reading,
                reading_after={name: step.reading_after[name] for name in reading},
            )
            again = [free] if cells or rules or reading else []
            self.steps[n:] = [*later, *again, *self.steps[self.n_done :]]
            self.n_done -= 1
            left = self._turn(free, back=True)
            return [*(cell for cell in step.before if cell not in cells), *left]

    def _turn(self, step: Step, *, back: bool) -> list[Cell]:
        """Cells that stand as they are `now` get what they had `then`; the others are
        returned: somebody else changed them.
        """
        was = step.before, step.rules_before, step.reading_before
        made = step.after, step.rules_after, step.reading_after
        (now, *now_told), (then, *then_told) = (made, was) if back else (was, made)
        left = [cell for cell, was in now.items() if self.standing(cell) != was]
        stay = set(left)
        for cell, (decision, repair, replaced) in then.items():
            if cell in stay:
                continue
            self._set_decision(cell, decision)
            self._set_repair(cell, repair)
            self.before_repair.pop(cell, None)
            if replaced:
                self.before_repair[cell] = replaced[0]
        for known, told, before in zip(
            (self.rules, self.reading), then_told, now_told, strict=True
        ):
            for key, what in told.items():
                if known.get(key) == before[key]:
                    _put(known, key, what)
        self.keep([cell for cell in then if cell not in stay])
        return left

    def _note(self, begun: "_Begun") -> None:
        """What was done is a step; what was undone before it is gone then."""
        after = {cell: self.standing(cell) for cell in begun.cells}
        rules = {key: self.rules.get(key) for key in begun.rules}
        other = {
            name: was
            for name, was in begun.reading.items()
            if was != self.reading.get(name)
        }
        if after != begun.cells or rules != begun.rules or other:
            step = Step(
                begun.words,
                begun.cells,
                after,
                rules_before=begun.rules,
                rules_after=rules,
                reading_before=other,
                reading_after={name: self.reading.get(name) for name in other},
                **begun.how,
            )
            self.steps[self.n_done :] = [step]
            self.n_done += 1

    # --- one thing --------------------------------------------------------------------

    def _take_back(self, cell: Cell) -> None:
        self.repairs.pop(cell, None)
        if cell in self.before_repair:
            self._set_decision(cell, self.before_repair.pop(cell))

    def _set_decision(self, cell: Cell, decision: str | None) -> None:
        if decision is None:
            self.decisions.pop(cell, None)
        else:
            self.decisions[cell] = decision

    def _set_repair(self, cell: Cell, new: Repair | None) -> None:
        if self.repairs.get(cell) != new:  # the same again keeps its place
            self.repairs.pop(cell, None)
            if new is not None:
                self.repairs[cell] = new

    def standing(self, cell: Cell) -> Standing:
        known = cell in self.before_repair
        replaced = (self.before_repair[cell],) if known else ()
        return Standing(self.decisions.get(cell), self.repairs.get(cell), replaced)


class _Begun:
    """A step that goes on: what it found where it changes something."""

    def __init__(self, words: str, how: Mapping[str, Any]) -> None:
        self.words, self.how = words, how
        self.cells: dict[Cell, Standing] = {}
        self.rules: dict[str, Verdict | None] = {}
        self.reading: dict[str, Any] = {}


def _put(known: dict[str, Any], key: str, what: Any) -> None:
    """None is nothing."""
    known.pop(key, None)
    if what is not None:
        known[key] = what


def _made(new: Repair | None) -> str:
    if new is None:
        return "taken back"
    done = {"drop": "dropped", "blank": "blanked"}
    return done.get(new.action) or f"made “{content(new.after)}”"


def _place(cell: Cell) -> str:
    row, column = cell
    return f"{brief(column)} in row {row:,}" if column else f"row {row:,}"
