"""How unusual every cell is, given its class and the rows most like its row."""

import numpy as np
import pandas as pd
import pytest
from cases import blobs, make_table, random_table

import cellval
from cellval.detect import neighbours
from cellval.detect.surprise import iter_surprise, surprise
from cellval.table.table import Table

rng = np.random.default_rng


def table_of(frame, **options):
    return Table.from_frame(frame, label="y", **options)


def rank_of(found, i, j):
    return int((found.surprise < found.surprise[i, j]).sum()) + 1


def test_surprise_is_a_share_and_lower_is_worse():
    found = surprise(table_of(blobs()))
    assert found.surprise.shape == (300, 3)
    assert ((found.surprise > 0) & (found.surprise <= 1)).all()
    # Tail probabilities of ordinary cells are spread out, not all low.
    numbers = found.surprise[:, :2]
    assert 0.2 < np.median(numbers) < 0.8 and (numbers < 0.001).mean() < 0.01


def test_a_cell_of_the_other_class_is_surprising():
    frame = blobs()
    row = int(np.flatnonzero(frame["y"] == "no")[0])
    frame.loc[row, "x"] = 10.0
    assert rank_of(surprise(table_of(frame)), row, 0) == 1


def test_a_cell_that_is_usual_in_its_class_but_not_beside_its_row_is_surprising():
    frame = blobs()
    no = np.flatnonzero(frame["y"] == "no")
    low, high = frame["x"][no].idxmin(), frame["x"][no].idxmax()
    frame.loc[low, "x"] = frame["x"][high]
    found = surprise(table_of(frame))
    assert found.residual[low, 0] < 1e-3 < 10 * found.rarity[low, 0]
    assert rank_of(found, low, 0) <= 3


def test_a_category_of_the_other_class_is_surprising():
    frame = blobs()
    row = int(np.flatnonzero(frame["y"] == "no")[0])
    frame.loc[row, "word"] = "high"
    found = surprise(table_of(frame))
    in_column = found.surprise[:, 2]
    assert in_column[row] == in_column.min() < 0.05


def test_strays_and_cells_outside_a_dates_format_are_fully_surprising():
    days = pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d").tolist()
    frame = blobs(day=days).astype(object)
    frame.loc[5, "day"], frame.loc[7, "x"], frame.loc[8, "x"] = "2024-02-30", "lots", ""
    table = table_of(frame)
    found = surprise(table)
    day, x = table.feature_names.index("day"), 0
    assert found.surprise[5, day] == 0 and found.surprise[7, x] == 0
    assert found.misfits[5, day] == "'2024-02-30' is no date."
    assert found.misfits[7, x] == "'lots' is no number."
    assert found.surprise[8, x] == 1  # missing, and that is no surprise


@pytest.mark.parametrize("marker", ["?", "NA", "n/a"])
def test_a_marker_for_missing_is_no_surprise(marker):
    frame = blobs().astype(object)
    frame.loc[5, "x"] = marker
    assert surprise(table_of(frame)).surprise[5, 0] == 1


def test_a_slip_of_the_fingers_is_fully_surprising_and_named():
    frame = blobs()
    frame.loc[4, "word"] = "hgih"
    frame["word"] = frame["word"].replace({"high": "large", "hgih": "lagre"})
    found = surprise(table_of(frame))
    assert found.surprise[4, 2] == 0
    assert found.misfits[4, 2] == "Looks like a slip for 'large' in 161 cells."


def test_codes_for_missing_are_named_and_do_not_disturb_the_others():
    frame = blobs()
    clean = surprise(table_of(frame))
    coded = frame.copy()
    coded.loc[coded.index % 3 == 0, "x"] = -999.0
    found = surprise(table_of(coded))
    assert (found.surprise[::3, 0] == 0).all()
    assert 'may stand for "missing"' in found.misfits[0, 0]
    rest = np.arange(300) % 3 != 0
    assert np.corrcoef(found.rarity[rest, 0], clean.rarity[rest, 0])[0, 1] > 0.95


