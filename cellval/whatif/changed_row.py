"""A row with other contents, among the other rows and test points of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.knn.problem import make_problem, weights_of_tests
from cellval.knn.row_values import make_steps
from cellval.table.encoding import Encoded, encode
from cellval.table.table import Table
from cellval.text import content, listed
from cellval.values.result import CellValues


@dataclass(frozen=True, eq=False)
class Run:
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


def run_of(
    table: Table,
    settings: Mapping[str, Any],
    test: Table | pd.DataFrame | float | np.ndarray | None,
    values: CellValues | None = None,
) -> Run:
    if settings.get("method", "2D-Shapley-KNN") != "2D-Shapley-KNN":
        raise InputError(
            f"What-if needs values by KNN, not by {settings['method']}. Value the "
            "table by KNN first (method 'knn')."
        )
    weights = settings.get("column_weights", "shapley")
    if weights != "shapley":
        raise InputError(
            "What-if speaks of values with Shapley weights along columns; these were "
            f"made with {weights.capitalize()} weights. Value the table with "
            "column_weights='shapley' first."
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
    return Run(
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


def check_row(run: Run, index: int) -> None:
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
class World:
    """All rows but the one in question, and the test points, on one scale."""

    cells: np.ndarray  # float32 (m, n)
    weight: np.ndarray  # float32 (m,)
    test_cells: np.ndarray  # float32 (n_tests, m)


@dataclass(frozen=True, eq=False)
class Scene:
    """Contents of one row (the first: as it is) in their worlds.

    A change of content may alter the scale of its column, and with it all distances:
    then it has a world of its own. The first world is that of the table as it is.
    """

    worlds: list[World]
    y: np.ndarray  # int32 (n,): labels of the others
    test_y: np.ndarray  # int32 (n_tests,): without the row itself
    own: np.ndarray  # int64 (n_tests,): the other row that each is, or -1
    world_of: list[int]  # of each content
    contents: np.ndarray  # float32 (m, n_contents)
    labels: np.ndarray  # int32 (n_contents,)
    say: np.ndarray  # float64 (n_contents, n_tests): weight of each test point
    texts: list[pd.Series]  # all cells of the row
    notes: list[str]


def make_scene(
    run: Run, index: int, changes_list: Sequence[Mapping[str, str]]
) -> Scene:
    check_row(run, index)
    table = run.table
    others = ~run.held_out
    others[index] = False
    if run.leave_one_out:
        own_tests = np.flatnonzero(others)
        own = np.arange(own_tests.size)
    else:
        own_tests = np.flatnonzero(run.held_out)
        own = np.full(run.n_tests, -1)

    def world(encoded: Encoded, tests: Encoded | None) -> World:
        at = encoded.cells[:, own_tests] if tests is None else tests.cells
        cells = np.ascontiguousarray(encoded.cells[:, others])
        return World(cells, encoded.weight, np.ascontiguousarray(at.T))

    def say(y: np.ndarray) -> np.ndarray:
        if run.test:
            return weights_of_tests(run.test.y, run.scoring)
        # in leave-one-out the row itself is a test point, silent on itself
        points = slice(None) if run.leave_one_out else own_tests
        weights = weights_of_tests(y[points], run.scoring)
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
    return Scene(
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
    run: Run, new: Table, names: set[str], tests: Encoded | None
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
