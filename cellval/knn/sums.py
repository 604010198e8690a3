"""`RunSums`: sums of work items so far, and the `CellValues` that they amount to."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cellval.knn.cell_values import Sums, make_sums
from cellval.knn.plan import ALL, Item
from cellval.knn.problem import Problem
from cellval.values.result import CellValues, describe
from cellval.values.settings import check_goes_on, nothing_to_go_on


@dataclass(frozen=True, eq=False)
class RunSums:
    """Sums of the items so far: the current pass, and what finished ones left.

    Items are added in their order to those of their branch, and branches in theirs to
    those of the pass: the same bits, wherever a branch is added up.

    Sums of cells are kept for each segment of the test points, so that a later pass
    refines one segment after the other and the estimate always speaks for all of them.
    """

    sums: Sums  # of the current pass, without the current branch
    branch: Sums  # of the current branch
    open_cells: np.ndarray  # (m, n): of the current pass in the current segment
    segment_cells: tuple[np.ndarray, ...]  # (m, n) each: of finished ones, times pairs
    segment_pairs: np.ndarray  # (n_segments,)
    cell_variance: np.ndarray  # (m, n): of the means of the finest finished pass
    column_variance: np.ndarray
    row_means: np.ndarray  # of the first finished pass: the same in every pass
    row_variance: np.ndarray
    n_items: int = 0  # of this run; what it continues does not count
    pass_number: int = 0
    next_item: int = 0
    n_visited: int = 0  # test points of the current pass; equal ones were visited once
    n_tests: int = 0  # with repeats
    finest: int = 0  # pairs of the finest finished pass, for the standard errors

    def n_seen(self, problem: Problem) -> int:
        """Test points that the estimate speaks for."""
        return int(problem.tests.times.sum()) if self.finest else self.n_tests

    def of_pass(self) -> Sums:
        """Of all items of the current pass so far."""
        return plus(self.sums, self.branch)


SUMS = ("sums", "branch")
# What a run needs to go on, beside them.
KEPT = {field.name for field in fields(RunSums)} - {*SUMS, "n_items"}


def plus(one: Sums, other: Sums) -> Sums:
    return Sums(*(a + b for a, b in zip(one, other, strict=True)))


def nothing(problem: Problem) -> RunSums:
    m, n = problem.rows.cells.shape
    n_segments = len(problem.plan.segments())
    return RunSums(
        sums=make_sums(n, m),
        branch=make_sums(n, m),
        open_cells=np.zeros((m, n)),
        segment_cells=(np.zeros((m, n)),) * n_segments,
        segment_pairs=np.zeros(n_segments, np.int64),
        cell_variance=np.zeros((m, n)),
        column_variance=np.zeros(m),
        row_means=np.zeros(n),
        row_variance=np.zeros(n),
    )


def added(
    problem: Problem, merged: RunSums, item: Item, part: Sums, *, ends_branch: bool
) -> RunSums:
    """With an item's sums (or a group's, or a branch's); its branch, its segment and
    its pass are closed if it is their last."""
    branch = plus(merged.branch, part)
    n_tests = merged.n_tests + int(problem.tests.times[item.first : item.last].sum())
    new: dict[str, Any] = {"n_tests": n_tests, "n_visited": item.last}
    new["n_items"] = merged.n_items + 1
    new["next_item"] = item.number + 1
    if not ends_branch:
        return replace(merged, branch=branch, **new)
    sums = plus(merged.sums, branch)
    new |= {"sums": sums, "branch": make_sums(*sums.cells.shape[::-1])}
    new["open_cells"] = merged.open_cells + branch.cells
    pairs = max(1, item.n_pairs)
    if item.ends_segment:
        segments = list(merged.segment_cells)
        segments[item.segment] = segments[item.segment] + pairs * new["open_cells"]
        new["segment_cells"] = tuple(segments)
        new["segment_pairs"] = merged.segment_pairs.copy()
        new["segment_pairs"][item.segment] += pairs
        new["open_cells"] = np.zeros_like(merged.open_cells)
    if item.last == problem.plan.n_tests:
        is_finest = pairs >= merged.finest
        if is_finest:
            new["finest"] = pairs
            new["cell_variance"], _, new["column_variance"] = _variances(sums, n_tests)
        if not merged.finest or (is_finest and not _is_efficient(problem)):
            new["row_means"] = sums.rows / n_tests
            new["row_variance"] = _variances(sums, n_tests)[1]
        new["sums"] = make_sums(*sums.cells.shape[::-1])
        new["pass_number"] = item.pass_number + 1
        new["n_tests"] = new["n_visited"] = new["next_item"] = 0
    return replace(merged, **new)


def _is_efficient(problem: Problem) -> bool:
    """Do a row's cells sum to its 1D value, whatever was drawn? (Shapley weights)"""
    return problem.rows.factors.size == 0


def _variances(sums: Sums, n: int) -> list[np.ndarray]:
    """Of the means of cells, rows and columns over n test points."""
    return [
        np.maximum(squares - total * total / n, 0.0) / (n - 1.0) / n
        if n > 1
        else np.full(total.shape, np.nan)
        for total, squares in zip(sums[::2], sums[1::2], strict=True)
    ]


