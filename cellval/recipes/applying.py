"""A recipe done to another file: what it repairs there, and what does not fit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from cellval.detect.breaks import breaks, misfit
from cellval.detect.rule import OF_NUMBERS, Rule
from cellval.errors import require
from cellval.recipes.recipe import Recipe
from cellval.recipes.rows import RowName, Rows
from cellval.recipes.steps import (
    Answer,
    DropRow,
    Fine,
    Replace,
    ReplaceCell,
    Step,
)
from cellval.repairs.repair import Repair
from cellval.repairs.work import Cell
from cellval.table.table import Table, as_table
from cellval.text import content, counted, shortened


@dataclass(frozen=True)
class Outcome:
    """What became of one step."""

    step: Step
    n_cells: int = 0  # that it changes; of those called fine, that it finds
    misfit: str = ""  # why it does not fit, as a sentence


@dataclass(frozen=True, eq=False)
class Applied:
    """What a recipe does to a table.

    Attributes
    ----------
    repairs : mapping of (row number, column) to Repair
    fine : frozenset of (row number, column)
        Cells that the recipe calls fine.
    outcomes : tuple of Outcome
        One for each step of the recipe.
    misfits : tuple of str
        A sentence for everything that does not fit.
    """

    repairs: Mapping[Cell, Repair]
    fine: frozenset[Cell]
    outcomes: tuple[Outcome, ...]
    misfits: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.misfits


def apply_recipe(recipe: Recipe, table: Table | pd.DataFrame) -> Applied:
    """What a recipe repairs in a table, and what of it does not fit.

    Steps on one cell come before those on a text; both look at the file as it is. Rules
    come last and look at what the others made of it.

    Examples
    --------
    >>> import cellval
    >>> text = b"version: 1\\nsteps:\\n- {do: replace, column: x, texts: {n/a: ''}}\\n"
    >>> table = cellval.read(b"x,y\\n1,a\\nn/a,b\\n3,b\\n", label="y")
    >>> done = cellval.apply_recipe(cellval.read_recipe(text), table)
    >>> done.repairs[2, "x"].action, done.misfits
    ('blank', ())
    """
    is_read = isinstance(recipe, Recipe)
    require("recipe", recipe, is_read, "what cellval.read_recipe read")
    return _Application(recipe, as_table(table)).result()


class _Application:
    """Repairs by position, as they come together."""

    def __init__(self, recipe: Recipe, table: Table) -> None:
        self.recipe, self.table = recipe, table
        self.rows = Rows(table, recipe.columns)
        self.names = set(map(str, table.cells.columns))
        self.numbers = table.row_numbers.tolist()
        self.new: dict[tuple[int, str], Repair] = {}
        # Cells on which a step of their own said something, and cells that are fine.
        self.settled: set[tuple[int, str]] = set()
        self.fine: set[tuple[int, str]] = set()
        self.dropped: set[int] = set()
        self._places: dict[str, dict[str, list[int]]] = {}  # of each text, by column

    def result(self) -> Applied:
        found: dict[int, Outcome] = {}
        for kinds in ((DropRow,), (ReplaceCell, Fine), (Replace, Answer), (Rule,)):
            for k, step in enumerate(self.recipe.steps):
                if isinstance(step, kinds):
                    found[k] = self._done(step)
        outcomes = tuple(found[k] for k in range(len(self.recipe.steps)))
        repairs = {(self.numbers[i], name): new for (i, name), new in self.new.items()}
        fine = frozenset((self.numbers[i], name) for i, name in self.fine)
        misfits = (*self._of_reading(), *(o.misfit for o in outcomes if o.misfit))
        return Applied(repairs, fine, outcomes, misfits)

    def _of_reading(self) -> list[str]:
        names = self.recipe.reading.columns
        return [
            f"How the file is read: column '{shortened(name)}' is not in this file."
            for name in names
            if name not in self.names
        ]

    def _done(self, step: Step) -> Outcome:
        match step:
            case DropRow(row):
                return self._drop(step, row)
            case ReplaceCell(row, column, before, after):
                return self._replace_cell(step, row, column, before, after)
            case Fine(column, texts, row):
                return self._called_fine(step, column, texts, row)
            case Replace(column, texts):
                return self._replace(step, column, texts)
            case Rule():
                return self._rule(step)
        return Outcome(step)

    def _misfit(self, step: Step, why: str) -> Outcome:
        return Outcome(step, 0, f"{_capital(step.words)}: {why}.")

    def _gone(self, step: Step, column: str) -> Outcome:
        return self._misfit(step, f"column '{shortened(column)}' is not in this file")

    def _drop(self, step: Step, row: RowName) -> Outcome:
        i, why = self.rows.find(row, "", None)
        if why:
            return self._misfit(step, why)
        self.new[i, ""] = Repair("drop", reason=self._reason(step.why))
        self.dropped.add(i)
        return Outcome(step, 1)

    def _replace_cell(
        self, step: Step, row: RowName, column: str, before: str, after: str
    ) -> Outcome:
        if column not in self.names:
            return self._gone(step, column)
        i, why = self.rows.find(row, column, before)
        if why:
            return self._misfit(step, why)
        now = self.rows.texts(column)[i]
        if now == after:
            self.settled.add((i, column))
            return Outcome(step)  # somebody corrected it at its source
        if now.strip() != before.strip():
            held = f"it is '{content(now, 30)}', not '{content(before, 30)}'"
            return self._misfit(step, held)
        return Outcome(step, self._put(i, column, after, step.why, of_cell=True))

    def _called_fine(
        self, step: Step, column: str, texts: tuple[str, ...], row: RowName | None
    ) -> Outcome:
        if column not in self.names:
            return self._gone(step, column)
        held = self.rows.texts(column)
        if row is None:
            cells = self._holding(column, texts)
        else:
            i, why = self.rows.find(row, column, texts[0])
            if why or held[i].strip() != texts[0].strip():
                return Outcome(step)  # what is not there need not be called fine
            cells = [i]
        self.fine.update((i, column) for i in cells)
        return Outcome(step, len(cells))

    def _replace(
        self, step: Step, column: str, texts: tuple[tuple[str, str], ...]
    ) -> Outcome:
        """A text that does not occur fits: there is nothing to do."""
        if column not in self.names:
            return self._gone(step, column)
        n, new, held = 0, dict(texts), self.rows.texts(column)
        for i in self._holding(column, new):
            after = new[held[i] if held[i] in new else held[i].strip()]
            if (i, column) not in self.settled and (i, column) not in self.fine:
                n += self._put(i, column, after, step.why)
        return Outcome(step, n)

    def _holding(self, column: str, texts: Iterable[str]) -> list[int]:
        """Positions of the cells with one of these texts, blanks around it or not."""
        if column not in self._places:
            places: dict[str, list[int]] = {}
            for i, held in enumerate(self.rows.texts(column)):
                for text in {held, held.strip()}:
                    places.setdefault(text, []).append(i)
            self._places[column] = places
        known = self._places[column]
        return sorted({i for text in texts for i in known.get(text, ())})

    def _rule(self, rule: Rule) -> Outcome:
        if rule.refused:
            return Outcome(rule)
        if why := misfit(rule, self.table):
            return self._misfit(rule, why)
        texts = {name: list(self.rows.texts(name)) for name in rule.columns}
        for (i, name), new in self.new.items():
            if name in texts:
                texts[name][i] = new.text
        cells = [
            cell
            for cell in breaks(rule, self.table, texts)
            if (cell.position, cell.column) not in self.settled
            and cell.position not in self.dropped
            and not any(
                (cell.position, name) in self.fine
                for name in rule.excused_by(cell.column)
            )
        ]
        told, n = [], 0
        for cell in cells:
            if rule.repair and cell.is_alone and cell.says:
                n += self._put(cell.position, cell.column, cell.says, cell.why)
            else:
                told.append(cell)
        if not told:
            return Outcome(rule, n)
        first, one = told[0], len(told) == 1
        left = "breaks it and is" if one else "break it and are"
        says = ""
        if first.says and rule.kind not in OF_NUMBERS:  # any number may be wrong
            says = f", which should be '{content(first.says, 30)}'"
        misfit_ = self._misfit(
            rule,
            f"{counted(len(told), 'cell')} {left} left, "
            f"{'' if one else 'the first '}in row {self.numbers[first.position]:,}"
            f"{says}",
        )
        return replace(misfit_, n_cells=n)

    def _put(
        self, i: int, column: str, after: str, why: str, of_cell: bool = False
    ) -> int:
        """A new text for a cell; how many that changes."""
        if i in self.dropped or self.rows.texts(column)[i] == after:
            return 0
        reason = self._reason(why)
        new = Repair("replace", after, reason) if after else Repair("blank", "", reason)
        self.new[i, column] = new
        if of_cell:
            self.settled.add((i, column))
        return 1

    def _reason(self, why: str) -> str:
        name = self.recipe.made_from
        return why or (f"As in {shortened(name)}." if name else "As the recipe says.")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:] if words.startswith("the ") else words
