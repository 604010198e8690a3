"""The Columns page; its states are in test_states."""

import numpy as np
import pytest
from helpers import pick, shown, text_of, valued


def test_the_columns_page_sums_to_the_accuracy(davis):
    app = shown("columns", davis)
    assert f"{100 * davis.values.total:.1f} %" in text_of(app)
    frame = app.dataframe[0].value
    assert (np.diff(frame["value"]) >= 0).all()
    assert frame["value"].sum() == pytest.approx(100 * davis.values.total)


def test_columns_are_ordered_as_a_person_wants(davis):
    app = pick(shown("columns", davis), "Order", "highest first")
    assert (np.diff(app.dataframe[0].value["value"]) <= 0).all()
    pick(app, "Order", "as in the file")
    assert app.dataframe[0].value["column"].tolist() == list(davis.table.feature_names)


def test_the_score_that_columns_sum_to_is_named(davis):
    app = shown("columns", valued(davis.table, scoring="balanced"))
    assert "the valued balanced accuracy of the KNN model" in text_of(app)


def test_suspects_and_missing_cells_are_in_the_table(davis):
    frame = shown("columns", davis).dataframe[0].value.set_index("column")
    assert frame.loc["weight", "suspects"] == frame.loc["height", "suspects"] == 1
    assert frame["suspects"].sum() == 2
    assert frame.loc["repwt", "missing"] == pytest.approx(8.5)
