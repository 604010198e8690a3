"""Rows by what they hold: how a recipe names a row, and finds it in the next file."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from cellval.table.table import Table
from cellval.text import brief, counted, listed, shortened

EXCERPT = 3  # cells of a row that are shown to who reads a recipe


@dataclass(frozen=True)
class RowName:
    """What tells a row from others in the next file: its id, or else what it holds.

    Attributes
    ----------
    id, id_column : str
        Text of the id, and the column that holds it; empty if it has none of its own.
    content : str
        Fingerprint of all its cells but the one that a step is about.
    like : str
        Some of these cells, for who reads it.
    place : int
        From 1, among rows that hold the same in all cells.
    """

    id: str = ""
    id_column: str = ""
    content: str = ""
    like: str = ""
    place: int = 1

    @property
    def words(self) -> str:
        if self.id_column:
            return f"the row with {shortened(self.id_column)} {shortened(self.id)}"
        return f"the row like '{shortened(self.like)}'"


class Rows:
    """Rows of a table, to be named and to be found by their names.

    `columns` are those by which rows are compared; the table may lack some, and then
    rows without an id cannot be found.
    """

    def __init__(self, table: Table, columns: Sequence[str] = ()) -> None:
        self.table = table
        self.columns = tuple(columns) or tuple(map(str, table.cells.columns))
        self.missing = [name for name in self.columns if name not in table.cells]
        self._texts: dict[str, list[str]] = {}
        self._ids: dict[str, dict[str, list[int]]] = {}
        self._by_content: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._alike: dict[tuple[int, str], dict[str, list[int]]] = {}

    def texts(self, column: str) -> list[str]:
        """What a column holds; looked up cell by cell it is slow."""
        if column not in self._texts:
            self._texts[column] = self.table.cells[column].tolist()
        return self._texts[column]

    def name(self, position: int, column: str) -> RowName:
        """The name of a row for a step on its cell in a column; "" is the whole row."""
        own = self.table.id_column
        if own is not None and own != column:
            text = self.texts(own)[position].strip()
            if text and len(self._of_id(own)[text]) == 1:
                return RowName(id=text, id_column=own)
        content = self._fingerprints(column)[position]
        held = self.texts(column)[position].strip() if column else ""
        place = 1 + self._with_content(int(content), column)[held].index(position)
        others = [name for name in self.columns if name != column]
        shown = [brief(self.texts(name)[position], 20) for name in others]
        like = " | ".join([text for text in shown if text][:EXCERPT])
        return RowName(content=f"{content:016x}", like=like, place=place)

    def find(self, name: RowName, column: str, text: str | None) -> tuple[int, str]:
        """Position of a row, or -1 and why it is not found.

        Of rows that differ in this column alone, those that hold `text` are meant; if
        none does, the first.
        """
        if name.id_column:
            if name.id_column not in self.table.cells:
                return -1, f"column '{shortened(name.id_column)}' is not in this file"
            found = self._of_id(name.id_column).get(name.id, [])
            if len(found) > 1:
                n = counted(len(found), "row")
                which = f"{shortened(name.id_column)} {shortened(name.id)}"
                return -1, f"{n} have {which}, so it is not clear which is meant"
            if not found:
                words = name.words.removeprefix("the ")
                return -1, f"no {words}"
            return found[0], ""
        if self.missing:
            return -1, (
                "rows are told by all they hold, and this file has no "
                f"{listed(self.missing, 3)}"
            )
        alike = self._with_content(int(name.content, 16), column)
        if not alike:
            return -1, f"no {name.words.removeprefix('the ')}"
        found = alike.get((text or "").strip(), [])
        if not found:
            return next(iter(alike.values()))[0], ""
        if len(found) < name.place:
            n = counted(len(found), "row")
            return -1, f"only {n} like '{shortened(name.like)}', not {name.place:,}"
        return found[name.place - 1], ""

    def _of_id(self, column: str) -> dict[str, list[int]]:
        if column not in self._ids:
            found: dict[str, list[int]] = {}
            for i, text in enumerate(self.texts(column)):
                found.setdefault(text.strip(), []).append(i)
            self._ids[column] = found
        return self._ids[column]

    def _with_content(self, content: int, column: str) -> dict[str, list[int]]:
        """Rows that hold the same but for a column, by what they hold in this one.

        Many steps may ask for rows of one content: it is looked through once.
        """
        if column not in self._by_content:
            prints = self._fingerprints(column)
            order = np.argsort(prints, kind="stable")
            self._by_content[column] = order, prints[order]
        if (content, column) not in self._alike:
            order, prints = self._by_content[column]
            one = np.uint64(content)
            first, end = (np.searchsorted(prints, one, s) for s in ("left", "right"))
            found: dict[str, list[int]] = {}
            for i in order[first:end].tolist():
                text = self.texts(column)[i].strip() if column else ""
                found.setdefault(text, []).append(i)
            self._alike[content, column] = found
        return self._alike[content, column]

    def _fingerprints(self, column: str) -> np.ndarray:
        """Of each row without one of its columns: a sum, from which it is taken."""
        if column not in self.columns:
            return self._whole
        return self._whole - self._prints(column)

    @cached_property
    def _whole(self) -> np.ndarray:
        whole = np.zeros(self.table.n_rows, np.uint64)
        for name in self.columns:
            whole += self._prints(name)  # modulo 2**64
        return whole

    def _prints(self, column: str) -> np.ndarray:
        codes, texts = pd.factorize(self.table.cells[column].str.strip())
        prints = [_print_of(column, str(text)) for text in texts]
        return np.array([*prints, 0], np.uint64)[codes]


def _print_of(column: str, text: str) -> int:
    whole = f"{column}\x1f{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(whole, digest_size=8).digest(), "big")
