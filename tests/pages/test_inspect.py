"""The cells of the inspection list and its map; findings are in test_findings."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from helpers import (
    box,
    button,
    click,
    drawn,
    goto,
    labels,
    list_tables,
    listed,
    n_charts,
    pick,
    running,
    session_of,
    shown,
    text_of,
    texts,
    tick,
    valued,
)

import cellval
from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import make_suspicion
from cellval.repairs.repair import Repair
from cellval.ui import tables
from cellval.ui.inspect import list as cell_list


def frame_of(app):
    """The list: suspects, and what comes after them."""
    parts = [table.value for table in list_tables(app)]
    return pd.concat(parts, ignore_index=True)


def decided(app):
    return session_of(app).file.decisions


def made(app):
    return session_of(app).file.repairs


# --- which cells ----------------------------------------------------------------------


def test_the_list_holds_the_most_suspicious_cells_with_all_columns(davis):
    frame = frame_of(listed(davis))
    suspicion = make_suspicion(davis.table, davis.values, davis.surprise)
    expected = suspects_frame(suspicion, 50)
    for name in ("row_number", "column", "content", "reason", "suggestion"):
        assert frame[name].tolist() == expected[name].tolist(), name
    assert frame["suspicion"].tolist() == expected["suspicion"].tolist()
    assert frame["rank"].tolist() == list(range(1, 51))
    np.testing.assert_allclose(frame["value"], 100 * expected["value"])
    np.testing.assert_allclose(frame["surprise"], expected["surprise"])
    assert {"stderr", "decision", "class"} <= set(frame)
    assert "repair" not in frame  # nothing was repaired
    assert "id" not in frame


# The first four odd cells of davis.csv that are no suspects, called wrong.
ODD = [(21, "repwt"), (83, "repht"), (19, "repht"), (50, "repwt")]


def test_answers_move_the_cells_that_are_left(davis):
    before = frame_of(listed(davis))
    app = listed(davis, decisions=dict.fromkeys(ODD, "error"), cell=(114, "repwt"))
    after = frame_of(app)
    rank_of = [
        {
            cell: k
            for k, cell in enumerate(zip(f["row_number"], f["column"], strict=True))
        }
        for f in (before, after)
    ]
    assert rank_of[0][115, "repwt"] == 9 and rank_of[1][115, "repwt"] == 3
    assert {*ODD} <= {*rank_of[1]}  # who was decided on is still there
    assert "You called 2 cells of the kind 'odd cell' in repwt wrong." in text_of(app)
    assert "rank 4 of 800 by suspicion" in text_of(app)


def test_answers_move_nothing_while_a_run_goes_on(davis):
    run = running(davis.table, davis.surprise)
    app = listed(run, decisions=dict.fromkeys(ODD, "error"), cell=(114, "repwt"))
    assert "You called" not in text_of(app)
    order = run.suspicion.order[:3] % 4
    names = [davis.table.feature_names[j] for j in order]
    assert frame_of(app)["column"].tolist()[:3] == names


def test_the_list_shows_where_the_rule_ends(davis):
    app = listed(davis)
    said = text_of(app)
    assert said.index("2 suspects") < said.index("The rule ends here")
    assert "only because a list has 50 lines unless you say how many" in said
    assert [len(table.value) for table in list_tables(app)] == [2, 48]
    pick(app, "How many cells", 3)
    assert "The cell below is next in the ranking, and listed only because you " in (
        text_of(app)
    )
    pick(app, "How many cells", 2)
    assert "The rule ends here" not in text_of(app)
    pick(app, "How many cells", 1)
    assert "1 of 2 suspects" in text_of(app)
    pick(app, "Ranked by", "value")  # which has no rule
    assert len(list_tables(app)) == 1


def test_without_suspects_the_list_says_so():
    wine = valued(cellval.read("sample_data/wine.csv"), subsets=8)
    assert "No suspects" in text_of(listed(wine))


def test_the_list_says_odds_in_words_and_numbers_on_request(davis):
    app = listed(davis)
    frame = frame_of(app)
    assert [*frame["finding"][0]] == ["Likely error"]
    assert frame["odds"][:3].tolist() == ["< 1 in a million"] * 2 + ["1 in 1,400"]
    assert "Fine." not in frame["reason"].tolist()
    for table in list_tables(app):
        seen = list(table.proto.column_order)
        assert {"odds", "reason"} <= set(seen)
        assert not {"rank", "suspicion", "surprise", "decision"} & set(seen)
        formats = re.findall(r'"format": "([^"]*)"', table.proto.columns)
        assert set(formats) <= {"localized", "%d", "%.3f", "%.6f"}, "no exponents"


def test_up_to_the_reasons_the_list_fits_a_screen_of_1280(davis):
    parts = [table.value for table in list_tables(listed(davis))]
    first = {(int(p["row_number"].iloc[0]), p["column"].iloc[0]) for p in parts}
    app = listed(davis, decisions=dict.fromkeys(first, "unsure"))
    for table in list_tables(app):  # one more column is seen
        seen, columns = list(table.proto.column_order), json.loads(table.proto.columns)
        assert {"decision", "odds"} <= set(seen)
        before = seen[: seen.index("reason") + 1]
        widths = [columns[name]["width"] for name in before]
        assert sum(widths) + cell_list.BOXES <= cell_list.ROOM
        lines = tables.line_height(table.value["reason"], widths[-1])
        assert table.proto.row_height >= lines > tables.LINE, "texts wrap"


def test_negative_values_have_a_real_minus_sign_and_sort_as_numbers():
    frame = pd.DataFrame({"value": [-0.5, np.nan, 2.0], "n": [1, 2, 3]})
    config = {"value": tables.number("value", "%+.2f"), "n": tables.number()}
    style, columns = tables.with_minus(frame, config)
    written = style._translate(False, False)["body"]
    assert [row[1]["display_value"] for row in written] == ["−0.50", "–", "+2.00"]
    assert style.data["value"].dtype == float
    assert "format" not in columns["value"]["type_config"]  # it would win in a browser
    assert columns["n"] == config["n"]
    ordinary = frame.abs()
    assert tables.with_minus(ordinary, config) == (ordinary, config)


def test_the_list_by_value_within_the_class(davis):
    frame = frame_of(pick(listed(davis), "Ranked by", "value"))
    expected = davis.values.lowest(50, within_class=True)
    assert frame["row_number"].tolist() == expected["row_number"].tolist()
    assert frame["column"].tolist() == expected["column"].tolist()
    assert frame["rank"].tolist() == list(range(1, 51))


@pytest.mark.parametrize(("by", "column"), [("all", "value"), ("surprise", "surprise")])
def test_the_list_in_order_of_value_or_surprise(davis, by, column):
    app = pick(listed(davis), "Ranked by", by)
    assert (np.diff(frame_of(app)[column]) >= 0).all()


def test_another_ranking_forgets_the_number_of_cells(davis):
    app = pick(listed(davis), "How many cells", 7)
    assert len(frame_of(app)) == 7
    pick(app, "Ranked by", "surprise")
    assert len(frame_of(app)) == 50


def test_filters_of_the_list(davis):
    app = pick(listed(davis), "Columns", ["height"])
    frame = frame_of(pick(app, "Only sex", ["F"]))
    assert set(frame["column"]) == {"height"}
    assert set(frame["class"]) == {"F"}
    assert len(frame) == 50


def test_repairs_stand_in_the_list(davis):
    changes = {
        (12, "weight"): Repair("replace", "57"),
        (12, "height"): Repair("blank"),
        (21, ""): Repair("drop"),
    }
    frame = frame_of(listed(davis, repairs=changes))
    assert frame["repair"].tolist()[:4] == ["57", "(blank)", "(row dropped)", ""]


def test_without_surprise_the_list_goes_by_value_and_there_is_no_map(davis):
    app = listed(running(davis.table))
    assert "goes by value until it is" in text_of(app)
    assert "usual" in frame_of(app)
    assert "suspicion" not in frame_of(app)
    pick(app, "What to look at", "Map")
    assert n_charts(app) == 0


def test_the_list_of_a_running_run_with_surprise(davis):
    app = listed(running(davis.table, davis.surprise))
    assert set(frame_of(app)["row_number"][:2]) == {12}
    pick(app, "What to look at", "Map")
    assert n_charts(app) == 1


def test_the_map_draws_the_cells_and_keeps_the_filters(davis):
    app = listed(davis, cell=(11, "weight"))
    pick(app, "Columns", ["weight", "height"])
    pick(app, "What to look at", "Map")
    assert "All 400 cells are drawn." in text_of(app)
    assert "weight: 166" in text_of(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    names = [note["text"] for note in spec["layout"]["annotations"]]
    for words in ("odd and hurts", "odd but harmless", "hard case", "ordinary and"):
        assert any(words in name for name in names)
    assert "Ranked by" not in [found.label for found in app.selectbox]


# --- decisions on many cells ----------------------------------------------------------


def test_flagging_the_lowest_keeps_what_was_decided_and_counts(davis):
    lowest = davis.values.lowest(10, within_class=True)
    first = (int(lowest["row_number"][0]), lowest["column"][0])
    app = listed(davis, decisions={first: "fine"})
    pick(app, "Ranked by", "value")
    click(app, "Mark the 10 lowest as wrong")
    found = dict(decided(app))
    assert len(found) == 10
    assert found[first] == "fine"
    assert sorted(found.values()) == ["error"] * 9 + ["fine"]
    assert "9 cells marked as wrong; 1 were decided before" in text_of(app)
    pick(app, "Decisions", ["error"])
    assert len(frame_of(app)) == 9
    assert set(frame_of(app)["decision"]) == {"wrong"}
    assert "(9 wrong, 1 fine)" in app.get("progress")[0].proto.text
    goto(goto(app, "heatmap"), "inspect")
    assert decided(app) == found  # it sticks


def test_flagging_by_suspicion_flags_what_the_rule_says(davis):
    app = click(listed(davis), "Mark the 2 most suspicious as wrong")
    assert decided(app) == {(12, "weight"): "error", (12, "height"): "error"}


def test_ticked_lines_are_decided_on_together(davis):
    app = tick(listed(davis), [0, 1])
    assert "2 lines ticked" in text_of(app)
    click(app, "Mark 2 as fine")
    assert decided(app) == {(12, "weight"): "fine", (12, "height"): "fine"}


def test_nothing_is_done_to_a_list_that_nobody_chose_from(davis):
    app = listed(davis)
    assert "No line is ticked" in text_of(app)
    for label in ("Mark as wrong", "Mark as fine", "Mark as unsure", "Clear"):
        assert button(app, label).disabled
    for label in CHANGES:
        assert button(app, label).disabled


def test_with_a_filter_all_listed_lines_are_decided_on_and_undone_at_once(davis):
    app = pick(
        listed(davis, decisions={(12, "height"): "fine"}),
        "Columns",
        ["height"],
    )
    assert "All 50 lines that fit the filters" in text_of(app)
    click(app, "Mark 50 as unsure")
    assert list(decided(app).values()) == ["unsure"] * 50
    click(app, "Undo all 50")
    assert decided(app) == {(12, "height"): "fine"}


# --- changes of many cells ------------------------------------------------------------

TAKE = "Take the suggestions"
CHANGES = (TAKE, "Blank them", "Write one text")


def preview_of(app):
    return next(t.value for t in app.dataframe if "before" in t.value)


def test_ticked_lines_take_their_suggestions_after_a_preview(davis):
    app = tick(listed(davis), [0, 1])
    click(app, TAKE)
    preview = preview_of(app)
    assert preview["before"].tolist() == ["166", "57"]
    assert preview["after"].tolist() == ["57", "166"]
    assert "2 cells will change." in text_of(app)
    assert made(app) == {}  # so far it is a preview
    click(app, "Change 2 cells")
    assert {cell: new.after for cell, new in made(app).items()} == {
        (12, "weight"): "57",
        (12, "height"): "166",
    }
    assert "2 cells changed as suggested." in text_of(app)
    assert not any("before" in table.value for table in app.dataframe)
    click(app, "Undo all 2")
    assert made(app) == decided(app) == {}


def test_suggestions_are_taken_only_where_there_are_some(davis):
    app = tick(listed(davis), [0, 1])
    assert not button(app, TAKE).disabled
    click(app, TAKE)
    frame = frame_of(app)
    n = list_tables(app)[0].value.shape[0]
    without = next(i for i in range(n, 50) if not frame["suggestion"][i]) - n
    app = tick(listed(davis), [without], table=1)
    assert button(app, TAKE).disabled
    assert button(app, TAKE).help == "None of these cells has a likely suggestion."
    assert not button(app, "Blank them").disabled


def test_a_second_click_closes_the_preview(davis):
    app = click(tick(listed(davis), [0, 1]), "Blank them")
    assert "2 cells will change." in text_of(app)
    click(app, "Blank them")
    assert "will change" not in text_of(app)


def test_the_buttons_for_many_stand_above_the_list_ticked_or_not(davis):
    for lines in ([], [0, 1]):
        app = tick(listed(davis), lines)
        drawn = [getattr(part, "label", part.type) for part in app.main]
        first = drawn.index("dataframe")
        assert drawn.index(f"Mark {'2 ' if lines else ''}as wrong") < first
        assert drawn.index(TAKE) < first


def test_all_listed_cells_take_likely_suggestions_only(davis):
    app = listed(davis)
    pick(app, "Columns", ["weight", "height", "repwt", "repht"])
    n = int((frame_of(app)["suggestion"] != "").sum())
    click(app, TAKE)
    assert f"{50 - n} cells have no likely suggestion and are left alone" in text_of(
        app
    )
    click(app, f"Change {n} cells")
    assert len(made(app)) == n


def test_repaired_cells_are_overwritten_only_if_asked_for(davis):
    own = {(12, "weight"): Repair("replace", "60")}
    app = tick(listed(davis, repairs=dict(own)), [0, 1])
    click(app, "Blank them")
    assert "1 cell will change." in text_of(app)
    app.checkbox[0].check()
    drawn(app)
    assert preview_of(app)["before"].tolist()[0] == "166 (repaired: 60)"
    click(app, "Change 2 cells")
    assert [new.action for new in made(app).values()] == ["blank"] * 2
    click(app, "Undo all 2")
    assert made(app) == own


def test_one_text_for_many_says_where_it_cannot_be_read(davis):
    app = click(tick(listed(davis), [0, 1]), "Write one text")
    assert "will change" not in text_of(app)
    pick(app, "The text for all of them", "heavy")
    assert "In 2 cells 'heavy' cannot be read as a number" in text_of(app)
    pick(app, "The text for all of them", "inf")
    assert "infinite" in text_of(app)
    pick(app, "The text for all of them", "61")
    click(app, "Change 2 cells")
    assert [new.after for new in made(app).values()] == ["61", "61"]


def test_lines_below_the_rule_can_be_ticked_too(davis):
    app = listed(davis)
    third = frame_of(app).loc[2, ["row_number", "column"]].tolist()
    tick(app, [0], table=1)
    click(app, "Mark 1 as unsure")
    assert decided(app) == {tuple(third): "unsure"}


# --- codes for "missing" --------------------------------------------------------------


@pytest.fixture(scope="module")
def coded():
    """Sizes from 100 to 140, but 999 in 12 cells, and one slip."""
    rng = np.random.default_rng(0)
    lines = ["size,other,y"]
    for k in range(120):
        size = 100 + 20 * (k % 2) + int(rng.integers(0, 20))
        size = 999 if k % 10 == 3 else 1200 if k == 50 else size
        lines.append(f"{size},{rng.normal(k % 2):.2f},{'ab'[k % 2]}")
    return valued(cellval.read("\n".join(lines).encode(), label="y"), n_neighbors=3)


def test_codes_for_missing_are_told_and_count_everywhere_alike(coded):
    app = listed(coded)
    assert (
        "**size**: **999** stands in 12 cells, apart from all other numbers."
        in text_of(app)
    )
    text = text_of(app)
    assert "13 suspects were found" in text and "##### 13 suspects" in text
    assert "0 of 13 suspects" in texts(app.sidebar.markdown)
    assert "13 suspects are outlined" in text_of(shown("heatmap", coded))
    assert frame_of(app)["content"].tolist()[:13] == ["999"] * 12 + ["1200"]
    assert box(app, "Mark the most suspicious as wrong").value == 13


def test_codes_for_missing_are_left_out_of_the_list_if_asked_for(coded):
    app = pick(listed(coded), 'Leave out codes for "missing"', True)
    frame = frame_of(app)
    assert "999" not in frame["content"].tolist()
    assert frame["content"][0] == "1200"
    assert "1 of 13 suspects" in text_of(app)
    assert frame["rank"][0] == 13
    assert box(app, "Mark the most suspicious as wrong").value == 1


def test_all_cells_of_a_code_are_blanked_and_taken_back(coded):
    app = listed(coded)
    cells = {(k + 1, "size") for k in range(3, 120, 10)}
    click(app, "Blank all 12")
    assert set(made(app)) == cells
    found = next(iter(made(app).values()))
    assert (found.action, found.reason) == ("blank", '999 may stand for "missing".')
    assert decided(app) == dict.fromkeys(cells, "error")
    assert "will be blank in the repaired file" in text_of(app)
    assert "They are fine" not in labels(app)
    click(app, "Undo")
    assert made(app) == decided(app) == {}
    click(app, "They are fine")
    assert decided(app) == dict.fromkeys(cells, "fine")
    assert "12 cells marked as fine" in text_of(app)
    click(app, "Undo")
    assert decided(app) == {}


def test_an_answer_that_came_from_a_file_can_be_undone(coded):
    blank = Repair("blank", reason='999 may stand for "missing".')
    cells = [(k + 1, "size") for k in range(3, 120, 10)]
    known = {"repairs": dict.fromkeys(cells, blank)}
    app = listed(coded, **known, decisions=dict.fromkeys(cells, "error"))
    click(app, "Undo")
    assert made(app) == decided(app) == {}


def test_blanking_a_code_leaves_other_repairs_alone(coded):
    own = {(4, "size"): Repair("replace", "123")}
    app = click(listed(coded, repairs=own), "Blank all 12")
    assert len(made(app)) == 12
    assert made(app)[4, "size"].after == "123"
