"""`Finding`: one question to a person about cells that share what is odd about them."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cellval.detect.rule import LONGEST, Rule
from cellval.table.table import Table
from cellval.text import content, counted, short_name

FLAGGED = 0.5  # a finding that is at least so sure has its cells flagged
# What findings may be about, and the word that pages and files have for each.
KINDS = {
    "cell": "Odd cell",
    "code": "Code for missing",
    "spelling": "Spelling",
    "format": "Format",
    "unit": "Unit",
    "rule": "Broken rule",
    "swap": "Swapped columns",
    "shift": "Shifted rows",
    "duplicate": "Near-duplicate rows",
    "key": "Repeated key",
    "blank": "Blank cells",
    "label": "Doubtful label",
}
EXAMPLES = 3  # of before and after, in a sentence


@dataclass(frozen=True, eq=False)
class Finding:
    """Cells that share what is odd about them, and what to do with all of them.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    column : str
        That it is about; of a rule the one that is settled, empty for whole rows.
    key : str
        Tells it from all others, in the next file, too: it is made of what the cells
        hold, not of where they are.
    rows : ndarray of int64
        Position of each of its cells, from 0.
    columns : ndarray of str
        Column of each of its cells: any of the file, features or not.
    after : ndarray of object
        What each cell should hold: a text, "" to blank it, None where nobody knows.
    sure : float
        0 to 1: the share of its cells that are expected to be wrong.
    title : str
        What it is about, in a few words.
    evidence : str
        Why it is asked, in a sentence.
    why : ndarray of object, or None
        A sentence on each cell, where they differ.
    rule : Rule, or None
        That its cells break.
    is_open : bool
        Other cells of their rows may break the rule as well: who calls these fine does
        not refuse it.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> first = cellval.findings(table)[0]
    >>> first.kind, first.cells, first.is_flagged
    ('swap', [(11, 'weight'), (11, 'height')], True)
    >>> first.before(table), first.after.tolist()
    (['166', '57'], ['57', '166'])
    """

    kind: str
    column: str
    key: str
    rows: np.ndarray
    columns: np.ndarray
    after: np.ndarray
    sure: float
    title: str
    evidence: str
    why: np.ndarray | None = None
    rule: Rule | None = None
    is_open: bool = False

    @property
    def n_cells(self) -> int:
        return len(self.rows)

    @property
    def cells(self) -> list[tuple[int, str]]:
        """Position and column of each."""
        return list(zip(self.rows.tolist(), self.columns.tolist(), strict=True))

    @property
    def is_flagged(self) -> bool:
        return self.sure >= FLAGGED

    @property
    def expected_errors(self) -> float:
        return self.sure * self.n_cells

    @property
    def has_action(self) -> bool:
        """Is there something to write into at least one of its cells?"""
        return any(text is not None for text in self.after)

    def reason(self, k: int) -> str:
        """Why its k-th cell is asked about."""
        return self.evidence if self.why is None else str(self.why[k])

    def part(self, which: np.ndarray) -> "Finding":
        """The same about some of its cells."""
        return replace(
            self,
            rows=self.rows[which],
            columns=self.columns[which],
            after=self.after[which],
            why=None if self.why is None else self.why[which],
        )

    def before(self, table: Table) -> list[str]:
        """What its cells hold."""
        texts = np.empty(self.n_cells, object)
        for name in dict.fromkeys(self.columns.tolist()):
            own = self.columns == name
            texts[own] = table.cells[name].iloc[self.rows[own]].tolist()
        return list(texts)

    def action(self, table: Table, examples: int = EXAMPLES) -> str:
        """What is proposed, with some examples of before and after."""
        known = [k for k, text in enumerate(self.after) if text is not None]
        if not known:
            return ""
        texts = self.before(table)
        pairs = dict.fromkeys((texts[k], self.after[k]) for k in known)
        shown = [
            f"{_shown(old, new)} → {_part(new, old)}"
            for old, new in [*pairs][:examples]
        ]
        more = len(pairs) - len(shown)
        return "; ".join(shown) + (f"; and {more:,} more" if more > 0 else "")


def _shown(old: str, new: str) -> str:
    """A text before a change; if that is about blanks around it, these can be seen."""
    if old.strip() == new.strip() and old != new:
        lead, tail = len(old) - len(old.lstrip()), len(old) - len(old.rstrip())
        return f"{'␣' * lead}{content(old, 30)}{'␣' * tail}"
    return _part(old, new)


def _part(text: str, other: str) -> str:
    """A long text from shortly before it differs from another one."""
    if max(len(text), len(other)) <= 30:
        return content(text, 30)
    same = 0
    while same < min(len(text), len(other)) and text[same] == other[same]:
        same += 1
    start = max(0, same - 10) if same > 15 else 0
    return ("…" if start else "") + content(text[start:], 30)


def finding(
    table: Table,
    kind: str,
    column: str,
    rows: Iterable[int],
    after: Sequence[str | None] | None = None,
    *,
    about: Sequence[str],
    sure: float,
    title: str,
    evidence: str,
    columns: Sequence[str] | None = None,
    why: Sequence[str] | None = None,
    rule: Rule | None = None,
    is_open: bool = False,
) -> Finding:
    """A finding about cells of one column (or of `columns`, one for each).

    `about` is what makes it the same finding in another file: a text, a pattern, the
    columns of a rule.
    """
    places = np.array([*rows], np.int64)
    names = np.full(places.size, column, object)
    if columns is not None:
        names[:] = columns
    texts = np.full(places.size, None, object)
    if after is not None:
        texts[:] = after
    reasons = None
    if why is not None:
        reasons = np.empty(places.size, object)
        reasons[:] = why
    key = key_of(kind, column, *about)
    told = (sure, title, evidence, reasons, rule, is_open)
    return Finding(kind, column, key, places, names, texts, *told)


def key_of(*parts: str) -> str:
    """Short, and the same for the same parts."""
    whole = "\x1f".join(part.replace("\x1f", "\x1f\x1f") for part in parts)
    return f"{parts[0]}-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def row_name(table: Table, position: int) -> str:
    """What tells a row from others in the next file: its id, or else all it holds."""
    if table.id_column is not None:
        return str(table.ids[position])
    return "\x1e".join(table.cells.iloc[position].tolist())


def in_cells(n: int) -> str:
    return f"in {counted(int(n), 'cell')}"


def column_name(name: str) -> str:
    """As titles and sentences have it."""
    return short_name(name, LONGEST)
