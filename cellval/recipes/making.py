"""A recipe of what was decided on a table: by text where all cells with a text were
changed alike, by row where they were not.
"""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from cellval.detect.breaks import breaks, known_lines, misfit
from cellval.detect.rule import rule_of
from cellval.recipes.recipe import Recipe
from cellval.recipes.rows import Rows
from cellval.recipes.steps import (
    Answer,
    DropRow,
    Fine,
    Reading,
    Replace,
    ReplaceCell,
    Step,
)
from cellval.repairs.repair import Repair
from cellval.repairs.work import Work
from cellval.table.table import Table
from cellval.text import counted

# Findings whose answer is about a text, wherever it stands.
OF_TEXTS = ("code", "spelling", "format", "unit")
SIMILAR = 0.7  # of 1: a text that was changed once is a slip for one so alike
Place = tuple[int, str]  # position from 0, and column
Texts = dict[tuple[str, str], list[Place]]  # column and text, and cells that hold it


def recipe_of(table: Table, work: Work, *, reading: Reading | None = None) -> Recipe:
    """What was decided on a table, for the next file.

    Parameters
    ----------
    table : Table
        Before the repairs.
    work : Work
        Its decisions, repairs, rules, and (from its steps) which questions they answer.
    reading : Reading, optional
        How the file was read; if not given, its label and id column.
    """
    if reading is None:
        label, own = table.label, table.id_column or ""
        reading = Reading(label=label, has_label=bool(label), id_column=own)
    return _Making(table, work).recipe(reading)


