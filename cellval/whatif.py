"""What if a row held something else: what it, and each of its cells, would be worth.

Only one row changes, so only its own values are computed: the other rows are ordered
around each test point once, and every content of the row finds its place among them.
The answers are those of a new run on the changed table: kinds and features stay, the
scale of a changed column is measured anew, and the test points are those of the run.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from cellval.encoding import Encoded, encode
from cellval.knn import onerow
from cellval.knn.engine import n_cores
from cellval.knn.kernels import Queries, Rows
from cellval.knn.plan import MOST_COLUMNS
from cellval.knn.problem import _distinct, _test_weights, make_problem
from cellval.knn.rows import make_steps
from cellval.reading import listed
from cellval.table import InputError, Table
from cellval.values import CellValues
from cellval.wording import SURE, Unit, content

MOST_LABELS = 10
# Evaluations (rows x test points x subsets of columns): fixed, because answers must not
# depend on how fast or busy the machine is. One takes about 8 ns on one core.
ROW_WORK = 1e8  # for values of the row, in all
CELL_WORK = 1.7e8  # for values of its cells, a second
ORDERING = 100  # what ordering no rows costs, in rows
RELATIVE = 0.5  # share of the work where only a difference is wanted
MOST_PAIRS = 64


@dataclass(frozen=True, eq=False)
class RowIf:
    """The 1D value of a row as it is and under several other contents.

    Attributes
    ----------
    now, now_stderr : float
    values, stderr : ndarray of shape (n_alternatives,)
    gains, gains_stderr : ndarray of shape (n_alternatives,)
        Value less `now`, on the same test points: more precise than the values.
    n_test : int
        Test points that were looked at.
    note : str
        What was sampled or read in an unexpected way; else empty.
    """

    now: float
    now_stderr: float
    values: np.ndarray
    stderr: np.ndarray
    gains: np.ndarray
    gains_stderr: np.ndarray
    n_test: int
    note: str


@dataclass(frozen=True, eq=False)
class LabelOrCell:
    """What each single change of a row would do to its value.

    Attributes
    ----------
    row : int
        As a person counts, from 1.
    now, now_stderr : float
        The row's value as it is.
    changes : DataFrame
        One line per change; see `frame`.
    verdict : str
        The change that helps most, in a sentence or two.
    note : str
        What was sampled or read in an unexpected way; else empty.
    """

    row: int
    now: float
    now_stderr: float
    changes: pd.DataFrame
    verdict: str
    note: str

    def frame(self) -> pd.DataFrame:
        """Columns change, column, before, after, value, gain, stderr (of the gain)."""
        return self.changes.copy()


@dataclass(frozen=True, eq=False)
class WhatIf:
    """The cells of a row before and after a change, each with its value.

    Attributes
    ----------
    row : int
        As a person counts, from 1.
    before, after : DataFrame
        As `CellValues.explain`: column, cell, value, stderr; values sum to the total.
        A standard error after is that before and that of the change together, which is
        rather too large than too small.
    before_total, after_total, before_stderr, after_stderr : float
        The row's value, with its standard error.
    seconds : float
        How long it took.
    note : str
        How `after` was computed, and what was read in an unexpected way.
    """

    row: int
    before: pd.DataFrame
    after: pd.DataFrame
    before_total: float
    after_total: float
    before_stderr: float
    after_stderr: float
    seconds: float
    note: str


def row_value_if(
    table: Table,
    index: int,
    changes_list: Sequence[Mapping[str, str]],
    *,
    settings: Mapping[str, Any],
    test: Table | pd.DataFrame | float | np.ndarray | None = None,
) -> RowIf:
    """The 1D value of one row under each of several alternative contents.

    Parameters
    ----------
    index : int
        Position of the row in the table, from 0.
    changes_list : sequence of mappings of column or label to its new text
    settings : mapping
        Those of the run: `CellValues.settings`.
    test : Table, DataFrame, float, or ndarray of bool of shape (n_rows,), optional
        The test table or share that the run was given, or which rows it held out. Rows
        held out stay so even if a label changes.

    Returns
    -------
    RowIf
        What ``value_rows(table.with_cells(...))[index]`` would be. Of large tables only
        some test points are looked at, the same for all contents; `note` says so.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> swapped = {"weight": "57", "height": "166"}
    >>> result = row_value_if(table, 11, [swapped], settings={"n_neighbors": 10})
    >>> bool(result.gains[0] > 2 * result.gains_stderr[0])
    True
    """
    run = _run_of(table, settings, test)
    scene = _scene(run, index, changes_list)
    told = _whole_row(run, scene)
    alternatives = range(1, len(changes_list) + 1)
    values = np.array([told.mean(q) for q in alternatives]).reshape(-1, 2)
    gains = np.array([told.mean(q, 0) for q in alternatives]).reshape(-1, 2)
    now, now_stderr = told.mean(0)
    return RowIf(
        float(now),
        float(now_stderr),
        values[:, 0],
        values[:, 1],
        gains[:, 0],
        gains[:, 1],
        told.by_test.shape[1] + run.leave_one_out,
        _joined(told.note, *scene.notes),
    )


def label_or_cell(
    table: Table,
    values: CellValues,
    index: int,
    suggestions: Mapping[str, str],
    test: Table | pd.DataFrame | None = None,
) -> LabelOrCell:
    """Label or cell: a row's value under each other label and each suggested cell.

    Parameters
    ----------
    index : int
        Position of the row in the table, from 0.
    suggestions : mapping of column to the text that a suspicious cell should have
    test : Table or DataFrame, optional
        The test table of the run, if it had one.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> label_or_cell(table, values, 11, {"height": "163"}).frame()["change"].tolist()
    ['sex: F → M', 'height: 57 → 163']
    """
    run = _run_of(table, values.settings, test, values)
    _check_row(run, index)
    common = np.argsort(-np.bincount(table.y), kind="stable")
    labels = [table.classes[k] for k in common if k != table.y[index]]
    changes = [(table.label, text) for text in labels[:MOST_LABELS]]
    changes += suggestions.items()
    scene = _scene(run, index, [{name: text} for name, text in changes])
    told = _whole_row(run, scene)
    lines = []
    for q, (name, new) in enumerate(changes, 1):
        old = str(table.cells[name].iloc[index]).strip()
        text = f"{name}: {content(old)} → {content(new)}"
        lines.append((text, name, old, new, told.mean(q)[0], *told.mean(q, 0)))
    columns = ["change", "column", "before", "after", "value", "gain", "stderr"]
    frame = pd.DataFrame(lines, columns=columns)
    now, now_stderr = told.mean(0)
    return LabelOrCell(
        int(table.row_numbers[index]),
        float(now),
        float(now_stderr),
        frame,
        _verdict(frame, table.label, float(now), told),
        _joined(told.note, *scene.notes),
    )


def what_if(
    table: Table,
    values: CellValues,
    index: int,
    changes: Mapping[str, str],
    *,
    test: Table | pd.DataFrame | None = None,
    seconds: float = 0.8,
) -> WhatIf:
    """Values of all cells of a row after a change of any of its cells or its label.

    Parameters
    ----------
    index : int
        Position of the row in the table, from 0.
    changes : mapping of column or label to its new text
    test : Table or DataFrame, optional
        The test table of the run, if it had one.
    seconds : float
        About how long it may take on two cores; more time, smaller errors.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> values = cellval.value_cells(table)
    >>> answer = what_if(table, values, 11, {"weight": "57", "height": "166"})
    >>> answer.before_total < answer.after_total
    True
    """
    started = time.monotonic()
    run = _run_of(table, values.settings, test, values)
    scene = _scene(run, index, [changes])
    whole = _whole_row(run, scene)
    total, total_stderr = whole.mean(1)
    old, old_stderr = values.values[index], values.stderr[index]
    is_exact = "exact" in str(values.settings["design"])
    told = _exact_cells(run, scene, CELL_WORK * seconds, old_known=is_exact)
    if told is None:
        told = _sampled_cells(run, scene, CELL_WORK * seconds)
    if len(told.by_test) == 1:
        new, new_stderr = told.mean(0)
    else:
        change, stderr = told.mean(1, 0)
        new, new_stderr = old + change, np.hypot(old_stderr, stderr)
    new = new + (total - new.sum()) / new.size
    row = int(table.row_numbers[index])
    before = values.explain(row)
    texts = [scene.texts[1][name] for name in values.column_names]
    after = pd.DataFrame(
        {
            "column": values.column_names,
            "cell": texts,
            "value": new,
            "stderr": new_stderr,
        }
    )
    order = np.argsort(-np.abs(new), kind="stable")
    about_total, stopped = "", ""
    if whole.note:
        about_total = f"The row's value was {whole.note[0].lower()}{whole.note[1:]}"
    if values.n_test < run.n_tests:
        stopped = (
            f"The run before was stopped after {values.n_test:,} of {run.n_tests:,} "
            "test points, so before and after differ by its noise, too."
        )
    return WhatIf(
        row,
        before,
        after.iloc[order].reset_index(drop=True),
        float(values.row_values[index]),
        float(total),
        float(values.row_stderr[index]),
        float(total_stderr),
        time.monotonic() - started,
        _joined(told.note, about_total, *scene.notes, stopped),
    )


# ---- how the values were made


@dataclass(frozen=True, eq=False)
class _Run:
    """The table and the settings of a run, as far as one row's value needs them."""

    table: Table
    encoded: Encoded
    test: Table | None
    held_out: np.ndarray  # bool (n_rows,)
    leave_one_out: bool
    codes: dict[str, int]  # of labels, with those that only the test table has
    near: int | None
    chance: bool
    scoring: str
    seed: int
    steps: np.ndarray

    @property
    def n_tests(self) -> int:
        if self.leave_one_out:
            return self.table.n_rows
        return self.test.n_rows if self.test else int(self.held_out.sum())


