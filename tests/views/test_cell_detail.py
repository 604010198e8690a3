"""Everything about one cell, in one call."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import cellval
from cellval.detect.suggestions import suggestions
from cellval.detect.surprise import surprise
from cellval.detect.suspects import reasons
from cellval.detect.suspicion import make_suspicion
from cellval.table.describe import place, spread
from cellval.values.words import Unit
from cellval.views import cell_detail as module
from cellval.views.cell_detail import cell_detail


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table, n_neighbors=5)
    return make_suspicion(table, values, surprise(table))


def detail_of(suspicion, position, column):
    return cell_detail(suspicion.values, suspicion.table, suspicion, position, column)


def test_a_detail_holds_all_that_is_known_of_a_cell(davis):
    cell, values = detail_of(davis, 11, "height"), davis.values
    assert (cell.position, cell.row_number, cell.column) == (11, 12, "height")
    assert (cell.text, cell.label, cell.row_id) == ("57", "F", None)
    assert (cell.value, cell.stderr) == (values.values[11, 1], values.stderr[11, 1])
    assert cell.sentence.startswith("This cell ") and "KNN model" in cell.sentence
    assert isinstance(cell.unit, Unit)
    assert cell.rank == values.ranks(within_class=True)[11, 1]
    assert cell.rank_over_all == values.ranks()[11, 1]
    assert cell.n_ranked == cell.n_cells == 800
    assert cell.places == place(davis.table, 11, "height")
    drawn, expected = cell.spread, spread(davis.table, 11, "height")
    assert drawn.at == expected.at
    np.testing.assert_array_equal(drawn.overall, expected.overall)


def test_how_odd_a_cell_is_comes_with_a_reason_unless_it_repeats_the_corner(davis):
    odd = detail_of(davis, 11, "height").oddity
    assert odd.suspicion == davis.scores[11, 1]
    assert odd.rank == davis.ranks[11, 1]
    assert odd.surprise == davis.surprise.surprise[11, 1]
    assert odd.corner == davis.corner_of(11, 1)
    assert odd.reason == reasons(davis, np.array([11]), np.array([1]))[0]
    i, j = np.argwhere(davis.corner == 3)[0].tolist()
    fine = detail_of(davis, i, davis.table.feature_names[j]).oddity
    assert (fine.corner, fine.reason) == ("fine", "")


def test_places_are_said_in_sentences(davis):
    cell = detail_of(davis, 11, "weight")
    overall, in_class = cell.standing
    assert overall.startswith("Among all rows: higher than 99.5 %, lower than 0 %")
    assert in_class.startswith("Among class F: ")
    assert "nine in ten lie in" in in_class


def test_categories_and_missing_cells_have_words_of_their_own():
    lines = ["n,c,y"] + [f"{k % 5},{'uv'[k % 2]},{'ab'[k % 2]}" for k in range(30)]
    lines[3], lines[5] = "oops,u,a", ",v,a"
    table = cellval.read("\n".join(lines).encode(), label="y", kinds={"n": "number"})
    values = cellval.value_cells(table, n_neighbors=3)

    def said(position, column):
        cell = cell_detail(values, table, None, position, column)
        return cell.places, " ".join(cell.standing)

    places, words = said(0, "c")
    assert len(places) == 2 and "hold the same; most common: u" in words
    places, words = said(2, "n")
    assert places == ()
    assert "it cannot be read as a number and counts as missing" in words
    assert (
        "it is missing, like 13 % of this column's cells in class a." in said(4, "n")[1]
    )


def test_near_rows_are_alike_in_all_other_columns(davis):
    near = detail_of(davis, 11, "height").near
    assert list(near) == ["row_number", "content", "label", "distance"]
    assert len(near) == 8 and 12 not in near["row_number"].tolist()
    assert (np.diff(near["distance"]) >= 0).all()
    numbers = near["row_number"].tolist()
    held = [davis.table.cells["height"].iat[number - 1] for number in numbers]
    assert near["content"].tolist() == held


def test_suggestions_are_found_when_asked_for_and_once(davis, monkeypatch):
    asked = []

    def noted(*args):
        asked.append(args)
        return suggestions(*args)

    monkeypatch.setattr(module, "suggestions", noted)
    cell = detail_of(davis, 60, "weight")
    assert asked == []
    expected = suggestions(davis.table, davis.surprise, 60, "weight")
    assert cell.suggestions == expected
    again = make_suspicion(davis.table, davis.values, davis.surprise)
    assert detail_of(again, 60, "weight").suggestions == expected
    assert len(asked) == 1, "kept with the surprise, whatever the values"


def test_without_surprise_there_is_neither_oddity_nor_a_suggestion(davis):
    cell = cell_detail(davis.values, davis.table, None, 11, "height")
    assert cell.oddity is None and cell.suggestions == ()


def test_a_held_out_cell_has_no_rank_but_all_the_rest(davis):
    values = cellval.value_cells(davis.table, n_neighbors=5, test=0.3)
    out = int(np.flatnonzero(np.isnan(values.row_values))[0])
    cell = cell_detail(values, davis.table, None, out, "weight")
    assert np.isnan(cell.value) and cell.rank == cell.rank_over_all == 0
    assert "held out for testing" in cell.sentence
    assert cell.n_ranked == 560 and len(cell.near) == 8


def test_scores_that_are_no_parts_of_the_accuracy_have_no_sentence(davis):
    values = cellval.value_cells(davis.table, method="random")
    assert cell_detail(values, davis.table, None, 0, "weight").sentence == ""


def test_ids_are_named_where_there_is_an_id_column():
    raw = b"key,x,y\nk1,1,a\nk2,2,b\nk3,3,a\nk4,4,b\n"
    table = cellval.read(raw, label="y", id_column="key", kinds={"x": "number"})
    values = cellval.value_cells(table, n_neighbors=1)
    assert cell_detail(values, table, None, 2, "x").row_id == "k3"


def test_a_detail_is_kept_with_the_values_and_frozen(davis):
    cell = detail_of(davis, 11, "height")
    assert detail_of(davis, 11, "height") is cell
    assert detail_of(davis, np.int64(11), "height") is cell
    with pytest.raises(FrozenInstanceError):
        cell.value = 0.0
