"""`Problem`: tables and options, checked, encoded and planned before a run."""

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellval.errors import CannotGoOn, InputError
from cellval.knn.backends import chosen
from cellval.knn.cell_values import Queries, Rows
from cellval.knn.plan import ALL, ITEM_WORK, Plan, drawn, make_plan
from cellval.knn.row_values import make_steps
from cellval.table.encoding import Encoded, encode
from cellval.table.labels import usual_width
from cellval.table.splits import check_classes, hold_out
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.values.settings import Settings
from cellval.weights import named, relative


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that is fixed before the run."""

    table: Table
    rows: Rows
    tests: Queries  # in visiting order
    of_row: np.ndarray  # table row -> index into rows, -1 if it is not valued
    plan: Plan
    near: int
    chance: bool
    steps: np.ndarray
    settings: Settings


def make_problem(
    table: Table, options: RunOptions, continue_from: CellValues | None = None
) -> Problem:
    """Encode the tables and plan the work."""
    require_label(table)
    encoded = encode(table)
    test, seed = options.test, int(options.random_state)
    test = test.labelled if isinstance(test, Table) else test
    valued = np.ones(table.n_rows, bool)
    measured: dict[str, Any] = {"test": "leave-one-out"}
    test_cells, test_y = encoded.cells, encoded.y
    own_y = encoded.y
    if isinstance(test, Table):
        measured = {"test": "table", "test_name": test.name}
        measured["test_table"] = test.fingerprint[:12]
        check_classes(table, test)
        other = encode(test, like=table)
        test_cells, test_y = other.cells, other.y
        own_y = test.y  # classes that training lacks are classes, too
    elif test is not None:
        valued = ~hold_out(table.y, test, seed)
        measured = {"test": "hold-out", "test_rows": int(np.sum(~valued))}
        test_cells, test_y = encoded.cells[:, ~valued], encoded.y[~valued]
        own_y = test_y
    n, m = int(valued.sum()), encoded.weight.size
    label = label_settings(table, options)
    earlier = _earlier(continue_from) if continue_from else {}
    plan = make_plan(n, m, test_y.size, options, **earlier)
    settings = Settings(
        table=table.fingerprint,
        n_neighbors=int(options.n_neighbors),
        subsets=options.subsets,
        passes=tuple(plan.passes()),
        item_work=ITEM_WORK,  # a run is continued only in items of the same size
        baseline=options.baseline,
        **label,
        column_weights=options.column_weights,
        near=options.near,
        random_state=seed,
        backend=chosen(options.backend),
        **measured,
    )
    weight = weights_of_tests(own_y, label["scoring"])
    exact, leave_one_out = plan.n_pairs == ALL, test is None
    rows, tests, of_row = _arrays(
        encoded, valued, test_cells, test_y, weight, exact, leave_one_out
    )
    if width := label["width"]:  # closeness is counted in widths
        rows, tests = rows._replace(y=rows.y / width), tests._replace(y=tests.y / width)
    if options.column_weights != "shapley":
        rows = rows._replace(factors=relative(named(options.column_weights), m))
    if tests.y.size != plan.n_tests:  # equal test points are visited once
        plan = replace(plan, n_rows=rows.y.size, n_tests=tests.y.size)
    if options.subsets == "auto" and not options.stops:
        plan = drawn(plan, _visited(continue_from))
    order = plan.test_order()
    tests = Queries(*(np.ascontiguousarray(array[order]) for array in tests))
    return Problem(
        table,
        rows,
        tests,
        of_row,
        plan,
        min(int(options.near or 0), table.n_rows),
        options.baseline == "chance",
        make_steps(n, int(options.n_neighbors)),
        settings,
    )


def require_label(table: Table) -> None:
    """InputError if there is nothing to predict."""
    if not table.label:
        raise InputError(
            f"{table.name} was read without a label, so there is nothing that its "
            "cells could help to predict. Choose a label to value them."
        )


def label_settings(table: Table, options: RunOptions) -> dict[str, Any]:
    """How labels are compared: what is scored, and the width of closeness."""
    if table.target is None:
        if options.width is not None:
            raise InputError(
                f"width={options.width:g} is for labels that are numbers, but "
                f"'{table.label}' is classes. Leave it out, or read the label as a "
                "number."
            )
        return {"scoring": options.scoring, "width": None}
    if options.scoring == "balanced":
        raise InputError(
            f"scoring='balanced' is for classes, but '{table.label}' is a number. "
            "Leave it out."
        )
    width = usual_width(table.target) if options.width is None else options.width
    return {"scoring": "closeness", "width": float(width)}


def weights_of_tests(y: np.ndarray, scoring: str) -> np.ndarray:
    """Each test point's say: the same, or the same for each class in sum."""
    if scoring != "balanced":
        return np.ones(y.size)
    _, which, counts = np.unique(y, return_inverse=True, return_counts=True)
    return np.asarray(y.size / (counts.size * counts[which]), float)