def _run_of(
    table: Table,
    settings: Mapping[str, Any],
    test: Table | pd.DataFrame | float | np.ndarray | None,
    values: CellValues | None = None,
) -> _Run:
    if settings.get("method", "2D-Shapley-KNN") != "2D-Shapley-KNN":
        raise InputError(
            f"What-if needs values of the KNN engine, not of {settings['method']}. "
            "Value the table with value_cells first."
        )
    if settings.get("table", table.fingerprint) != table.fingerprint:
        raise InputError(
            f"These values were made from another table than {table.name} as it is "
            "now. Value the table again."
        )
    about = str(settings.get("test", ""))
    seed = int(settings.get("random_state") or 0)
    held_out = np.zeros(table.n_rows, bool)
    if isinstance(test, pd.DataFrame):
        test = Table.from_frame(test, like=table)
    if isinstance(test, np.ndarray):
        held_out = test.astype(bool)
    elif about.startswith("hold-out") and values is not None:
        held_out = np.isnan(values.row_values)
    elif test is not None and not isinstance(test, Table):
        share = make_problem(table, test=test, subsets=1, random_state=seed)
        held_out = share.of_row < 0
    tests = test if isinstance(test, Table) else None
    found = (
        f"test table '{tests.name}' {tests.fingerprint[:12]}"
        if tests
        else f"hold-out of {held_out.sum()} rows"
        if held_out.any()
        else "leave-one-out"
    )
    if about and not about.startswith(found):
        raise InputError(
            f"The values were made with another test ({about}) than what is given "
            f"here ({found}). Give what the run was given as test."
        )
    names = dict.fromkeys((*table.classes, *(tests.classes if tests else ())))
    n_neighbors = int(settings.get("n_neighbors", 10))
    return _Run(
        table,
        encode(table),
        tests,
        held_out,
        tests is None and not held_out.any(),
        {name: k for k, name in enumerate(names)},
        settings.get("near"),
        settings.get("baseline", "zero") == "chance",
        settings.get("scoring", "accuracy"),
        seed,
        make_steps(int((~held_out).sum()), n_neighbors),
    )


