"""The list of findings: which questions a person wants to see, and what they say."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from cellval.detect.finding import FLAGGED, KINDS, Finding
from cellval.detect.learning import Decisions, Taught, cells_of
from cellval.glossary import DECIDED
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import brief, content, counted

LISTED = 1  # example of before and after in a line; the panel has more
LINES = 100  # of the list that are sent to the browser at once
MOST_CELLS = 50  # of a finding that are shown
LONGEST = 80  # characters of a cell
ORDERS = {"errors": "most errors first", "teaching": "what would teach most"}
STATES = {"open": "open", "answered": "answered"}
# How sure a finding is in words: at least so much, from the top.
SURE_WORDS = {0.9: "very likely", FLAGGED: "likely", 0.2: "perhaps", 0.0: "hardly"}

Place = tuple[str, int]  # of a finding: its key, and the position of its first row
NO_ROW = -1  # of a finding that is known by its key alone, as a link has it


class Asked(NamedTuple):
    """Which findings a person wants to see; what is empty leaves nothing out."""

    state: str = "open"  # key of STATES
    by: str = "errors"  # key of ORDERS
    kinds: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # that it has a cell in
    classes: tuple[str, ...] = ()  # that a row of its cells has
    search: str = ""  # words that are all in its title, evidence or cells


def place_of(one: Finding) -> Place:
    """Tells it from others that hold the same, as odd cells of twin rows do."""
    return one.key, int(one.rows[0])


def listed_findings(
    table: Table, taught: Taught, asked: Asked, later: Collection[Place] = ()
) -> list[Finding]:
    """Those that pass all filters; what a person left for later comes last."""
    found: Sequence[Finding] = taught.answered
    if asked.state == "open":
        found = taught.teaching if asked.by == "teaching" else taught.findings
    fits = [one for one in found if not asked.kinds or one.kind in asked.kinds]
    if asked.columns:
        names = set(asked.columns)
        fits = [one for one in fits if not names.isdisjoint(columns_of(one))]
    if asked.classes:
        in_class = np.isin(np.array(table.groups, object), asked.classes)
        fits = [one for one in fits if in_class[one.rows].any()]
    if asked.search.strip():
        fits = _holds(table, fits, asked.search.casefold().split())
    if asked.state != "open" or not later:
        return fits
    last = {place: n for n, place in enumerate(later, 1)}
    return sorted(fits, key=lambda one: last.get(place_of(one), 0))


def columns_of(one: Finding) -> list[str]:
    """Those that it has cells in, in their order."""
    if one.n_cells == 1:
        return [one.columns[0]]
    return [*dict.fromkeys(one.columns.tolist())]


def _holds(table: Table, found: Iterable[Finding], words: list[str]) -> list[Finding]:
    """Those with all words in what is said of them or stands in their cells."""
    known, cells = _known(table), dict[str, np.ndarray]()
    fits = []
    for one in found:
        place = place_of(one)
        if place not in known:
            known[place] = _text(table, one, cells)
        if all(word in known[place] for word in words):
            fits.append(one)
    return fits


@kept(1)
def _known(table: Table) -> dict[Place, str]:
    """Texts of findings, each made once: a search goes through all of them."""
    return {}


def _text(table: Table, one: Finding, cells: dict[str, np.ndarray]) -> str:
    names = columns_of(one)
    held = {text for text in one.after if text}
    for name in names:
        if name not in cells:
            cells[name] = table.cells[name].to_numpy(object)
        held.update(cells[name][one.rows[one.columns == name]])
    return "\n".join([one.title, one.evidence, *names, *held]).casefold()


def kinds_of(found: Iterable[Finding]) -> dict[str, str]:
    """Kinds among them with their words and how many there are of each."""
    counts = dict.fromkeys(KINDS, 0)
    for one in found:
        counts[one.kind] += 1
    return {kind: f"{KINDS[kind]} ({n:,})" for kind, n in counts.items() if n}


def found_columns(table: Table, found: Iterable[Finding]) -> list[str]:
    """Columns that findings have cells in, in the order of the file."""
    names = {name for one in found for name in columns_of(one)}
    return [str(name) for name in table.cells if name in names]


def sure_words(sure: float) -> str:
    return next(words for least, words in SURE_WORDS.items() if sure >= least)


def lines(table: Table, found: Sequence[Finding], decisions: Decisions) -> pd.DataFrame:
    """A line for each of these findings; give it those of one page."""
    frame = {
        "kind": [KINDS[one.kind] for one in found],
        "column": [", ".join(columns_of(one)) for one in found],
        "title": [one.title for one in found],
        "n_cells": [one.n_cells for one in found],
        "how_sure": [sure_words(one.sure) for one in found],
        "action": [one.action(table, LISTED) for one in found],
        "answer": [answer_words(table, one, decisions) for one in found],
        "sure": [one.sure for one in found],
        "expected_errors": [one.expected_errors for one in found],
    }
    return pd.DataFrame(frame)


def answer_words(table: Table, one: Finding, decisions: Decisions) -> str:
    """What was decided on its cells: 3 wrong, 1 fine; empty if nothing was."""
    said = [decisions.get(cell) for cell in cells_of(table, one)]
    counts = {word: said.count(name) for name, word in DECIDED.items()}
    return ", ".join(f"{n:,} {word}" for word, n in counts.items() if n)


def n_likely(taught: Taught) -> int:
    """Open questions about likely errors."""
    return sum(one.is_flagged for one in taught.findings)


def progress(taught: Taught) -> str:
    """How far a person is, as a sentence."""
    done, likely, n = len(taught.answered), n_likely(taught), len(taught.findings)
    words = f"{counted(done, 'question')} answered, "
    words += f"{counted(taught.n_decided, 'cell')} settled; "
    if not n:
        return f"{words}none is open."
    about = "is about a likely error" if likely == 1 else "are about likely errors"
    if not likely:
        return f"{words}{n:,} open, none about a likely error."
    return f"{words}{n:,} open, of which {likely:,} {about}."


def cell_lines(
    table: Table, one: Finding, which: np.ndarray, decisions: Decisions
) -> pd.DataFrame:
    """The first of its cells, before and after, a line each.

    Columns: position, row_number, id, column, before, after, decision, why.
    """
    part = one.part(which[:MOST_CELLS])
    cells = cells_of(table, part)
    said = [decisions.get(cell) for cell in cells]
    frame = {
        "position": part.rows,
        "row_number": [row for row, _ in cells],
        "id": [brief(table.ids[i], LONGEST) for i in part.rows],
        "column": part.columns,
        "before": [content(text, LONGEST) for text in part.before(table)],
        "after": ["" if new is None else content(new, LONGEST) for new in part.after],
        "decision": ["" if name is None else DECIDED[name] for name in said],
        "why": [part.reason(k) for k in range(part.n_cells)],
    }
    return pd.DataFrame(frame)


def opened(
    taught: Taught, found: Sequence[Finding], place: Place | None
) -> Finding | None:
    """The chosen one, if it is still there; else the first of the list."""
    every = (*taught.findings, *taught.answered)
    chosen = at_place(found, place) or at_place(every, place)
    return chosen or next(iter(found), None)


def at_place(found: Iterable[Finding], place: Place | None) -> Finding | None:
    """The finding there; else one with the same key, of which cells were decided on."""
    if place is None:
        return None
    same = [one for one in found if one.key == place[0]]
    exact = [one for one in same if place_of(one) == place]
    return next(iter(exact or same), None)
