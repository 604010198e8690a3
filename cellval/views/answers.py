"""What an answer to a finding does to its cells: decisions, and repairs with them."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cellval.detect.finding import Finding
from cellval.detect.learning import Decisions, cells_of
from cellval.repairs.repair import Repair, Repairs
from cellval.repairs.work import Cell, Work
from cellval.table.table import Table
from cellval.text import brief, counted
from cellval.views.kept_rules import answer_rule
from cellval.views.many_changes import change_to

LONGEST = 60  # characters of a title in a sentence
WHOLE_ROWS = ("swap", "shift")  # kinds of which half a row would be no repair


class Answer(NamedTuple):
    """What will be done, all at once."""

    words: str  # such as: 12 cells repaired: city, "Bostn"
    wrong: Mapping[Cell, Repair | None]  # None where nobody knows what to write
    fine: tuple[Cell, ...]
    about: Finding


def asked_cells(table: Table, one: Finding, decisions: Decisions) -> np.ndarray:
    """Which of its cells an answer is about, by their place in the finding.

    Those that are not decided on: what a person said of a cell by itself stays. All of
    them once all are decided, so that an answer can be given anew.
    """
    is_open = np.array([cell not in decisions for cell in cells_of(table, one)], bool)
    return np.flatnonzero(is_open) if is_open.any() else np.arange(one.n_cells)


def all_wrong(
    table: Table, one: Finding, decisions: Decisions, repairs: Repairs
) -> Answer:
    """All cells are wrong, and repaired where it is known how."""
    wrong = _wrong(table, one, asked_cells(table, one, decisions), repairs)
    return Answer(_words(one, wrong, 0), wrong, (), one)


def as_typed(table: Table, one: Finding, text: str) -> Answer:
    """All cells are wrong, and a person says what they should hold."""
    wrong = dict.fromkeys(cells_of(table, one), change_to(text, "Typed by hand."))
    return Answer(_words(one, wrong, 0), wrong, (), one)


def all_fine(table: Table, one: Finding, decisions: Decisions) -> Answer:
    part = one.part(asked_cells(table, one, decisions))
    fine = tuple(cells_of(table, part))
    return Answer(_words(one, {}, len(fine)), {}, fine, one)


def with_rows(one: Finding, asked: np.ndarray, some: Collection[int]) -> np.ndarray:
    """Which of the asked cells some places among them stand for: themselves, or all
    cells of their rows where only whole rows are repaired. Bool, one for each.
    """
    chosen = np.isin(np.arange(asked.size), [*some])
    if one.kind not in WHOLE_ROWS:
        return chosen
    rows = one.rows[asked]
    return np.isin(rows, rows[chosen])


def only_these(
    table: Table,
    one: Finding,
    decisions: Decisions,
    repairs: Repairs,
    ticked: Collection[int],
    shown: int | None = None,
) -> Answer:
    """Some cells are wrong, by their place among `asked_cells`; the others that were
    shown are fine, and those that were not shown are still open. See `with_rows`.
    """
    asked = asked_cells(table, one, decisions)
    is_wrong = with_rows(one, asked, ticked)
    is_fine = with_rows(one, asked, range(asked.size)[:shown]) & ~is_wrong
    wrong = _wrong(table, one, asked[is_wrong], repairs)
    fine = tuple(cells_of(table, one.part(asked[is_fine])))
    return Answer(_words(one, wrong, len(fine)), wrong, fine, one)


def give(work: Work, answer: Answer) -> None:
    """Done as one group, which one undo takes back.

    A rule is accepted or refused with it: who repairs its exceptions holds the rule to
    be true; who calls all of them fine does not, unless others may be wrong.
    """
    one, cells = answer.about, [*answer.wrong, *answer.fine]
    with work.together(answer.words, cells, kind=one.kind, finding=one.key):
        if one.rule is not None and (answer.wrong or not one.is_open):
            said = "accepted" if answer.wrong else "refused"
            answer_rule(work, one.key, said, one.rule)
        for cell, new in answer.wrong.items():
            if new is None:
                work.decide(*cell, "error")
            else:
                work.repair(*cell, new)
        for cell in answer.fine:
            work.undo(cell)
            work.decide(*cell, "fine")


def finding_with(
    table: Table, found: Iterable[Finding], cells: Iterable[Cell]
) -> Finding | None:
    """The first that has all these cells: it is the one that they were decided by."""
    wanted = set(cells)
    row, name = next(iter(wanted), (0, ""))
    if row not in table.row_numbers or not name:
        return None
    first = table.position(row)
    for one in found:
        has_first = ((one.rows == first) & (one.columns == name)).any()
        if has_first and wanted <= {*cells_of(table, one)}:
            return one
    return None


def _wrong(
    table: Table, one: Finding, which: np.ndarray, repairs: Repairs
) -> dict[Cell, Repair | None]:
    part = one.part(which)
    wrong: dict[Cell, Repair | None] = {}
    lines = zip(cells_of(table, part), part.before(table), part.after, strict=True)
    for k, (cell, old, new) in enumerate(lines):
        stays = new is None or new == old or (cell[0], "") in repairs
        wrong[cell] = None if stays else change_to(new, part.reason(k))
    return wrong


def _words(one: Finding, wrong: Mapping[Cell, Repair | None], n_fine: int) -> str:
    n_repaired = sum(new is not None for new in wrong.values())
    parts = {
        "repaired": n_repaired,
        "marked as wrong": len(wrong) - n_repaired,
        "marked as fine": n_fine,
    }
    said = [f"{counted(n, 'cell')} {done}" for done, n in parts.items() if n]
    return f"{', '.join(said)}: {brief(one.title, LONGEST)}"