def _check_row(run: _Run, index: int) -> None:
    n = run.table.n_rows
    if not 0 <= index < n:
        raise InputError(
            f"There is no row at position {index}: {run.table.name} has {n:,} rows, "
            "counted from 0."
        )
    if run.held_out[index]:
        raise InputError(
            f"Row {run.table.row_numbers[index]:,} was held out for testing and has no "
            "value. Choose another row, or value the table with test=None."
        )


# ---- the contents of the row, and the others around it


@dataclass(frozen=True, eq=False)
class _World:
    """All rows but the one in question, and the test points, on one scale."""

    cells: np.ndarray  # float32 (m, n)
    weight: np.ndarray  # float32 (m,)
    test_cells: np.ndarray  # float32 (n_tests, m)


@dataclass(frozen=True, eq=False)
class _Scene:
    """Contents of one row (the first: as it is) in their worlds.

    A change of content may alter the scale of its column, and with it all distances:
    then it has a world of its own. The first world is that of the table as it is.
    """

    worlds: list[_World]
    y: np.ndarray  # int32 (n,): labels of the others
    test_y: np.ndarray  # int32 (n_tests,): without the row itself
    own: np.ndarray  # int64 (n_tests,): the other row that each is, or -1
    world_of: list[int]  # of each content
    contents: np.ndarray  # float32 (m, n_contents)
    labels: np.ndarray  # int32 (n_contents,)
    say: np.ndarray  # float64 (n_contents, n_tests): weight of each test point
    texts: list[pd.Series]  # all cells of the row
    notes: list[str]


