"""`CellValues`: the value of every cell, with standard errors. Lower is worse."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.table.table import Table
from cellval.values.files import read_arrays, write_arrays

FORMAT = 1  # of saved files
_ARRAYS = (
    *("values", "stderr", "row_values", "row_stderr"),
    *("column_values", "column_stderr", "row_numbers"),
)


@dataclass(frozen=True, eq=False)
class CellValues:
    """What every cell of a table adds to the score of a learning task.

    A cell's value is in units of the score (accuracy): all cells together sum to the
    accuracy that was reached, the cells of a row to the row's 1D value. Below zero, the
    cell hurts.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        NaN in rows that were not valued (held out for testing).
    stderr : ndarray of shape (n_rows, n_columns)
        Standard error over test points: sampling noise and test-set noise together. NaN
        with fewer than two test points.
    n_test : int
        Test points seen so far.
    settings : dict
        How the values were made; `settings["design"]` and `settings["approximation"]`
        name what was evaluated.
    """

    values: np.ndarray
    stderr: np.ndarray
    row_values: np.ndarray
    row_stderr: np.ndarray
    column_values: np.ndarray
    column_stderr: np.ndarray
    n_test: int
    settings: Mapping[str, Any]
    row_numbers: np.ndarray
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    column_names: tuple[str, ...]
    cells: pd.DataFrame  # text of the valued columns
    state: Mapping[str, np.ndarray] = field(default_factory=dict)  # to continue a run

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
            f"{self.settings.get('design', '')}>"
        )

    @property
    def total(self) -> float:
        """Sum of all cells: where they `sums_to_score`, the score that was reached,
        less what no columns are worth.
        """
        return float(np.nansum(self.column_values))

    @property
    def additive(self) -> bool:
        """Are values parts of the score? Else 0 is no border between good and bad."""
        return bool(self.settings.get("additive", True))

    @property
    def sums_to_score(self) -> bool:
        """Is the total the score reached (less what no columns are worth)?"""
        weights = (self.settings.get(f"{of}_weights") for of in ("row", "column"))
        return self.additive and all(w in (None, "shapley") for w in weights)

    @property
    def middle(self) -> float:
        """The value of a cell that is neither good nor bad."""
        return float(self.settings.get("middle", 0.0))

    @property
    def model(self) -> str:
        """What the values speak of, such as "KNN model"."""
        return str(self.settings.get("model", "KNN model"))

    @property
    def tested(self) -> str:
        """How many test points there were, in words; nothing where none are needed."""
        if self.settings.get("test") == "none":
            return ""
        return f"{self.n_test:,} test point{'s' * (self.n_test != 1)}"

    @property
    def typical_stderr(self) -> float:
        """Mean standard error of a cell."""
        known = self.stderr[np.isfinite(self.stderr)]
        return float(known.mean()) if known.size else float("nan")

    @property
    def rows(self) -> pd.DataFrame:
        """1D value of each row (the sum of its cells) with its own standard error."""
        return pd.DataFrame(
            {
                "row": self.row_numbers,
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
        index = pd.Index(self.row_numbers, name="row")
        return pd.DataFrame(self.values, index=index, columns=list(self.column_names))

    def ranks(self, *, within_class: bool = False) -> np.ndarray:
        """Rank of every cell, 1 for the lowest value; 0 where there is no value.

        Parameters
        ----------
        within_class : bool
            Order cells by how low they are among the cells of rows of the same label,
            so that a rare class does not fill the list.
        """
        flat = self.values.ravel()
        known = np.isfinite(flat)
        lowness = flat.copy()
        if within_class:
            label = np.repeat(
                pd.factorize(np.array(self.labels))[0], self.values.shape[1]
            )
            for k in np.unique(label):
                members = np.flatnonzero((label == k) & known)
                order = members[np.argsort(flat[members], kind="stable")]
                lowness[order] = (np.arange(members.size) + 0.5) / members.size
        cells = np.flatnonzero(known)
        order = cells[np.lexsort((flat[cells], lowness[cells]))]
        ranks = np.zeros(flat.size, np.int64)
        ranks[order] = np.arange(1, order.size + 1)
        return ranks.reshape(self.values.shape)

    def lowest(self, k: int | None = 20, *, within_class: bool = False) -> pd.DataFrame:
        """The k cells with the lowest values (all with None), lowest first.

        Returns
        -------
        DataFrame with columns index (row's position in the table, from 0), row (from 1,
        as a person counts), id, label, column, cell, value, stderr, rank
        """
        ranks = self.ranks(within_class=within_class)
        order = np.argsort(ranks, axis=None, kind="stable")
        order = order[ranks.ravel()[order] > 0][:k]
        row, column = np.unravel_index(order, ranks.shape)
        text = self.cells.to_numpy(object)
        return pd.DataFrame(
            {
                "index": row,
                "row": self.row_numbers[row],
                "id": np.array(self.ids, object)[row],
                "label": np.array(self.labels, object)[row],
                "column": np.array(self.column_names, object)[column],
                "cell": text[row, column],
                "value": self.values[row, column],
                "stderr": self.stderr[row, column],
                "rank": ranks[row, column],
            }
        )

    def position(self, row: int) -> int:
        """Position in the table, from 0, of a row as a person counts."""
        found = np.flatnonzero(self.row_numbers == row)
        if found.size == 0:
            raise InputError(
                f"There is no valued row {row}. Rows count from "
                f"{self.row_numbers.min()} to {self.row_numbers.max()}; rows without a "
                "label are left out."
            )
        return int(found[0])

    def explain(self, row: int) -> pd.DataFrame:
        """A row's cells, largest contribution first; values sum to the row's value.

        Parameters
        ----------
        row : int
            Row number from 1, as a person counts data rows in the file.
        """
        i = self.position(row)
        frame = pd.DataFrame(
            {
                "column": self.column_names,
                "cell": self.cells.iloc[i].to_numpy(object),
                "value": self.values[i],
                "stderr": self.stderr[i],
            }
        )
        order = np.argsort(-np.abs(self.values[i]), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def merge(self, other: "CellValues") -> "CellValues":
        """Average with a run of the same table that saw other draws or test points.

        Runs on the same test points share their noise, so their standard errors are
        averaged; runs on different test tables are independent and gain precision.
        """
        if any(run.settings.get("by", "knn") != "knn" for run in (self, other)):
            raise InputError(
                "Only values of the KNN method can be merged. Run the other methods "
                "with more rounds instead."
            )
        alike = ("method", "table", "n_neighbors", "baseline", "scoring", "near")
        different = [k for k in alike if self.settings[k] != other.settings[k]]
        weights_of = [
            run.settings.get("column_weights", "shapley") for run in (self, other)
        ]
        if weights_of[0] != weights_of[1]:
            different.append("column_weights")
        if _is_exact(self) != _is_exact(other):
            different.append("design (exact or sampled)")
        same_tests = self.settings["test"] == other.settings["test"]
        held_out = any("hold-out" in r.settings["test"] for r in (self, other))
        if not same_tests and (held_out or self.settings["leave_one_out"]):
            different.append("test")
        if different:
            raise InputError(
                "These values cannot be merged: they differ in "
                + ", ".join(different)
                + "."
            )
        mine, others = _sources(self), _sources(other)
        if any(source in mine for source in others):
            raise InputError(
                "These values come from the same draws (same random_state and test "
                "points). Run one of them with another random_state."
            )
        weights = np.array([run.settings["weight"] for run in (self, other)], float)
        a, b = weights / weights.sum()

        def mean(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            return np.asarray(a * x + b * y)

        def error(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            if same_tests:
                return mean(x, y)
            return np.asarray(np.sqrt((a * x) ** 2 + (b * y) ** 2))

        n_test = self.n_test if same_tests else self.n_test + other.n_test
        return CellValues(
            mean(self.values, other.values),
            error(self.stderr, other.stderr),
            mean(self.row_values, other.row_values),
            error(self.row_stderr, other.row_stderr),
            mean(self.column_values, other.column_values),
            error(self.column_stderr, other.column_stderr),
            max(n_test, other.n_test),
            {
                **self.settings,
                "random_state": None,
                "sources": [*mine, *others],
                "weight": float(weights.sum()),
                "design": f"{self.settings['design']}, merged",
            },
            self.row_numbers,
            self.ids,
            self.labels,
            self.column_names,
            self.cells,
        )

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file (no pickle); `cellval.load` reads it."""
        header = {
            "format": FORMAT,
            "n_test": self.n_test,
            "settings": dict(self.settings),
            "ids": self.ids,
            "labels": self.labels,
            "column_names": self.column_names,
            "cells": [self.cells[c].tolist() for c in self.cells.columns],
        }
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        state = {f"state_{name}": array for name, array in self.state.items()}
        write_arrays(path, header, arrays | state)


