"""Labels that similar rows contradict: where those agree, not where they are torn."""

import numpy as np
import pandas as pd
import pytest
from row_cases import after_of, odd_tables, people, read

from cellval.detect.doubtful import doubtful_labels
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion


def doubtful(frame, label="y"):
    table = read(frame, label=label)
    return doubtful_labels(make_suspicion(table, None, surprise(table, n_jobs=1)))


def clouds(apart, n=240, seed=0):
    """Two classes around places that lie so far apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    x = rng.normal(size=(n, 4)) + apart * y[:, None]
    frame = pd.DataFrame(x.round(3), columns=[*"abcd"])
    return frame.assign(y=np.where(y == 1, "sick", "well")).astype(str)


def test_flipped_labels_are_found_where_classes_lie_apart():
    frame = clouds(6)
    frame.loc[10, "y"], frame.loc[33, "y"] = "sick", "well"
    found = doubtful(frame)
    after = {cell: text for one in found for cell, text in after_of(one).items()}
    assert after == {(10, "y"): "well", (33, "y"): "sick"}
    assert all(one.kind == "label" and one.n_cells == 1 for one in found)
    assert found[0].is_flagged and "of the 16 rows most like" in found[0].evidence


def test_hard_cases_are_not_doubted():
    frame = clouds(0.7)
    frame.loc[10, "y"] = "sick"
    assert doubtful(frame) == []


def test_clean_labels_are_not_doubted():
    assert doubtful(clouds(6)) == []


def test_rows_without_a_label_keep_their_places():
    frame = clouds(6)
    frame.loc[[0, 5], "y"] = ""
    frame.loc[10, "y"] = "sick"
    (found,) = doubtful(frame)
    assert found.rows.tolist() == [10]


def test_numbers_far_from_those_of_similar_rows_are_asked_about():
    frame = clouds(6).drop(columns="y")
    frame["y"] = frame["a"].astype(float).mul(10).round(2)
    frame.loc[20, "y"] = 5000.0
    (found,) = doubtful(frame.astype(str))
    assert found.rows.tolist() == [20]
    assert not found.is_flagged and not found.has_action


def test_a_table_without_a_label_has_none():
    assert doubtful(people(), label=None) == []


@pytest.mark.parametrize("name", ["texts", "numbers", "people"])
def test_labels_that_nothing_settles_are_not_doubted(name):
    frame = odd_tables()[name]
    assert doubtful(frame.assign(y=np.arange(len(frame)) % 3).astype(str)) == []
