"""Label or cell, and what if, on the sample page: without a browser."""

import io
import itertools
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import cellval
from cellval.figures import waterfall as figures
from cellval.jobs import registry
from cellval.jobs.background import Job
from cellval.repairs.repair import Repair
from cellval.ui import session as state
from cellval.ui.sample import label_or_cell as labelorcell
from cellval.ui.sample import what_if as whatif
from cellval.ui.sample.label_or_cell import suggestions
from cellval.ui.sample.what_if import edits_of, take
from cellval.ui.session import Edits

testing = pytest.importorskip("streamlit.testing.v1")
ROOT = Path(__file__).resolve().parents[1]
WAIT = 120
WHY_SWAP = "Swapped with 'height' in the same row."

pytestmark = pytest.mark.filterwarnings(
    # Streamlit's own; nothing we could do about them
    "default::DeprecationWarning",
    "default::pytest.PytestUnraisableExceptionWarning",
)


def valued(table, **options):
    job = registry.start(table, n_neighbors=5, **options)
    assert job.wait(WAIT)
    assert job.status == "done", job.error
    return job


@pytest.fixture(scope="module")
def davis():
    return valued(cellval.read("sample_data/davis.csv", label="sex"))


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


def shown(job, row, *, edits=None, **session):
    """The sample page on one row (from 1), perhaps with texts tried out."""
    app = testing.AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["_job"] = job
    app.session_state["_table"] = session.pop("_table", job.table)
    app.session_state["_row"] = job.table.position(row)
    if edits is not None:
        key = app.session_state["_table"].fingerprint
        app.session_state["_edits"] = {key: {row: Edits(dict(edits))}}
    for key, value in session.items():
        app.session_state[key] = value
    app.run().switch_page("pages/sample.py").run()
    assert not app.exception
    return app


def text_of(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.error, *app.warning]
    return "\n".join(str(part.value) for part in parts).replace("\\", "")


def click(app, label):
    button = next(b for b in app.button if b.label == label)
    assert not button.disabled
    button.click().run()
    assert not app.exception
    return app


def labels(app):
    return [button.label for button in app.button]


def changes_of(app):
    """The table of changes tried, or None."""
    frames = [frame.value for frame in app.dataframe]
    return next((frame for frame in frames if "gain" in frame), None)


def n_charts(app):
    return len(app.get("plotly_chart"))


def made(app):
    return next(iter(app.session_state["_repairs"].values()))


# --- label or cell? -------------------------------------------------------------------


def test_the_verdict_names_the_label_where_it_was_flipped(planted):
    app = shown(planted, 4)
    assert "Changing y from a to b would raise the row's value most" in text_of(app)
    assert "The label may be wrong." in text_of(app)
    frame = changes_of(app)
    assert frame["change"].tolist()[:2] == ["as it is", "y: a → b"]
    assert frame["value"][0] == pytest.approx(100 * planted.values.row_values[3])
    assert frame["value"][1] - frame["value"][0] == pytest.approx(frame["gain"][1])


def test_the_verdict_names_the_cell_where_it_is_wrong(planted):
    app = shown(planted, 6)
    assert "Changing x from 400.00 to " in text_of(app)
    assert "The cell is the likelier culprit." in text_of(app)


def test_the_best_label_is_applied_with_a_reason(planted):
    app = click(shown(planted, 4), "Apply this repair")
    assert list(made(app)) == [(4, "y")]
    change = made(app)[4, "y"]
    assert change.text == "b"
    assert change.reason.startswith("With this label the row's value would rise from")
    assert "Row 4 was repaired: y → **b**. The values shown here are not" in text_of(
        app
    )
    assert "This repair is applied. Undo: Repair page." in text_of(app)
    assert "Apply this repair" not in labels(app)


def test_a_swap_is_one_change_of_two_cells(davis):
    app = shown(davis, 12)
    text = "weight: 166 → 57, height: 57 → 166"
    assert changes_of(app)["change"].tolist() == ["as it is", text, "sex: F → M"]
    assert "The cells are the likelier culprit." in text_of(app)
    click(app, "Apply this repair")
    assert made(app) == {
        (12, "weight"): Repair("replace", "57", WHY_SWAP),
        (12, "height"): Repair("replace", "166", WHY_SWAP),
    }


def test_rows_of_ordinary_value_are_tried_on_request(davis):
    row = int(davis.values.row_numbers[np.argmax(davis.values.row_values)])
    app = shown(davis, row)
    assert changes_of(app) is None
    toggle = next(t for t in app.toggle if t.label.startswith("Try other labels"))
    toggle.set_value(True).run()
    assert "sex: " in changes_of(app)["change"][1]
    assert "No single change helps" in text_of(app)
    assert "No cell of this row is suspicious" in text_of(app)
    assert "Apply this repair" not in labels(app)


