"""A file as it came, and how it is read."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

from cellval.recipes.steps import Reading
from cellval.table.labels import GUESS, NoLabel
from cellval.table.table import Table, read
from cellval.text import brief, joined

# Options of which there is one, and what stands before the name of a column for others.
OPTIONS = {
    "label": "label",
    "id_column": "id",
    "sheet": "sheet",
    "header_row": "header row",
}
LEFT_OUT, KIND = "without ", "kind of "
# In a name of a file: they would show its end in its middle, or steer a terminal.
STEERS = re.compile("[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Source:
    """A file as it came: its name, its bytes and their SHA-256."""

    name: str
    raw: bytes = field(repr=False, compare=False)
    sha256: str

    @classmethod
    def of(cls, name: str, raw: bytes) -> "Source":
        return cls(STEERS.sub("", name), raw, hashlib.sha256(raw).hexdigest())

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

    def __post_init__(self) -> None:
        """Projects and recipes come from anywhere."""
        texts = (self.label, self.id_column, self.sheet, *self.exclude)
        told = (*texts, *(text for pair in self.kinds for text in pair))
        if not all(text is None or isinstance(text, str) for text in told):
            raise ValueError("how a file is read must be told in texts")
        if not isinstance(self.header_row, int | None):
            raise ValueError("the header row must be a number")

    def read(self, source: Source) -> Table:
        """The file as a table, or InputError."""
        label = (self.label or GUESS) if self.has_label else None
        how: dict[str, Any] = vars(self) | {"label": label, "kinds": dict(self.kinds)}
        del how["has_label"]
        return read(source.buffer(), **how)

    def found(self, source: Source) -> tuple["Setup", Table]:
        """How a new file is read, and its table: without a label where no column can
        be one.
        """
        try:
            return self, self.read(source)
        except NoLabel:
            unlabelled = replace(self, has_label=False)
            return unlabelled, unlabelled.read(source)

    @property
    def told(self) -> dict[str, Any]:
        """Each option by itself, as a history has it; what is guessed is not in it."""
        told = {name: getattr(self, name) for name in OPTIONS}
        told["has_label"] = None if self.has_label else False
        told |= {f"{LEFT_OUT}{name}": True for name in self.exclude}
        told |= {f"{KIND}{name}": kind for name, kind in self.kinds}
        return {name: said for name, said in told.items() if said is not None}

    @classmethod
    def from_told(cls, told: Mapping[str, Any]) -> "Setup":
        """What `told` gave."""

        def those(sign: str) -> list[tuple[str, Any]]:
            own = [name for name in told if name.startswith(sign)]
            return [(name.removeprefix(sign), told[name]) for name in own]

        return cls(
            **{name: told.get(name) for name in OPTIONS},
            has_label=told.get("has_label", True),
            exclude=tuple(name for name, _ in those(LEFT_OUT)),
            kinds=tuple(those(KIND)),
        )

    def words_after(self, old: "Setup") -> str:
        """What is read otherwise than before, such as: read with the label 'sex'."""
        now, then = self.told, old.told
        changed = [name for name in {**now, **then} if now.get(name) != then.get(name)]
        if {"label", "has_label"} <= {*changed}:
            changed.remove("has_label")
        return f"Read with {joined(_option_words(n, now.get(n)) for n in changed)}"

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> "Setup":
        """What `vars` gave, after JSON made lists of tuples."""
        kinds = tuple((str(name), str(kind)) for name, kind in saved["kinds"])
        exclude = tuple(map(str, saved["exclude"]))
        where = (saved.get("sheet"), saved.get("header_row"))  # new in 0.2
        has_label = bool(saved.get("has_label", True))
        how = (saved["id_column"], exclude, kinds, *where, has_label)
        return cls(saved["label"], *how)


def _option_words(name: str, said: Any) -> str:
    """An option after its change; None: it is guessed again."""
    if name == "has_label":
        return "no label" if said is False else "a label"
    if name.startswith(LEFT_OUT):
        column = brief(name.removeprefix(LEFT_OUT), 30)
        return f"{column} left out" if said else f"{column} used"
    if name.startswith(KIND):
        column = brief(name.removeprefix(KIND), 30)
        return f"{column} as {said}" if said else f"{column} as it seems"
    word = OPTIONS[name]
    return (
        f"the {word} {brief(str(said), 30)}"
        if said is not None
        else f"the usual {word}"
    )


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