def test_the_unit_of_a_column_changes_nothing():
    frame = blobs()
    scaled = frame.assign(x=(frame["x"] * 1024))
    a, b = surprise(table_of(frame)), surprise(table_of(scaled))
    np.testing.assert_allclose(a.surprise, b.surprise, rtol=1e-4)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_same_seed_gives_the_same_numbers_whatever_the_workers(n_jobs):
    table = table_of(blobs())
    a, b = surprise(table), surprise(table, n_jobs=n_jobs)
    np.testing.assert_array_equal(a.surprise, b.surprise)


@pytest.mark.parametrize(
    ("n", "kinds", "n_classes", "missing"),
    [
        (2, ["number"], 2, 0.0),
        (3, ["category"], 1, 0.0),
        (1, ["number", "category"], 1, 0.0),
        (10, ["number"], 2, 1.0),
        (10, ["category", "number"], 3, 0.8),
        (6, ["decimal"] * 5, 2, 0.3),
    ],
)
def test_the_smallest_tables_have_an_answer(n, kinds, n_classes, missing):
    table = random_table(0, n, kinds, n_classes, missing=missing)
    found = surprise(table)
    assert ((found.surprise >= 0) & (found.surprise <= 1)).all()


def test_constant_columns_are_ordinary():
    table = make_table([("number", [7] * 30), ("category", [0] * 30)], [0, 1] * 15)
    assert (surprise(table).surprise == 1).all()


def test_amounts_over_many_orders_of_magnitude_raise_few_alarms():
    draw = rng(3)
    n = 1500
    frame = pd.DataFrame(
        {
            "paid": np.exp(draw.normal(7, 1.5, n)).round(2),
            "owed": np.exp(draw.normal(9, 1.5, n)).round(2),
            "y": draw.choice(["a", "b"], n),
        }
    )
    assert (surprise(table_of(frame)).surprise < 1e-5).sum() <= 2


def test_it_can_be_stopped_and_goes_on_to_the_end():
    steps = list(iter_surprise(table_of(blobs())))
    assert steps[0].preparing and not steps[0].has_result
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == 1.0 and steps[-1].result.is_final
    snapshots = iter_surprise(table_of(blobs()))
    first = next(snapshots)
    snapshots.close()
    assert not first.has_result and list(snapshots) == []


def test_davis_swapped_row_is_the_most_surprising():
    table = cellval.read("sample_data/davis.csv", label="sex")
    found = surprise(table).surprise
    row = table.position(12)
    worst = np.argsort(found, axis=None, kind="stable")[:2]
    assert sorted(worst.tolist()) == [row * 4, row * 4 + 1]


def test_a_large_table_has_a_quick_answer_that_says_it_is_not_final(monkeypatch):
    monkeypatch.setattr(neighbours, "FIRST_KNOWN", 20)
    monkeypatch.setattr(neighbours, "MOST_KNOWN", 60)
    steps = [step for step in iter_surprise(table_of(blobs(150))) if step.has_result]
    first, last = steps[0].result, steps[-1].result
    assert not first.is_final and last.is_final
    assert first.surprise.shape == last.surprise.shape == (150, 3)
    answers = {id(step.result) for step in steps}
    assert len(answers) == 2  # many snapshots share an answer


def test_in_parts_there_is_an_answer_from_the_start_and_the_same_in_the_end():
    table = table_of(blobs())
    steps = list(iter_surprise(table, in_parts=True))
    first, last = steps[0].result, steps[-1].result
    assert np.isnan(first.residual).all()
    assert not first.is_final
    assert first.surprise.shape == last.surprise.shape
    assert np.isfinite(first.surprise).all()
    np.testing.assert_array_equal(last.surprise, surprise(table).surprise)
    assert last.is_final
