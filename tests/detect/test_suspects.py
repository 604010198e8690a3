"""The ranked list of cells, each with its reason and a suggestion."""

import numpy as np
import pandas as pd
import pytest
from cases import blobs

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspects import reasons, suspects, suspects_frame, value_lines
from cellval.detect.suspicion import make_suspicion

COLUMNS = [
    "position",
    "row_number",
    "id",
    "column",
    "content",
    "value",
    "stderr",
    "surprise",
]
COLUMNS += ["suspicion", "reason", "suggestion", "why"]


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table)
    return make_suspicion(table, values, surprise(table))


def test_davis_swapped_pair_ranks_first_and_second_and_the_swap_is_suggested(davis):
    found = suspects(davis.table, davis.values)
    pair = found.head(2).set_index("column")
    assert pair["row_number"].tolist() == [12, 12]
    assert pair["suggestion"].to_dict() == {"weight": "57", "height": "166"}
    assert found.attrs["n_flagged"] == 2
    assert pair["content"].to_dict() == {"weight": "166", "height": "57"}


def test_the_frame_holds_every_cell_worst_first(davis):
    found = suspects_frame(davis)
    assert found.columns.tolist() == COLUMNS and len(found) == 800
    assert found["suspicion"].is_monotonic_increasing
    assert not found.duplicated(["row_number", "column"]).any()
    assert (found["row_number"] == davis.table.row_numbers[found["position"]]).all()
    assert (found["reason"].str.endswith(".")).all()


def test_a_dataframe_will_do():
    frame = pd.read_csv("sample_data/davis.csv")
    assert suspects(frame).head(1)["row_number"].item() == 12


def test_nothing_is_flagged_in_a_table_without_oddities():
    table = cellval.read("sample_data/wine.csv")
    values = cellval.value_cells(table, subsets=200)
    assert suspects(table, values).attrs["n_flagged"] == 0


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


def test_suggestions_are_asked_for_as_a_person_counts(davis):
    best = cellval.suggest(davis.table, 12, "height")[0]
    assert (best.text, best.also) == ("166", (("weight", "57"),))
    frame = pd.read_csv("sample_data/davis.csv")
    assert cellval.suggest(frame.rename(columns={"sex": "label"}), 12, "height")
    with pytest.raises(cellval.InputError, match="'size' is no feature of davis"):
        cellval.suggest(davis.table, 12, "size")
    with pytest.raises(cellval.InputError, match="no row 0"):
        cellval.suggest(davis.table, 0, "height")


def test_lines_of_any_cells_come_in_the_order_given(davis):
    rows, columns = np.array([1, 0, 1]), np.array([1, 0, 1])
    lines = value_lines(davis.table, davis.values, rows, columns)
    assert lines["position"].tolist() == [1, 0, 1]
    assert lines["column"].tolist() == ["height", "weight", "height"]
    assert len(suspects_frame(davis, 3)) == 3


def test_reasons_say_what_is_odd_and_whether_it_hurts():
    table = cellval.read("sample_data/ugly.csv")
    suspicion = make_suspicion(table, cellval.value_cells(table), surprise(table))
    lines = suspects_frame(suspicion, 60).set_index(["row_number", "column"])["reason"]
    assert lines[65, "diameter_mm"] == "'ca. 70' is no number."
    assert lines[106, "diameter_mm"] == (
        "Rows like this one have about 74; usual where grade is extra: 71 to 82. "
        "It hurts."
    )
    ordinary = suspects_frame(suspicion)["reason"].tail(5)
    assert lines[140, "sugar_brix"] == (
        "Rows like this one have about 11.8; usual where grade is class I: 10.8 to "
        "12.6."
    )
    assert lines[99, "acid_g_l"] == (  # this row has no label
        "Rows like this one have about 6.845; usual in this column: 5.24 to 7.84."
    )
    assert lines[52, "sugar_brix"].startswith("A little unusual: rows like this one")
    assert set(ordinary) <= {
        "Neither odd nor clearly harmful.",
        "Hurts but ordinary: hard case or label problem.",
    }


def test_a_reason_names_what_the_neighbours_and_the_class_have():
    frame = cellval.read("sample_data/davis.csv", label="sex").cells.copy()
    frame.loc[11, ["weight", "height"]] = ["266", "166"]
    table = cellval.Table.from_frame(frame, label="sex")
    suspicion = make_suspicion(table, None, surprise(table))
    weight, fine = reasons(suspicion, np.array([11, 3]), np.array([0, 0]))
    assert weight.startswith("Rows like this one have about ")
    assert "usual where sex is F: 47 to 70" in weight
    assert not weight.endswith("It hurts.")  # without values nobody knows
    assert fine == "Neither odd nor clearly harmful."


def test_an_expected_category_is_named_in_quotes():
    frame = blobs()
    row = int(np.flatnonzero(frame["y"] == "no")[0])
    frame.loc[row, "word"] = "high"
    table = cellval.Table.from_frame(frame, label="y")
    suspicion = make_suspicion(table, None, surprise(table))
    (why,) = reasons(suspicion, np.array([row]), np.array([2]))
    assert "'low'" in why


def test_a_reason_does_not_call_the_cell_itself_usual():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(10, 1, (60, 2)).round(2), columns=["x", "z"])
    frame.loc[0, "x"] = 40.0  # of a class of six: where its usual cells end
    frame["y"] = ["a"] * 6 + ["b"] * 54
    found = suspects(cellval.Table.from_frame(frame, label="y")).iloc[0]
    assert (found["row_number"], found["content"]) == (1, "40.0")
    assert found["reason"].startswith("Rows like this one have about ")
    assert "usual where" not in found["reason"]
