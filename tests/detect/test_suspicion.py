import math

import naive
import numpy as np
import pandas as pd
import pytest
from test_surprise import blobs, table_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspects import cells_frame, suspects, suspects_frame
from cellval.detect.suspicion import CORNERS, FALSE_ALARMS, make_suspicion, n_to_flag

COLUMNS = ["index", "row", "id", "column", "content", "value", "stderr", "surprise"]
COLUMNS += ["suspicion", "reason", "suggestion"]


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table)
    return make_suspicion(table, values, surprise(table))


def test_davis_swapped_pair_ranks_first_and_second_and_the_swap_is_suggested(davis):
    found = suspects(davis.table, davis.values)
    pair = found.head(2).set_index("column")
    assert pair["row"].tolist() == [12, 12]
    assert pair["suggestion"].to_dict() == {"weight": "57", "height": "166"}
    assert found.attrs["n_flagged"] == 2
    assert pair["content"].to_dict() == {"weight": "166", "height": "57"}


def test_the_frame_holds_every_cell_worst_first(davis):
    found = suspects_frame(davis)
    assert found.columns.tolist() == COLUMNS and len(found) == 800
    assert found["suspicion"].is_monotonic_increasing
    assert not found.duplicated(["row", "column"]).any()
    assert (found["row"] == davis.table.row_numbers[found["index"]]).all()
    assert (found["reason"].str.endswith(".")).all()


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
    assert frame["value"].isna().all() and frame["row"].tolist()[:2] == [12, 12]


def test_rows_held_out_for_testing_have_suspicion_too():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table, test=0.3)
    suspicion = make_suspicion(table, values, surprise(table))
    assert np.isfinite(suspicion.scores).all()
    assert np.isnan(suspicion.harm).any()


def test_a_dataframe_will_do():
    frame = pd.read_csv("sample_data/davis.csv")
    assert suspects(frame).head(1)["row"].item() == 12


@pytest.mark.parametrize("seed", range(5))
def test_the_number_to_flag_follows_benjamini_and_hochberg(seed):
    draw = np.random.default_rng(seed)
    p = draw.random(400)
    p[:40] = draw.random(40) * 10.0 ** -draw.integers(1, 6, 40)
    expected = naive.n_to_flag(p.tolist(), FALSE_ALARMS, math.e)
    assert n_to_flag(p.reshape(40, 10)) == expected > 0


def test_nothing_is_flagged_in_a_table_without_oddities():
    table = cellval.read("sample_data/wine.csv")
    assert suspects(table, cellval.value_cells(table)).attrs["n_flagged"] == 0


def test_most_flagged_cells_are_planted_errors():
    frame = blobs(500)
    wrong = np.random.default_rng(4).choice(500, 12, replace=False)
    frame.loc[wrong, "x"] = frame.loc[wrong, "x"] + 30
    table = table_of(frame)
    suspicion = make_suspicion(table, cellval.value_cells(table), surprise(table))
    flagged = suspicion.order[: suspicion.n_flagged]
    hits = np.isin(flagged, wrong * 3)
    assert hits.sum() == 12 and hits.mean() >= 0.8


def test_corners_are_named_in_words(davis):
    row = davis.table.position(12)
    assert davis.corner_of(row, 0) == CORNERS["odd"]  # too far away to do harm
    hard = np.argwhere(davis.hurts & (davis.surprise.surprise > 0.01))[0]
    assert davis.corner_of(*hard).startswith("ordinary but harmful")
    counts = np.bincount(davis.corner.ravel(), minlength=4)
    assert counts.sum() == 800 and counts[3] > 600


def test_reasons_say_what_is_odd_and_whether_it_hurts():
    table = cellval.read("sample_data/ugly.csv")
    suspicion = make_suspicion(table, cellval.value_cells(table), surprise(table))
    lines = suspects_frame(suspicion, 20).set_index(["row", "column"])["reason"]
    assert lines[65, "diameter_mm"] == "'ca. 70' is no number."
    assert lines[106, "diameter_mm"] == (
        "Rows like this one have about 74; usual where grade is extra: 71 to 82. "
        "It hurts."
    )
    ordinary = cells_frame(suspicion, suspicion.order[-5:])["reason"]
    assert set(ordinary) <= {
        "Fine.",
        "Ordinary but harmful: hard case or label problem.",
    }


def test_the_lists_of_ranks_agree(davis):
    assert davis.ranks.ravel()[davis.order].tolist() == list(range(1, 801))
    worst = davis.surprise.surprise.ravel()[davis.surprise_order]
    assert (np.diff(worst) >= 0).all()


def test_values_of_another_table_are_refused(davis):
    frame = pd.read_csv("sample_data/davis.csv")
    other = cellval.Table.from_frame(frame.iloc[::-1], label="sex")
    with pytest.raises(cellval.InputError, match="another table"):
        suspects(other, davis.values)


@pytest.mark.parametrize("option", [{"n_jobs": 0}, {"random_state": -1}])
def test_impossible_options_are_told(davis, option):
    with pytest.raises(cellval.InputError, match=next(iter(option))):
        suspects(davis.table, **option)


def test_all_cores_may_be_asked_for(davis):
    assert len(suspects(davis.table, n_jobs=-1)) == davis.scores.size