def _scene(run: _Run, index: int, changes_list: Sequence[Mapping[str, str]]) -> _Scene:
    _check_row(run, index)
    table = run.table
    others = ~run.held_out
    others[index] = False
    if run.leave_one_out:
        own_tests = np.flatnonzero(others)
        own = np.arange(own_tests.size)
    else:
        own_tests = np.flatnonzero(run.held_out)
        own = np.full(run.n_tests, -1)

    def world(encoded: Encoded, tests: Encoded | None) -> _World:
        at = encoded.cells[:, own_tests] if tests is None else tests.cells
        cells = np.ascontiguousarray(encoded.cells[:, others])
        return _World(cells, encoded.weight, np.ascontiguousarray(at.T))

    def say(y: np.ndarray) -> np.ndarray:
        if run.test:
            return _test_weights(run.test.y, run.scoring)
        # in leave-one-out the row itself is a test point, silent on itself
        points = slice(None) if run.leave_one_out else own_tests
        weights = _test_weights(y[points], run.scoring)
        return np.delete(weights, index) if run.leave_one_out else weights

    tests = encode(run.test, like=table) if run.test else None
    worlds = [world(run.encoded, tests)]
    world_of, contents = [0], [run.encoded.cells[:, index]]
    labels, says = [table.classes[table.y[index]]], [say(table.y)]
    texts, notes = [table.cells.iloc[index]], []
    for changes in changes_list:
        new = _altered(table, index, changes)
        encoded, new_tests = _encoded_anew(run, new, set(changes), tests)
        there = world(encoded, new_tests)
        same = all(
            np.array_equal(a, b, equal_nan=True)
            for a, b in zip(vars(there).values(), vars(worlds[0]).values(), strict=True)
        )
        world_of.append(0 if same else len(worlds))
        if not same:
            worlds.append(there)
        contents.append(encoded.cells[:, index])
        labels.append(new.classes[new.y[index]])
        says.append(say(new.y))
        texts.append(new.cells.iloc[index])
        notes += _reading_notes(table, new, index, changes)
    test_y = table.y[own_tests]
    if run.test:
        names = [run.codes[name] for name in run.test.classes]
        test_y = np.array(names, np.int32)[run.test.y]
    return _Scene(
        worlds,
        table.y[others],
        test_y,
        own,
        world_of,
        np.stack(contents, axis=1),
        np.array([run.codes.get(label, -1) for label in labels], np.int32),
        np.stack(says),
        texts,
        list(dict.fromkeys(notes)),
    )


def _altered(table: Table, index: int, changes: Mapping[str, str]) -> Table:
    for name in changes:
        if name not in table.cells:
            raise InputError(
                f"{table.name} has no column '{name}'. Its columns are "
                f"{listed([str(c) for c in table.cells])}."
            )
    new = table.with_cells({(index, name): str(t) for name, t in changes.items()})
    if new.n_rows < table.n_rows:
        raise InputError(
            f"Row {table.row_numbers[index]:,} cannot be valued without a label: give "
            f"'{table.label}' one of {listed(table.classes)}."
        )
    return new


