"""Every page in every state: nothing loaded, not run, waiting, running, failed, over"""

import numpy as np
import pytest
from helpers import (
    failed,
    goto,
    labels,
    n_charts,
    open_app,
    raw_text_of,
    running,
    shown,
    text_of,
    waiting,
)

from cellval.ui.navigation import PAGES

OF_VALUES = ("heatmap", "inspect", "sample", "columns", "export")
SHOWING = OF_VALUES[:4]  # values themselves
OF_TABLES = ("sources", "validate")


def asks_for_data(app):
    return "Open the Data page" in labels(app)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "data"])
def test_a_page_without_data_says_what_to_do(page):
    app = open_app(page)
    assert asks_for_data(app)
    assert "No data yet" in text_of(app)
    app.button(key="to data").click().run()
    assert app.title[0].value == "Data"


@pytest.mark.parametrize("page", [*OF_VALUES, "repair"])
def test_a_page_without_a_run_says_what_to_do(page, davis):
    app = shown(page, table=davis.table)
    assert asks_for_data(app)
    assert "not valued yet" in text_of(app)


@pytest.mark.parametrize("page", OF_TABLES)
def test_a_page_that_needs_no_run_does_without(page, davis):
    assert not asks_for_data(shown(page, table=davis.table))


@pytest.mark.parametrize("page", OF_VALUES)
def test_a_page_before_the_first_values_asks_to_wait(page, davis):
    app = shown(page, waiting(davis.table))
    assert "This page shows the first values by itself" in text_of(app)


@pytest.mark.parametrize("page", OF_VALUES)
def test_a_page_shows_why_a_run_failed(page, davis):
    app = shown(page, failed(davis.table, "The <b>disk</b> is *full*."))
    assert "full" in text_of(app)
    assert "<b>" not in raw_text_of(app)
    assert asks_for_data(app)


@pytest.mark.parametrize("page", OF_VALUES)
def test_a_page_of_a_run_that_was_stopped_at_once_says_what_to_do(page, davis):
    run = waiting(davis.table)
    run.stop()
    app = shown(page, run)
    assert "stopped before there were values" in text_of(app)
    assert asks_for_data(app)


@pytest.mark.parametrize("page", SHOWING)
def test_a_page_shows_partial_values_of_a_running_run(page, davis):
    for surprise in (None, davis.surprise):
        app = shown(page, running(davis.table, surprise))
        assert "Partial results" in text_of(app)


@pytest.mark.parametrize("page", ["repair", "export", *OF_TABLES])
def test_other_pages_during_a_run(page, davis):
    app = shown(page, running(davis.table))
    assert "Stop the run" in labels(app)
    assert not asks_for_data(app)


@pytest.mark.parametrize("page", SHOWING)
def test_a_page_of_a_finished_run(page, davis):
    app = shown(page, davis)
    assert "Partial results" not in text_of(app)


@pytest.mark.parametrize("page", ["repair", "export", *OF_TABLES])
def test_other_pages_of_a_finished_run(page, davis):
    app = shown(page, davis)
    assert not asks_for_data(app)
    assert "Stop the run" not in labels(app)


@pytest.mark.parametrize("page", SHOWING)
def test_pages_take_ids_markup_and_held_out_rows(page, wide):
    held_out = int(np.flatnonzero(np.isnan(wide.values.row_values))[0])
    for position in (77, held_out):
        app = shown(page, wide, cell=(position, "**a**"))
        markdown = "\n".join(str(part.value) for part in app.markdown)
        assert "**a**:" not in markdown
        assert "<b>b</b>" not in markdown


def test_a_selection_of_another_table_is_no_fault(davis):
    app = shown("heatmap", davis, cell=(9999, "weight"))
    assert "No cell selected" in text_of(app)
    goto(app, "sample")
    assert n_charts(app)
