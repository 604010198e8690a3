"""Explain a row: the sum, label or cell, what if; two rows compared."""

import io

import numpy as np
import pandas as pd
import pytest
from helpers import (
    box,
    click,
    drawn,
    goto,
    headings,
    labels,
    n_charts,
    pick,
    raw_text_of,
    running,
    session_of,
    shown,
    text_of,
    texts,
    valued,
    waiting,
)

import cellval
from cellval.glossary import LABEL_CAUTION
from cellval.repairs.repair import Repair
from cellval.ui.sample import label_or_cell, row, what_if
from cellval.ui.sample.what_if import changes_of, take
from cellval.ui.session import Edits
from cellval.views.pairs import alike_values_pairs
from cellval.views.value_view import value_view
from cellval.whatif.questions import LabelOrCell

FLIP = "The source says so: change it"
WHY_SWAP = "Swapped with 'height' in the same row."


@pytest.fixture(scope="module")
def planted():
    """Two clear classes; row 4 has the other's label, row 6 one absurd cell."""
    return valued(planted_table())


def planted_table(seed=0):
    rng = np.random.default_rng(seed)
    lines = ["x,z,colour,y"]
    for k in range(80):
        y = k % 2
        x, z = rng.normal(6 * y, 1.0, 2)
        x = 400.0 if k == 5 else x
        label = "ab"[y] if k != 3 else "ab"[1 - y]
        lines.append(f"{x:.2f},{z:.2f},{'red' if y else '**blue**'},{label}")
    return cellval.read(io.BytesIO("\n".join(lines).encode()), label="y")


def opened(run, row_number, *, tried=None, **work):
    """The page on one row (from 1), perhaps with texts tried out."""
    edits = None if tried is None else {row_number: tried}
    position = run.table.position(row_number)
    return shown("sample", run, row=position, edits=edits, **work)


def changes_tried(app):
    """The table of single changes, or None."""
    frames = [frame.value for frame in app.dataframe]
    return next((frame for frame in frames if "gain" in frame), None)


def made(app):
    return session_of(app).file.repairs


def selected(app):
    return session_of(app).selection


# --- one row, two rows ----------------------------------------------------------------


def test_the_sample_page_states_the_sum(davis):
    app = opened(davis, 12)
    unit = value_view(davis.values).row_unit
    total = unit.with_error(davis.values.row_values[11], davis.values.row_stderr[11])
    total = total.replace("pp", "percentage points (pp)")
    assert f"**{total}**" in text_of(app)
    assert "Its 4 cells sum to the row's value" in text_of(app)
    near = app.dataframe[0].value
    assert near["row_number"].tolist()[0] == 12
    assert len(near) == 11


def test_a_sample_is_chosen_by_number_and_by_the_list_of_lowest(davis):
    app = shown("sample", davis)
    lowest = int(np.argmin(davis.values.row_values))
    assert f"Row {lowest + 1}" in text_of(app)
    assert box(app, "Row number or id").value == str(lowest + 1)
    pick(app, "Row number or id", "17")
    assert selected(app).position == 16
    pick(app, "Row number or id", "0")
    assert selected(app).position == 16
    assert "There is no row with this number" in text_of(app)
    pick(app, "Lowest rows", lowest)
    assert selected(app).position == lowest


def test_two_samples_are_compared_from_a_proposal(davis):
    app = pick(shown("sample", davis), "What to look at", "Compare two")
    pair = alike_values_pairs(davis.values)[0]
    pick(app, "Same value, different reasons", pair)
    assert selected(app).position == pair.first
    assert selected(app).other_position == pair.second
    frame = app.dataframe[-1].value
    np.testing.assert_allclose(
        frame["difference"].sum(),
        100 * np.subtract(*davis.values.row_values[[pair.first, pair.second]]),
        atol=1e-9,
    )


# --- label or cell? -------------------------------------------------------------------


