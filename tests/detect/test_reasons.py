"""Why a cell is suspicious, as a sentence."""

import numpy as np
from cases import blobs

import cellval
from cellval.detect.reasons import reasons
from cellval.detect.surprise import surprise
from cellval.detect.suspects import cells_frame, suspects_frame
from cellval.detect.suspicion import make_suspicion


def test_reasons_say_what_is_odd_and_whether_it_hurts():
    table = cellval.read("sample_data/ugly.csv")
    suspicion = make_suspicion(table, cellval.value_cells(table), surprise(table))
    lines = suspects_frame(suspicion, 20).set_index(["row_number", "column"])["reason"]
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


def test_a_reason_names_what_the_neighbours_and_the_class_have():
    table = cellval.read("sample_data/davis.csv", label="sex")
    suspicion = make_suspicion(table, None, surprise(table))
    row = table.position(12)
    weight, fine = reasons(suspicion, np.array([row, 3]), np.array([0, 0]))
    assert weight.startswith("Rows like this one have about ")
    assert "usual where sex is F: 47 to 70" in weight
    assert not weight.endswith("It hurts.")  # without values nobody knows
    assert fine == "Fine."


def test_an_expected_category_is_named_in_quotes():
    frame = blobs()
    row = int(np.flatnonzero(frame["y"] == "no")[0])
    frame.loc[row, "word"] = "high"
    table = cellval.Table.from_frame(frame, label="y")
    suspicion = make_suspicion(table, None, surprise(table))
    (why,) = reasons(suspicion, np.array([row]), np.array([2]))
    assert "'low'" in why
