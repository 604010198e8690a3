"""Detection and removal curves against their definitions."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import cellval
from cellval.validation import curves
from cellval.validation.curves import detection_curve, share_needed


def brute_force(wrong, scores):
    """Share found among the first k cells, mean over all orders that scores allow."""
    cells = range(len(wrong))
    allowed = [
        order
        for order in permutations(cells)
        if all(scores[a] <= scores[b] for a, b in pairwise(order))
    ]
    found = [np.cumsum([wrong[i] for i in order]) for order in allowed]
    return np.append(0, np.mean(found, axis=0)) / sum(wrong)


@pytest.mark.parametrize("seed", range(8))
def test_a_detection_curve_is_the_mean_over_the_orders_that_ties_allow(seed):
    draw = np.random.default_rng(seed)
    wrong = np.append(draw.random(5) < 0.5, [True, False])
    scores = draw.integers(0, 4, 7)
    curve = detection_curve(wrong, scores)
    expected = brute_force(wrong.tolist(), scores.tolist())
    shares = np.arange(8) / 7
    np.testing.assert_allclose(curve.found_at(shares), expected)
    assert curve.auc == pytest.approx(roc_auc_score(wrong, -scores))
    for level in (0.1, 0.5, 0.9, 1.0):
        least = next(k for k in range(8) if expected[k] >= level - 1e-9)
        assert share_needed(curve, level) == pytest.approx(least / 7)


def test_cells_of_one_score_are_found_by_chance_and_those_without_come_last():
    wrong = np.array([[True, False], [False, False], [True, False]])
    assert detection_curve(wrong, np.zeros((3, 2))).auc == 0.5
    scores = np.array([[np.nan, 1.0], [2.0, 3.0], [0.0, np.nan]])
    curve = detection_curve(wrong, scores)
    np.testing.assert_allclose(curve.inspected, np.array([0, 1, 2, 3, 4, 6]) / 6)
    np.testing.assert_allclose(curve.found, [0, 0.5, 0.5, 0.5, 0.5, 1])


@pytest.mark.parametrize("wrong", [[False, False], [True, True]])
def test_a_curve_needs_right_and_wrong_cells(wrong):
    with pytest.raises(cellval.InputError, match="cells of both kinds"):
        detection_curve(np.array(wrong), [1, 2])


def small_table():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2.0, 6.0, None, 11.0],
            "word": ["a", "b", "b", "c", "a"],
            "y": ["p", "q", "p", "q", "p"],
        }
    )
    kinds = {"x": "number", "word": "category"}
    return cellval.Table.from_frame(frame, label="y", kinds=kinds)


@pytest.mark.parametrize("i", range(5))
def test_a_removed_number_becomes_the_mean_of_all_other_cells(i):
    table = small_table()
    removed = np.zeros((5, 2), bool)
    removed[i, 0] = True
    new = curves.refilled(table, removed).features[0]
    others = np.delete(table.features[0].numbers, i)
    assert new.numbers[i] == pytest.approx(np.nanmean(others))
    kept = np.arange(5) != i
    np.testing.assert_array_equal(new.numbers[kept], others)
    assert not new.missing[i]


def test_removed_cells_are_no_others_of_each_other():
    table = small_table()
    removed = np.array([[1, 1], [1, 0], [0, 0], [0, 0], [0, 1]], bool)
    x, word = curves.refilled(table, removed).features
    np.testing.assert_array_equal(x.numbers, [8.5, 8.5, 6.0, np.nan, 11.0])
    assert [word.categories[k] for k in word.codes] == ["b", "b", "b", "c", "b"]
    everything = curves.refilled(table, np.ones((5, 2), bool))
    assert (everything.features[0].numbers == 5.0).all()
    assert table.features[0].numbers[0] == 1.0  # as it was


def test_drawn_cells_are_cells_still_there_and_repeat():
    table = small_table()
    removed = np.array([[1, 1], [1, 0], [0, 0], [1, 1], [0, 0]], bool)
    seen = set()
    for seed in range(30):
        new = curves.refilled(table, removed, refill="draw", seed=seed)
        again = curves.refilled(table, removed, refill="draw", seed=seed)
        x, word = new.features
        assert set(x.numbers[removed[:, 0]]) <= {6.0, 11.0}
        assert {word.categories[k] for k in word.codes[removed[:, 1]]} <= {"a", "b"}
        assert not x.missing.any() and not word.missing.any()
        for old, own, twin in zip(
            table.features, new.features, again.features, strict=True
        ):
            kept = ~removed[:, 0 if own is x else 1]
            part = "codes" if own.numbers is None else "numbers"
            before, after = getattr(old, part), getattr(own, part)
            np.testing.assert_array_equal(after[kept], before[kept])
            np.testing.assert_array_equal(after, getattr(twin, part))
        seen.add((*x.numbers, *word.codes))
    assert len(seen) > 10
    whole = curves.refilled(table, np.ones((5, 2), bool), refill="draw").features[0]
    assert set(whole.numbers) <= {1.0, 2.0, 6.0, 11.0}


def test_a_draw_does_not_depend_on_other_columns():
    table, removed = small_table(), np.array([[1, 0]] * 3 + [[0, 0]] * 2, bool)
    both = removed | [False, True]
    x, y = (
        curves.refilled(table, own, refill="draw", seed=3).features[0].numbers
        for own in (removed, both)
    )
    np.testing.assert_array_equal(x, y)


def informative(n, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "good": y + 0.1 * draw.random(n),
            "noise": draw.random(n),
            "y": np.where(y == 1, "yes", "no"),
        }
    )
    return cellval.Table.from_frame(frame, label="y")


def test_without_its_good_column_a_tree_guesses():
    train, test = informative(80), informative(200, 1)
    good_first = np.arange(160).reshape(80, 2).T.ravel()
    shares = np.array([0, 0.5, 1])
    curve = curves.removal_curve(train, test, good_first, shares, 2)
    first, half, none = curve.accuracy
    assert first == 1.0 and half < 0.7 and none == pytest.approx(0.5, abs=0.1)
    noise_first = good_first[::-1]
    other = curves.removal_curve(train, test, noise_first, shares[:2], 2)
    assert other.accuracy.tolist() == [1.0, 1.0]
    assert other.gain_at(0.5) == (0.0, 0.0)
    gain, error = curve.gain_at(0.5)
    assert gain == pytest.approx(half - first) and 0 < error < 0.1
    assert curve.mean(0.5) == pytest.approx((first + half) / 2)


def blurred(n, seed):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "good": y + draw.normal(0, 0.5, n),
            "noise": draw.random(n),
            "y": np.where(y == 1, "yes", "no"),
        }
    )
    return cellval.Table.from_frame(frame, label="y")


def test_a_mean_in_the_cells_of_one_class_misleads_a_tree_and_draws_do_not():
    train, test = blurred(200, 0), blurred(400, 1)
    of_one_class = np.column_stack([np.zeros(200), train.y == 0]).ravel()
    order, share = np.argsort(-of_one_class, kind="stable"), of_one_class.mean()
    mean, draw, again = (
        curves.removal_curve(train, test, order, np.array([0, share]), 5, refill)
        for refill in ("mean", "draw", "draw")
    )
    assert mean.accuracy[0] == draw.accuracy[0] > 0.7
    assert mean.gain_at(share)[0] < -0.15
    assert abs(draw.gain_at(share)[0]) < 0.05
    np.testing.assert_array_equal(draw.hits, again.hits)


def test_orders_draw_lots_among_equal_cells_and_repeat():
    scores = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert curves.order_of(scores)[0] == 1
    assert curves.order_of(scores, highest_first=True)[-1] == 1
    orders = {tuple(curves.order_of(scores, seed=s)) for s in range(20)}
    assert len(orders) > 2
    again = curves.order_of(scores, seed=3)
    np.testing.assert_array_equal(again, curves.order_of(scores, seed=3))
