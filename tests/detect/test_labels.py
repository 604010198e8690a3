"""How odd the label of a row is, of classes and of numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import message_of, mixed_table, number_table
from sklearn.metrics import roc_auc_score

import cellval
from cellval.detect import neighbours
from cellval.detect.labels import judged_labels, label_surprise, with_label_as_column
from cellval.detect.neighbours import Asking
from cellval.detect.surprise import surprise
from cellval.parallel import drive
from cellval.validation.planting import slip_labels


def prices(n=600, seed=0):
    """Prices of flats, skewed as prices are."""
    draw = np.random.default_rng(seed)
    size = draw.gamma(6.0, 15.0, n)
    place = draw.choice(["centre", "suburb", "country"], n)
    per_metre = pd.Series(place).map({"centre": 9, "suburb": 6, "country": 3})
    return pd.DataFrame(
        {
            "size": size.round(1),
            "rooms": np.round(size / 25 + draw.normal(size=n) / 2).clip(1),
            "place": place,
            "age": draw.integers(0, 90, n),
            "price": (size * per_metre * np.exp(0.15 * draw.normal(size=n))).round(1),
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_labels_slipped_by_ten_are_found(seed):
    frame, wrong = slip_labels(prices(seed=seed), "price", random_state=seed)
    assert wrong.sum() == 12
    table = cellval.Table.from_frame(frame, label="price")
    odd = label_surprise(table)
    assert odd.shape == (600,) and ((odd >= 0) & (odd <= 1)).all()
    assert roc_auc_score(wrong, -odd) > 0.97
    found = cellval.suspect_labels(table)
    assert np.mean(np.isin(found["row_number"][:12] - 1, np.flatnonzero(wrong))) > 0.6
    assert found["label"].dtype == found["expected"].dtype == float


def test_wrong_classes_are_found():
    table = mixed_table(300, 0)
    frame, wrong = slip_labels(table.cells, "y", share=0.03)
    dirty = cellval.Table.from_frame(frame, label="y")
    assert roc_auc_score(wrong, -label_surprise(dirty)) > 0.9
    worst = cellval.suspect_labels(dirty).iloc[0]
    row = int(worst["row_number"]) - 1
    assert wrong[row] and worst["label"] == dirty.labels[row]
    assert worst["expected"] == table.labels[row]
    assert worst["id"] == dirty.ids[row]


@pytest.mark.parametrize("make", [number_table, mixed_table])
def test_a_label_is_judged_as_the_column_it_would_be(make):
    """The same as among all columns; tails of small ones borrow from the others."""
    table = with_label_as_column(make(80, 1))
    m = len(table.features)
    alone, everyone = asked(table, [m - 1]), asked(table, None)
    np.testing.assert_array_equal(alone.expected[:, 0], everyone.expected[:, -1])
    np.testing.assert_array_equal(alone.apart[:, 0], everyone.apart[:, -1])
    some = asked(table, [2, 0])
    np.testing.assert_array_equal(some.expected, everyone.expected[:, [2, 0]])
    by_itself = judged_labels(make(80, 1)).surprise
    among_all = surprise(table).surprise[:, -1]
    assert np.corrcoef(by_itself, among_all)[0, 1] > 0.95


def asked(table, targets):
    *_, last = drive(Asking(table, targets=targets))
    return last.result


def test_only_columns_that_say_something_are_compared(monkeypatch):
    table = with_label_as_column(number_table(60, 0))
    seen = []
    real = neighbours.nearest_rows

    def spy(rows, *others):
        seen.append(rows.shape[0])
        return real(rows, *others)

    monkeypatch.setattr(neighbours, "nearest_rows", spy)
    asked(table, [3])
    assert set(seen) <= {1, 2, 3}, "never the label itself"


def test_without_a_label_there_is_nothing_to_judge():
    table = replace(number_table(30, 0), label="", target=None)
    assert "no labels to judge" in message_of(cellval.suspect_labels, table)
