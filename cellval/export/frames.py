"""Results as files that other programs open."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from cellval.detect.suggestions import Suggestion, suggested_text
from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.repairs.repair import WORDS, Repair, Repairs
from cellval.table.formulas import safe_text
from cellval.table.rewriting import frame_csv
from cellval.table.table import Table
from cellval.text import counted
from cellval.values.result import CellValues
from cellval.views.value_view import value_view
from cellval.whole_files import whole_file

MOST_LINES = 250_000  # of a list of cells: nobody looks through more
CSV_ROWS = 50_000  # that are written at a time
LISTED = ["row", "id", "label", "column", "value", "stderr", "rank"]


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with harmless texts and column names where there are formulas."""
    frame = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            texts = frame[name].astype(str)
            different = texts.unique().tolist()
            safe = {text: safe_text(text) for text in different}
            # Mostly all are harmless, and to put others in their place takes long.
            frame[name] = texts if [*safe.values()] == different else texts.map(safe)
    frame.columns = pd.Index([safe_text(str(name)) for name in frame.columns])
    return frame


def _for_files(frame: pd.DataFrame) -> pd.DataFrame:
    """In files a row is what a person counts as one, and is called so."""
    return frame.rename(columns={"row_number": "row"})


def lowest_frame(values: CellValues) -> pd.DataFrame:
    """Cells, lowest first: row, id, column, cell, value, stderr, rank.

    All of them, or of very many the lowest (`MOST_LINES`).
    """
    frame = _for_files(values.lowest(MOST_LINES))
    names = ["row", "id", "column", "cell", "value", "stderr", "rank"]
    return safe_frame(frame[names])


def decisions_frame(
    values: CellValues,
    decisions: Mapping[tuple[int, str], str],
    repairs: Repairs,
    table: Table,
    *,
    only: Collection[str] | None = None,
    within_class: bool = True,
    suggested: Mapping[tuple[int, str], Suggestion] | None = None,
) -> pd.DataFrame:
    """All cells, lowest first, with what a person decided on them.

    All repairs are listed, at the end those without a value: cells of the label or of
    rows held out for testing, and dropped rows, whose column is empty. The table is
    that before the repairs: content is what `read_decisions` will compare, even if a
    repaired table was valued. `only` keeps cells with one of these decisions, or a
    repair. `suggested` has likely suggestions for some cells; to look for one takes
    long.

    Returns
    -------
    DataFrame with columns row, id, label, column, content, value, stderr, rank,
    decision, repair, after, reason (of the repair), suggestion, why (of the
    suggestion)
    """
    wanted = dict.fromkeys(
        cell for cell, what in decisions.items() if only is None or what in only
    )
    wanted |= dict.fromkeys(repairs)
    frame = pd.DataFrame(columns=LISTED)
    if only is None:
        frame = _for_files(values.lowest(None, within_class=within_class))[LISTED]
    there = set(_cells_of(frame))
    missing = [cell for cell in wanted if cell not in there]
    if missing:
        more = _cells_frame(values, missing, within_class)
        frame = more if frame.empty else pd.concat([frame, more], ignore_index=True)
    cells = _cells_of(frame)
    frame.insert(4, "content", _contents(table, cells))
    found = [repairs.get(cell) for cell in cells]
    _add_decisions(frame, decisions, found)
    frame["reason"] = [repair.reason if repair else "" for repair in found]
    best = [(suggested or {}).get(cell) for cell in cells]
    frame["suggestion"] = [*map(suggested_text, best)]
    frame["why"] = [*map(_why, best)]
    return safe_frame(frame)


def _why(best: Suggestion | None) -> str:
    return "" if best is None else best.why


def _cells_of(frame: pd.DataFrame) -> list[tuple[int, str]]:
    return list(zip(frame["row"].tolist(), frame["column"].tolist(), strict=True))


def _add_decisions(
    frame: pd.DataFrame,
    decisions: Mapping[tuple[int, str], str],
    repairs: Sequence[Repair | None],
) -> None:
    """Columns decision, repair and after; a repair, or none, for every line."""
    frame["decision"] = [decisions.get(cell, "") for cell in _cells_of(frame)]
    frame["repair"] = [_repair_word(repair) for repair in repairs]
    frame["after"] = [repair.text if repair else "" for repair in repairs]


def _repair_word(repair: Repair | None) -> str:
    if repair is None:
        return ""
    # Reading refuses a replacement by nothing, as the new text may be forgotten.
    empties = repair.action == "replace" and not repair.after
    return WORDS["blank" if empties else repair.action]


def _contents(table: Table, cells: Collection[tuple[int, str]]) -> list[str]:
    """The table's text of each cell; nothing where it has no such cell."""
    asked = np.isin(table.row_numbers, [number for number, _ in cells])
    some = table.cells if asked.all() else table.cells[asked]
    positions = {n: i for i, n in enumerate(table.row_numbers[asked].tolist())}
    texts = {name: some[name].tolist() for name in some}
    return [
        texts[name][positions[number]] if number in positions and name in texts else ""
        for number, name in cells
    ]