def _effect(problem: Problem, n_visited: int) -> float:
    """Equal test points are visited together: before all were seen there are fewer
    independent ones than they count for (Kish's design effect).
    """
    times = problem.tests.times[:n_visited].astype(float)
    return float(np.sum(times**2) / max(np.sum(times), 1.0))


def _sample_variances(problem: Problem, sums: Sums, n_visited: int) -> list[np.ndarray]:
    """Of the means of cells, rows and columns, where the first test points stand for
    all.

    In the near field few of them are near to a row. One to which none was near knows
    nothing of how its values vary, so no cell counts as surer than if it had seen one
    more near test point, an average one of its column (benchmarks/errors.py).
    """
    n = int(problem.tests.times[:n_visited].sum())
    effect = _effect(problem, n_visited)
    variances = [effect * variance for variance in _variances(sums, n)]
    if 0 < problem.near < problem.plan.n_rows:
        n_near = n * problem.near / problem.plan.n_rows
        for variance in variances[:2]:
            least = variance.mean(axis=-1, keepdims=True) / (1.0 + n_near)
            np.maximum(variance, least, out=variance)
    return variances


def typical_error(problem: Problem, sums: Sums, n_visited: int) -> float:
    """Mean standard error of a cell after the first test points."""
    if n_visited < problem.plan.n_tests:
        variances = _sample_variances(problem, sums, n_visited)
    else:
        variances = _variances(sums, int(problem.tests.times.sum()))
    errors = np.sqrt(variances[0])
    return float(errors[:, problem.of_row[problem.of_row >= 0]].mean())


def values_of(problem: Problem, merged: RunSums) -> CellValues:
    """The estimate: in each segment the mean of its passes, weighted by their pairs.

    Standard errors are those of the finest finished pass: the others only add to it.
    """
    n = merged.n_tests
    n_all = int(problem.tests.times.sum())
    if merged.finest:
        pairs = merged.segment_pairs
        cells = sum(c / p for c, p in zip(merged.segment_cells, pairs, strict=True))
        cells, rows = cells / n_all, merged.row_means
        if _is_efficient(problem):
            cells += (rows - cells.sum(axis=0)) / cells.shape[0]  # rounding of float32
        variances = [merged.cell_variance, merged.row_variance, merged.column_variance]
        weight = float(pairs.mean() * n_all)
    else:
        sums = merged.of_pass()
        cells, rows = sums.cells / max(n, 1), sums.rows / max(n, 1)
        variances = _sample_variances(problem, sums, merged.n_visited)
        weight = float(n)
    if not _is_efficient(problem):
        rows = cells.sum(axis=0)

    is_whole = np.array_equal(problem.of_row, np.arange(problem.rows.y.size))

    def to_table(values: np.ndarray) -> np.ndarray:
        if is_whole:  # which is quicker, and takes less memory
            return np.ascontiguousarray(values.T)
        padded = np.concatenate([values, np.full((*values.shape[:-1], 1), np.nan)], -1)
        return np.ascontiguousarray(padded[..., problem.of_row].T)

    values = to_table(cells)
    return CellValues(
        values=values,
        stderr=to_table(np.sqrt(variances[0])),
        row_values=to_table(rows),
        row_stderr=to_table(np.sqrt(variances[1])),
        column_values=np.nansum(values, axis=0),
        column_stderr=np.sqrt(variances[2]),
        n_test=merged.n_seen(problem),
        settings=replace(problem.settings, weight=weight, **_design(problem, merged)),
        state=_state(merged),
        **describe(problem.table),
    )


def _design(problem: Problem, merged: RunSums) -> dict[str, Any]:
    """What was evaluated so far: fields of `Settings`."""
    if problem.plan.n_pairs == ALL:
        n = 2**problem.plan.n_columns
        done: dict[str, Any] = {"design": "subsets", "n_draws": n, "most_draws": n}
    else:
        few, many = int(merged.segment_pairs.min()), int(merged.segment_pairs.max())
        done = {"design": "pairs", "n_draws": max(few, 1)}
        done["most_draws"] = many if few else 1
    if not merged.finest:
        n_all = int(problem.tests.times.sum())
        done |= {"n_seen": merged.n_tests, "n_tests": n_all}
    return done


def _state(merged: RunSums) -> dict[str, np.ndarray]:
    """Everything as plain arrays."""
    known = {name: np.asarray(v) for name, v in vars(merged).items() if name in KEPT}
    return known | {
        f"{name}_{k}": array
        for name in SUMS
        for k, array in getattr(merged, name)._asdict().items()
    }


def resumed(problem: Problem, values: CellValues) -> RunSums:
    """The state in which `values` left a run of the same problem."""
    check_goes_on(values.settings, problem.settings)
    empty = nothing(problem)
    # runs of earlier versions had no branches
    none = {f"branch_{k}": array for k, array in empty.branch._asdict().items()}
    state = {**none, **values.state}
    for name, like in _state(empty).items():
        new = state.get(name)
        if new is None or new.shape != like.shape or new.dtype.kind != like.dtype.kind:
            raise nothing_to_go_on()
    # numbers, tuples and arrays
    known: dict[str, Any] = {
        name: type(old)(state[name]) if isinstance(old, int | tuple) else state[name]
        for name, old in vars(empty).items()
        if name in KEPT
    }
    for name in SUMS:
        known[name] = Sums(*(state[f"{name}_{k}"] for k in Sums._fields))
    return replace(empty, **known)