def test_a_row_with_a_cell_flagged_by_hand_is_tried_at_once(davis):
    row = int(davis.values.row_numbers[np.argmax(davis.values.row_values)])
    decided = {davis.table.fingerprint: {(row, "height"): "error"}}
    assert changes_of(shown(davis, row, _decisions=decided)) is not None


def test_at_most_five_suspicious_cells_are_tried_worst_first():
    table = planted_table()
    odd = np.linspace(0.001, 0.009, 8)[None, ::-1]
    about = SimpleNamespace(
        suspicion=odd, surprise=SimpleNamespace(surprise=odd, tails=())
    )
    few = SimpleNamespace(feature_names=[f"c{j}" for j in range(8)])
    tried = []

    def suggested(_table, _found, cells):
        tried.extend(cells)
        return [()] * len(cells)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelorcell, "_suggested", suggested)
        assert suggestions(few, about, 0) == []
    assert tried == [(0, 7), (0, 6), (0, 5), (0, 4), (0, 3)]
    assert suggestions(table, None, 0) == []


# --- what if? -------------------------------------------------------------------------


def test_without_edits_there_is_nothing_to_compare(davis):
    app = shown(davis, 12)
    assert "Type into “new text”" in text_of(app)
    assert n_charts(app) == 1
    assert "Reset" not in labels(app)


def test_edits_show_the_new_waterfall_beside_the_old(davis):
    app = shown(davis, 12, edits={"weight": "57", "height": "166"})
    assert n_charts(app) == 3
    text = text_of(app)
    assert "The row's value would go from **0.2" in text
    assert "clearly better" in text
    assert "All 16 subsets of columns were evaluated anew (exact)." in text
    other = shown(davis, 12, edits={"weight": "90"})
    before, after = (
        [chart.proto.spec for chart in a.get("plotly_chart")] for a in (app, other)
    )
    assert before[0] == after[0]
    assert before[2] != after[2]


def test_both_waterfalls_have_one_scale(davis, monkeypatch):
    limits = []
    drawn = figures.waterfall

    def noted(*args, limits_seen=limits, **options):
        limits_seen.append(options.get("limits"))
        return drawn(*args, **options)

    monkeypatch.setattr(figures, "waterfall", noted)
    shown(davis, 12, edits={"weight": "57"})
    assert limits[-1] == limits[-2] is not None


def test_another_label_is_chosen_from_a_box(planted):
    app = shown(planted, 4)
    box = next(b for b in app.selectbox if b.label == "Label: y")
    assert box.value == "a"
    box.set_value("b").run()
    assert not app.exception
    assert n_charts(app) == 3
    assert "clearly better" in text_of(app)
    click(app, "Keep as repair")
    assert made(app)[4, "y"].text == "b"
    assert made(app)[4, "y"].reason.startswith("Tried out: the row's value would go")
    assert "Kept as a repair. Undo: Repair page." in text_of(app)
    click(app, "Reset")
    assert n_charts(app) == 1
    assert (4, "y") in made(app)
    assert next(b for b in app.selectbox if b.label == "Label: y").value == "a"


def test_all_edits_are_kept_and_empty_ones_blank(davis):
    app = shown(davis, 12, edits={"weight": "57", "repht": "", "height": " 57"})
    click(app, "Keep as repairs")
    assert {cell: (r.action, r.text) for cell, r in made(app).items()} == {
        (12, "weight"): ("replace", "57"),
        (12, "repht"): ("blank", ""),
    }
    assert "Kept as 2 repairs." in text_of(app)


def test_edits_outlive_a_visit_to_another_page(davis):
    app = shown(davis, 12, edits={"weight": "57"})
    app.switch_page("pages/columns.py").run().switch_page("pages/sample.py").run()
    assert n_charts(app) == 3
    edits = next(iter(app.session_state["_edits"].values()))[12]
    assert edits.begun == {"weight": "57"}


def test_text_that_is_no_number_counts_as_missing_and_says_so(davis):
    app = shown(davis, 12, edits={"weight": "he**a**vy"})
    assert "'he**a**vy' is no number for 'weight' and counts as missing." in text_of(
        app
    )
    raw = "\n".join(str(caption.value) for caption in app.caption)
    assert "he**a**vy" not in raw  # escaped


def test_edits_that_cannot_be_valued_are_told_in_a_sentence(davis):
    app = shown(davis, 12, edits={"sex": ""})
    assert "Row 12 cannot be valued without a label" in text_of(app)
    click(app, "Reset")
    assert "cannot be valued" not in text_of(app)


