"""Results as files that other programs open."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.repairs.repair import WORDS, Repair, Repairs
from cellval.table.formulas import safe_text
from cellval.table.table import Table
from cellval.text import counted
from cellval.values.result import CellValues


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with harmless texts and column names where there are formulas."""
    frame = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            texts = frame[name].astype(str)
            frame[name] = texts.map({text: safe_text(text) for text in texts.unique()})
    frame.columns = pd.Index([safe_text(str(name)) for name in frame.columns])
    return frame


def _for_files(frame: pd.DataFrame) -> pd.DataFrame:
    """In files a row is what a person counts as one, and is called so."""
    return frame.rename(columns={"row_number": "row"})


def lowest_frame(values: CellValues) -> pd.DataFrame:
    """All cells, lowest first: row, id, column, cell, value, stderr, rank."""
    frame = _for_files(values.lowest(None))
    names = ["row", "id", "column", "cell", "value", "stderr", "rank"]
    return safe_frame(frame[names])


def decisions_frame(
    values: CellValues,
    decisions: Mapping[tuple[int, str], str],
    *,
    repairs: Repairs | None = None,
    table: Table | None = None,
    only: Collection[str] | None = None,
    within_class: bool = True,
) -> pd.DataFrame:
    """All cells, lowest first, with what a person decided on them.

    Parameters
    ----------
    decisions : mapping of (row number, column) to str
    repairs : mapping of (row number, column) to Repair, optional
        All of them are listed, at the end those without a value: cells of the label or
        of rows held out for testing, and dropped rows, whose column is empty.
    table : Table, optional
        The table before the repairs. With it, content is what `read_decisions` will
        compare, even if a repaired table was valued.
    only : collection of str, optional
        Keep only cells with one of these decisions, or a repair.
    within_class : bool
        Rank cells among rows of the same label, as the inspection list does.

    Returns
    -------
    DataFrame with columns row, id, label, column, content, value, stderr, rank,
    decision, and, where repairs are given, repair, after, reason
    """
    wanted = dict.fromkeys(
        cell for cell, what in decisions.items() if only is None or what in only
    )
    wanted |= dict.fromkeys(repairs or ())
    if only is None:
        frame = _for_files(values.lowest(None, within_class=within_class))
    else:
        frame = _cells_frame(values, wanted, within_class)
    frame = frame.rename(columns={"cell": "content"})
    order = ["row", "id", "label", "column", "content", "value", "stderr", "rank"]
    frame = frame[order].reset_index(drop=True)
    if repairs is not None:
        frame = _with_unvalued(frame, wanted, values)
    cells = list(zip(frame["row"].tolist(), frame["column"].tolist(), strict=True))
    if table is not None:
        frame["content"] = _contents(table, cells, frame["content"].tolist())
    frame["decision"] = [decisions.get(cell, "") for cell in cells]
    if repairs is not None:
        found = [repairs.get(cell) for cell in cells]
        frame["repair"] = [_repair_word(repair) for repair in found]
        frame["after"] = [repair.text if repair else "" for repair in found]
        frame["reason"] = [repair.reason if repair else "" for repair in found]
    return safe_frame(frame)


def _repair_word(repair: Repair | None) -> str:
    if repair is None:
        return ""
    # Reading refuses a replacement by nothing, as the new text may be forgotten.
    empties = repair.action == "replace" and not repair.after
    return WORDS["blank" if empties else repair.action]


def _with_unvalued(
    frame: pd.DataFrame, cells: Collection[tuple[int, str]], values: CellValues
) -> pd.DataFrame:
    """The frame, and below it the cells that it lacks, without value and rank."""
    there = set(zip(frame["row"].tolist(), frame["column"].tolist(), strict=True))
    positions = _positions(values.row_numbers)
    lines: list[tuple[Any, ...]] = []
    for row_number, column in cells:
        if (row_number, column) in there:
            continue
        i = positions.get(row_number, -1)
        names = (values.ids[i], values.labels[i]) if i >= 0 else ("", "")
        valued = i >= 0 and column in values.column_names
        content = values.cells[column].iat[i] if valued else ""
        lines.append((row_number, *names, column, content, np.nan, np.nan, 0))
    more = pd.DataFrame(lines, columns=frame.columns)
    if frame.empty or more.empty:
        return more if frame.empty else frame
    return pd.concat([frame, more], ignore_index=True)