def _arrays(
    encoded: Encoded,
    valued: np.ndarray,
    test_cells: np.ndarray,
    test_y: np.ndarray,
    weight: np.ndarray,
    exact: bool,
    leave_one_out: bool,
) -> tuple[Rows, Queries, np.ndarray]:
    """Kernel arrays. Exact runs take equal rows, and equal test points, once.

    Sampled runs do not: every test point has its own draws.
    """
    cells, y = encoded.cells[:, valued], encoded.y[valued]
    of_row = np.full(valued.size, -1)
    of_row[valued] = np.arange(y.size)
    times, count = np.ones(test_y.size, np.int64), np.empty(0, np.int64)
    if exact:
        first, of_row[valued], count = distinct(cells, y)
        cells, y, times = cells[:, first], y[first], count
        if not leave_one_out:
            first, _, times = distinct(test_cells, test_y)
        test_cells, test_y, weight = test_cells[:, first], test_y[first], weight[first]
        if count.max() == 1:
            count = np.empty(0, np.int64)
    own = np.arange(y.size) if leave_one_out else np.full(test_y.size, -1)
    rows = Rows(
        np.ascontiguousarray(cells), encoded.weight, encoded.is_category, y, count
    )
    tests = Queries(np.ascontiguousarray(test_cells.T), test_y, own, times, weight)
    return rows, tests, of_row


def distinct(
    cells: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First position, index and count of the different rows (cells and label)."""
    # 0 + turns -0.0 into 0.0; NaN bits are all the same, so missing equals missing
    label = np.unique(y, return_inverse=True)[1].ravel() if y.dtype.kind == "f" else y
    whole = np.vstack([0 + cells, label[None].astype(np.float32)]).T
    whole = np.where(np.isnan(whole), np.float32(np.nan), whole)
    key = np.ascontiguousarray(whole).view(np.dtype((np.void, 4 * whole.shape[1])))
    _, first, which, count = np.unique(
        key.ravel(), return_index=True, return_inverse=True, return_counts=True
    )
    return first, which.ravel(), count.astype(np.int64)


def _visited(values: CellValues | None) -> int:
    """Test points that an earlier run has seen, each once."""
    if values is None:
        return 0
    is_first = int(values.state["pass_number"]) == 0
    return int(values.state["n_visited"]) if is_first else sys.maxsize


def _earlier(values: CellValues) -> dict[str, Any]:
    """Pairs of the passes that these values have begun, and where to go on to."""
    if not values.state:
        raise CannotGoOn(
            "These values cannot be continued: they are merged, or were not made by "
            "the KNN engine. Start a new run."
        )
    planned = values.settings.passes
    n = int(values.state["pass_number"]) + bool(values.state["next_item"])
    finished = n >= len(planned) and not values.state["next_item"]
    goal = 2 * sum(planned) if finished else sum(planned)
    return {"begun": tuple(planned[: max(n, 1)]), "goal": goal}
