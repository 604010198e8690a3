"""The pages that show values, in their states: nothing, running, finished, failed."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import cellval
from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import make_suspicion
from cellval.jobs import registry
from cellval.jobs.background import Job
from cellval.repairs.repair import Repair
from cellval.views import pairs, rankings
from cellval.views import value_view as views
from cellval.views.order import ORDERS

APP = str(Path(__file__).parent.parent / "app.py")
PAGES = ["heatmap", "inspect", "sample", "columns"]


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    job = registry.start(table, n_neighbors=5)
    assert job.wait(120)
    return job


@pytest.fixture(scope="module")
def wide():
    """Many rows, ids, text that looks like Markdown and HTML, held-out rows."""
    rng = np.random.default_rng(0)
    lines = ["key;**a**;<b>b</b>;c;y"]
    for k in range(600):
        y = k % 2
        a, b = rng.normal(y), rng.normal(y)
        if k == 77:
            a = 50.0
        lines.append(
            f"*k{k}*;{a:.2f};{b:.2f};{'_x_' if y else '# h'};{'yes' if y else 'no'}"
        )
    table = cellval.read("\n".join(lines).encode(), label="y", id_column="key")
    job = registry.start(table, n_neighbors=3, test=0.2)
    assert job.wait(120)
    return job


def shown(page, job=None, table=None, **state):
    """The page, drawn with a run or a table."""
    test = AppTest.from_file(APP, default_timeout=60)
    if job is not None:
        test.session_state["_job"] = job
        test.session_state["_table"] = job.table
    if table is not None:
        test.session_state["_table"] = table
    for key, value in state.items():
        test.session_state[key] = value
    test.run().switch_page(f"pages/{page}.py").run()
    return test


def text_of(test):
    parts = [*test.markdown, *test.caption, *test.info, *test.error, *test.title]
    return "\n".join(str(part.value) for part in parts)


def decisions(test):
    return next(iter(test.session_state["_decisions"].values()))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_without_data_says_what_to_do(page):
    test = shown(page)
    assert not test.exception
    assert "Open the Data page" in [button.label for button in test.button]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_without_a_run_says_what_to_do(page, davis):
    test = shown(page, table=davis.table)
    assert not test.exception
    assert "Open the Data page" in [button.label for button in test.button]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_partial_values_of_a_running_run(page, davis):
    for surprise in (None, davis.surprise):
        test = shown(page, partial(davis.table, surprise))
        assert not test.exception
        assert "Partial results" in text_of(test)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_before_the_first_values_asks_to_wait(page, davis):
    test = shown(page, Job(davis.table, {}))
    assert not test.exception
    assert test.info


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_why_a_run_failed(page, davis):
    job = Job(davis.table, {})
    job._end("failed", "The <b>disk</b> is *full*.")
    test = shown(page, job)
    assert not test.exception
    assert "full" in text_of(test)
    assert "Open the Data page" in [button.label for button in test.button]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_finished_run(page, davis):
    test = shown(page, davis)
    assert not test.exception
    assert "Partial results" not in text_of(test)


@pytest.mark.parametrize("page", PAGES)
def test_pages_take_ids_markup_and_held_out_rows(page, wide):
    held_out = int(np.flatnonzero(np.isnan(wide.values.row_values))[0])
    for index in (77, held_out):
        cell = (index, "**a**")
        test = shown(page, wide, _cell=cell, _row=index)
        assert not test.exception
        markdown = "\n".join(str(part.value) for part in test.markdown)
        assert "**a**:" not in markdown
        assert "<b>b</b>" not in markdown


def test_every_order_of_the_heatmap_can_be_drawn(wide):
    test = shown("heatmap", wide)
    order = next(box for box in test.selectbox if box.label == "Order of the rows")
    for by in ORDERS:
        order.set_value(by)
        test.run()
        assert not test.exception
        order = next(box for box in test.selectbox if box.label == "Order of the rows")
    assert "Column to sort by" in [box.label for box in test.selectbox]


def test_filters_of_the_heatmap(wide):
    test = shown("heatmap", wide)
    search = next(box for box in test.text_input if box.label == "Search")
    search.set_value("*k77*").run()
    assert "1 of 600 rows" in text_of(test)
    assert not test.slider  # one row needs no window
    search = next(box for box in test.text_input if box.label == "Search")
    search.set_value("nothing like this").run()
    assert "No row fits" in text_of(test)


def test_going_to_a_row_moves_the_window_and_selects_its_lowest_cell(wide):
    test = shown("heatmap", wide)
    goto = next(box for box in test.text_input if box.label == "Go to row")
    goto.set_value("*k400*").run()
    assert test.slider[0].value == 400 - 30 + 1
    index, column = test.session_state["_cell"]
    values = wide.values
    if np.isfinite(values.row_values[400]):
        lowest = values.column_names[int(np.argmin(values.values[400]))]
        assert (index, column) == (400, lowest)
    assert index == 400


def test_a_window_beyond_the_end_is_moved_back(wide):
    test = shown("heatmap", wide)
    test.slider[0].set_value(541).run()
    toggles = {toggle.label: toggle for toggle in test.toggle}
    toggles["Transpose"].set_value(True).run()
    assert test.slider[0].value == 541
    classes = next(box for box in test.multiselect if box.label.startswith("Only"))
    classes.set_value(["yes"]).run()
    assert not test.exception
    assert test.slider[0].value == 300 - 60 + 1


def test_the_detail_says_what_a_value_means_and_decides(davis):
    test = shown("heatmap", davis, _cell=(11, "weight"))
    text = text_of(test).replace("\\", "")
    assert "weight: 166" in text
    assert "Row 12" in text
    assert "KNN model" in text
    assert "higher than 99.5 %" in text
    buttons = {button.label: button for button in test.button}
    buttons["Flag"].click().run()
    assert decisions(test) == {(12, "weight"): "error"}
    buttons = {button.label: button for button in test.button}
    buttons["Fine"].click().run()
    assert decisions(test) == {(12, "weight"): "fine"}
    buttons = {button.label: button for button in test.button}
    buttons["Fine"].click().run()
    assert decisions(test) == {}


def test_the_detail_leads_to_the_explanation_of_its_row(davis):
    test = shown("heatmap", davis, _cell=(11, "weight"))
    buttons = {button.label: button for button in test.button}
    buttons["Explain this row"].click().run()
    assert not test.exception
    assert "Row 12" in text_of(test).replace("\\", "")
    assert "Explain a sample" in [title.value for title in test.title]


def box(test, label, kind="selectbox"):
    return next(found for found in getattr(test, kind) if found.label == label)


def partial(table, surprise=None):
    """A run with some values, that goes on."""
    job = Job(table, {})
    frames = cellval.iter_values(table, n_neighbors=5, subsets=4)
    for frame in itertools.islice(frames, 3):
        job._see(frame)
    frames.close()
    job.surprise = surprise
    assert job.active
    return job


# --- outlines of the heatmap ----------------------------------------------------------


def drawn(test):
    """Cells outlined in the figure, by position in it."""
    spec = json.loads(test.get("plotly_chart")[0].proto.spec)
    lines = [trace for trace in spec["data"] if trace.get("mode") == "lines"]
    xs, ys = (_numbers(lines[0][axis]) for axis in "xy")
    return {
        (round(y + 0.5), round(x + 0.5)) for x, y in zip(xs[::6], ys[::6], strict=True)
    }


def _numbers(data):
    return data if isinstance(data, list) else data["_inputArray"]


def test_the_heatmap_outlines_the_suspicious_cells_by_the_rule(davis):
    test = shown("heatmap", davis)
    suspicion = make_suspicion(davis.table, davis.values, davis.surprise)
    cells = {divmod(int(cell), 4) for cell in suspicion.order[: suspicion.n_flagged]}
    assert cells == {(11, 0), (11, 1)}
    assert drawn(test) == cells
    assert "2 cells are outlined by the rule, which aims at one" in text_of(test)
    assert box(test, "Outline by").value == "suspicion"
    assert box(test, "How many", "number_input").value is None
    box(test, "How many", "number_input").set_value(7).run()
    assert drawn(test) == {divmod(int(cell), 4) for cell in suspicion.order[:7]}
    assert "The 7 most suspicious cells are outlined" in text_of(test)


@pytest.mark.parametrize("by", ["value", "surprise"])
def test_the_heatmap_outlines_by_another_measure_and_forgets_the_number(davis, by):
    test = shown("heatmap", davis)
    box(test, "How many", "number_input").set_value(7).run()
    box(test, "Outline by").set_value(by).run()
    assert not test.exception
    assert box(test, "How many", "number_input").value is None
    suspicion = make_suspicion(davis.table, davis.values, davis.surprise)
    cells = rankings.outlines(davis.values, suspicion, by).cells
    assert drawn(test) == {divmod(int(cell), 4) for cell in cells}
    words = "5 lowest cells" if by == "value" else "by surprise alone"
    assert words in text_of(test)


def test_cells_that_a_person_flagged_are_outlined_too(davis):
    flags = {davis.table.fingerprint: {(100, "repwt"): "error", (3, "repht"): "fine"}}
    test = shown("heatmap", davis, _decisions=flags)
    assert drawn(test) == {(11, 0), (11, 1), (99, 2)}
    box(test, "Only rows with outlined cells", "toggle").set_value(True).run()
    assert "2 of 200 rows" in text_of(test)


def test_a_table_in_which_nothing_stands_out():
    rng = np.random.default_rng(3)
    raw = "x,y\n" + "".join(f"{rng.random():.3f},{'ab'[k % 2]}\n" for k in range(60))
    job = registry.start(cellval.read(raw.encode(), label="y"), n_neighbors=3)
    assert job.wait(120)
    test = shown("heatmap", job)
    assert "Nothing stands out; choose a number" in text_of(test)
    assert drawn(test) == set()
    box(test, "Only rows with outlined cells", "toggle").set_value(True).run()
    assert "No cell is outlined" in text_of(test)
    box(test, "How many", "number_input").set_value(3).run()
    assert "The 3 most suspicious cells" in text_of(test)
    listed = shown("inspect", job)
    assert box(listed, "Flag the most suspicious", "number_input").value == 0
    assert next(b for b in listed.button if b.key == "flag lowest").disabled


def test_without_surprise_the_heatmap_outlines_by_value_and_says_so(davis):
    test = shown("heatmap", partial(davis.table))
    assert not test.exception
    assert "is not known yet, so the value alone decides" in text_of(test)
    assert "lowest cells within their class" in text_of(test)
    box(test, "Order of the rows").set_value("suspicion").run()
    assert "lowest cell first" in text_of(test)
    assert "most suspicious cell first" not in text_of(test)


def test_a_running_run_with_surprise_is_outlined_by_suspicion(davis):
    test = shown("heatmap", partial(davis.table, davis.surprise))
    assert "not known yet" not in text_of(test)
    assert {(11, 0), (11, 1)} <= drawn(test)


def test_rows_with_suspicious_cells_come_first_and_a_window_says_what_it_hides(wide):
    test = shown("heatmap", wide)
    assert "None of them is in the rows below" in text_of(test)
    box(test, "Order of the rows").set_value("suspicion").run()
    assert "None of them" not in text_of(test)
    assert min(drawn(test)) == (0, 0)


# --- the inspection list --------------------------------------------------------------


def test_the_list_holds_the_most_suspicious_cells_with_all_columns(davis):
    test = shown("inspect", davis)
    frame = test.dataframe[0].value
    expected = suspects_frame(
        make_suspicion(davis.table, davis.values, davis.surprise), 50
    )
    for name in ("row", "column", "content", "reason", "suggestion", "suspicion"):
        assert frame[name].tolist() == expected[name].tolist(), name
    assert frame["rank"].tolist() == list(range(1, 51))
    np.testing.assert_allclose(frame["value"], 100 * expected["value"])
    np.testing.assert_allclose(frame["surprise"], expected["surprise"])
    assert {"stderr", "decision", "class"} <= set(frame)
    assert "repair" not in frame  # nothing was repaired
    assert "id" not in frame


def test_the_list_by_value_within_the_class(davis):
    test = shown("inspect", davis)
    box(test, "Ranked by").set_value("value").run()
    frame, expected = (
        test.dataframe[0].value,
        davis.values.lowest(50, within_class=True),
    )
    assert frame["row"].tolist() == expected["row"].tolist()
    assert frame["column"].tolist() == expected["column"].tolist()
    assert frame["rank"].tolist() == list(range(1, 51))


@pytest.mark.parametrize(("by", "column"), [("all", "value"), ("surprise", "surprise")])
def test_the_list_in_order_of_value_or_surprise(davis, by, column):
    test = shown("inspect", davis)
    box(test, "Ranked by").set_value(by).run()
    assert (np.diff(test.dataframe[0].value[column]) >= 0).all()


def test_another_ranking_forgets_the_number_of_cells(davis):
    test = shown("inspect", davis)
    box(test, "How many cells", "number_input").set_value(7).run()
    assert len(test.dataframe[0].value) == 7
    box(test, "Ranked by").set_value("surprise").run()
    assert len(test.dataframe[0].value) == 50


def test_repairs_stand_in_the_list(davis):
    changes = {
        (12, "weight"): Repair("replace", "57"),
        (12, "height"): Repair("blank"),
        (21, ""): Repair("drop"),
    }
    test = shown("inspect", davis, _repairs={davis.table.fingerprint: changes})
    frame = test.dataframe[0].value
    assert frame["repair"].tolist()[:4] == ["57", "(blank)", "(row dropped)", ""]


def test_without_surprise_the_list_goes_by_value_and_there_is_no_map(davis):
    test = shown("inspect", partial(davis.table))
    assert "goes by value until it is" in text_of(test)
    frame = test.dataframe[0].value
    assert "usual" in frame
    assert "suspicion" not in frame
    test.segmented_control[0].set_value("Map").run()
    assert not test.exception
    assert not test.get("plotly_chart")


def test_the_list_of_a_running_run_with_surprise(davis):
    test = shown("inspect", partial(davis.table, davis.surprise))
    frame = test.dataframe[0].value
    assert set(frame["row"][:2]) == {12}
    test.segmented_control[0].set_value("Map").run()
    assert not test.exception
    assert len(test.get("plotly_chart")) == 1


@pytest.fixture(scope="module")
def coded():
    """Sizes from 100 to 140, but 999 in 12 cells, and one slip."""
    rng = np.random.default_rng(0)
    lines = ["size,other,y"]
    for k in range(120):
        size = 100 + 20 * (k % 2) + int(rng.integers(0, 20))
        size = 999 if k % 10 == 3 else 1200 if k == 50 else size
        lines.append(f"{size},{rng.normal(k % 2):.2f},{'ab'[k % 2]}")
    table = cellval.read("\n".join(lines).encode(), label="y")
    job = registry.start(table, n_neighbors=3)
    assert job.wait(120)
    return job


def test_codes_for_missing_are_told_and_left_out_of_the_list(coded):
    test = shown("inspect", coded)
    text = text_of(test).replace("\\", "")
    assert "**size**: **999** stands in 12 cells, apart from all other" in text
    frame = test.dataframe[0].value
    assert "999" not in frame["content"].tolist()
    assert frame["content"][0] == "1200"
    assert frame["rank"][0] == 13
    assert box(test, "Flag the most suspicious", "number_input").value == 1
    box(test, 'Leave out codes for "missing"', "toggle").set_value(False).run()
    assert test.dataframe[0].value["content"].tolist()[:13] == ["999"] * 12 + ["1200"]
    assert box(test, "Flag the most suspicious", "number_input").value == 13


def test_all_cells_of_a_code_are_blanked_and_taken_back(coded):
    test = shown("inspect", coded)
    cells = {(k + 1, "size") for k in range(3, 120, 10)}

    def press(label):
        next(b for b in test.button if b.label == label).click().run()
        assert not test.exception

    def repairs():
        return next(iter(test.session_state["_repairs"].values()))

    press("Blank all 12")
    assert set(repairs()) == cells
    found = next(iter(repairs().values()))
    assert (found.action, found.reason) == ("blank", '999 may stand for "missing".')
    assert decisions(test) == dict.fromkeys(cells, "error")
    assert "They will be blank" in text_of(test)
    press("They are fine")
    assert repairs() == {}
    assert decisions(test) == dict.fromkeys(cells, "fine")
    press("They are fine")
    assert decisions(test) == {}
    repairs().update(dict.fromkeys(cells, Repair("replace", "120")))
    test.run()
    assert "They will be blank" not in text_of(test)


def test_blanking_a_code_leaves_other_repairs_alone(coded):
    own = {(4, "size"): Repair("replace", "123")}
    test = shown("inspect", coded, _repairs={coded.table.fingerprint: own})
    next(b for b in test.button if b.label == "Blank all 12").click().run()
    found = next(iter(test.session_state["_repairs"].values()))
    assert len(found) == 12
    assert found[4, "size"].after == "123"


def test_the_map_draws_the_cells_and_keeps_the_filters(davis):
    test = shown("inspect", davis, _cell=(11, "weight"))
    box(test, "Columns", "multiselect").set_value(["weight", "height"]).run()
    test.segmented_control[0].set_value("Map").run()
    assert not test.exception
    assert "All 400 cells are drawn." in text_of(test)
    assert "weight: 166" in text_of(test).replace("\\", "")
    spec = json.loads(test.get("plotly_chart")[0].proto.spec)
    names = [note["text"] for note in spec["layout"]["annotations"]]
    for words in ("likely error", "surprising but harmless", "hard case", "fine"):
        assert any(words in name for name in names)
    assert "Ranked by" not in [found.label for found in test.selectbox]


def test_filters_of_the_list(davis):
    test = shown("inspect", davis)
    boxes = {box.label: box for box in test.multiselect}
    boxes["Columns"].set_value(["height"])
    boxes["Only sex"].set_value(["F"])
    test.run()
    frame = test.dataframe[0].value
    assert set(frame["column"]) == {"height"}
    assert set(frame["class"]) == {"F"}
    assert len(frame) == 50


def test_flagging_the_lowest_keeps_what_was_decided_and_counts(davis):
    lowest = davis.values.lowest(10, within_class=True)
    first = (int(lowest["row"][0]), lowest["column"][0])
    test = shown(
        "inspect", davis, _decisions={davis.table.fingerprint: {first: "fine"}}
    )
    box(test, "Ranked by").set_value("value").run()
    next(b for b in test.button if b.label == "Flag the lowest 10").click().run()
    found = decisions(test)
    assert len(found) == 10
    assert found[first] == "fine"
    assert sorted(found.values()) == ["error"] * 9 + ["fine"]
    boxes = {box.label: box for box in test.multiselect}
    boxes["Decisions"].set_value(["error"]).run()
    assert len(test.dataframe[0].value) == 9
    test.switch_page("pages/heatmap.py").run().switch_page("pages/inspect.py").run()
    assert decisions(test) == found  # it sticks


def test_flagging_by_suspicion_flags_what_the_rule_says(davis):
    test = shown("inspect", davis)
    label = "Flag the most suspicious 2"
    next(b for b in test.button if b.label == label).click().run()
    assert decisions(test) == {(12, "weight"): "error", (12, "height"): "error"}


def test_the_sample_page_states_the_sum(davis):
    test = shown("sample", davis, _row=11)
    text = text_of(test).replace("\\", "")
    unit = views.value_view(davis.values).row_unit
    total = unit.with_error(davis.values.row_values[11], davis.values.row_stderr[11])
    assert f"**{total}**" in text
    assert "Its 4 cells sum to the row's value" in text
    near = test.dataframe[0].value
    assert near["row"].tolist()[0] == 12
    assert len(near) == 11


def test_a_sample_is_chosen_by_number_and_by_the_list_of_lowest(davis):
    test = shown("sample", davis)
    lowest = int(np.argmin(davis.values.row_values))
    assert f"Row {lowest + 1}" in text_of(test).replace("\\", "")
    test.text_input[0].set_value("17").run()
    assert test.session_state["_row"] == 16
    test.text_input[0].set_value("0").run()
    assert test.session_state["_row"] == 16
    test.selectbox[0].set_value(lowest).run()
    assert test.session_state["_row"] == lowest
    assert not test.exception


def test_two_samples_are_compared_from_a_proposal(davis):
    test = shown("sample", davis)
    test.segmented_control[0].set_value("Compare two").run()
    assert not test.exception
    pair = pairs.alike_values_pairs(davis.values)[0]
    proposals = {box.label: box for box in test.selectbox}
    proposals["Same value, different reasons"].set_value(pair).run()
    assert not test.exception
    assert test.session_state["_row"] == pair.first
    assert test.session_state["_other_row"] == pair.second
    frame = test.dataframe[-1].value
    np.testing.assert_allclose(
        frame["difference"].sum(),
        100 * np.subtract(*davis.values.row_values[[pair.first, pair.second]]),
        atol=1e-9,
    )


def test_the_columns_page_sums_to_the_accuracy(davis):
    test = shown("columns", davis)
    assert f"{100 * davis.values.total:.1f} %" in text_of(test)
    frame = test.dataframe[0].value
    assert (np.diff(frame["value"]) >= 0).all()
    assert frame["value"].sum() == pytest.approx(100 * davis.values.total)
