"""`ChangedRow`: a row with other contents, among the others and the test points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from cellval.errors import InputError, require
from cellval.knn.problem import weights_of_tests
from cellval.knn.row_values import make_steps
from cellval.table.encoding import Encoded, encode
from cellval.table.table import Table
from cellval.text import content, listed
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.values.settings import Settings
from cellval.values.words import method_words, test_words


@dataclass(frozen=True, eq=False)
class Run:
    """The table and the settings of a run, as far as one row's value needs them."""

    table: Table
    encoded: Encoded
    test: Table | None
    held_out: np.ndarray  # bool (n_rows,)
    leave_one_out: bool
    codes: dict[str, int]  # of classes, with those that only the test table has
    settings: Settings
    seed: int
    steps: np.ndarray

    def labels_of(self, table: Table) -> np.ndarray:
        """As kernels take them: codes of classes, or numbers in widths of the run."""
        if table.target is not None and self.settings.width:
            return np.asarray(table.target / self.settings.width)
        names = [self.codes.get(name, -1) for name in table.classes]
        return np.array(names, np.int32)[table.y]

    @property
    def n_tests(self) -> int:
        if self.leave_one_out:
            return self.table.n_rows
        return self.test.n_rows if self.test else int(self.held_out.sum())


def position_of(run: Run, whole: Table, row_number: int) -> int:
    """Where a row of the whole table stands among those with a label."""
    if whole.y[whole.position(row_number)] < 0:
        raise InputError(
            f"Row {row_number:,} has no label, so it has no value that could change. "
            f"Choose another row, or give it a '{whole.label}' first."
        )
    return run.table.position(row_number)


def run_of(table: Table, values: CellValues, test: Table | None) -> Run:
    """The run that made these values of this table, if it can be asked.

    Its rows are those with a label.
    """
    is_made = isinstance(values, CellValues)
    require("values", values, is_made, "what cellval.value_cells made")
    settings = values.settings
    if settings.method != "knn":
        raise InputError(
            f"What-if needs values by KNN, not by {method_words(settings)}. Value the "
            "table by KNN first."
        )
    if settings.column_weights != "shapley":
        raise InputError(
            "What-if speaks of values with Shapley weights along columns; these were "
            f"made with {settings.column_weights.capitalize()} weights. Value the "
            "table with Shapley weights first."
        )
    if settings.table != table.fingerprint:
        raise InputError(
            f"These values were made from another table than {table.name} as it is "
            "now. Value the table again."
        )
    row_values, table = values.row_values[table.y >= 0], table.labelled
    test = None if test is None else test.labelled
    given = test.fingerprint[:12] if test else ""
    if given != settings.test_table:
        said = f"test table '{test.name}' {given}" if test else "no test table"
        raise InputError(
            f"The values were made with another test ({test_words(settings)}) than "
            f"what is given here ({said}). Give what the run was given as test."
        )
    held_out = np.zeros(table.n_rows, bool)
    if settings.test == "hold-out":
        held_out = np.isnan(row_values)
    names = dict.fromkeys((*table.classes, *(test.classes if test else ())))
    return Run(
        table,
        encode(table),
        test,
        held_out,
        settings.test == "leave-one-out",
        {name: k for k, name in enumerate(names)},
        settings,
        int(settings.random_state or 0),
        make_steps(
            int((~held_out).sum()), int(settings.n_neighbors or RunOptions.n_neighbors)
        ),
    )


class World(NamedTuple):
    """All rows but the one in question, and the test points, on one scale."""

    cells: np.ndarray  # float32 (m, n)
    weight: np.ndarray  # float32 (m,)
    test_cells: np.ndarray  # float32 (n_tests, m)


@dataclass(frozen=True, eq=False)
class ChangedRow:
    """Contents of one row (the first: as it is) in their worlds.

    A change of content may alter the scale of its column, and with it all distances:
    then it has a world of its own. The first world is that of the table as it is.
    """

    worlds: list[World]
    y: np.ndarray  # (n,): labels of the others; int32, or float64 in widths
    test_y: np.ndarray  # (n_tests,): without the row itself
    own: np.ndarray  # int64 (n_tests,): the other row that each is, or -1
    world_of: list[int]  # of each content
    contents: np.ndarray  # float32 (m, n_contents)
    labels: np.ndarray  # (n_contents,)
    say: np.ndarray  # float64 (n_contents, n_tests): weight of each test point
    texts: list[pd.Series]  # all cells of the row
    notes: list[str]


