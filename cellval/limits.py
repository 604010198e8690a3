"""How much is taken from a person: `Limits`, each raised by an environment variable.

A file may be made to fill the memory of the computer that reads it. What is beyond a
limit is refused with a sentence that names the limit and how to raise it.
"""

import os
from dataclasses import dataclass, field, fields
from typing import Any

from cellval.errors import InputError


def _limit(default: float, means: str, unit: str) -> Any:
    return field(default=default, metadata={"means": means, "unit": unit})


@dataclass(frozen=True)
class Limits:
    """What is refused beyond; CELLVAL_MAX_MB, CELLVAL_MAX_ROWS ... set other ones."""

    mb: float = _limit(500, "megabytes of a file", "MB")
    rows: float = _limit(5_000_000, "rows of a table", "rows")
    columns: float = _limit(2_000, "columns of a table", "columns")
    cells: float = _limit(50_000_000, "cells of a table, rows times columns", "cells")
    cell_length: float = _limit(131_072, "characters of a cell", "characters")
    unpacked_mb: float = _limit(2_000, "megabytes of an unpacked file", "MB")
    recipe_mb: float = _limit(20, "megabytes of a recipe", "MB")
    recipe_rules: float = _limit(500, "rules of a recipe", "rules")
    project_mb: float = _limit(4_000, "megabytes of an unpacked project", "MB")
    project_list_mb: float = _limit(250, "megabytes of its project.json", "MB")
    project_files: float = _limit(2_000, "files in a project", "files")
    memory_mb: float = _limit(16_000, "megabytes of memory for a run", "MB")
    waiting: float = _limit(50, "runs of the app that wait for their turn", "runs")
    hours: float = _limit(24, "hours that a run in the app may take", "hours")

    @property
    def bytes(self) -> int:
        return int(self.mb * 1e6)

    @property
    def unpacked_bytes(self) -> int:
        return int(self.unpacked_mb * 1e6)


def variable(name: str) -> str:
    """The environment variable that sets a limit."""
    return f"CELLVAL_MAX_{name.upper()}"


def limits() -> Limits:
    """As they are set now.

    Examples
    --------
    >>> limits().columns
    2000
    """
    found = {}
    for one in fields(Limits):
        text = os.environ.get(variable(one.name), "").strip()
        if not text:
            continue
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 < number < 1e15:
            raise InputError(
                f"The environment variable {variable(one.name)} is {text!r}; set it to "
                f"a number of {one.metadata['means']}, such as {one.default:.0f}."
            )
        found[one.name] = number
    return Limits(**found)


def how_to_raise(name: str) -> str:
    """Said after a limit that was exceeded."""
    return f"Raise it with the environment variable {variable(name)}"


def refuse_beyond(what: str, name: str, found: float, advice: str) -> None:
    """Refuse `found` (rows, columns, cells, ...) of `what` where it is too much."""
    limit = getattr(limits(), name)
    if found > limit:
        unit = Limits.__dataclass_fields__[name].metadata["unit"]
        raise InputError(
            f"{what} has {found:,.0f} {unit}; the limit is {limit:,.0f}. "
            f"{how_to_raise(name)}, or {advice}."
        )


def refuse_unfolded(what: str, raw: bytes, advice: str) -> None:
    """Refuse JSON that would take far more memory than bytes: so many lists, dicts and
    values, about, are in it.
    """
    found = 80 * (raw.count(b"[") + raw.count(b"{")) + 24 * raw.count(b",")
    refuse_beyond(f"{what}, once it is read,", "unpacked_mb", found / 1e6, advice)


def refuse_shape(name: str, n_rows: int, n_columns: int) -> None:
    """Refuse a table with too many rows, columns or cells."""
    refuse_beyond(name, "columns", n_columns, "keep the columns that matter")
    refuse_beyond(name, "rows", n_rows, "take a sample of the rows")
    refuse_beyond(name, "cells", n_rows * n_columns, "take a sample of the rows")