def test_the_verdict_names_the_label_where_it_was_flipped(planted):
    app = opened(planted, 4)
    assert "Changing y from a to b would raise the row's value most" in text_of(app)
    assert "The label may be wrong." in text_of(app)
    frame = changes_tried(app)
    assert frame["change"].tolist()[:2] == ["as it is", "y: a → b"]
    assert frame["value"][0] == pytest.approx(100 * planted.values.row_values[3])
    assert frame["value"][1] - frame["value"][0] == pytest.approx(frame["gain"][1])


def test_the_verdict_names_the_cell_where_it_is_wrong(planted):
    app = opened(planted, 6)
    assert "Changing x from 400.00 to " in text_of(app)
    assert "The cell is the likelier culprit." in text_of(app)


def test_the_best_label_is_applied_with_a_reason(planted):
    app = click(opened(planted, 4), FLIP)
    assert list(made(app)) == [(4, "y")]
    change = made(app)[4, "y"]
    assert change.text == "b"
    assert change.reason.startswith("With this label the row's value would rise from")
    words = "Row 4 was repaired: y → **b**. The values shown here are not"
    assert words in text_of(app)
    assert "This repair is applied." in text_of(app)
    assert FLIP not in labels(app)
    click(app, "Undo")
    assert made(app) == {}
    assert FLIP in labels(app)


@pytest.mark.parametrize("tried", [{}, {"y": "b"}, {"y": "b", "x": "1"}])
def test_a_label_is_flipped_behind_a_caution_and_by_no_filled_button(planted, tried):
    app = opened(planted, 4, tried=tried)
    flips = [button for button in app.button if button.label == FLIP]
    assert len(flips) == (2 if tried else 1)
    behind = [block for block in app.get("popover") if caution_in(block)]
    assert [b.label for block in behind for b in block.button] == [FLIP] * len(flips)
    assert "primary" not in [button.proto.type for button in app.button]


def test_a_cell_that_helps_stands_before_a_label_that_helps_more(planted, monkeypatch):
    names = ["change", "column", "before", "after", "value", "gain", "stderr"]
    lines = [["y: b → a", "y", "b", "a", 0.3, 0.3, 0.01]]
    lines += [["x: 1 → 2", "x", "1", "2", 0.2, 0.2, 0.01]]
    found = LabelOrCell(6, 0.0, 0.1, pd.DataFrame(lines, columns=names), "", "")
    monkeypatch.setattr(label_or_cell, "_compared", lambda *_: found)
    monkeypatch.setattr(
        label_or_cell, "row_suggestions", lambda *_: [({"x": "2"}, "why")]
    )
    app = opened(planted, 6)
    offered = [
        label for label in labels(app) if label.startswith("Rather") or label == FLIP
    ]
    assert offered[0].replace("\\", "") == "Rather x: 1 → 2"
    assert offered[1] == FLIP
    assert "primary" not in [button.proto.type for button in app.button]
    click(app, offered[0])
    assert made(app) == {(6, "x"): Repair("replace", "2", "why")}


def caution_in(block):
    return LABEL_CAUTION in texts(block.markdown)


def test_a_swap_is_one_change_of_two_cells(davis):
    app = opened(davis, 12)
    text = "weight: 166 → 57, height: 57 → 166"
    assert changes_tried(app)["change"].tolist() == ["as it is", text, "sex: F → M"]
    assert "The cells are the likelier culprit." in text_of(app)
    click(app, "Apply this repair")
    assert made(app) == {
        (12, "weight"): Repair("replace", "57", WHY_SWAP),
        (12, "height"): Repair("replace", "166", WHY_SWAP),
    }
    assert len(session_of(app).file.steps) == 1  # to be undone as one


def highest_row(run):
    return int(run.values.row_numbers[np.argmax(run.values.row_values)])


def test_rows_of_ordinary_value_are_tried_on_request(davis):
    app = opened(davis, highest_row(davis))
    assert changes_tried(app) is None
    pick(app, "Try other labels and suggestions", True)
    assert "sex: " in changes_tried(app)["change"][1]
    assert "No single change helps" in text_of(app)
    assert "No cell of this row is odd" in text_of(app)
    assert "Apply this repair" not in labels(app)


def test_a_row_with_a_cell_flagged_by_hand_is_tried_at_once(davis):
    number = highest_row(davis)
    app = opened(davis, number, decisions={(number, "height"): "error"})
    assert changes_tried(app) is not None


