"""Pages of values by other methods than KNN, without a browser."""

from pathlib import Path

import pytest
from test_app import click, open_app, texts, the_job

import cellval
from cellval.jobs import registry

testing = pytest.importorskip("streamlit.testing.v1")
ROOT = Path(__file__).resolve().parents[1]
WAIT = 120
PAGES = ("heatmap", "inspect", "sample", "columns", "repair", "export")

pytestmark = [
    pytest.mark.usefixtures("app_runs_first", "no_runs_left"),
    pytest.mark.filterwarnings(
        "default::DeprecationWarning",
        "default::pytest.PytestUnraisableExceptionWarning",
    ),
]


def choose(app, label, value):
    next(box for box in app.selectbox if box.label == label).set_value(value).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("method", ["oob", "mc", "loo", "random"])
def test_a_method_is_chosen_run_and_shown_on_every_page(method):
    app = choose(click(open_app(), "Davis"), "Method", method)
    said = texts(app.caption)
    assert cellval.methods.METHODS[method].when in said
    assert "This will take" in said
    if method in ("oob", "mc"):
        word = "Trees" if method == "oob" else "Rounds"
        next(n for n in app.number_input if n.label == word).set_value(20).run()
    click(app, "Value the cells")
    assert the_job().wait(WAIT) and the_job().status == "done", the_job().error
    assert the_job().options["method"] == method
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, page
        if page in ("heatmap", "columns"):
            assert bool(app.info) == (method != "mc"), "scores are explained"
        assert "KNN model" not in texts(app.markdown), page


def test_games_offer_a_hold_out_and_out_of_bag_needs_no_test_rows():
    app = click(open_app(), "Davis")
    assert app.radio[0].options[0] == "leave-one-out"
    choose(app, "Method", "mc")
    assert app.radio[0].options == ["hold-out", "second CSV"]
    choose(app, "Method", "oob")
    assert not app.radio


def test_a_long_run_is_warned_of():
    app = choose(click(open_app(), "Adult"), "Method", "mc")
    assert "trained again" in texts(app.warning)
    assert "KNN values of this table take" in texts(app.warning)


def test_too_many_players_for_exact_values_are_said_before_the_start():
    app = choose(click(open_app(), "Davis"), "Method", "exact")
    assert "16 rows and columns" in texts(app.error)
    start = next(b for b in app.button if b.label == "Value the cells")
    assert start.disabled


def test_weights_along_columns_are_chosen_and_named():
    app = choose(click(open_app(), "Davis"), "Weights along columns", "banzhaf")
    click(app, "Value the cells")
    assert the_job().wait(WAIT)
    values = the_job().values
    assert (
        values.settings["column_weights"] == "banzhaf"
        and not values.settings.sums_to_score
    )
    app.switch_page("pages/columns.py").run()
    assert "sum to **" not in texts(app.markdown)
    app.switch_page("pages/sample.py").run()
    assert not app.exception


def test_repaired_tables_are_valued_by_the_same_method():
    table = cellval.read(ROOT / "sample_data/davis.csv", label="sex")
    job = registry.start(table, method="oob", rounds=20)
    assert job.wait(WAIT)
    again = registry.start(table.with_cells({(11, "weight"): "57"}), **job.options)
    assert again.wait(WAIT) and again.values.settings["by"] == "oob"
