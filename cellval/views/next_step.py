"""Where a person stands after a run, and which click is best next."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cellval.detect.suspicion import Suspicion
from cellval.repairs.repair import Repairs
from cellval.table.table import Table
from cellval.text import brief, content, counted, every

Cell = tuple[int, str]  # row number from 1, and column
ANSWER = "Answer the questions"


class WorkDone(NamedTuple):
    """How far the work on one table is."""

    suspects: list[Cell]  # that the rule picks, the most suspicious first
    left: list[Cell]  # of them, not decided on
    n_open: int  # cells that a person calls wrong, suspects or not, and not repaired
    n_repairs: int
    is_measured: bool  # were models compared with these repairs?

    @property
    def n_decided(self) -> int:
        return len(self.suspects) - len(self.left)


class NextStep(NamedTuple):
    """What was found so far in a sentence, and the click that leads on."""

    words: str
    label: str  # of the button
    page: str


def work_done(
    suspicion: Suspicion,
    decisions: Mapping[Cell, str],
    repairs: Repairs,
    *,
    is_measured: bool,
) -> WorkDone:
    """Count what was decided and repaired of what was found."""
    table, m = suspicion.table, suspicion.scores.shape[1]
    suspects = [
        (int(table.row_numbers[at // m]), table.feature_names[at % m])
        for at in suspicion.order[: suspicion.n_flagged].tolist()
    ]
    left = [
        cell
        for cell in suspects
        if cell not in decisions and not _is_repaired(cell, repairs)
    ]
    n_open = len(not_repaired(table, decisions, repairs))
    return WorkDone(suspects, left, n_open, len(repairs), is_measured)


def not_repaired(
    table: Table, decisions: Mapping[Cell, str], repairs: Repairs
) -> list[Cell]:
    """Cells marked as wrong without a repair, in the order of the table.

    Not those of the label, whose content no suggestion is about.
    """
    place = {column.name: j for j, column in enumerate(table.columns)}
    wrong = [
        cell
        for cell, decision in decisions.items()
        if decision == "error" and not _is_repaired(cell, repairs) and cell[1] in place
    ]
    if not wrong:
        return []
    there = np.isin([row for row, _ in wrong], table.row_numbers).tolist()
    found = [cell for cell, is_there in zip(wrong, there, strict=True) if is_there]
    return sorted(found, key=lambda cell: (cell[0], place[cell[1]]))


def _is_repaired(cell: Cell, repairs: Repairs) -> bool:
    return cell in repairs or (cell[0], "") in repairs


def next_step(suspicion: Suspicion, now: WorkDone) -> NextStep:
    """From looking to deciding, repairing, measuring and exporting."""
    if now.left:
        return _look(suspicion, now, now.left[0])
    done = f"{every(len(now.suspects), 'suspect')} are decided on"
    if len(now.suspects) == 1:
        done = "The only suspect is decided on"
    if not now.suspects:
        done = "Nothing stands out in this table"
    if now.n_open:
        cells, are = (
            counted(now.n_open, "flagged cell"),
            "are" if now.n_open > 1 else "is",
        )
        return NextStep(f"{done}; {cells} {are} not repaired yet.", "Repair", "repair")
    can_measure = bool(suspicion.table.label)
    if now.n_repairs and can_measure and not now.is_measured:
        made = counted(now.n_repairs, "change")
        return NextStep(f"{done}, with {made}. Did it help?", "Measure it", "repair")
    if now.n_repairs:
        measured = ", and the changes are measured" * can_measure
        return NextStep(f"{done}{measured}.", "Export the file", "export")
    if not now.suspects and can_measure:
        words = f"{done}. Would errors have been found?"
        return NextStep(words, "Plant some and see", "validate")
    return NextStep(f"{done}; nothing is changed.", "Look further down", "inspect")


def _look(suspicion: Suspicion, now: WorkDone, cell: Cell) -> NextStep:
    row, column = cell
    text = suspicion.table.cells[column].iat[suspicion.table.position(row)]
    what = f"{brief(column, 30)} {content(str(text), 30)} in row {row:,}"
    n = len(now.suspects)
    if now.n_decided:
        return NextStep(
            f"{now.n_decided:,} of {n:,} suspects decided on. The next one: {what}.",
            ANSWER,
            "inspect",
        )
    found = f"{n:,} suspects were found, the first of them" if n > 1 else "1 suspect:"
    return NextStep(f"{found} {what}.", ANSWER, "inspect")