# --- what if? -------------------------------------------------------------------------


def test_without_edits_there_is_nothing_to_compare(davis):
    app = opened(davis, 12)
    assert "Type into “new text”" in text_of(app)
    assert n_charts(app) == 1
    assert "Reset" not in labels(app)


def test_edits_show_the_new_waterfall_beside_the_old(davis):
    app = opened(davis, 12, tried={"weight": "57", "height": "166"})
    assert n_charts(app) == 3
    text = text_of(app)
    assert "The row's value would go from **0.2" in text
    assert "clearly better" in text
    assert "All 16 subsets of columns were evaluated anew (exact)." in text
    other = opened(davis, 12, tried={"weight": "90"})
    before, after = (
        [chart.proto.spec for chart in a.get("plotly_chart")] for a in (app, other)
    )
    assert before[0] == after[0]
    assert before[2] != after[2]


@pytest.mark.parametrize("module", [what_if, row], ids=["what if", "two rows"])
def test_both_waterfalls_have_one_scale(davis, monkeypatch, module):
    limits, draw = [], module.waterfall

    def noted(*args, **options):
        limits.append(options.get("limits"))
        return draw(*args, **options)

    monkeypatch.setattr(module, "waterfall", noted)
    app = opened(davis, 12, tried={"weight": "57"})
    if module is row:
        pick(app, "What to look at", "Compare two")
    assert limits[-1] == limits[-2] is not None


def test_another_label_is_chosen_from_a_box(planted):
    app = opened(planted, 4)
    assert box(app, "Label: y").value == "a"
    pick(app, "Label: y", "b")
    assert n_charts(app) == 3
    assert "clearly better" in text_of(app)
    app.button(key="keep edits").click()
    drawn(app)
    assert made(app)[4, "y"].text == "b"
    assert made(app)[4, "y"].reason.startswith("Tried out: the row's value would go")
    assert "Kept as a repair." in text_of(app)
    click(app, "Reset")
    assert n_charts(app) == 1
    assert (4, "y") in made(app)
    assert box(app, "Label: y").value == "a"


def test_all_edits_are_kept_and_empty_ones_blank(davis):
    app = opened(davis, 12, tried={"weight": "57", "repht": "", "height": " 57"})
    click(app, "Keep as repairs")
    assert {cell: (r.action, r.text) for cell, r in made(app).items()} == {
        (12, "weight"): ("replace", "57"),
        (12, "repht"): ("blank", ""),
    }
    assert "Kept as 2 repairs." in text_of(app)


def test_edits_outlive_a_visit_to_another_page(davis):
    app = opened(davis, 12, tried={"weight": "57"})
    goto(goto(app, "columns"), "sample")
    assert n_charts(app) == 3
    assert session_of(app).file.edits[12].begun == {"weight": "57"}


def test_text_that_is_no_number_counts_as_missing_and_says_so(davis):
    app = opened(davis, 12, tried={"weight": "he**a**vy"})
    said = "'he**a**vy' is no number for 'weight' and counts as missing."
    assert said in text_of(app)
    assert "he**a**vy" not in raw_text_of(app)  # escaped


def test_edits_that_cannot_be_valued_are_told_in_a_sentence(davis):
    app = opened(davis, 12, tried={"sex": ""})
    assert "Row 12 cannot be valued without a label" in text_of(app)
    click(app, "Reset")
    assert "cannot be valued" not in text_of(app)


def test_lines_of_the_editor_are_taken_by_column(davis, monkeypatch):
    tried, said = Edits({"repwt": "50", "sex": "M"}, {"repwt": "50"}), []
    monkeypatch.setattr(what_if, "say", said.append)
    take(davis.table, tried, {0: {"new": "57"}, 1: {"new": None}, 3: {"new": "x"}})
    new = {"repwt": "50", "sex": "M", "weight": "57", "height": "", "repht": "x"}
    assert tried.texts == new
    assert len(said) == 1
    assert said[0].startswith("x cannot be read as a number for repht")
    assert changes_of(davis.table, 11, tried) == tried.texts
    tried.texts["height"] = "57"
    assert "height" not in changes_of(davis.table, 11, tried)
    take(davis.table, tried, {0: {"new": "57"}})  # the others were typed back
    assert tried.texts == {"repwt": "50", "sex": "M", "weight": "57"}


