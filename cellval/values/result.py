"""`CellValues`: the value of every cell, with standard errors. Lower is worse."""

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from cellval.errors import InputError, is_whole, require
from cellval.in_notebooks import InNotebooks
from cellval.table.columns import as_arrow, between
from cellval.table.decoding import bytes_of
from cellval.table.table import Table
from cellval.text import counted, cut
from cellval.values.archive import ARRAYS, Unfit, read_archive
from cellval.values.settings import Settings, from_0_1
from cellval.values.words import design_words
from cellval.whole_files import whole_file

FORMAT = 2  # of saved files
LARGE = 8e6  # bytes of an array
PLAIN = r"^[ !#-\[\]-~]*$"  # texts in which JSON escapes nothing
OF_ROWS = ("values", "stderr", "row_values", "row_stderr")  # arrays, a line for each
READERS = {1: from_0_1, FORMAT: Settings.from_dict}  # of settings, by format


@dataclass(frozen=True, eq=False)
class CellValues(InNotebooks):
    """What every cell of a table adds to the score of a learning task.

    A cell's value is in units of the score (accuracy of classes, closeness of numbers):
    all cells together sum to the score that was reached, the cells of a row to the
    row's 1D value. Below zero, the cell hurts.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        NaN in rows that were not valued: held out for testing, or without a label.
    stderr : ndarray of shape (n_rows, n_columns)
        Standard error over test points: sampling noise and test-set noise together. NaN
        with fewer than two test points.
    n_test : int
        Test points seen so far.
    settings : Settings
        How the values were made.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> values.values.shape, round(values.total, 3)
    ((200, 4), 0.838)
    >>> values.explain(12)[["column", "cell"]].values.tolist()
    [['repht', '163'], ['repwt', '56'], ['weight', '166'], ['height', '57']]
    """

    values: np.ndarray
    stderr: np.ndarray
    row_values: np.ndarray
    row_stderr: np.ndarray
    column_values: np.ndarray
    column_stderr: np.ndarray
    n_test: int
    settings: Settings
    row_numbers: np.ndarray
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    column_names: tuple[str, ...]
    cells: pd.DataFrame  # text of the valued columns
    state: Mapping[str, np.ndarray] = field(default_factory=dict)  # to continue a run
    bands: tuple[str, ...] = ()  # of each row, where labels are numbers

    @property
    def groups(self) -> tuple[str, ...]:
        """Class of each row, or the band that its number lies in."""
        return self.bands or self.labels  # as `Table.groups`

    def __post_init__(self) -> None:
        for array in (self.values, self.stderr, self.row_values, self.row_stderr):
            array.setflags(write=False)

    def __repr__(self) -> str:
        n, m = self.values.shape
        lowest = np.nanmin(self.values) if np.isfinite(self.values).any() else np.nan
        return (
            f"<CellValues of {n} rows x {m} columns, {self.n_test} test points: "
            f"sum {self.total:.3f}, lowest {lowest:.2g}, "
            f"typical standard error {self.typical_stderr:.2g}; "
            f"{design_words(self.settings)}>"
        )

    @property
    def total(self) -> float:
        """Sum of all cells: where they `sums_to_score`, the score that was reached,
        less what no columns are worth.
        """
        return float(np.nansum(self.column_values))

    @property
    def tested(self) -> str:
        """How many test points there were, in words; nothing where none are needed."""
        return (
            "" if self.settings.test == "none" else counted(self.n_test, "test point")
        )

    @cached_property
    def typical_stderr(self) -> float:
        """Mean standard error of a cell."""
        known = self.stderr[np.isfinite(self.stderr)]
        return float(known.mean()) if known.size else float("nan")

    @property
    def rows(self) -> pd.DataFrame:
        """1D value of each row (the sum of its cells) with its own standard error."""
        return pd.DataFrame(
            {
                "row_number": self.row_numbers,
                "id": self.ids,
                "label": self.labels,
                "value": self.row_values,
                "stderr": self.row_stderr,
            }
        )

    @property
    def columns(self) -> pd.DataFrame:
        """1D value of each column (the sum of its cells), with its standard error."""
        return pd.DataFrame(
            {"value": self.column_values, "stderr": self.column_stderr},
            index=pd.Index(self.column_names, name="column"),
        )

    def to_frame(self) -> pd.DataFrame:
        """Values in place of the cells, indexed by row number."""
        index = pd.Index(self.row_numbers, name="row_number")
        return pd.DataFrame(self.values, index=index, columns=list(self.column_names))

    def ranks(self, *, within_class: bool = False) -> np.ndarray:
        """Rank of every cell, 1 for the lowest value; 0 where there is no value.

        Parameters
        ----------
        within_class : bool
            Order cells by how low they are among the cells of rows of the same class
            (or band of numbers), so that a rare one does not fill the list.
        """
        flat = self.values.ravel()
        cells = np.flatnonzero(np.isfinite(flat))
        order = cells[np.argsort(flat[cells], kind="stable")]
        if within_class:  # those that are equally low stay in the order of their values
            of_row, groups = pd.factorize(np.array(self.groups))
            own = of_row[order // self.values.shape[1]]
            lowness = np.empty(order.size)
            for k in range(len(groups)):
                members = np.flatnonzero(own == k)
                lowness[members] = (np.arange(members.size) + 0.5) / members.size
            order = order[np.argsort(lowness, kind="stable")]
        ranks = np.zeros(flat.size, np.int64)
        ranks[order] = np.arange(1, order.size + 1)
        return ranks.reshape(self.values.shape)

    def lowest(self, k: int | None = 20, *, within_class: bool = False) -> pd.DataFrame:
        """The k cells with the lowest values (all with None), lowest first.

        Returns
        -------
        DataFrame with columns position (of the row in the table, from 0), row_number
        (from 1, as a person counts), id, label, column, cell, value, stderr, rank
        """
        require("k", k, k is None or is_whole(k, 0), "None, or 0 or more")
        flat = self.values.ravel()
        if within_class:
            ranks = self.ranks(within_class=True).ravel()
            order = np.argsort(ranks, kind="stable")
            order = order[ranks[order] > 0][:k]
        else:
            order = _smallest(flat, k)
        row, column = np.unravel_index(order, self.values.shape)
        cell = np.empty(order.size, object)
        for j in np.unique(column).tolist():  # the texts of a whole table are many
            own = np.flatnonzero(column == j)
            cell[own] = self.cells.iloc[:, j].iloc[row[own]].to_numpy(object)
        return pd.DataFrame(
            {
                "position": row,
                "row_number": self.row_numbers[row],
                "id": np.array(self.ids, object)[row],
                "label": np.array(self.labels, object)[row],
                "column": np.array(self.column_names, object)[column],
                "cell": cell,
                "value": flat[order],
                "stderr": self.stderr.ravel()[order],
                "rank": np.arange(1, order.size + 1),
            }
        )

    def position(self, row_number: int) -> int:
        """Position in the table, from 0, of a row as a person counts."""
        found = np.flatnonzero(self.row_numbers == row_number)
        if found.size == 0:
            raise InputError(
                f"There is no row {row_number}. Rows count from "
                f"{self.row_numbers.min()} to {self.row_numbers.max()}."
            )
        return int(found[0])

    def explain(self, row_number: int) -> pd.DataFrame:
        """A row's cells, largest contribution first; values sum to the row's value.

        Parameters
        ----------
        row_number : int
            From 1, as a person counts data rows in the file.
        """
        i = self.position(row_number)
        cells = self.cells.iloc[i].to_numpy(object)
        return explained(self.column_names, cells, self.values[i], self.stderr[i])

    def merge(self, other: "CellValues") -> "CellValues":
        """Average with a run of the same table that saw other draws or test points.

        Runs on the same test points share their noise, so their standard errors are
        averaged; runs on different test tables are independent and gain precision.
        """
        is_made = isinstance(other, CellValues)
        require("other", other, is_made, "what cellval.value_cells made")
        mine, others = self.settings, other.settings
        if mine.method != "knn" or others.method != "knn":
            raise InputError(
                "Only values of the KNN method can be merged. Run the other methods "
                "with more rounds instead."
            )
        alike = ("table", "n_neighbors", "baseline", "scoring", "width", "near")
        different = [
            name
            for name in (*alike, "column_weights")
            if getattr(mine, name) != getattr(others, name)
        ]
        if mine.is_exact != others.is_exact:
            different.append("design (exact or sampled)")
        same_tests = mine.source[0] == others.source[0]
        if same_tests and mine.test == "hold-out":
            same_tests = mine.random_state == others.random_state
        if not same_tests and (mine.test, others.test) != ("table", "table"):
            different.append("test")
        if different:
            raise InputError(
                f"These values cannot be merged: they differ in {', '.join(different)}."
            )
        sources = [run.sources or (run.source,) for run in (mine, others)]
        if any(source in sources[0] for source in sources[1]):
            raise InputError(
                "These values come from the same draws (same random_state and test "
                "points). Run one of them with another random_state."
            )
        weights = np.array([mine.weight, others.weight])
        a, b = weights / weights.sum()

        def mean(name: str) -> np.ndarray:
            return np.asarray(a * getattr(self, name) + b * getattr(other, name))

        def error(name: str) -> np.ndarray:
            if same_tests:
                return mean(name)
            x, y = getattr(self, name), getattr(other, name)
            return np.asarray(np.sqrt((a * x) ** 2 + (b * y) ** 2))

        n_test = self.n_test if same_tests else self.n_test + other.n_test
        return replace(
            self,
            n_test=max(n_test, other.n_test),
            settings=replace(
                mine,
                random_state=None,
                sources=(*sources[0], *sources[1]),
                weight=float(weights.sum()),
            ),
            state={},
            values=mean("values"),
            stderr=error("stderr"),
            row_values=mean("row_values"),
            row_stderr=error("row_stderr"),
            column_values=mean("column_values"),
            column_stderr=error("column_stderr"),
        )

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file (no pickle); `cellval.load` reads it.

        There is never half a file in its place.
        """
        header = {
            "format": FORMAT,
            "n_test": self.n_test,
            "settings": self.settings.to_dict(),
            "ids": self.ids,
            "labels": self.labels,
            "bands": self.bands,
            "column_names": self.column_names,
        }
        arrays = {name: getattr(self, name) for name in ARRAYS}
        arrays |= {f"state_{name}": array for name, array in self.state.items()}
        # Column by column: all texts at once would take much memory.
        texts = (self.cells.iloc[:, j] for j in range(self.cells.shape[1]))
        cells = ", ".join(map(_as_json, texts))
        about = f'{json.dumps(header)[:-1]}, "cells": [{cells}]}}'
        arrays["about"] = np.frombuffer(about.encode(), np.uint8)
        with whole_file(path) as file:
            _write_npz(file, arrays)


def _smallest(numbers: np.ndarray, k: int | None) -> np.ndarray:
    """Positions of the k smallest numbers (all with None), in order; NaN is none."""
    known = np.flatnonzero(np.isfinite(numbers))
    if k is not None and k < known.size:  # to order them all takes long
        limit = np.partition(numbers[known], k)[k]
        known = known[numbers[known] <= limit]
    return known[np.argsort(numbers[known], kind="stable")][:k]


def _as_json(cells: pd.Series) -> str:
    """What `json.dumps` makes of a column's texts, but soon where all are plain."""
    texts = as_arrow(cells)
    is_plain = pc.all(pc.match_substring_regex(texts, PLAIN), skip_nulls=False).as_py()
    if not len(texts) or not is_plain:
        return json.dumps(cells.tolist())
    return '["' + between(texts, '", "').as_py() + '"]'


def _write_npz(file: IO[bytes], arrays: Mapping[str, np.ndarray]) -> None:
    """As numpy's `savez_compressed`, but soon for large tables."""
    with zipfile.ZipFile(file, "w", compresslevel=1) as archive:
        for name, array in arrays.items():
            # Digits of many values hardly shrink, however long one tries.
            digits = array.dtype.kind == "f" and array.nbytes > LARGE and array.any()
            archive.compression = zipfile.ZIP_STORED if digits else zipfile.ZIP_DEFLATED
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, array, allow_pickle=False)


