"""`Check`: does a file pass? What is new in it, what is known, and what is gone."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cellval.detect.finding import KINDS, Finding
from cellval.detect.findings import findings
from cellval.detect.learning import cells_of
from cellval.errors import InputError, is_whole, require
from cellval.export.baseline import read_baseline
from cellval.in_notebooks import InNotebooks
from cellval.recipes.applying import apply_recipe
from cellval.recipes.recipe import Recipe, read_recipe
from cellval.recipes.rules import broken, unanswered, unchecked
from cellval.table.columnar import is_arrow
from cellval.table.decoding import bytes_of
from cellval.table.parsing import CsvFormat
from cellval.table.rewriting import cell_lines
from cellval.table.table import Table, as_table, read
from cellval.table.unpacking import unpacked
from cellval.text import counted, cut, harmless

MOST_SHOWN = 50  # findings in a text for people; files for machines have all
LONGEST = 300  # characters of a line for people


@dataclass(frozen=True, eq=False)
class Check(InNotebooks):
    """What was found in a table, beside what was known.

    Attributes
    ----------
    table : Table
    file : str
        Its path from the folder where the check ran, with slashes; else its name.
    findings : tuple of Finding
        Those that are not in the baseline, most expected errors first. Those that are
        flagged count; others are listed.
    hidden : tuple of Finding
        Those that are in the baseline.
    gone : tuple of str
        Keys that are in the baseline and no longer occur.
    fail_on : int
        So many flagged findings are too many.
    has_baseline : bool
    lines : mapping of (row number, column) to int
        Line of the file on which each cell of a finding begins; empty if unknown.
    unchecked : tuple of str
        A sentence for each rule of the recipe that this file cannot be held against.

    Examples
    --------
    >>> import cellval
    >>> found = cellval.check("sample_data/davis.csv")
    >>> found.is_clean, found.exit_code, [one.title for one in found.flagged]
    (False, 1, ['weight and height swapped in 1 row'])
    """

    table: Table
    file: str
    findings: tuple[Finding, ...]
    hidden: tuple[Finding, ...] = ()
    gone: tuple[str, ...] = ()
    fail_on: int = 1
    has_baseline: bool = False
    lines: Mapping[tuple[int, str], int] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()

    @property
    def flagged(self) -> tuple[Finding, ...]:
        """The findings that count."""
        return tuple(one for one in self.findings if one.is_flagged)

    @property
    def n_flagged(self) -> int:
        return len(self.flagged)

    @property
    def n_unsure(self) -> int:
        return len(self.findings) - self.n_flagged

    @property
    def is_clean(self) -> bool:
        return self.n_flagged < self.fail_on

    @property
    def exit_code(self) -> int:
        """0 if it is clean, else 1."""
        return 0 if self.is_clean else 1

    @property
    def known(self) -> tuple[Finding, ...]:
        """What a new baseline holds: all that counts, and what was known before."""
        return (*self.hidden, *self.flagged)

    def line(self, one: Finding, k: int) -> int | None:
        """The line of the file on which a finding's k-th cell begins."""
        return self.lines.get((self.row_number(one, k), str(one.columns[k])))

    def row_number(self, one: Finding, k: int) -> int:
        return int(self.table.row_numbers[one.rows[k]])

    def __str__(self) -> str:
        """For people: how many, and each that counts with its place, as a compiler."""
        lines = [self._summary()]
        for one in self.flagged[:MOST_SHOWN]:
            told = [f"{self._place(one)}: {KINDS[one.kind]}: {one.title}"]
            if action := one.action(self.table):
                told.append(f"    suggested: {action}")
            told.append(f"    {one.evidence}")
            lines += [cut(harmless(line), LONGEST) for line in told]
        if (more := self.n_flagged - MOST_SHOWN) > 0:
            lines.append(f"and {counted(more, 'more finding')}")
        for why in self.unchecked[:MOST_SHOWN]:
            lines.append(cut(harmless(f"not checked: {why}"), LONGEST))
        return "\n".join(lines)

    def _summary(self) -> str:
        n, parts = self.n_flagged, []
        cells = {cell for one in self.flagged for cell in one.cells}
        said = f"{counted(n, 'finding')} in {counted(len(cells), 'cell')}"
        parts.append(said if n else "no findings")
        if n and self.is_clean:
            parts.append(f"fewer than {self.fail_on:,}, so it passes")
        if self.n_unsure:
            parts.append(f"{self.n_unsure:,} less sure, not counted")
        if self.has_baseline:
            parts.append(f"{len(self.hidden):,} known from the baseline, hidden")
        return f"{harmless(self.file, LONGEST)}: {'; '.join(parts)}"

    def _place(self, one: Finding) -> str:
        """Of its first cell, and how many more there are."""
        if not one.n_cells:
            return self.file
        line = self.line(one, 0)
        place = f"{self.file}:{line}" if line else self.file
        more = one.n_cells - 1
        others = f" and {counted(more, 'more cell')}" if more else ""
        return f"{place}: row {self.row_number(one, 0):,}{others}"


