"""A file as it came, and how it is read."""

import hashlib
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from cellval.recipes.steps import Reading
from cellval.table.labels import GUESS
from cellval.table.table import Table, read


@dataclass(frozen=True)
class Source:
    """A file as it came: its name, its bytes and their SHA-256."""

    name: str
    raw: bytes = field(repr=False, compare=False)
    sha256: str

    @classmethod
    def of(cls, name: str, raw: bytes) -> "Source":
        return cls(name, raw, hashlib.sha256(raw).hexdigest())

    def buffer(self) -> BytesIO:
        """To be read, with the name that messages say."""
        buffer = BytesIO(self.raw)
        buffer.name = self.name
        return buffer


@dataclass(frozen=True)
class Setup:
    """What a person chose about sheet, label and columns; what is None is guessed."""

    label: str | None = None
    id_column: str | None = None
    exclude: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    sheet: str | None = None  # of a workbook
    header_row: int | None = None
    has_label: bool = True

    def read(self, source: Source) -> Table:
        """The file as a table, or InputError."""
        label = (self.label or GUESS) if self.has_label else None
        how: dict[str, Any] = vars(self) | {"label": label, "kinds": dict(self.kinds)}
        del how["has_label"]
        return read(source.buffer(), **how)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> "Setup":
        """What `vars` gave, after JSON made lists of tuples."""
        kinds = tuple((str(name), str(kind)) for name, kind in saved["kinds"])
        exclude = tuple(map(str, saved["exclude"]))
        where = (saved.get("sheet"), saved.get("header_row"))  # new in 0.2
        has_label = bool(saved.get("has_label", True))
        how = (saved["id_column"], exclude, kinds, *where, has_label)
        return cls(saved["label"], *how)


def reading_of(setup: Setup) -> Reading:
    """How a file is read, as a recipe tells it."""
    return Reading(
        setup.label or "",
        setup.has_label,
        setup.id_column or "",
        setup.exclude,
        setup.kinds,
        setup.sheet or "",
        setup.header_row or 0,
    )
