"""What the rows most like a row say about each of its cells."""

import naive
import numpy as np
import pandas as pd
import pytest
from cases import make_table, random_table

from cellval.detect import neighbours as nearby
from cellval.detect.neighbours import (
    MOST_KNOWN,
    N_NEAR,
    Asking,
    NeighbourIndex,
    dependence,
    make_model,
)
from cellval.parallel import drive
from cellval.table.table import Table

CASES = {
    "numbers with ties": (30, ["number"] * 4, 2, 0.0),
    "mixed with missing cells": (40, ["number", "category", "decimal"], 3, 0.2),
    "categories": (25, ["category"] * 3, 2, 0.1),
    "one column": (12, ["number"], 2, 0.0),
    "fewer rows than neighbours": (5, ["number", "category"], 2, 0.0),
    "one class": (20, ["number", "decimal"], 1, 0.0),
    "mostly missing": (20, ["number", "category"], 2, 0.9),
}


def answer(table, **options):
    *_, last = drive(Asking(table), **options)
    return last.result


def plain(cells):
    return [None if np.isnan(c) else float(c) for c in cells]


def naive_neighbours(table, model, i, j):
    importance = [0.0] * len(model.cells)
    for k, weight in zip(model.predictors[j], model.importance[j], strict=True):
        if k >= 0:
            importance[k] = float(weight)
    return naive.nearest(
        [plain(cells) for cells in model.cells],
        ["category" if c else "number" for c in model.is_category],
        [float(w) for w in model.weight],
        importance,
        i,
        model.order.tolist(),
        N_NEAR,
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_neighbours_and_what_they_say_equal_the_definition(name, seed):
    n, kinds, n_classes, missing = CASES[name]
    table = random_table(seed, n, kinds, n_classes, missing=missing)
    model = make_model(table)
    index = NeighbourIndex(table, model, n)
    found = answer(table)
    for j, column in enumerate(table.features):
        for i in range(n):
            near = naive_neighbours(table, model, i, j)
            # Sums in float32 may order almost equal distances otherwise.
            got = index.neighbours(model.cells[:, [i]], np.array([i]))[0][j]
            assert sorted(got[got >= 0]) == sorted(near)
            if column.numbers is not None:
                middle = naive.middle(plain(column.numbers[near]))
                same = np.isnan(found.expected[i, j]) if middle is None else None
                assert same or found.expected[i, j] == pytest.approx(middle)
            else:
                codes = [None if c < 0 else int(c) for c in column.codes]
                alike = [codes[k] for k in range(n) if table.y[k] == table.y[i]]
                said = [codes[k] for k in near]
                tail = naive.category_tail(codes[i], said, codes, alike)
                expected = np.nan if tail is None else float(tail)
                assert found.apart[i, j] == pytest.approx(expected, nan_ok=True)


def test_the_number_of_workers_changes_nothing(monkeypatch):
    monkeypatch.setattr(nearby, "ITEM_ROWS", 7)
    table = random_table(5, 60, ["number", "category", "decimal"], missing=0.1)
    one, three = answer(table, n_jobs=1), answer(table, n_jobs=3)
    np.testing.assert_array_equal(one.expected, three.expected)
    np.testing.assert_array_equal(one.apart, three.apart)


def test_a_large_table_is_answered_soon_and_then_from_more_rows(monkeypatch):
    monkeypatch.setattr(nearby, "FIRST_KNOWN", 20)
    monkeypatch.setattr(nearby, "MOST_KNOWN", 60)
    monkeypatch.setattr(nearby, "ITEM_ROWS", 32)
    table = random_table(6, 100, ["decimal"] * 3)
    steps = list(drive(Asking(table)))
    shares = [step.done for step in steps]
    assert shares == sorted(shares) and shares[-1] == 1.0
    found = {id(step.result): step.result for step in steps if step.has_result}
    first, last = found.values()
    assert (first.n_known, last.n_known) == (20, 60)
    assert np.isfinite(first.expected).all() and np.isfinite(last.expected).all()
    assert (first.expected != last.expected).any()


def test_blocks_of_rows_join_without_a_seam(monkeypatch):
    """More rows than the kernel compares at a time."""
    rng = np.random.default_rng(0)
    n = 2500
    x = rng.permutation(n)
    table = make_table(
        [("number", x.tolist()), ("number", (x * 2).tolist())], rng.integers(0, 2, n)
    )
    found = answer(table)
    inside = (x > 20) & (x < n - 20)
    assert np.abs(found.expected[inside, 1] - 2 * x[inside]).max() <= 4


def test_columns_are_weighed_by_what_they_say():
    rng = np.random.default_rng(1)
    n = 400
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "x": x,
            "same": x + 0.1 * rng.normal(size=n),
            "word": np.where(x > 0, "high", "low"),
            "noise": rng.normal(size=n),
            "y": rng.choice(["a", "b"], n),
        }
    )
    table = Table.from_frame(frame, label="y")
    explained = dependence(table)
    assert explained.shape == (4, 5)
    assert explained[0, 1] > 0.9 > explained[0, 2] > 0.5
    assert explained[0, 3] < 0.05 and explained[0, 4] < 0.05 and explained[0, 0] == 0
    model = make_model(table)
    assert model.predictors[0, 0] == 1 and model.predictors[2, 0] in (0, 1)
    assert model.importance.sum(axis=1) == pytest.approx(1.0)


