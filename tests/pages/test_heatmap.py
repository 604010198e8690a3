"""The heatmap: orders, filters, the window, outlines; the states are in test_states."""

import json

import numpy as np
import pytest
from helpers import (
    box,
    click,
    listed,
    pick,
    running,
    session_of,
    shown,
    text_of,
    valued,
)

import cellval
from cellval.detect.suspicion import make_suspicion
from cellval.views.order import ORDERS
from cellval.views.rankings import outlines


def outlined(app):
    """Cells outlined in the figure, by position in it."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    traces = [trace for spec in specs for trace in spec["data"]]
    lines = [trace for trace in traces if trace.get("name") == "outlined"]
    xs, ys = (_numbers(lines[0][axis]) for axis in "xy")
    corners = zip(xs[::6], ys[::6], ys[2::6], strict=True)
    return {(round((low + high) / 2), round(x + 0.5)) for x, low, high in corners}


def _numbers(data):
    return data if isinstance(data, list) else data["_inputArray"]


def suspicion_of(run):
    return make_suspicion(run.table, run.values, run.surprise)


def cells_of(flat):
    return {divmod(int(cell), 4) for cell in flat}


def test_every_order_of_the_heatmap_can_be_drawn(wide):
    app = shown("heatmap", wide)
    for by in ORDERS:
        pick(app, "Order of the rows", by)
    assert "Column to sort by" in [found.label for found in app.selectbox]


def test_filters_of_the_heatmap(wide):
    app = pick(shown("heatmap", wide), "Search", "*k77*")
    assert "1 of 600 rows" in text_of(app)
    assert not app.slider  # one row needs no window
    pick(app, "Search", "nothing like this")
    assert "No row fits" in text_of(app)


def test_going_to_a_row_moves_the_window_and_selects_its_lowest_cell(wide):
    app = pick(shown("heatmap", wide), "Go to row", "*k400*")
    assert app.slider[0].value == 400 - 30 + 1
    position, column = session_of(app).selection.cell
    values = wide.values
    if np.isfinite(values.row_values[400]):
        lowest = values.column_names[int(np.argmin(values.values[400]))]
        assert (position, column) == (400, lowest)
    assert position == 400


def test_going_to_a_row_that_is_not_shown_says_so(wide):
    app = pick(shown("heatmap", wide), "Go to row", "nobody")
    assert "There is no row with this number or id" in text_of(app)
    pick(app, "Search", "*k77*")
    pick(app, "Go to row", "*k400*")
    assert "This row is hidden by the filters" in text_of(app)


def test_a_window_beyond_the_end_is_moved_back(wide):
    app = shown("heatmap", wide)
    app.slider[0].set_value(541).run()
    pick(app, "Transpose", True)
    assert app.slider[0].value == 541
    pick(app, "Only y", ["yes"])
    assert app.slider[0].value == 300 - 60 + 1


# --- outlines -------------------------------------------------------------------------


def test_the_heatmap_outlines_the_suspicious_cells_by_the_rule(davis):
    app = shown("heatmap", davis)
    suspicion = suspicion_of(davis)
    cells = cells_of(suspicion.order[: suspicion.n_flagged])
    assert cells == {(11, 0), (11, 1)}
    assert outlined(app) == cells
    assert "2 suspects are outlined; the rule aims at one" in text_of(app)
    assert box(app, "Outline by").value == "suspicion"
    assert box(app, "How many").value is None
    pick(app, "How many", 7)
    assert outlined(app) == cells_of(suspicion.order[:7])
    assert "The 7 most suspicious cells are outlined" in text_of(app)


@pytest.mark.parametrize("by", ["value", "surprise"])
def test_the_heatmap_outlines_by_another_measure_and_forgets_the_number(davis, by):
    app = pick(shown("heatmap", davis), "How many", 7)
    pick(app, "Outline by", by)
    assert box(app, "How many").value is None
    cells = outlines(davis.values, suspicion_of(davis), by).cells
    assert outlined(app) == cells_of(cells)
    words = "5 lowest cells" if by == "value" else "by surprise alone"
    assert words in text_of(app)


def test_cells_that_a_person_flagged_are_outlined_too(davis):
    flags = {(100, "repwt"): "error", (3, "repht"): "fine"}
    app = shown("heatmap", davis, decisions=flags)
    assert outlined(app) == {(11, 0), (11, 1), (99, 2)}
    pick(app, "Only rows with outlined cells", True)
    assert "2 of 200 rows" in text_of(app)


def test_outlines_follow_answers_and_rows_stay_where_they_are(davis):
    odd = [(21, "repwt"), (83, "repht"), (19, "repht"), (50, "repwt")]
    said = dict.fromkeys(odd, "error")
    app = pick(shown("heatmap", davis, decisions=said), "How many", 4)
    decided = {(20, 2), (82, 3), (18, 3), (49, 2)}
    assert outlined(app) == {(11, 0), (11, 1), (20, 2), (114, 2)} | decided
    rows = []
    for page in (app, shown("heatmap", davis)):
        pick(pick(page, "Order of the rows", "suspicion"), "Also as a table", True)
        rows.append(next(t.value for t in page.dataframe)["row"].tolist())
    assert rows[0] == rows[1]


def test_a_table_in_which_nothing_stands_out():
    rng = np.random.default_rng(3)
    raw = "x,y\n" + "".join(f"{rng.random():.3f},{'ab'[k % 2]}\n" for k in range(60))
    run = valued(cellval.read(raw.encode(), label="y"), n_neighbors=3)
    app = shown("heatmap", run)
    assert "nothing stands out. Choose a number" in text_of(app)
    assert outlined(app) == set()
    pick(app, "Only rows with outlined cells", True)
    assert "No cell is outlined" in text_of(app)
    pick(app, "How many", 3)
    assert "The 3 most suspicious cells" in text_of(app)
    cells = listed(run)
    assert box(cells, "Mark the most suspicious as wrong").value == 0
    assert next(b for b in cells.button if b.key == "flag lowest").disabled


def test_without_surprise_the_heatmap_outlines_by_value_and_says_so(davis):
    app = shown("heatmap", running(davis.table))
    assert "is not known yet, so the value alone decides" in text_of(app)
    assert "lowest cells within their class" in text_of(app)
    pick(app, "Order of the rows", "suspicion")
    assert "lowest cell first" in text_of(app)
    assert "most suspicious cell first" not in text_of(app)


def test_a_running_run_with_surprise_is_outlined_by_suspicion(davis):
    app = shown("heatmap", running(davis.table, davis.surprise))
    assert "not known yet" not in text_of(app)
    assert {(11, 0), (11, 1)} <= outlined(app)


def test_rows_with_suspicious_cells_come_first_and_a_window_says_what_it_hides(wide):
    app = shown("heatmap", wide)
    app.slider[0].set_value(500).run()
    assert "None of them is in the rows below" in text_of(app)
    pick(app, "Order of the rows", "suspicion")
    assert "None of them" not in text_of(app)
    assert min(outlined(app)) == (0, 0)


def test_a_large_table_opens_at_its_worst_suspect_once(wide):
    app = shown("heatmap", wide)
    assert app.slider[0].value == 78 - 30  # row 78 is in the middle
    assert "None of them" not in text_of(app)
    app.slider[0].set_value(1).run()
    assert app.slider[0].value == 1, "a person moved the window"


def test_the_heatmap_has_a_twin_in_texts(davis):
    app = shown("heatmap", davis)
    n = len(app.dataframe)
    pick(app, "Also as a table", True)
    assert len(app.dataframe) == n + 1
    frame = app.dataframe[0].value
    assert frame["c0"][11].startswith("suspect: 166 (")
    assert len(frame) == 200


def test_codes_for_missing_are_asked_about_at_the_top():
    words = ["red", "green", "unknown"]
    lines = [f"{k % 7},{words[k % 3]},{'ab'[k % 2]}" for k in range(60)]
    table = cellval.read("\n".join(["x,colour,y", *lines]).encode(), label="y")
    app = shown("heatmap", valued(table, n_neighbors=3))
    assert "**colour**: **unknown** stands in 20 cells" in text_of(app)
    click(app, "Blank all 20")
    assert len(session_of(app).file.repairs) == 20
    assert "20 cells will be blank in the repaired file" in text_of(app)


def spec_of(app):
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def test_colours_are_of_values_or_of_suspicion_and_stay_so(davis):
    app = shown("heatmap", davis)
    assert "value: pp" in json.dumps(spec_of(app)["layout"]["annotations"])
    pick(app, "Colour by", "suspicion")
    assert "suspicion" in json.dumps(spec_of(app)["layout"]["annotations"])
    assert "most suspicious cell of each row" in text_of(app)
    app.switch_page("pages/columns.py").run()
    app.switch_page("pages/heatmap.py").run()
    assert box(app, "Colour by").value == "suspicion"


def test_before_suspicion_is_known_colours_are_of_values_and_say_so(davis):
    app = pick(shown("heatmap", running(davis.table)), "Colour by", "suspicion")
    assert "Until then colours show values" in text_of(app)
    assert "value: " in json.dumps(spec_of(app)["layout"]["annotations"])


def test_the_overview_follows_the_colours(wide):
    app = shown("heatmap", wide)
    before = app.get("plotly_chart")[0].proto.spec
    pick(app, "Colour by", "suspicion")
    after = app.get("plotly_chart")[0].proto.spec
    assert "lowest of" in before and "most suspicious of" in after
