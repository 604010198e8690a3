"""`Work`: what a person decided on the cells of one file, and can take back."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import Repair

Cell = tuple[int, str]  # row number from 1, and column; "" is the whole row


class Standing(NamedTuple):
    """What is decided on a cell; None is nothing."""

    decision: str | None
    repair: Repair | None
    replaced: tuple[str | None, ...]  # the decision that the repair replaced


@dataclass(frozen=True, eq=False)
class Group:
    """What was done to many cells at once, to be taken back at once."""

    words: str  # such as: 12 cells blanked
    before: Mapping[Cell, Standing]
    after: Mapping[Cell, Standing]

    @property
    def cells(self) -> Iterable[Cell]:
        return self.after.keys()


@dataclass(eq=False)
class Work:
    """Decisions and repairs; every change goes through a method, and is kept at once.

    Examples
    --------
    >>> work = Work()
    >>> work.decide(12, "height", "error")
    >>> work.repair(12, "height", Repair("replace", "166"))
    >>> work.undo((12, "height"))
    >>> work.decisions, work.repairs
    ({(12, 'height'): 'error'}, {})
    """

    decisions: dict[Cell, str] = field(default_factory=dict)  # one of DECISIONS each
    repairs: dict[Cell, Repair] = field(default_factory=dict)  # as they were decided
    # Decisions that repairs replaced.
    before_repair: dict[Cell, str | None] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)  # of changes, the latest last
    # Called with the cells of every change, before anybody is told of it.
    keep: Callable[[Iterable[Cell]], None] = lambda cells: None
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _touched: dict[Cell, None] = field(default_factory=dict, repr=False)
    _depth: int = field(default=0, repr=False)

    @contextmanager
    def changing(self, *cells: Cell) -> Iterator[None]:
        """What is done to these cells within is kept in one go."""
        with self._lock:
            self._depth += 1
            self._touched |= dict.fromkeys(cells)
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    touched, self._touched = self._touched, {}
                    self.keep(touched)

    def decide(self, row_number: int, column: str, decision: str | None) -> None:
        """Decide on a cell; None takes it back."""
        if decision is not None and decision not in DECISIONS:
            raise ValueError(f"no decision: {decision!r}")
        cell = (row_number, column)
        with self.changing(cell):
            if decision is None:
                self.decisions.pop(cell, None)
            else:
                self.decisions[cell] = decision

    def repair(self, row_number: int, column: str, new: Repair) -> None:
        """Change a cell, or drop its row (column ""); the cell is wrong then."""
        cell = (row_number, column)
        with self.changing(cell):
            if self.repairs.get(cell) != new:  # the same again keeps its place
                self.repairs.pop(cell, None)
                self.repairs[cell] = new
            if column:
                self.before_repair.setdefault(cell, self.decisions.get(cell))
                self.decisions[cell] = "error"

    def undo(self, *cells: Cell) -> None:
        """Take changes back, and the decisions that came with them."""
        with self.changing(*cells):
            for cell in cells:
                self.repairs.pop(cell, None)
                if cell in self.before_repair:
                    self.decide(*cell, self.before_repair.pop(cell))

    def take(
        self, decisions: Mapping[Cell, str], repairs: Mapping[Cell, Repair]
    ) -> None:
        """Decisions and repairs of a file; they replace those on the same cells."""
        with self.changing(*decisions, *repairs):
            self.decisions |= decisions
            self.repairs |= repairs

    # --- many at once -----------------------------------------------------------------

    @contextmanager
    def together(self, words: str, cells: Iterable[Cell]) -> Iterator[None]:
        """What is done to these cells within is a group, to be undone at once."""
        with self.changing():
            before = {cell: self.standing(cell) for cell in cells}
            yield
            after = {cell: self.standing(cell) for cell in before}
            # Of those before, some may have nothing left to undo.
            self.groups = [g for g in self.groups if self.standing_cells(g)]
            if after != before:
                self.groups.append(Group(words, before, after))

    def undo_together(self, group: Group) -> None:
        """As before; what was decided on its cells since then stays."""
        cells = self.standing_cells(group)
        with self.changing(*cells):
            for cell in cells:
                decision, repair, replaced = group.before[cell]
                self.decide(*cell, decision)
                self.repairs.pop(cell, None)
                if repair is not None:
                    self.repairs[cell] = repair
                self.before_repair.pop(cell, None)
                if replaced:
                    self.before_repair[cell] = replaced[0]
            self.groups.remove(group)

    def standing_cells(self, group: Group) -> list[Cell]:
        """Cells of a group that are still as it made them."""
        made = group.after.items()
        return [cell for cell, was in made if self.standing(cell) == was]

    def standing(self, cell: Cell) -> Standing:
        known = cell in self.before_repair
        replaced = (self.before_repair[cell],) if known else ()
        return Standing(self.decisions.get(cell), self.repairs.get(cell), replaced)
