"""`Finding`: a question with its cells, its key and what it proposes."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.finding import KINDS, finding, key_of, row_name

FRAME = pd.DataFrame({"id": ["a", "b", "c"], "x": ["1", "2", "30"], "z": list("uvw")})
TABLE = cellval.Table.from_frame(FRAME, label=None)


def one(rows=(0, 2), after=("3", None), table=TABLE, **changes):
    words = {"about": ("30",), "sure": 0.9, "title": "x: 30", "evidence": "It is odd."}
    return finding(table, "cell", "x", rows, after, **{**words, **changes})


def test_what_it_knows_of_its_cells():
    found = one()
    assert (found.n_cells, found.is_flagged, found.expected_errors) == (2, True, 1.8)
    assert found.cells == [(0, "x"), (2, "x")]
    assert found.before(TABLE) == ["1", "30"] and found.columns.tolist() == ["x", "x"]
    assert found.has_action and not one(after=None).has_action
    assert found.reason(1) == "It is odd."
    assert one(why=["this", "that"]).reason(1) == "that"
    assert not one(sure=0.49).is_flagged


def test_cells_of_several_columns():
    found = one([2, 2], ["w", "30"], columns=["x", "z"])
    assert found.before(TABLE) == ["30", "w"]
    assert found.action(TABLE) == "30 → w; w → 30"


def test_a_part_of_it_is_the_same_question():
    part = one(why=["this", "that"]).part(np.array([False, True]))
    assert part.rows.tolist() == [2] and part.after.tolist() == [None]
    assert part.reason(0) == "that" and part.key == one().key


def test_the_action_shows_few_examples_and_each_once():
    frame = pd.DataFrame({"x": [*"aabcde"], "z": range(6)})
    table = cellval.Table.from_frame(frame, label=None)
    found = one(range(6), ["A", "A", "B", "C", "", None], table=table)
    assert found.action(table) == "a → A; b → B; c → C; and 1 more"
    assert one(after=None).action(TABLE) == ""
    assert one(after=("", None)).action(TABLE) == "1 → (blank)"


def test_keys_are_made_of_content():
    assert one().key == one(rows=(1, 0), title="other", sure=0.1).key
    assert one().key != one(about=("31",)).key
    assert key_of("cell", "a", "b") != key_of("cell", "ab", "")
    assert one().key.startswith("cell-") and len(one().key) == 17


def test_rows_are_named_by_id_or_by_what_they_hold():
    ids = pd.DataFrame({"name": [f"n{k}" for k in range(9)], "x": range(9)})
    with_id = cellval.Table.from_frame(ids, label=None, id_column="name")
    assert row_name(with_id, 1) == "n1"
    without = cellval.Table.from_frame(FRAME[["x", "z"]], label=None)
    assert row_name(without, 0) == "1\x1eu"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_word(kind):
    assert KINDS[kind][0].isupper()


def test_long_texts_are_shown_where_they_differ():
    long = "heart attack patients given aspirin at "
    frame = pd.DataFrame({"x": [f"{long}arxival", "b", "c"], "z": range(3)})
    table = cellval.Table.from_frame(frame, label=None)
    found = one([0], [f"{long}arrival"], table=table)
    assert found.action(table) == "…irin at arxival → …irin at arrival"