def explained(
    names: Sequence[str], cells: Sequence[str], values: np.ndarray, stderr: np.ndarray
) -> pd.DataFrame:
    """Cells of a row, largest contribution first."""
    frame = pd.DataFrame(
        {"column": names, "cell": cells, "value": values, "stderr": stderr}
    )
    order = np.argsort(-np.abs(values), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def describe(table: Table) -> dict[str, Any]:
    """The fields of `CellValues` that only name rows and columns."""
    return {
        "row_numbers": table.row_numbers,
        "ids": tuple(table.ids),
        "labels": table.labels,
        "bands": () if table.target is None else table.groups,
        "column_names": table.feature_names,
        "cells": table.cells[list(table.feature_names)],
    }


def of_labelled(values: CellValues, table: Table) -> CellValues:
    """Those of the rows of `table.labelled`, as they come from a run on them."""
    if table.labelled is table:
        return values
    has = table.y >= 0
    arrays: dict[str, Any] = {name: getattr(values, name)[has] for name in OF_ROWS}
    return replace(
        values,
        **arrays,
        settings=replace(values.settings, table=table.labelled.fingerprint),
        **describe(table.labelled),
    )


def among_all(values: CellValues, table: Table) -> CellValues:
    """Values of the rows of `table.labelled` with the other rows, which have none."""
    if table.labelled is table:
        return values

    def spread(of_some: np.ndarray) -> np.ndarray:
        out = np.full((table.n_rows, *of_some.shape[1:]), np.nan)
        out[table.y >= 0] = of_some
        return out

    arrays: dict[str, Any] = {name: spread(getattr(values, name)) for name in OF_ROWS}
    return replace(
        values,
        **arrays,
        settings=replace(values.settings, table=table.fingerprint),
        **describe(table),
    )


def made_on(values: CellValues, cluster: str) -> CellValues:
    """Values whose settings say on which cluster they were made."""
    return replace(values, settings=replace(values.settings, cluster=cluster))


def unvalued(table: Table) -> CellValues:
    """What takes the place of values where there is no label: none."""
    shape = (table.n_rows, len(table.features))
    none = [np.full(size, np.nan) for size in (shape, shape[:1], shape[1:])]
    cells, rows, columns = none
    return CellValues(
        cells,
        cells.copy(),
        rows,
        rows.copy(),
        columns,
        columns.copy(),
        0,
        Settings(
            method="none",
            model="",
            test="none",
            design="random",
            table=table.fingerprint,
        ),
        **describe(table),
    )


def load(path: str | Path | IO[bytes]) -> CellValues:
    """Read what `CellValues.save` wrote, also that of version 0.1.

    Examples
    --------
    >>> import cellval, pathlib, tempfile
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> path = pathlib.Path(tempfile.mkdtemp(), "values.npz")
    >>> cellval.value_cells(table).save(path)
    >>> cellval.load(path).n_test
    200
    """
    raw, name = _saved(path)
    try:
        header, arrays = read_archive(raw)
        if header["format"] not in READERS:
            raise InputError(
                f"{name} was written by another version of cellval (format "
                f"{cut(header['format'], 20)}, this one reads "
                f"{', '.join(map(str, READERS))}). Run it again."
            )
        names = tuple(header["column_names"])
        cells = dict(zip(names, header["cells"], strict=True))
        try:
            settings = READERS[header["format"]](header["settings"])
        except InputError:
            raise
        except Exception as error:  # whatever is wrong with one of thirty fields
            raise Unfit("its settings cannot be read") from error
    except Unfit as why:
        raise InputError(
            f"{name} does not hold cell values: {why}. Choose a values.npz that "
            "cellval wrote."
        ) from why
    return CellValues(
        n_test=header["n_test"],
        settings=settings,
        ids=tuple(header["ids"]),
        labels=tuple(header["labels"]),
        bands=tuple(header["bands"]),
        column_names=names,
        cells=pd.DataFrame(cells, dtype=str),
        state={k[6:]: a for k, a in arrays.items() if k.startswith("state_")},
        **{name: arrays[name] for name in ARRAYS},
    )


def _saved(path: str | Path | IO[bytes]) -> tuple[bytes, str]:
    if isinstance(path, str | Path) and not os.path.exists(path):  # also if too long
        raise InputError(f"There is no file {path}.")
    return bytes_of(path)
