"""`Merged`: sums of work items so far, and the `CellValues` that they amount to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.knn.kernels import Sums, make_sums
from cellval.knn.plan import Item
from cellval.knn.problem import Problem
from cellval.table import InputError
from cellval.values import CellValues, describe


@dataclass(frozen=True, eq=False)
class Merged:
    """Sums of the items so far: the current pass, and what finished passes left."""

    pass_number: int
    next_item: int
    n_tests: int  # seen in the current pass
    sums: Sums
    done_pairs: int  # weight of the finished passes
    done_cells: np.ndarray  # (m, n): their weighted sum of means
    finest: int  # pairs of the finest finished pass, which gives the standard errors
    cell_variance: np.ndarray  # (m, n): of its means
    column_variance: np.ndarray
    row_means: np.ndarray  # of the first finished pass: exact in every pass
    row_variance: np.ndarray


def nothing(problem: Problem) -> Merged:
    m, n = problem.rows.cells.shape
    return Merged(
        pass_number=0,
        next_item=0,
        n_tests=0,
        sums=make_sums(n, m),
        done_pairs=0,
        done_cells=np.zeros((m, n)),
        finest=0,
        cell_variance=np.zeros((m, n)),
        column_variance=np.zeros(m),
        row_means=np.zeros(n),
        row_variance=np.zeros(n),
    )


def merge(problem: Problem, merged: Merged, item: Item, part: Sums) -> Merged:
    """Add an item's sums; at the end of a pass, turn its sums into means."""
    sums = Sums(*(a + b for a, b in zip(merged.sums, part, strict=True)))
    n_tests = merged.n_tests + int(problem.tests.times[item.first : item.last].sum())
    fields = {**vars(merged), "sums": sums, "n_tests": n_tests}
    fields["next_item"] = item.number + 1
    if item.last == problem.plan.n_tests:
        pairs = max(1, item.n_pairs)
        fields["done_pairs"] = merged.done_pairs + pairs
        fields["done_cells"] = merged.done_cells + pairs * sums.cells / n_tests
        if pairs >= merged.finest:
            fields["finest"] = pairs
            fields["cell_variance"] = _variance(sums.cells, sums.cells_squared, n_tests)
            fields["column_variance"] = _variance(
                sums.columns, sums.columns_squared, n_tests
            )
        if not merged.finest:
            fields["row_means"] = sums.rows / n_tests
            fields["row_variance"] = _variance(sums.rows, sums.rows_squared, n_tests)
        fields["sums"] = make_sums(*sums.cells.shape[::-1])
        fields["pass_number"] = item.pass_number + 1
        fields["n_tests"] = fields["next_item"] = 0
    return Merged(**fields)


def _variance(total: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
    """Of the mean of n values with the given sum and sum of squares."""
    if n < 2:
        return np.full(total.shape, np.nan)
    return np.asarray(np.maximum(squares - total * total / n, 0.0) / (n - 1.0) / n)


def n_seen(problem: Problem, merged: Merged) -> int:
    return int(problem.tests.times.sum()) if merged.finest else merged.n_tests


def cell_values(problem: Problem, merged: Merged) -> CellValues:
    """The estimate: means of the passes, weighted by their pairs.

    Standard errors are those of the finest finished pass, which the other passes can
    only improve. In the middle of a later pass the cells of a row are shifted evenly so
    that they go on summing to its 1D value.
    """
    sums, n = merged.sums, merged.n_tests
    if not merged.finest:
        n_or_1 = max(n, 1)
        cells, rows = sums.cells / n_or_1, sums.rows / n_or_1
        cell_variance = _variance(sums.cells, sums.cells_squared, n)
        column_variance = _variance(sums.columns, sums.columns_squared, n)
        row_variance = _variance(sums.rows, sums.rows_squared, n)
        weight = float(n)
    else:
        weight = float(merged.done_pairs)
        cells = merged.done_cells
        if n:
            pairs = problem.plan.passes()[merged.pass_number]
            part = pairs * n / problem.tests.times.sum()
            cells = cells + part * sums.cells / n
            weight += part
        rows = merged.row_means
        cells = cells / weight
        cells += (rows - cells.sum(axis=0)) / cells.shape[0]
        cell_variance, column_variance = merged.cell_variance, merged.column_variance
        row_variance = merged.row_variance
        weight *= float(problem.tests.times.sum())

    def to_table(values: np.ndarray) -> np.ndarray:
        padded = np.concatenate([values, np.full((*values.shape[:-1], 1), np.nan)], -1)
        return np.ascontiguousarray(padded[..., problem.of_row].T)

    values = to_table(cells)
    return CellValues(
        values=values,
        stderr=to_table(np.sqrt(cell_variance)),
        row_values=to_table(rows),
        row_stderr=to_table(np.sqrt(row_variance)),
        column_values=np.nansum(values, axis=0),
        column_stderr=np.sqrt(column_variance),
        n_test=n_seen(problem, merged),
        settings={**problem.settings, "weight": weight},
        state=_state(merged),
        **describe(problem.table),
    )


def _state(merged: Merged) -> dict[str, np.ndarray]:
    state = {k: np.asarray(v) for k, v in vars(merged).items() if k != "sums"}
    state |= {f"sums_{k}": v for k, v in merged.sums._asdict().items()}
    return state


def resumed(problem: Problem, values: CellValues) -> Merged:
    """The state in which `values` left a run of the same problem."""
    changed = [
        name
        for name, value in problem.settings.items()
        if name not in ("subsets", "design", "passes")
        and values.settings.get(name) != value
    ]
    if changed:
        raise InputError(
            "This run cannot continue those values: different "
            + ", ".join(changed)
            + ". Use the same table and settings, or start a new run."
        )
    fields: dict[str, Any] = {}
    convert: Callable[[np.ndarray], Any]
    for name in Merged.__dataclass_fields__:
        if name == "sums":
            fields[name] = Sums(*(values.state[f"sums_{k}"] for k in Sums._fields))
        else:
            array = values.state[name]
            convert = int if array.ndim == 0 else np.asarray
            fields[name] = convert(array)
    return Merged(**fields)