def check(
    source: Any,
    *,
    recipe: Any = None,
    baseline: str | os.PathLike[str] | None = None,
    fail_on: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
    **reading: Any,
) -> Check:
    """Does a table pass? For tests and pipelines: cells are compared, not valued.

    Parameters
    ----------
    source : Table, frame, path, bytes or buffer
    recipe : Recipe or path, optional
        Its rules must be kept, and what it calls fine is not asked about.
    baseline : path, optional
        A file of known findings, which are hidden: `cellval check --write-baseline`.
    fail_on : int
        So many flagged findings that are not known are too many.
    **reading
        Options of `cellval.read`. A table has no label here unless it is given one.

    Returns
    -------
    Check
        In a test: ``assert found.is_clean, str(found)``.

    Examples
    --------
    >>> import cellval
    >>> found = cellval.check("sample_data/davis.csv")
    >>> found.is_clean, found.exit_code, found.flagged[0].n_cells
    (False, 1, 2)
    """
    path = None
    if isinstance(source, Table) and reading:
        raise InputError(
            f"A table is read already, so {', '.join(reading)} cannot be given. Leave "
            "it out, or give the file."
        )
    is_frame = isinstance(source, pd.DataFrame) or is_arrow(source)
    is_file = isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")
    if is_frame or is_file:
        table = read(source, **{"label": None, **reading})
    else:
        table = as_table(source)
    if isinstance(source, str | os.PathLike):
        path = Path(os.fsdecode(source))
    known = None if baseline is None else read_baseline(baseline)
    if recipe is not None and not isinstance(recipe, Recipe):
        recipe = read_recipe(recipe)  # before the search: it may be told to be wrong
    refuse_below_one(fail_on)
    found = findings(table, random_state=random_state, n_jobs=n_jobs)
    return judged(table, found, path, recipe=recipe, known=known, fail_on=fail_on)


def refuse_below_one(fail_on: int) -> None:
    """Before the work: with none, no file would ever pass."""
    require("fail_on", fail_on, is_whole(fail_on, 1), "whole, from 1 on")


def judged(
    table: Table,
    found: Sequence[Finding],
    path: Path | None = None,
    *,
    recipe: Any = None,
    known: Collection[str] | None = None,
    fail_on: int = 1,
) -> Check:
    """The check of a table whose findings were found, read from a path if it has one.

    What a recipe asks comes first, and is not asked again as a finding of the same key.
    """
    rules: list[Finding] = []
    lost: list[str] = []
    if recipe is not None:
        recipe = recipe if isinstance(recipe, Recipe) else read_recipe(recipe)
        rules, found = _by_recipe(recipe, table, found)
        lost = unchecked(recipe, table)
    keys = {one.key for one in rules}
    both = [*rules, *(one for one in found if one.key not in keys)]
    hidden = () if known is None else tuple(one for one in both if one.key in known)
    new = tuple(one for one in both if known is None or one.key not in known)
    gone = set(known or ()) - {one.key for one in both}
    return Check(
        table,
        table.name if path is None else file_name(path),
        new,
        hidden,
        tuple(sorted(gone)),
        fail_on,
        known is not None,
        {} if path is None else _lines(path, table, new),
        tuple(lost),
    )


def _by_recipe(
    recipe: Recipe, table: Table, found: Sequence[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """What a recipe asks of a table and does not get, and which of the findings it has
    no answer to.
    """
    fine = apply_recipe(recipe, table).fine
    left = unanswered(recipe, found)
    return _but(fine, table, broken(recipe, table)), _but(fine, table, left)


def _but(
    fine: Collection[tuple[int, str]], table: Table, found: Sequence[Finding]
) -> list[Finding]:
    """Findings without cells that are fine; those of which nothing is left go."""

    def is_fine(one: Finding, row: int, name: str) -> bool:
        names = one.rule.excused_by(name) if one.rule else (name,)
        return any((row, other) in fine for other in names)

    parts = [
        (one, np.array([not is_fine(one, *c) for c in cells_of(table, one)], bool))
        for one in found
    ]
    return [one if new.all() else one.part(new) for one, new in parts if new.any()]


def file_name(path: Path) -> str:
    """The path from here, with slashes; of a file elsewhere its name alone.

    Files that others read say nothing about the folders of this machine.
    """
    whole, here = Path(os.path.normpath(path.absolute())), Path.cwd()
    is_below = whole.is_relative_to(here)
    name = whole.relative_to(here).as_posix() if is_below else whole.name
    return os.fsencode(name).decode("utf-8", "replace")  # a name may be no text


def _lines(
    path: Path, table: Table, found: Sequence[Finding]
) -> dict[tuple[int, str], int]:
    """Of a CSV file that is not compressed, for the cells of findings."""
    if not found or not isinstance(table.format, CsvFormat):
        return {}
    raw, name = bytes_of(path)
    if unpacked(raw, name)[1] is not None:
        return {}
    names = [*map(str, table.cells.columns)]
    places = {column: j for j, column in enumerate(names)}
    asked = {
        (int(table.row_numbers[i]), places[column])
        for one in found
        for i, column in one.cells
    }
    lines = cell_lines(raw, table.format, asked, name)
    return {(row, names[j]): line for (row, j), line in lines.items()}