def _is_exact(values: CellValues) -> bool:
    return "exact" in str(values.settings["design"])


def _sources(values: CellValues) -> list[list[Any]]:
    """Test points and seed of every run in these values."""
    own = [values.settings["test"], values.settings["random_state"]]
    return list(values.settings.get("sources", [own]))


def describe(table: Table) -> dict[str, Any]:
    """The fields of `CellValues` that only name rows and columns."""
    classes = np.array(table.classes, object)
    return {
        "row_numbers": table.row_numbers,
        "ids": tuple(table.ids),
        "labels": tuple(classes[table.y]),
        "column_names": table.feature_names,
        "cells": table.cells[list(table.feature_names)],
    }


def load(path: str | Path | IO[bytes]) -> CellValues:
    """Read what `CellValues.save` wrote."""
    try:
        header, arrays = read_arrays(path)
        if header["format"] != FORMAT:
            raise InputError(
                f"{path} was written by another version of cellval (format "
                f"{header['format']}, this one reads {FORMAT}). Run it again."
            )
        names = tuple(header["column_names"])
        values = CellValues(
            n_test=int(header["n_test"]),
            settings=header["settings"],
            ids=tuple(header["ids"]),
            labels=tuple(header["labels"]),
            column_names=names,
            cells=pd.DataFrame(
                dict(zip(names, header["cells"], strict=True)), dtype=str
            ),
            state={k[6:]: a for k, a in arrays.items() if k.startswith("state_")},
            **{name: arrays[name] for name in _ARRAYS},
        )
        shape = (len(values.ids), len(names))
        if values.values.shape != shape or values.cells.shape != shape:
            raise ValueError("shapes do not fit")
        return values
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}.") from error
    except Exception as error:  # zip, json and numpy each have their own
        raise InputError(
            f"{path} does not hold cell values. Choose a values.npz that cellval wrote."
        ) from error
