"""Detection and removal curves against their definitions."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import cellval
from cellval.experiments import curves
from cellval.experiments.curves import detection_curve, share_needed


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
    assert curve.area == pytest.approx(np.trapezoid(expected, shares))
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
    curve = curves.removal_curve(train, test, good_first, shares=[0, 0.5, 1], trees=2)
    first, half, none = curve.accuracy
    assert first == 1.0 and half < 0.7 and none == pytest.approx(0.5, abs=0.1)
    noise_first = good_first[::-1]
    other = curves.removal_curve(train, test, noise_first, shares=[0, 0.5], trees=2)
    assert other.accuracy.tolist() == [1.0, 1.0]
    assert other.gain_at(0.5) == (0.0, 0.0)
    gain, error = curve.gain_at(0.5)
    assert gain == pytest.approx(half - first) and 0 < error < 0.1
    assert curve.mean(0.5) == pytest.approx((first + half) / 2)


def test_orders_draw_lots_among_equal_cells_and_repeat():
    scores = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert curves.order_of(scores)[0] == 1
    assert curves.order_of(scores, highest_first=True)[-1] == 1
    orders = {tuple(curves.order_of(scores, seed=s)) for s in range(20)}
    assert len(orders) > 2
    again = curves.order_of(scores, seed=3)
    np.testing.assert_array_equal(again, curves.order_of(scores, seed=3))