class _Making:
    def __init__(self, table: Table, work: Work) -> None:
        self.table, self.work, self.rows = table, work, Rows(table)
        self._held: dict[str, dict[str, list[int]]] = {}
        places = {number: i for i, number in enumerate(table.row_numbers.tolist())}
        repairs = {(places[row], name): r for (row, name), r in work.repairs.items()}
        self.dropped = {i: r for (i, _), r in repairs.items() if r.action == "drop"}
        self.repairs = {
            (i, name): new
            for (i, name), new in repairs.items()
            if i not in self.dropped and self.rows.texts(name)[i] != new.text
        }
        decided = work.decisions.items()
        self.fine = {
            (places[row], name): None
            for (row, name), decision in decided
            if decision == "fine"
            and places[row] not in self.dropped
            and (row, name) not in work.repairs
        }
        self.kinds: dict[Place, str] = {}
        for step in work.steps[: work.n_done]:
            for row, name in step.cells:
                self.kinds[places[row], name] = step.kind

    def recipe(self, reading: Reading) -> Recipe:
        by_text = self._texts_changed()
        replaced = {cell for cells in by_text.values() for cell in cells}
        rules, ruled = self._rules(replaced)
        steps: list[Step] = self._replacements(by_text)
        for (i, name), new in self.repairs.items():
            if (i, name) in replaced or (i, name) in ruled:
                continue
            before, row = self.rows.texts(name)[i], self.rows.name(i, name)
            steps.append(ReplaceCell(row, name, before, new.text, new.reason))
        for i, new in self.dropped.items():
            steps.append(DropRow(self.rows.name(i, ""), new.reason))
        steps += [*self._called_fine(), *rules]
        names = tuple(map(str, self.table.cells.columns))
        return Recipe(
            tuple(steps), self.table.name, names, reading, tuple(self._notes())
        )

    def _notes(self) -> Iterable[str]:
        for decision, words in (("error", "wrong"), ("unsure", "unsure")):
            n = sum(
                said == decision and cell not in self.work.repairs
                for cell, said in self.work.decisions.items()
            )
            if n:
                are, them = ("is", "it") if n == 1 else ("are", "them")
                yield (
                    f"{counted(n, 'cell')} marked as {words} without a repair {are} "
                    f"not in this recipe: it would not know what to do with {them}."
                )

    # --- by text ----------------------------------------------------------------------

    def _texts_changed(self) -> Texts:
        """Columns and texts whose cells were all changed alike, with these cells."""
        found: Texts = defaultdict(list)
        for i, name in self.repairs:
            found[name, self.rows.texts(name)[i]].append((i, name))
        return {
            (name, text): cells
            for (name, text), cells in found.items()
            if self._is_by_text(name, text, cells)
        }

    def _is_by_text(self, name: str, text: str, cells: list[Place]) -> bool:
        after = {self.repairs[cell].text for cell in cells}
        alike = [i for i in self._holding(name, text) if i not in self.dropped]
        own = {i for i, _ in cells}
        if len(after) > 1 or any(i not in own for i in alike):
            return False
        if len(cells) > 1 or self.kinds.get(cells[0]) in OF_TEXTS:
            return True
        (new,) = after
        is_slip = difflib.SequenceMatcher(None, text, new).ratio() >= SIMILAR
        return is_slip and self._is_word(text) and bool(self._holding(name, new))

    def _holding(self, name: str, text: str) -> list[int]:
        """Positions that a recipe's step on this text would touch."""
        if name not in self._held:
            exact: dict[str, list[int]] = defaultdict(list)
            for i, held in enumerate(self.rows.texts(name)):
                for one in {held, held.strip()}:
                    exact[one].append(i)
            self._held[name] = exact
        return self._held[name].get(text, [])

    @staticmethod
    def _is_word(text: str) -> bool:
        """Not a number or a date: another row may hold the same, and be right."""
        return sum(c.isalpha() for c in text) > sum(c.isdigit() for c in text)

    def _replacements(self, by_text: Texts) -> list[Step]:
        """One step for each column and reason."""
        found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for (name, text), cells in by_text.items():
            new = self.repairs[cells[0]]
            found[name, new.reason][text] = new.text
        return [
            Replace(name, tuple(texts.items()), why)
            for (name, why), texts in found.items()
        ]

    def _called_fine(self) -> list[Fine]:
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for i, name in self.fine:
            found[name, self.rows.texts(name)[i]].append(i)
        whole: dict[str, list[str]] = defaultdict(list)
        steps = []
        for (name, text), rows in found.items():
            alike = {i for i in self._holding(name, text) if i not in self.dropped}
            about_text = self.kinds.get((rows[0], name)) in OF_TEXTS
            if alike <= set(rows) and (len(rows) > 1 or about_text):
                whole[name].append(text)
            else:
                steps += [Fine(name, (text,), self.rows.name(i, name)) for i in rows]
        return [*(Fine(name, tuple(texts)) for name, texts in whole.items()), *steps]

    # --- rules ------------------------------------------------------------------------

    def _rules(self, replaced: set[Place]) -> tuple[list[Step], set[Place]]:
        """Rules, and the cells that they repair by themselves."""
        steps: list[Step] = []
        ruled: set[Place] = set()
        for key, verdict in self.work.rules.items():
            rule = rule_of(verdict.finding)
            title = str(verdict.finding.get("title", ""))
            if rule is None:
                steps.append(Answer(key, verdict.answer, title))
                continue
            title = "" if title == rule.words else title
            if verdict.answer == "refused":
                steps.append(replace(rule, refused=True, why=title))
                continue
            if misfit(rule, self.table):
                continue
            known = known_lines(rule, self._texts(self.repairs))
            rule = replace(rule, known=known, why=title)
            if rule.kind != "settles":
                steps.append(rule)
                continue
            # As it is when rules come: all else is done.
            others = {
                cell: new
                for cell, new in self.repairs.items()
                if cell in replaced or cell[1] != rule.target
            }
            cells = {
                (cell.position, rule.target): cell.says
                for cell in breaks(rule, self.table, self._texts(others))
                if cell.is_alone
                and cell.position not in self.dropped
                and (cell.position, rule.target) not in self.fine
            }
            new = {cell: self.repairs.get(cell) for cell in cells}
            if cells and all(
                made is not None and made.text == cells[cell]
                for cell, made in new.items()
            ):
                rule = replace(rule, repair=True)
                ruled |= set(cells)
            steps.append(rule)
        return steps, ruled

    def _texts(self, repairs: Mapping[Place, Repair]) -> dict[str, list[str]]:
        texts = {str(name): list(self.rows.texts(name)) for name in self.table.cells}
        for (i, name), new in repairs.items():
            texts[name][i] = new.text
        return texts
