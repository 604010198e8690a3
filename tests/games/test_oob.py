"""How often trees that use a cell's column predict its row."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cases import mixed_table, number_table, random_table
from small_games import last

from cellval.games import oob
from cellval.games.oob import OutOfBag
from cellval.parallel import drive


def test_out_of_bag_scores_equal_the_definition(monkeypatch):
    table = mixed_table(40, 6)
    seen = []

    class Spy(oob.Trees):
        def predict(self, rows, columns, asked):
            said = super().predict(rows, columns, asked)
            seen.append(said)
            return said

    monkeypatch.setattr(oob, "Trees", Spy)
    monkeypatch.setattr(oob, "AT_ONCE", 4)
    *_, snapshot = drive(OutOfBag(table, n_trees=10))
    scores = snapshot.result
    hits = {}
    for b, said in enumerate(seen[1:]):  # the first one was to compile
        draw = np.random.default_rng([0, b])
        columns = draw.permutation(3)[:1]
        rows = draw.integers(0, 40, 40)
        for i, guess in zip(np.setdiff1d(range(40), rows), said, strict=True):
            for j in columns:
                hits.setdefault((i, j), []).append(guess == table.y[i])
    for i in range(40):
        for j in range(3):
            expected = np.mean(hits[i, j]) if (i, j) in hits else np.nan
            assert scores.values[i, j] == pytest.approx(expected, nan_ok=True)
    assert scores.n_draws == 10 and snapshot.done == 1.0
    assert snapshot.seen == "10 of 10 trees"


def test_out_of_bag_scores_are_low_for_a_wrong_label():
    table = mixed_table(120, 7)
    flipped = table.with_cells({(5, "y"): "no" if table.y[5] else "yes"})
    clean = last(drive(OutOfBag(table, n_trees=200)))
    dirty = last(drive(OutOfBag(flipped, n_trees=200)))
    assert dirty.values[5, 0] < 0.5 < clean.values[5, 0]
    assert (clean.stderr[np.isfinite(clean.stderr)] > 0).all()


KINDS = ["number", "category", "decimal", "category", "decimal"]


@pytest.fixture(scope="module")
def tables():
    made = {"n_classes": 3, "missing": 0.1}
    table = random_table(1, 30, KINDS, **made)
    return table, random_table(2, 40, KINDS, **made, name="test")


def test_workers_change_no_bit_of_out_of_bag_scores(tables):
    run = OutOfBag(tables[0], n_trees=120)
    alone = {step.seen: step for step in drive(run) if step.has_result}
    with ThreadPoolExecutor(2) as pool:
        steps = drive(run, executor=pool, n_jobs=2)
        shared = {step.seen: step for step in steps if step.has_result}
    assert list(alone) == list(shared) == [f"{n} of 120 trees" for n in (50, 100, 120)]
    for seen, step in alone.items():
        a, b = step.result, shared[seen].result
        np.testing.assert_array_equal(a.values, b.values)
        np.testing.assert_array_equal(a.stderr, b.stderr)
    first, *_, last_step = alone.values()
    assert first.seconds_left > last_step.seconds_left == 0


def test_out_of_bag_scores_of_numbers_are_closeness():
    table = number_table(80, 0)
    wrong = table.with_cells({(5, "price"): str(10 * table.target[5])})
    clean = last(drive(OutOfBag(table, n_trees=60)))
    dirty = last(drive(OutOfBag(wrong, n_trees=60)))
    assert ((clean.values >= 0) & (clean.values <= 1)).all()
    assert clean.values[:, 0].mean() > clean.values[:, 2].mean()
    assert dirty.values[5].max() < 0.05 < clean.values[5].min()
    again = last(drive(OutOfBag(table, n_trees=60), n_jobs=2))
    np.testing.assert_array_equal(again.values, clean.values)