def _contents(
    table: Table, cells: Collection[tuple[int, str]], otherwise: Sequence[str]
) -> list[str]:
    """The table's text of each cell, where it has such a cell."""
    positions = _positions(table.row_numbers)
    texts = {name: table.cells[name].tolist() for name in table.cells}
    return [
        texts[column][positions[number]]
        if number in positions and column in texts
        else text
        for (number, column), text in zip(cells, otherwise, strict=True)
    ]


def _positions(row_numbers: np.ndarray) -> dict[int, int]:
    return {number: i for i, number in enumerate(row_numbers.tolist())}


def _cells_frame(
    values: CellValues, cells: Collection[tuple[int, str]], within_class: bool
) -> pd.DataFrame:
    """The lines of `CellValues.lowest` for some cells; a long list is slow to make."""
    positions = _positions(values.row_numbers)
    column_of = {name: j for j, name in enumerate(values.column_names)}
    found = [
        (positions[number], column_of[name])
        for number, name in cells
        if number in positions and name in column_of
    ]
    ranks = values.ranks(within_class=within_class) if found else values.values
    lines = [
        {
            "row": values.row_numbers[i],
            "id": values.ids[i],
            "label": values.labels[i],
            "column": values.column_names[j],
            "cell": values.cells.iat[i, j],
            "value": values.values[i, j],
            "stderr": values.stderr[i, j],
            "rank": ranks[i, j],
        }
        for i, j in sorted(found, key=lambda cell: ranks[cell])
    ]
    names = ["row", "id", "label", "column", "cell", "value", "stderr", "rank"]
    return pd.DataFrame(lines, columns=names)


def n_listed(suspicion: Suspicion, most: int) -> int:
    """How many suspects a list holds: the flagged ones, at least 20, not over most."""
    return min(max(suspicion.n_flagged, 20), most, suspicion.scores.size)


def flagged_sentence(suspicion: Suspicion) -> str:
    """How many cells are flagged, and what the rule expects of them."""
    n, size = suspicion.n_flagged, suspicion.scores.size
    if n == 0:
        return (
            f"No cell of {size:,} flagged: none is so odd that nine in ten such cells "
            "should be errors."
        )
    cells = counted(n, "cell")
    return f"{cells} of {size:,} flagged; the rule aims at one false alarm in ten."


def suspects_list(
    suspicion: Suspicion,
    k: int | None = None,
    *,
    repairs: Repairs | None = None,
    decisions: Mapping[tuple[int, str], str] | None = None,
) -> pd.DataFrame:
    """The k most suspicious cells (all with None), with what a person decided.

    Filled in and saved as a CSV, it is a file for `read_decisions`.

    Returns
    -------
    DataFrame with the columns of `suspects_frame` but position, and decision, repair,
    after; formulas are harmless
    """
    frame = _for_files(suspects_frame(suspicion, k)).drop(columns="position")
    cells = list(zip(frame["row"].tolist(), frame["column"].tolist(), strict=True))
    repairs, decisions = repairs or {}, decisions or {}
    # In a row that is dropped nothing else is done.
    found = [repairs.get((c[0], "")) or repairs.get(c) for c in cells]
    frame["decision"] = [decisions.get(cell, "") for cell in cells]
    frame["repair"] = [_repair_word(repair) for repair in found]
    frame["after"] = [repair.text if repair else "" for repair in found]
    return safe_frame(frame)


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A CSV file that spreadsheets, too, read as UTF-8."""
    text: str = frame.to_csv(index=False)
    return text.encode("utf-8-sig")


def values_frame(values: CellValues, table: Table) -> pd.DataFrame:
    """In the shape of the input: values in place of the valued cells.

    Label and id column keep their text; columns without a value and rows without a
    label are empty.
    """
    n_lines = table.n_rows + table.n_set_aside
    frame = pd.DataFrame(index=np.arange(1, n_lines + 1), columns=table.cells.columns)
    by_name = values.to_frame()
    for name in table.cells.columns:
        if name in by_name.columns:
            frame[name] = by_name[name].reindex(frame.index)
        elif name in (table.label, table.id_column):
            texts = table.cells[name].map(lambda text: safe_text(str(text)))
            texts.index = pd.Index(table.row_numbers)
            frame[name] = texts.reindex(frame.index)
    frame.columns = pd.Index([safe_text(str(name)) for name in frame.columns])
    return frame


def write_results(values: CellValues, table: Table, folder: Path) -> None:
    """values.npz, values.csv and lowest.csv in the folder; what is dearest first."""
    try:
        values.save(folder / "values.npz")
        values_frame(values, table).to_csv(folder / "values.csv", index=False)
        lowest_frame(values).to_csv(folder / "lowest.csv", index=False)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror}. Close programs that have its "
            "files open, make room, or choose another folder."
        ) from error
