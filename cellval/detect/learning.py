"""What a person's decisions say about the questions that are left.

A small logistic model whose prior is the ranking without decisions: each finding has
the log-odds of how sure it is, and decisions on others of its kind, in its column, or
with the same pattern move them. Without decisions nothing moves, and what is taken back
is as if it had never been said: everything follows from the decisions that stand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from cellval.detect.finding import FLAGGED, KINDS, Finding, column_name
from cellval.detect.findings import all_findings, in_order, sure_of_cells
from cellval.detect.grouped import grouped
from cellval.detect.suspicion import SURPRISING, Suspicion
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.table import Table
from cellval.text import brief, counted

# Row number from 1 and column: error, fine or unsure.
Decisions = Mapping[tuple[int, str], str]

# Standard deviations, in log-odds, of what a kind, a column and a pattern may differ.
SPREAD = {"kind": 0.7, "column": 1.0, "pattern": 1.5}
STEPS = 12  # of Newton's method, which is at its end by then
MOST_WORSE = 1.0  # log-odds by which answers make all cells of a column more suspect
SUREST = 0.99  # no finding counts as settled before it was asked
ODD_CELLS = ("cell", "swap")  # kinds that only suspicion speaks of
DECIDED = {"error": 0.0, "fine": 1.0}  # the suspicion of cells that were decided
MOVED = 0.4  # log-odds from which on it is said


class Lesson(NamedTuple):
    """What decisions say about findings that share something."""

    shift: float  # of log-odds, above zero for "wrong"
    n_wrong: int  # cells that were called so
    n_fine: int
    words: str  # what is shared


@dataclass(frozen=True, eq=False)
class Taught:
    """Findings after some decisions.

    Attributes
    ----------
    findings : tuple of Finding
        Those that still have undecided cells, most expected errors first; their `sure`
        is what decisions made of it.
    answered : tuple of Finding
        Those whose cells are all decided.
    n_decided : int
        Cells that were decided and are in a finding.
    moved : mapping of key to str
        A sentence for each finding that decisions on others moved.
    suspicion : Suspicion
        Every cell, with what decisions say of it: those called fine are at the end.
    left : Suspicion
        What decisions say of the cells that are left; those called wrong or fine stay
        where they were, so that no list runs away from who goes through it.
    lessons : mapping
        What is known of kinds, columns and patterns.
    decisions : mapping
        That it was learned from.
    """

    findings: tuple[Finding, ...]
    answered: tuple[Finding, ...]
    n_decided: int
    moved: Mapping[str, str]
    suspicion: Suspicion
    left: Suspicion
    lessons: Mapping[tuple[str, ...], Lesson] = field(default_factory=dict)
    decisions: Decisions = field(default_factory=dict)

    def said_of(self, position: int, column: str) -> str:
        """A sentence about a cell that decisions on others moved; by its finding, or
        as an odd cell of its column."""
        table = self.suspicion.table
        cell = int(table.row_numbers[position]), column
        if self.decisions.get(cell) in DECIDED:
            return ""
        for one in self.findings:
            if ((one.rows == position) & (one.columns == column)).any():
                return self.moved.get(one.key, "")
        if not self.lessons or column not in table.feature_names:
            return ""
        text = table.cells[column].iat[position].strip()
        shared = _shared_by_cells("cell", column, _text_pattern(column, text))
        own = [self.lessons[name] for name in shared if name in self.lessons]
        return _sentence(own) if own else ""

    @property
    def teaching(self) -> tuple[Finding, ...]:
        """The open ones in another order: those whose answer would teach most first.

        What is doubtful and shares its kind and column with many others.
        """
        alike: dict[tuple[str, str], int] = {}
        for one in self.findings:
            place = one.kind, one.column
            alike[place] = alike.get(place, 0) + one.n_cells
        return tuple(
            sorted(
                self.findings,
                key=lambda one: (
                    -one.sure * (1 - one.sure) * np.log1p(alike[one.kind, one.column])
                ),
            )
        )


def taught(suspicion: Suspicion, decisions: Decisions) -> Taught:
    """The questions that are left, in the order that decisions give them."""
    found = all_findings(suspicion)
    known = _known(suspicion)  # also without decisions: the first one will not wait
    if not decisions:
        return Taught(found, (), 0, {}, suspicion, suspicion)
    counts = _counts(known, decisions)
    lessons = _lessons(found, known.shared, counts)
    left = _moved_scores(suspicion, known, lessons, decisions)
    now = _decided_scores(left, decisions)
    sure_of = sure_of_cells(now)
    open_: list[Finding] = []
    answered: list[Finding] = []
    moved: dict[str, str] = {}
    for at, one in enumerate(found):
        if at in counts and counts[at].n_decided == one.n_cells:
            answered.append(one)
            continue
        own = [lessons[name] for name in known.shared[at] if name in lessons]
        place = known.places[at]
        if place is not None:
            sure = sure_of(place)
        elif not own:
            sure = one.sure
        else:
            sure = _sigmoid(_logit(one.sure) + sum(lesson.shift for lesson in own))
        if own and (sentence := _sentence(own)):
            moved[one.key] = sentence
        open_.append(replace(one, sure=sure))
    n = sum(cell in known.at for cell in decisions)
    told = (n, moved, now, left, lessons, dict(decisions))
    return Taught(in_order(open_), tuple(answered), *told)


def cells_of(table: Table, one: Finding) -> list[tuple[int, str]]:
    """Its cells as decisions name them: row number and column."""
    numbers = table.row_numbers[one.rows].tolist()
    return list(zip(numbers, one.columns.tolist(), strict=True))


class _Known(NamedTuple):
    """What is asked of findings after every decision, found once."""

    at: Mapping[tuple[int, str], Sequence[int]]  # findings that have a cell
    shared: Sequence[Mapping[tuple[str, ...], str]]  # what each shares with others
    # Position of the first cell of those that only its suspicion speaks of.
    places: Sequence[tuple[int, int] | None]


@kept(1)
def _known(suspicion: Suspicion) -> _Known:
    table, found = suspicion.table, all_findings(suspicion)
    at: dict[tuple[int, str], list[int]] = {}
    for k, one in enumerate(found):
        for cell in cells_of(table, one):
            at.setdefault(cell, []).append(k)
    columns = {name: j for j, name in enumerate(table.feature_names)}
    others = {one.key for one in grouped(table)}
    places = [
        (int(one.rows[0]), columns[one.columns[0]])
        if one.kind in ODD_CELLS and one.key not in others and one.columns[0] in columns
        else None
        for one in found
    ]
    return _Known(at, [_shared(table, one) for one in found], places)


class _Count(NamedTuple):
    n_wrong: int
    n_fine: int
    n_decided: int  # with those that a person is not sure about


def _counts(known: _Known, decisions: Decisions) -> dict[int, _Count]:
    """Of the findings that have decided cells."""
    counts: dict[int, list[int]] = {}
    for cell, decision in decisions.items():
        for k in known.at.get(cell, ()):
            count = counts.setdefault(k, [0, 0, 0])
            count[0] += decision == "error"
            count[1] += decision == "fine"
            count[2] += 1
    return {k: _Count(*counts[k]) for k in sorted(counts)}


# --- what is shared -------------------------------------------------------------------


def _shared(table: Table, one: Finding) -> dict[tuple[str, ...], str]:
    """What a finding shares with others, with the words for it."""
    return _shared_by_cells(one.kind, one.column, _pattern(table, one))


def _shared_by_cells(
    kind: str, column: str, pattern: str
) -> dict[tuple[str, ...], str]:
    """The same of cells that are asked about as this kind."""
    word, name = KINDS[kind].lower(), column_name(column)
    shared = {
        ("kind", kind): f"of the kind '{word}'",
        ("column", kind, column): f"of the kind '{word}' in {name}",
    }
    if pattern:
        words = f"with '{brief(pattern, 20)}'"
        if kind in ("spelling", "rule"):
            words = f"that have the letter '{pattern}' in place of another"
        shared["pattern", kind, pattern] = words
    return shared


def _text_pattern(column: str, text: str) -> str:
    """The same text may be fine in another column."""
    return f"{column_name(column)}: {text}"


def _pattern(table: Table, one: Finding) -> str:
    """What tells it from others of its kind."""
    old = table.cells[one.columns[0]].iat[int(one.rows[0])].strip()
    new = one.after[0]
    if one.kind in ODD_CELLS:
        return _text_pattern(one.column, old)
    if one.kind == "code":
        return str(old)
    if one.kind in ("spelling", "rule") and new and len(old) == len(new):
        letters = {a for a, b in zip(old, new, strict=True) if a != b}
        return letters.pop() if len(letters) == 1 else ""
    return ""


def _lessons(
    found: Sequence[Finding],
    shared: Sequence[Mapping[tuple[str, ...], str]],
    counts: Mapping[int, _Count],
) -> dict[tuple[str, ...], Lesson]:
    """From the findings that have decided cells: penalised logistic regression, with
    what was thought before as offset. An answer counts once, however many cells it has.
    """
    heard = [k for k, count in counts.items() if count.n_wrong + count.n_fine]
    names = list(dict.fromkeys(name for k in heard for name in shared[k]))
    if not names:
        return {}
    has = np.array([[name in shared[k] for name in names] for k in heard], float)
    prior = np.array([_logit(found[k].sure) for k in heard])
    n = np.array([counts[k][:2] for k in heard], float)
    wrong = n[:, 0] / n.sum(axis=1)
    penalty = np.diag([SPREAD[name[0]] ** -2 for name in names])
    shift = np.zeros(len(names))
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-(prior + has @ shift)))
        gradient = has.T @ (wrong - p) - penalty @ shift
        curvature = (has.T * (p * (1 - p))) @ has + penalty
        shift += np.linalg.solve(curvature, gradient)
    cells = (has.T @ n).astype(int).tolist()
    words = {name: text for k in heard for name, text in shared[k].items()}
    return {
        name: Lesson(float(shift[k]), cells[k][0], cells[k][1], words[name])
        for k, name in enumerate(names)
    }


def _sentence(own: Sequence[Lesson]) -> str:
    """Why it is more or less likely than it was."""
    total = sum(lesson.shift for lesson in own)
    if abs(total) < MOVED:
        return ""
    most = max(own, key=lambda lesson: np.sign(total) * lesson.shift)
    counts = {"wrong": most.n_wrong, "fine": most.n_fine}
    if not counts["wrong" if total > 0 else "fine"]:
        return ""
    first, *others = [word for word, n in counts.items() if n]
    also = "".join(f" and {counts[word]:,} {word}" for word in others)
    n = counted(counts[first], "cell")
    return f"You called {n} {most.words} {first}{also}."


# --- cells ----------------------------------------------------------------------------


def _moved_scores(
    suspicion: Suspicion,
    known: _Known,
    lessons: Mapping[tuple[str, ...], Lesson],
    decisions: Decisions,
) -> Suspicion:
    """The suspicion of the cells that are left; the very same if nothing moved."""
    table, found = suspicion.table, all_findings(suspicion)
    columns = {name: j for j, name in enumerate(table.feature_names)}
    scores = suspicion.scores.copy()
    shifts = {name: lesson.shift for name, lesson in lessons.items()}
    general = shifts.get(("kind", "cell"), 0.0)
    for name, j in columns.items():
        shift = general + shifts.get(("column", "cell", name), 0.0)
        if shift:
            _shift(scores[:, j], min(shift, MOST_WORSE))
    heard = {k for cell in decisions for k in known.at.get(cell, ())}
    like = {  # a cell for each text that was decided on
        name: known.places[k]
        for k in sorted(heard)
        for name in known.shared[k]
        if name[0] == "pattern" and name in shifts
    }
    for pattern, place in like.items():
        if place is not None:
            same = _holds_the_same(table.features[place[1]], place[0])
            shift = min(shifts[pattern], MOST_WORSE)
            scores[same, place[1]] = _shift(scores[same, place[1]], shift)
    for k, one in enumerate(found):
        own_shift = sum(shifts.get(name, 0.0) for name in known.shared[k])
        sure = _sigmoid(_logit(one.sure) + own_shift)
        if known.places[k] is not None or (sure >= FLAGGED) == one.is_flagged:
            continue
        new = 0.0 if sure >= FLAGGED else SURPRISING
        for i, name in one.cells:
            if name in columns:
                scores[i, columns[name]] = new
    for i, j, _ in _places(table, decisions):
        scores[i, j] = suspicion.scores[i, j]
    if np.array_equal(scores, suspicion.scores):
        return suspicion
    return replace(suspicion, scores=scores)


def _decided_scores(suspicion: Suspicion, decisions: Decisions) -> Suspicion:
    """Cells called wrong come first, those called fine last."""
    scores = suspicion.scores.copy()
    for i, j, decision in _places(suspicion.table, decisions):
        scores[i, j] = DECIDED[decision]
    return replace(suspicion, scores=scores)


def _places(table: Table, decisions: Decisions) -> list[tuple[int, int, str]]:
    """Position of row and column of the cells that were called wrong or fine."""
    columns = {name: j for j, name in enumerate(table.feature_names)}
    rows = np.isin(table.row_numbers, [row for row, _ in decisions])
    positions = {int(table.row_numbers[i]): i for i in np.flatnonzero(rows).tolist()}
    return [
        (positions[row], columns[name], decision)
        for (row, name), decision in decisions.items()
        if name in columns and row in positions and decision in DECIDED
    ]


def _shift(scores: np.ndarray, shift: float) -> np.ndarray:
    """In place: the odds of being wrong go as one to the share of cells as odd."""
    scores *= np.exp(-shift)
    return np.minimum(scores, 1.0, out=scores)


def _holds_the_same(column: Column, position: int) -> np.ndarray:
    held = column.numbers if column.numbers is not None else column.codes
    assert held is not None
    return np.flatnonzero(held == held[position])


def _logit(p: float) -> float:
    p = min(max(p, 1 - SUREST), SUREST)
    return float(np.log(p / (1 - p)))


def _sigmoid(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-x)))