def _encoded_anew(
    run: _Run, new: Table, names: set[str], tests: Encoded | None
) -> tuple[Encoded, Encoded | None]:
    """The changed table and the test table; only changed columns are encoded."""
    at = [j for j, column in enumerate(new.features) if column.name in names]
    if not at:
        return run.encoded, tests
    few = replace(new, columns=tuple(new.features[j] for j in at))

    def mixed(old: Encoded, part: Encoded) -> Encoded:
        cells, weight = old.cells.copy(), old.weight.copy()
        cells[at], weight[at] = part.cells, part.weight
        return replace(old, cells=cells, weight=weight)

    if tests is None or run.test is None:
        return mixed(run.encoded, encode(few)), None
    return mixed(run.encoded, encode(few)), mixed(tests, encode(run.test, like=few))


def _reading_notes(
    old: Table, new: Table, index: int, changes: Mapping[str, str]
) -> list[str]:
    notes = []
    known = {column.name: column.categories for column in old.columns}
    for column in new.columns:
        if column.name not in changes:
            continue
        text = str(changes[column.name]).strip()
        shown = f"'{content(text)}'"
        if not column.feature:
            notes.append(f"'{column.name}' is no feature: it changes no value.")
        elif column.missing[index] and text:
            notes.append(
                f"{shown} is no {column.kind} for '{column.name}' and counts as "
                "missing."
            )
        elif column.codes is not None and text and text not in known[column.name]:
            notes.append(f"{shown} is new in '{column.name}': no other row has it.")
    label = str(changes.get(new.label, old.classes[0])).strip()
    if label not in old.classes:
        notes.append(f"'{content(label)}' is a new class of '{new.label}'.")
    return notes


# ---- what the test points tell


@dataclass(frozen=True, eq=False)
class _Told:
    """What each test point that was looked at says about each content."""

    by_test: np.ndarray  # (n_contents, n_looked_at) or (n_contents, n_looked_at, m)
    times: np.ndarray  # (n_looked_at,): test points that each stands for
    is_sampled: np.ndarray  # bool (n_looked_at,): it stands for unseen ones, too
    n_tests: int  # there are
    note: str = ""

    def mean(self, q: int, against: int | None = None) -> tuple[Any, Any]:
        """Mean over all test points of a content (less another), and its stderr.

        Noise of the test set, and of looking at some test points only.
        """
        v = self.by_test[q] - (0.0 if against is None else self.by_test[against])
        n = self.n_tests
        mean = self.times @ v / n
        if n < 2:
            return mean, np.full_like(mean, np.nan)
        spread = np.maximum(self.times @ (v * v) - n * mean * mean, 0.0) / (n - 1)
        variance = spread / n
        some = v[self.is_sampled]
        if len(some) > 1:
            stands_for = self.times[self.is_sampled].sum()
            unseen = 1 - len(some) / stands_for
            variance += (
                (stands_for / n) ** 2 * some.var(axis=0, ddof=1) / len(some) * unseen
            )
        return mean, np.sqrt(variance)


