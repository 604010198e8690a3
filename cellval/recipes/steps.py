"""What a recipe may hold: how a file is read, and one noun for each kind of step."""

from dataclasses import dataclass
from typing import Any

from cellval.detect.rule import Rule
from cellval.recipes.rows import RowName
from cellval.table.labels import GUESS
from cellval.text import brief, content, joined

EXAMPLES = 3  # texts that are named in a sentence


@dataclass(frozen=True)
class Reading:
    """What a person chose about sheet, label and columns; what is empty is guessed."""

    label: str = ""
    has_label: bool = True
    id_column: str = ""
    exclude: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    sheet: str = ""  # of a workbook
    header_row: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that it names."""
        names = (self.label, self.id_column, *self.exclude, *dict(self.kinds))
        return tuple(dict.fromkeys(filter(None, names)))

    def options(self, columns: Any) -> dict[str, Any]:
        """Options of `cellval.read` for a file with these columns."""
        names = set(columns)
        label: Any = self.label if self.label in names else GUESS
        return {
            "label": label if self.has_label else None,
            "id_column": self.id_column if self.id_column in names else None,
            "exclude": tuple(name for name in self.exclude if name in names),
            "kinds": {name: kind for name, kind in self.kinds if name in names},
            **self.place,
        }

    @property
    def place(self) -> dict[str, Any]:
        """Of a workbook, where in it the table is."""
        return {"sheet": self.sheet or None, "header_row": self.header_row or None}


@dataclass(frozen=True)
class Replace:
    """In a column, whatever cell holds one of these texts gets another."""

    column: str
    texts: tuple[tuple[str, str], ...]  # before and after; "" blanks the cell
    why: str = ""

    @property
    def words(self) -> str:
        pairs = [f"{content(a, 30)} → {content(b, 30)}" for a, b in self.texts]
        return f"{brief(self.column)}: {joined(pairs, EXAMPLES)}"


@dataclass(frozen=True)
class ReplaceCell:
    """One cell gets another text; "" blanks it."""

    row: RowName
    column: str
    before: str
    after: str
    why: str = ""

    @property
    def words(self) -> str:
        change = f"{content(self.before, 30)} → {content(self.after, 30)}"
        return f"{brief(self.column)} of {self.row.words}: {change}"


@dataclass(frozen=True)
class DropRow:
    """A row is left out."""

    row: RowName
    why: str = ""

    @property
    def words(self) -> str:
        return f"{self.row.words} is dropped"


@dataclass(frozen=True)
class Fine:
    """Texts of a column that are right, odd or not; with a row, its cell alone."""

    column: str
    texts: tuple[str, ...]
    row: RowName | None = None
    why: str = ""

    @property
    def words(self) -> str:
        texts = joined([content(text, 30) for text in self.texts], EXAMPLES)
        where = f" of {self.row.words}" if self.row else ""
        return f"{brief(self.column)}{where}: {texts} is fine"


@dataclass(frozen=True)
class Answer:
    """A question that was answered as a whole, by its key: it is not asked again."""

    key: str
    answer: str  # one of ANSWERS
    title: str = ""
    why: str = ""

    @property
    def words(self) -> str:
        return f"{brief(self.title or self.key, 80)}: {self.answer}"


ANSWERS = ("accepted", "refused")
Step = Replace | ReplaceCell | DropRow | Fine | Rule | Answer
