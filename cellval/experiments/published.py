"""The values of the paper's own implementation beside ours, of its own Breast Cancer.

Its repository keeps pickled arrays: the rows it trained and tested on, with and without
outliers, and the values of 1,000 orders of the columns. A pickle can hold anything that
runs, so nothing but arrays is taken from one.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.stats import spearmanr

from cellval.errors import InputError
from cellval.experiments import PUBLISHED
from cellval.experiments.data import table_of
from cellval.experiments.detection import VALUE, mean_lines, points_of
from cellval.experiments.outliers import FIRST, GRID
from cellval.experiments.result import Number, Reproduction
from cellval.figures.lines import lines_figure
from cellval.table.table import Table
from cellval.validation.curves import detection_curve, order_of, removal_curve
from cellval.valuation import value_cells

FILES = {  # rows, and the values of their cells
    "clean": (
        "breast_cancer_clean.data",
        "breast_2d_permutations_clean_combined.values",
    ),
    "with outliers": (
        "breast_cancer_perturb_total_cells_2pc.data",
        "breast_2d_permutations_outlier_combined.values",
    ),
}
THEIRS = "published"
BENIGN = 2  # 4 is malignant
K = 10
STEPS, TREES = 20, 3

# What a pickle of arrays is made of; whatever the version of numpy that wrote it.
ARRAYS: dict[str, Any] = {
    "_reconstruct": np.empty(0).__reduce__()[0],
    "scalar": np.float64(0).__reduce__()[0],
    "ndarray": np.ndarray,
    "dtype": np.dtype,
}


class _Arrays(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "numpy" and name in ARRAYS:
            return ARRAYS[name]
        if (module, name) == ("_codecs", "encode"):  # bytes, as Python 2 wrote them
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no array")


def unpickled(path: Path) -> Any:
    """The arrays of a file."""
    try:
        with path.open("rb") as file:
            return _Arrays(file).load()
    except FileNotFoundError as error:
        raise InputError(
            f"There is no {path}. Give the folder of the paper's own code, with its "
            "files *.data and *.values."
        ) from error
    except (pickle.UnpicklingError, OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} does not hold pickled arrays: {error}.") from error


def run(folder: Path) -> Reproduction:
    found, curves = [], []
    for kind, names in FILES.items():
        data, theirs = (unpickled(folder / name) for name in names)
        train, test = _tables(*data[:4])
        theirs = np.asarray(theirs, float).T
        if theirs.shape != (train.n_rows, len(train.features)):
            raise InputError(f"{folder / names[1]} is not of the rows of {names[0]}.")
        ours = value_cells(train, test=test, n_neighbors=K).values
        found += _alike(kind, ours, theirs)
        by = {VALUE: ours, THEIRS: theirs}
        if len(data) == 4:
            found += _removed(train, test, by)
        else:
            wrong = np.zeros(ours.shape, bool)
            wrong.flat[np.concatenate(data[4:]).astype(np.int64)] = True
            curves = _curves(wrong, np.asarray(data[1]) == BENIGN, by)
            found += _detected(curves)
    points = pd.concat(curves, ignore_index=True)
    return Reproduction(PUBLISHED, found, points, _figure(points))


def _tables(
    rows: Any, labels: Any, tests: Any, test_labels: Any
) -> tuple[Table, Table]:
    train, test = (
        pd.DataFrame(np.asarray(cells)).add_prefix("x").assign(y=np.asarray(y))
        for cells, y in ((rows, labels), (tests, test_labels))
    )
    table = table_of(train, train, "Breast Cancer")
    return table, Table.from_frame(test, like=table)


def _alike(kind: str, ours: np.ndarray, theirs: np.ndarray) -> list[Number]:
    words = f"{kind}: correlation of our values with the published ones"
    pearson = np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]
    rank = spearmanr(ours, theirs, axis=None).statistic
    rows = np.corrcoef(ours.sum(1), theirs.sum(1))[0, 1]
    return [
        Number(f"{kind}: cells", ours.size),
        Number(f"{words}, Pearson", pearson),
        Number(f"{words}, Spearman", float(rank)),
        Number(f"{words}, Pearson of sums over a row", rows),
    ]


def _removed(train: Table, test: Table, by: dict[str, np.ndarray]) -> list[Number]:
    """Best point of the curve when the lowest go first, on the rows that gave values:
    the paper's own protocol.
    """
    found = []
    for name, scores in by.items():
        order = order_of(scores, highest_first=False, seed=0)
        shares = np.linspace(0, 1, STEPS + 1)
        gains = removal_curve(train, test, order, shares, TREES).accuracy
        words = f"clean: best point of removing the lowest first, {name}"
        best = 100 * float(gains.max() - gains[0])
        found.append(Number(words, best, "points", "at least +2 points"))
    return found


def _curves(
    wrong: np.ndarray, benign: np.ndarray, by: dict[str, np.ndarray]
) -> list[pd.DataFrame]:
    parts = {"all cells": np.ones(len(wrong), bool), "benign rows only": benign}
    return [
        points_of(
            detection_curve(wrong[rows], scores[rows]),
            GRID,
            panel=panel,
            signal=name,
        )
        for panel, rows in parts.items()
        for name, scores in by.items()
    ]


def _detected(curves: list[pd.DataFrame]) -> list[Number]:
    found = []
    for points in curves:
        first = points[np.isclose(points["inspected"], FIRST)].iloc[0]
        words = f"{first['panel']}, {first['signal']}"
        share = f"outliers found in the first {100 * FIRST:.0f} % of cells"
        found.append(Number(f"{share}, {words}", 100 * first["found"], "%", "90 %"))
        found.append(Number(f"ROC AUC, {words}", first["auc"]))
    return found


def _figure(points: pd.DataFrame) -> go.Figure:
    return lines_figure(
        mean_lines(points, panel="panel"),
        x="% of cells inspected, lowest first",
        y="% of outliers found",
    )