def test_an_infinite_number_is_told_in_a_sentence(davis):
    tried = Edits()
    take(davis.table, tried, {0: {"new": "1e999"}})
    assert tried.texts == {"weight": "1e999"}
    app = opened(davis, 12, tried=tried.texts)
    assert "holds an infinite number in row 12" in text_of(app)


def test_an_answer_is_computed_once(davis, monkeypatch):
    asked, compute = [], what_if.what_if

    def counted(*args, **options):
        asked.append(args)
        return compute(*args, **options)

    monkeypatch.setattr(what_if, "what_if", counted)
    drawn(opened(davis, 12, tried={"weight": "58.5"}))
    assert len(asked) == 1


# --- states of the run ----------------------------------------------------------------


def test_a_held_out_row_says_why_nothing_can_be_tried():
    run = valued(planted_table(), test=0.3)
    out, kept = (
        int(np.flatnonzero(np.isnan(run.values.row_values) == is_out)[0]) + 1
        for is_out in (True, False)
    )
    app = opened(run, out, tried={"x": "1"})
    assert "Changes cannot be tried on this row" in text_of(app)
    assert changes_tried(app) is None
    assert n_charts(opened(run, kept, tried={"x": "1"})) == 3


def test_a_run_with_a_test_table_is_asked_with_it():
    table = planted_table()
    test = cellval.Table.from_frame(planted_table(1).cells, like=table)
    app = opened(valued(table, test=test), 4, tried={"x": "1"})
    assert n_charts(app) == 3
    assert "The label may be wrong." in text_of(app)


def test_a_run_that_goes_on_is_tried_with_what_there_is(davis):
    run = running(davis.table)
    assert n_charts(opened(run, 12, tried={"weight": "57"})) == 3
    low = int(np.nanargmin(run.values.row_values)) + 1
    text = text_of(opened(run, low))
    assert "Only labels so far: cells are still being compared." in text
    assert "The run goes on" in text


def test_a_run_without_surprise_tries_labels(davis):
    run = waiting(davis.table, n_neighbors=5)
    *_, last = cellval.iter_values(davis.table, n_neighbors=5)
    run._see(last)
    run._end("done")
    app = opened(run, int(np.nanargmin(run.values.row_values)) + 1)
    assert "Only labels: cells could not be compared" in text_of(app)
    assert len(changes_tried(app)) == 2


def test_the_repaired_table_can_be_tried_and_put_back(planted):
    change = {(4, "y"): Repair("replace", "b", "by hand")}
    run = valued(planted.table.with_cells({(3, "y"): "b"}))
    known = {"first": planted, "changes": change, "repairs": dict(change)}
    app = opened(run, 4, tried={"y": "a"}, **known)
    words = "Row 4 was repaired: y → **b**. The values shown here are with this"
    assert words in text_of(app)
    assert "clearly worse" in text_of(app)
    click(app, "Keep as repair")
    assert made(app) == {}  # as in the file
    assert "Kept as a repair" in text_of(app)


def test_a_row_that_will_be_dropped_is_not_repaired(planted):
    app = opened(planted, 4, repairs={(4, ""): Repair("drop")}, tried={"x": "1"})
    assert "Row 4 will be dropped" in text_of(app)
    buttons = {button.label: button for button in app.button}
    assert buttons[FLIP].disabled
    assert buttons["Keep as repair"].disabled
    click(app, "Open the Repair page")
    assert "Repair" in [title.value for title in app.title]
    assert "Did it help?" in headings(app)


def test_next_and_previous_rows_go_by_value(davis):
    order = np.argsort(davis.values.row_values, kind="stable")
    app = shown("sample", davis, row=int(order[0]))
    assert next(b for b in app.button if b.label == "Previous row").disabled
    click(app, "Next row")
    assert session_of(app).selection.position == order[1]
    click(app, "Previous row")
    assert session_of(app).selection.position == order[0]