def _some_tests(
    run: _Run, scene: _Scene, wanted: int
) -> tuple[np.ndarray, np.ndarray, str]:
    """Test points to look at, how many each stands for, and a note if not all.

    Those nearest to the row in any content are all looked at, because they say most
    about it; the others are a random sample.
    """
    n = scene.test_y.size
    wanted = max(wanted, 20)
    if wanted >= n:
        return np.arange(n), np.ones(n), ""
    nearest = np.full(n, np.inf)
    for q, w in enumerate(scene.world_of):
        world = scene.worlds[w]
        gap = world.test_cells - scene.contents[:, q]
        apart = np.where(run.encoded.is_category, gap != 0, gap * gap) * world.weight
        blank = np.isnan(world.test_cells), np.isnan(scene.contents[:, q])
        apart = np.where(blank[0] | blank[1], blank[0] != blank[1], apart)
        nearest = np.minimum(nearest, apart.sum(axis=1))
    order = np.argsort(nearest, kind="stable")
    near, far = order[: wanted // 2], order[wanted // 2 :]
    rng = np.random.default_rng([run.seed, 2**30])
    some = rng.choice(far, wanted - near.size, replace=False)
    times = np.repeat([1.0, far.size / some.size], [near.size, some.size])
    note = (
        f"Measured on {wanted:,} of {n:,} test points, the same before and after: the "
        f"{near.size:,} nearest to the row and a random sample of the others."
    )
    return np.concatenate([near, some]), times, note


def _arrays(
    run: _Run, scene: _Scene, w: int, contents: Sequence[int], which: np.ndarray
) -> tuple[Rows, Queries]:
    """Kernel arrays of one world: the others, then the contents, there 0 times."""
    world = scene.worlds[w]
    rows = Rows(
        np.ascontiguousarray(np.hstack([world.cells, scene.contents[:, contents]])),
        world.weight,
        run.encoded.is_category,
        np.concatenate([scene.y, scene.labels[contents]]),
        np.repeat([1, 0], [scene.y.size, len(contents)]),
    )
    return rows, Queries(
        world.test_cells[which],
        scene.test_y[which],
        scene.own[which],
        np.ones(which.size, np.int64),
        np.ones(which.size),
    )


def _computed(
    kernel: Callable[..., None],
    run: _Run,
    rows: Rows,
    tests: Queries,
    *options: bool,
    orders: np.ndarray | None = None,
    per_cell: bool = True,
) -> np.ndarray:
    """(n_contents, n_tests[, m]): the kernel's output, on threads."""
    n = int(np.argmin(rows.copies))
    m, size = rows.cells.shape
    n_tests = tests.y.size
    out = np.empty((n_tests, size - n, m) if per_cell else (n_tests, size - n))
    fixed = *options, run.near, run.chance, run.steps

    def part(first: int, last: int) -> None:
        some = Queries(*(array[first:last] for array in tests))
        mine = () if orders is None else (orders[first:last],)
        kernel(rows, n, some, *mine, *fixed, out[first:last])

    part(0, 0)  # compiled before threads would do it at once
    width = n_cores()
    bounds = np.linspace(0, n_tests, 4 * width + 1).astype(int)
    with ThreadPoolExecutor(width) as pool:
        list(pool.map(part, bounds[:-1], bounds[1:]))
    return np.moveaxis(out, 1, 0)


def _by_world(
    scene: _Scene, contents: Sequence[int]
) -> list[tuple[int, list[int], list[int]]]:
    """Worlds with the contents that live there, and where these stand in the list."""
    found = []
    for w in dict.fromkeys(scene.world_of[q] for q in contents):
        at = [k for k, q in enumerate(contents) if scene.world_of[q] == w]
        found.append((w, [contents[k] for k in at], at))
    return found


def _whole_row(run: _Run, scene: _Scene) -> _Told:
    """Values of the row: one subset of columns, all of them."""
    contents = range(len(scene.world_of))
    wanted = ROW_WORK / (len(scene.worlds) * (scene.y.size + 1))
    which, times, note = _some_tests(run, scene, int(wanted))
    by_test = np.empty((len(contents), which.size))
    for w, here, at in _by_world(scene, contents):
        arrays = _arrays(run, scene, w, here, which)
        by_test[at] = _computed(onerow.rows_if, run, *arrays, per_cell=False)
    by_test *= scene.say[:, which]
    return _Told(by_test, times, times > 1, run.n_tests, note)


def _is_relative(scene: _Scene) -> bool:
    """Can both contents be placed at once, and what is the same for both left out?"""
    return len(scene.worlds) == 1 and np.array_equal(scene.say[0], scene.say[1])


def _exact_cells(
    run: _Run, scene: _Scene, work: float, old_known: bool
) -> _Told | None:
    """Values of the row's cells from all subsets of columns; None if too much work.

    Of the new content alone if the old ones are known and nothing is gained by placing
    both at once. Equal rows, and equal test points, are taken once.
    """
    m = scene.contents.shape[0]
    if m > MOST_COLUMNS:
        return None
    relative = _is_relative(scene)
    contents = [1] if old_known and not relative else [0, 1]
    parts = _by_world(scene, contents)
    worlds = [scene.worlds[w] for w, _, _ in parts]  # equal in all of them
    first, _, copies = _distinct(np.vstack([w.cells for w in worlds]), scene.y)
    which, times = first, copies
    if not run.leave_one_out:
        points = np.hstack([w.test_cells for w in worlds]).T
        which, _, times = _distinct(points, scene.test_y)
    per_subset = (first.size + ORDERING) * which.size * len(parts)
    if 2.0**m * per_subset * (RELATIVE if relative else 1) > work:
        return None
    by_test = np.empty((len(contents), which.size, m))
    for w, here, at in parts:
        rows, tests = _arrays(run, scene, w, here, which)
        kept = np.append(first, scene.y.size + np.arange(len(here)))
        rows = rows._replace(
            cells=np.ascontiguousarray(rows.cells[:, kept]),
            y=rows.y[kept],
            copies=np.append(copies, np.zeros(len(here), np.int64)),
        )
        if run.leave_one_out:
            tests = tests._replace(own=np.arange(first.size))
        by_test[at] = _computed(onerow.cells_if_exact, run, rows, tests, relative)
    by_test *= scene.say[contents][:, which, None]
    note = f"All {2**m:,} subsets of columns were evaluated anew (exact)."
    sampled = np.zeros(which.size, bool)
    return _Told(by_test, times.astype(float), sampled, run.n_tests, note)


def _sampled_cells(run: _Run, scene: _Scene, work: float) -> _Told:
    """Values of the row's cells before and after on the same random orders."""
    m = scene.contents.shape[0]
    relative = _is_relative(scene)
    per_pair = (scene.y.size + ORDERING) * (2 * m - 1) * len(scene.worlds)
    visits = work / per_pair / (RELATIVE if relative else 1)
    n_pairs = int(np.clip(visits / max(scene.test_y.size, 1), 1, MOST_PAIRS))
    which, times, note = _some_tests(run, scene, int(visits / n_pairs))
    rng = np.random.default_rng([run.seed, 2**30 + 1])
    orders = np.broadcast_to(np.arange(m), (which.size, n_pairs, m)).copy()
    rng.permuted(orders, axis=-1, out=orders)
    by_test = np.empty((2, which.size, m))
    for w, here, at in _by_world(scene, [0, 1]):
        arrays = _arrays(run, scene, w, here, which)
        by_test[at] = _computed(
            onerow.cells_if_sampled, run, *arrays, relative, orders=orders
        )
    by_test *= scene.say[:, which, None]
    number = "one random order" if n_pairs == 1 else f"{n_pairs} random orders"
    how = (
        "Approximate: to each cell's value before is added how it differs between two "
        f"short runs, before and after, on the same {number} of the columns and the "
        "reverse for each test point. The sum is the row's value, computed by itself."
    )
    return _Told(by_test, times, times > 1, run.n_tests, _joined(how, note))


# ---- words


def _joined(*sentences: str) -> str:
    return " ".join(dict.fromkeys(s for s in sentences if s))


def _verdict(frame: pd.DataFrame, label: str, now: float, told: _Told) -> str:
    """The change that helps most, and whether that is more than noise."""
    if frame.empty:
        return "There is no other label and no suggestion to try."
    unit = Unit.of(max(abs(now), float(frame["value"].abs().max())))
    best = int(frame["gain"].argmax())
    line = frame.iloc[best]
    move = f"from {_signed(unit, now)} to {_signed(unit, line['value'])}"
    if line["gain"] <= 0:
        return (
            f"No single change helps: the row's value is {_signed(unit, now)}, and "
            "every other label and every suggestion would leave or lower it."
        )
    if not line["gain"] > SURE * line["stderr"]:
        return (
            f"No single change helps much: the best one, {line['change']}, would move "
            f"the row's value {move}, which is within two standard errors."
        )
    what = f"{line['column']} from {content(line['before'])} to "
    said = (
        f"Changing {what}{content(line['after'])} would raise the row's value most: "
        f"{move}"
    )
    is_label = line["column"] == label
    rivals = frame[(frame["column"] == label) != is_label]
    if rivals.empty:
        return f"{said}. " + (
            "The label may be wrong."
            if is_label
            else "There is no other label to compare it with."
        )
    rival = rivals.index[int(rivals["gain"].argmax())]
    ahead, stderr = told.mean(best + 1, int(rival) + 1)
    if not ahead > SURE * stderr:
        return (
            f"{said}. But {frame.loc[rival, 'change']} would do nearly as much, within "
            "two standard errors: label or cell cannot be told apart."
        )
    if is_label:
        return f"{said}; more than any cell. The label may be wrong."
    return f"{said}; more than any other label. The cell is the likelier culprit."


def _signed(unit: Unit, value: float) -> str:
    text = unit.text(value)
    return f"+{text}" if value > 0 else text
