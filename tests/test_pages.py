"""The pages that show values, in their states: nothing, running, finished, failed."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import cellval
from cellval import jobs, pairs, views

APP = str(Path(__file__).parent.parent / "app.py")
PAGES = ["heatmap", "inspect", "sample", "columns"]


@pytest.fixture(scope="module")
def davis():
    table = cellval.read_csv("sample_data/davis.csv", label="sex")
    job = jobs.start(table, n_neighbors=5)
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
    table = cellval.read_csv("\n".join(lines).encode(), label="y", id_column="key")
    job = jobs.start(table, n_neighbors=3, test=0.2)
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
    job = jobs.Job(davis.table, {})
    frames = cellval.iter_values(davis.table, n_neighbors=5, subsets=4)
    for frame in itertools.islice(frames, 3):
        job._see(frame)
    assert job.active
    test = shown(page, job)
    assert not test.exception
    assert "Partial results" in text_of(test)
    frames.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_before_the_first_values_asks_to_wait(page, davis):
    test = shown(page, jobs.Job(davis.table, {}))
    assert not test.exception
    assert test.info


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_why_a_run_failed(page, davis):
    job = jobs.Job(davis.table, {})
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
    for by in views.ORDERS:
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


def test_the_list_holds_the_lowest_cells_with_all_columns(davis):
    test = shown("inspect", davis)
    frame = test.dataframe[0].value
    expected = davis.values.lowest(50, within_class=True)
    assert frame["row"].tolist() == expected["row"].tolist()
    assert frame["column"].tolist() == expected["column"].tolist()
    assert frame["rank"].tolist() == list(range(1, 51))
    for name in ("content", "value", "stderr", "class", "usual", "decision"):
        assert name in frame
    assert frame["value"].to_numpy() == pytest.approx(
        100 * expected["value"].to_numpy()
    )


def test_the_list_over_all_cells_is_in_order_of_value(davis):
    test = shown("inspect", davis)
    ranked = next(box for box in test.selectbox if box.label == "Ranked")
    ranked.set_value("over all cells").run()
    assert (np.diff(test.dataframe[0].value["value"]) >= 0).all()


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


def test_the_sample_page_states_the_sum(davis):
    test = shown("sample", davis, _row=11)
    text = text_of(test).replace("\\", "")
    unit = views.derived(davis.values).row_unit
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