def test_a_changed_row_is_asked_about_like_any_other():
    table = random_table(7, 50, ["number", "category", "decimal"], missing=0.1)
    model = make_model(table)
    rows = np.array([3, 40, 41])
    whole, some = (
        answer(table),
        NeighbourIndex(table, model, MOST_KNOWN).ask(model.cells[:, rows], rows),
    )
    np.testing.assert_array_equal(some.expected, whole.expected[rows])
    np.testing.assert_array_equal(some.apart, whole.apart[rows])


def test_rare_categories_count_as_one(monkeypatch):
    monkeypatch.setattr(nearby, "MOST_CATEGORIES", 3)
    table = random_table(8, 60, ["category", "category"], levels=8)
    found = answer(table)
    assert set(np.unique(found.expected)) <= set(range(8))
    assert ((found.apart > 0) & (found.apart <= 1 + 1e-6)).all()


def test_many_rows_are_asked_about_part_by_part(monkeypatch):
    table = random_table(3, 40, ["number", "category"])
    model, rows = make_model(table), np.arange(40)
    whole = NeighbourIndex(table, model, MOST_KNOWN).ask(model.cells, rows)
    monkeypatch.setattr(nearby, "ITEM_ROWS", 7)
    parts = NeighbourIndex(table, model, MOST_KNOWN).ask(model.cells, rows)
    np.testing.assert_array_equal(parts.expected, whole.expected)
    np.testing.assert_array_equal(parts.apart, whole.apart)


def test_what_takes_all_rows_is_counted_once_and_not_for_each_part(monkeypatch):
    """Else a search takes time with the square of the rows."""
    table = random_table(3, 40, ["number", "category", "category"])
    model, rows, counted = make_model(table), np.arange(40), []
    count = nearby._shares
    monkeypatch.setattr(nearby, "ITEM_ROWS", 7)
    monkeypatch.setattr(
        nearby, "_shares", lambda *given: counted.append(1) or count(*given)
    )
    NeighbourIndex(table, model, MOST_KNOWN).ask(model.cells, rows)
    assert len(counted) == 2


def test_nothing_is_said_about_categories_that_are_all_missing():
    frame = pd.DataFrame({"x": range(8), "c": [None] * 8, "y": ["a", "b"] * 4})
    table = Table.from_frame(frame, label="y", kinds={"c": "category"})
    assert np.isnan(answer(table).expected[:, 1]).all()
    assert np.isnan(answer(table).apart[:, 1]).all()