def changed_row(
    run: Run, position: int, changes_list: Sequence[Mapping[str, str]]
) -> ChangedRow:
    table = run.table
    if run.held_out[position]:
        raise InputError(
            f"Row {table.row_numbers[position]:,} was held out for testing and has no "
            "value. Choose another row, or value the table with leave-one-out."
        )
    others = ~run.held_out
    others[position] = False
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
            return weights_of_tests(run.test.y, run.settings.scoring)
        # in leave-one-out the row itself is a test point, silent on itself
        points = slice(None) if run.leave_one_out else own_tests
        weights = weights_of_tests(y[points], run.settings.scoring)
        return np.delete(weights, position) if run.leave_one_out else weights

    tests = encode(run.test, like=table) if run.test else None
    worlds = [world(run.encoded, tests)]
    world_of, contents = [0], [run.encoded.cells[:, position]]
    own_labels = run.labels_of(table)
    labels, says = [own_labels[position]], [say(table.y)]
    texts, notes = [table.cells.iloc[position]], []
    for changes in changes_list:
        new = _altered(table, position, changes)
        encoded, new_tests = _encoded_anew(run, new, set(changes), tests)
        there = world(encoded, new_tests)
        same = all(
            np.array_equal(a, b, equal_nan=True)
            for a, b in zip(there, worlds[0], strict=True)
        )
        world_of.append(0 if same else len(worlds))
        if not same:
            worlds.append(there)
        contents.append(encoded.cells[:, position])
        labels.append(run.labels_of(new)[position])
        says.append(say(new.y))
        texts.append(new.cells.iloc[position])
        notes += _reading_notes(table, new, position, changes)
    return ChangedRow(
        worlds,
        own_labels[others],
        run.labels_of(run.test) if run.test else own_labels[own_tests],
        own,
        world_of,
        np.stack(contents, axis=1),
        np.array(labels, own_labels.dtype),
        np.stack(says),
        texts,
        list(dict.fromkeys(notes)),
    )


def _altered(table: Table, position: int, changes: Mapping[str, str]) -> Table:
    is_mapping = isinstance(changes, Mapping)
    require("changes", changes, is_mapping, "a mapping of columns to texts")
    for name in changes:
        if name not in table.cells:
            raise InputError(
                f"{table.name} has no column '{name}'. Its columns are "
                f"{listed([str(c) for c in table.cells])}."
            )
    new = table.with_cells({(position, name): str(t) for name, t in changes.items()})
    if new.y[position] < 0:
        numbers = table.target is not None
        needed = "a number" if numbers else f"one of {listed(table.classes)}"
        raise InputError(
            f"Row {table.row_numbers[position]:,} cannot be valued without a label: "
            f"give '{table.label}' {needed}."
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
    old: Table, new: Table, position: int, changes: Mapping[str, str]
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
        elif column.missing[position] and text:
            notes.append(
                f"{shown} is no {column.word} for '{column.name}' and counts as "
                "missing."
            )
        elif column.codes is not None and text:
            if column.categories[column.codes[position]] in known[column.name]:
                continue
            notes.append(f"{shown} is new in '{column.name}': no other row has it.")
    if new.label in changes:
        notes += _label_notes(old, new, position, str(changes[new.label]).strip())
    return notes


def _label_notes(old: Table, new: Table, position: int, text: str) -> list[str]:
    if old.target is None or new.target is None:
        known = text in old.classes
        return [] if known else [f"'{content(text)}' is a new class of '{new.label}'."]
    others, own = np.delete(old.target, position), new.target[position]
    if others.min() <= own <= others.max():
        return []
    how = "low" if own < others.min() else "high"
    return [f"No other row has a '{new.label}' as {how} as {content(text)}."]
