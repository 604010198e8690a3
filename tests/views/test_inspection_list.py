"""The lines of the inspection list; its page is tested in tests/pages."""

import numpy as np
import pytest

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.repairs.repair import Repair
from cellval.views.inspection_list import Wanted, inspection, usual_number, wanted_cells

NOTHING = {"decisions": {}, "repairs": {}}


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table, n_neighbors=5)
    return make_suspicion(table, values, surprise(table))


def found(suspicion, wanted, **made):
    where = suspicion.table, suspicion.values, suspicion
    return inspection(*where, wanted, **{**NOTHING, **made})


def test_lines_come_in_the_order_of_the_ranking_with_its_ranks(davis):
    lines = found(davis, Wanted(k=7))
    rows, columns = np.unravel_index(davis.order[:7], davis.scores.shape)
    assert lines.frame["position"].tolist() == rows.tolist()
    names = [davis.table.feature_names[j] for j in columns]
    assert lines.frame["column"].tolist() == names
    assert lines.frame["rank"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert (lines.by, lines.n_rule) == ("suspicion", davis.n_flagged)


def test_the_rule_counts_only_the_cells_that_pass_the_filters(davis):
    lines = found(davis, Wanted(columns=("weight",)))
    assert lines.n_rule == 1
    assert set(lines.frame["column"]) == {"weight"}
    assert lines.frame["rank"].is_monotonic_increasing
    assert lines.frame["rank"].iloc[-1] > 50, "ranks are those among all cells"


def test_decisions_and_repairs_stand_beside_their_cells(davis):
    made = {
        "decisions": {(12, "weight"): "error"},
        "repairs": {(12, "weight"): Repair("replace", "57"), (21, ""): Repair("drop")},
    }
    frame = found(davis, Wanted(), **made).frame.set_index(["row_number", "column"])
    assert frame.loc[(12, "weight"), ["decision", "repair"]].tolist() == ["error", "57"]
    assert frame.loc[(12, "height"), ["decision", "repair"]].tolist() == ["", ""]
    assert set(frame.loc[21]["repair"]) == {"(row dropped)"}


def test_the_usual_number_is_fifty_or_as_many_as_the_rule_flags(davis):
    where = davis.table, davis.values, davis
    assert usual_number(*where, Wanted()) == 50
    assert usual_number(*where, Wanted(columns=("weight",), classes=("F",))) == 50
    keep = wanted_cells(*where, Wanted(columns=("weight",), classes=("F",)))
    assert keep.sum() == (davis.table.y == 0).sum()


def test_without_surprise_the_value_decides_and_what_is_usual_is_told(davis):
    lines = inspection(davis.table, davis.values, None, Wanted(k=3), **NOTHING)
    assert (lines.by, lines.n_rule) == ("value", None)
    assert "usual" in lines.frame and "suspicion" not in lines.frame
    lowest = davis.values.lowest(3, within_class=True)
    assert lines.frame["position"].tolist() == lowest["position"].tolist()


def test_texts_for_missing_are_left_out_with_other_codes():
    lines = [f"{k % 7 + k % 2 * 20},{k % 5},{'ab'[k % 2]}" for k in range(80)]
    lines[4] = "unknown,1,a"
    table = cellval.read("\n".join(["x,z,y", *lines]).encode(), label="y")
    every = make_suspicion(table, cellval.value_cells(table), surprise(table))
    assert "unknown" in found(every, Wanted()).frame["content"].tolist()
    left = found(every, Wanted(with_codes=False)).frame["content"].tolist()
    assert "unknown" not in left
