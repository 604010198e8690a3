"""Values and surprise in one number, and how many cells to flag."""

import math
from dataclasses import replace

import naive
import numpy as np
import pytest
from cases import blobs

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspects import suspects
from cellval.detect.suspicion import FALSE_ALARMS, make_suspicion, n_to_flag
from cellval.errors import InputError
from cellval.table.table import Table


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table)
    return make_suspicion(table, values, surprise(table))


def test_suspicion_is_the_weighted_geometric_mean_of_surprise_and_harm(davis):
    odd = davis.surprise.surprise.astype(float)
    expected = (odd * davis.harm**0.25) ** (1 / 1.25)
    np.testing.assert_allclose(davis.scores, expected)


def test_harm_is_the_rank_in_standard_errors_within_the_class(davis):
    values, (i, j) = davis.values, (7, 2)
    score = values.values / values.stderr
    own = score[np.array(values.labels) == values.labels[i]]
    assert davis.harm[i, j] == pytest.approx((own <= score[i, j]).mean())


def test_without_values_surprise_alone_decides(davis):
    alone = make_suspicion(davis.table, None, davis.surprise)
    np.testing.assert_allclose(alone.scores, davis.surprise.surprise, rtol=1e-6)
    assert not alone.hurts.any()
    frame = suspects(davis.table)
    assert frame["value"].isna().all() and frame["row_number"].tolist()[:2] == [12, 12]


def test_rows_held_out_for_testing_have_suspicion_too():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table, test=0.3)
    suspicion = make_suspicion(table, values, surprise(table))
    assert np.isfinite(suspicion.scores).all()
    assert np.isnan(suspicion.harm).any()


@pytest.mark.parametrize("seed", range(5))
def test_the_number_to_flag_follows_benjamini_and_hochberg(seed):
    draw = np.random.default_rng(seed)
    p = draw.random(400)
    p[:40] = draw.random(40) * 10.0 ** -draw.integers(1, 6, 40)
    expected = naive.n_to_flag(p.tolist(), FALSE_ALARMS, math.e)
    assert n_to_flag(p.reshape(40, 10)) == expected > 0


def test_most_flagged_cells_are_planted_errors():
    frame = blobs(500)
    wrong = np.random.default_rng(4).choice(500, 12, replace=False)
    frame.loc[wrong, "x"] = frame.loc[wrong, "x"] + 30
    table = Table.from_frame(frame, label="y")
    suspicion = make_suspicion(table, cellval.value_cells(table), surprise(table))
    flagged = suspicion.order[: suspicion.n_flagged]
    hits = np.isin(flagged, wrong * 3)
    assert hits.sum() == 12 and hits.mean() >= 0.8


def test_corners_are_named_in_words(davis):
    row = davis.table.position(12)
    assert davis.corner_of(row, 0) == "odd"  # too far away to do harm
    hard = np.argwhere(davis.hurts & (davis.surprise.surprise > 0.01))[0]
    assert davis.corner_of(*hard) == "hard"
    counts = np.bincount(davis.corner.ravel(), minlength=4)
    assert counts.sum() == 800 and counts[3] > 600


def test_the_lists_of_ranks_agree(davis):
    assert davis.ranks.ravel()[davis.order].tolist() == list(range(1, 801))
    worst = davis.surprise.surprise.ravel()[davis.surprise_order]
    assert (np.diff(worst) >= 0).all()


def test_only_values_of_the_same_table_are_taken(davis):
    table, values = davis.table, davis.values
    with pytest.raises(InputError, match="must be the CellValues"):
        cellval.suspects(table, values.values)
    other = cellval.read(b"x,y\n1,a\n2,b\n3,a\n", label="y")
    for door in (cellval.suspects, cellval.report):
        with pytest.raises(InputError, match="another table"):
            door(other, values)


def test_the_first_cells_are_those_of_the_whole_order(davis):
    rng = np.random.default_rng(0)
    tied = rng.integers(0, 6, davis.scores.shape) / 6.0  # many cells are as bad
    harm = np.where(
        rng.random(tied.shape) < 0.2, np.nan, rng.integers(0, 4, tied.shape)
    )
    keys = [*zip(tied.ravel(), np.nan_to_num(harm.ravel(), nan=2.0), strict=True)]
    expected = sorted(range(tied.size), key=lambda at: (*keys[at], at))
    for k in (0, 1, 7, 200, tied.size, None):
        suspicion = replace(davis, scores=tied, harm=harm)
        assert suspicion.first(k).tolist() == expected[:k]
    assert suspicion.order.tolist() == expected