def test_lines_of_the_editor_are_taken_by_column(davis, monkeypatch):
    tried, said = Edits({"repwt": "50", "sex": "M"}, {"repwt": "50"}), []
    monkeypatch.setattr(state, "edits", lambda row: {12: tried}[row])
    monkeypatch.setattr(whatif.st, "toast", said.append)
    take(davis.table, 11, {0: {"new": "57"}, 1: {"new": None}, 3: {"new": "x"}})
    new = {"repwt": "50", "sex": "M", "weight": "57", "height": "", "repht": "x"}
    assert tried.texts == new
    assert len(said) == 1
    assert said[0].startswith("x cannot be read as a number for repht")
    assert edits_of(davis.table, 11) == {**tried.texts}
    tried.texts["height"] = "57"
    assert "height" not in edits_of(davis.table, 11)
    take(davis.table, 11, {0: {"new": "57"}})  # the others were typed back
    assert tried.texts == {"repwt": "50", "sex": "M", "weight": "57"}


def test_an_infinite_number_is_told_in_a_sentence(davis, monkeypatch):
    tried = Edits()
    monkeypatch.setattr(state, "edits", lambda row: tried)
    take(davis.table, 11, {0: {"new": "1e999"}})
    assert tried.texts == {"weight": "1e999"}
    app = shown(davis, 12, edits={"weight": "1e999"})
    assert "holds an infinite number in row 12" in text_of(app)


def test_an_answer_is_computed_once(davis, monkeypatch):
    asked = []
    compute = whatif.whatif.what_if

    def counted(*args, **options):
        asked.append(args)
        return compute(*args, **options)

    monkeypatch.setattr(whatif.whatif, "what_if", counted)
    app = shown(davis, 12, edits={"weight": "58.5"})
    app.run()
    assert len(asked) == 1


# --- states of the run ----------------------------------------------------------------


def test_a_held_out_row_says_why_nothing_can_be_tried():
    job = valued(planted_table(), test=0.3)
    out = int(np.flatnonzero(np.isnan(job.values.row_values))[0])
    app = shown(job, out + 1, edits={"x": "1"})
    assert "Changes cannot be tried on this row" in text_of(app)
    assert changes_of(app) is None
    kept = int(np.flatnonzero(np.isfinite(job.values.row_values))[0])
    assert n_charts(shown(job, kept + 1, edits={"x": "1"})) == 3


def test_a_run_with_a_test_table_is_asked_with_it():
    table = planted_table()
    test = planted_table(1)
    job = valued(table, test=cellval.Table.from_frame(test.cells, like=table))
    app = shown(job, 4, edits={"x": "1"})
    assert n_charts(app) == 3
    assert "The label may be wrong." in text_of(app)


def test_a_run_that_goes_on_is_tried_with_what_there_is(davis):
    job = Job(davis.table, {})
    frames = cellval.iter_values(davis.table, n_neighbors=5, subsets=4)
    for frame in itertools.islice(frames, 3):
        job._see(frame)
    app = shown(job, 12, edits={"weight": "57"})
    text = text_of(app)
    assert n_charts(app) == 3
    frames.close()
    low = int(np.nanargmin(job.values.row_values)) + 1
    text = text_of(shown(job, low))
    assert "Only labels so far: cells are still being compared." in text
    assert "The run goes on" in text


def test_a_run_without_surprise_tries_labels(davis):
    job = Job(davis.table, {})
    *_, last = cellval.iter_values(davis.table, n_neighbors=5)
    job._see(last)
    job._end("done")
    low = int(np.nanargmin(job.values.row_values)) + 1
    app = shown(job, low)
    assert "Only labels: cells could not be compared" in text_of(app)
    assert len(changes_of(app)) == 2


def test_the_repaired_table_can_be_tried_and_put_back(planted):
    change = Repair("replace", "b", "by hand")
    table = planted.table.with_cells({(3, "y"): "b"})
    job = valued(table)
    job.memo["_changes"] = {(4, "y"): change}
    first = planted.table
    app = shown(
        job,
        4,
        _table=first,
        _before=planted,
        _repairs={first.fingerprint: {(4, "y"): change}},
        edits={"y": "a"},
    )
    assert "Row 4 was repaired: y → **b**. The values shown here are with this" in (
        text_of(app)
    )
    assert "clearly worse" in text_of(app)
    click(app, "Keep as repair")
    assert made(app) == {}  # as in the file
    assert "Kept as a repair" in text_of(app)


def test_a_row_that_will_be_dropped_is_not_repaired(planted):
    drop = {planted.table.fingerprint: {(4, ""): Repair("drop")}}
    app = shown(planted, 4, _repairs=drop, edits={"x": "1"})
    assert "Row 4 will be dropped" in text_of(app)
    buttons = {button.label: button for button in app.button}
    assert buttons["Apply this repair"].disabled
    assert buttons["Keep as repair"].disabled
    click(app, "Open the Repair page")
    assert "Repair" in [title.value for title in app.title]