def _cells_frame(
    values: CellValues, cells: Collection[tuple[int, str]], within_class: bool
) -> pd.DataFrame:
    """Lines of `CellValues.lowest`, which is slow to make, for some cells.

    Those without a value come last.
    """
    positions = {number: i for i, number in enumerate(values.row_numbers.tolist())}
    view = value_view(values)
    ranks = view.ranks if within_class else view.ranks_over_all
    lines: list[tuple[Any, ...]] = []
    for number, name in cells:
        i, known = positions.get(number, -1), (np.nan, np.nan, 0)
        who = (values.ids[i], values.labels[i]) if i >= 0 else ("", "")
        if i >= 0 and name in values.column_names:
            j = values.column_names.index(name)
            known = values.values[i, j], values.stderr[i, j], int(ranks[i, j])
        lines.append((number, *who, name, *known))
    lines.sort(key=lambda line: line[-1] or np.inf)
    return pd.DataFrame(lines, columns=LISTED)


def n_listed(suspicion: Suspicion, most: int) -> int:
    """How many cells a list holds: the suspects, at least 20, not over most."""
    return min(max(suspicion.n_flagged, 20), most, suspicion.scores.size)


def suspects_sentence(suspicion: Suspicion) -> str:
    """How many suspects there are, and what the rule expects of them."""
    n, size = suspicion.n_flagged, suspicion.scores.size
    if n == 0:
        return (
            f"No suspects among {counted(size, 'cell')}: none is so odd that nine in "
            "ten such cells should be errors."
        )
    found = f"{counted(n, 'suspect')} among {counted(size, 'cell')}"
    return f"{found}; the rule aims at one false alarm in ten."


def suspects_list(
    suspicion: Suspicion,
    k: int | None = None,
    *,
    repairs: Repairs | None = None,
    decisions: Mapping[tuple[int, str], str] | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """The k most suspicious cells (all with None), with what a person decided.

    Filled in and saved as a CSV, it is a file for `read_decisions`: `suspects_frame`
    with harmless formulas, without position, and with decision, repair and after
    before why. When time is over no more suggestions are made.
    """
    frame = _for_files(suspects_frame(suspicion, k, is_over)).drop(columns="position")
    repairs = repairs or {}
    # In a row that is dropped nothing else is done.
    found = [repairs.get((c[0], "")) or repairs.get(c) for c in _cells_of(frame)]
    _add_decisions(frame, decisions or {}, found)
    frame["why"] = frame.pop("why")  # new columns stand at the end
    return safe_frame(frame)


def write_csv(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """A frame as a CSV, without its index.

    By arrow, which is ten times as fast as pandas' `to_csv`.
    """
    import pyarrow as pa  # brought by streamlit; takes a moment to load
    import pyarrow.compute as pc

    def quoted(texts: Any) -> Any:
        marked = pc.replace_substring(texts, '"', '""')
        marked = pc.binary_join_element_wise('"', marked, '"', "")
        return pc.if_else(pc.match_substring_regex(texts, '[",\r\n]'), marked, texts)

    names = quoted(pa.array([str(name) for name in frame.columns], pa.string()))
    file.write(",".join(names.to_pylist()).encode() + b"\n")
    for first in range(0, len(frame), CSV_ROWS):
        part = frame.iloc[first : first + CSV_ROWS]
        columns = []
        for j in range(part.shape[1]):
            column = pa.array(part.iloc[:, j], from_pandas=True)
            is_text = not pa.types.is_floating(column.type)
            column = pc.cast(column, pa.string())
            columns.append(quoted(column) if is_text else column)
        empty = {"null_handling": "replace", "null_replacement": ""}
        lines = pc.binary_join_element_wise(*columns, ",", **empty)
        lines = pc.binary_join_element_wise(lines, "", "\n")
        chunks = lines.chunks if isinstance(lines, pa.ChunkedArray) else [lines]
        for chunk in chunks:  # the texts of all lines, one behind the other
            file.write("".join(chunk.to_pylist()).encode())


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A CSV file that spreadsheets, too, read as UTF-8."""
    return frame_csv(frame).encode("utf-8-sig")


def values_frame(values: CellValues, table: Table) -> pd.DataFrame:
    """In the shape of the input: values in place of the valued cells.

    Label and id column keep their text; columns and rows without a value are empty.
    """
    n_lines = int(table.row_numbers[-1])
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
        with whole_file(folder / "values.csv") as file:
            write_csv(values_frame(values, table), file)
        with whole_file(folder / "lowest.csv") as file:
            write_csv(lowest_frame(values), file)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror}. Close programs that have its "
            "files open, make room, or choose another folder."
        ) from error
