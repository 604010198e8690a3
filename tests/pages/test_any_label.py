"""A label of numbers, and none at all, from the file to the repaired one."""

import numpy as np
import pandas as pd
from helpers import (
    box,
    click,
    goto,
    open_app,
    pick,
    session_of,
    settled,
    text_of,
    upload,
)

from cellval.project.source import Setup
from cellval.repairs.repair import Repair
from cellval.ui.data.file import NO_LABEL, with_label_kind

PAGES = (
    *("heatmap", "inspect", "sample", "columns", "sources", "validate", "repair"),
    "export",
)


def prices(n=80):
    rng = np.random.default_rng(5)
    size, age = rng.uniform(20, 200, n).round(1), rng.integers(0, 90, n)
    price = (1000 * size * np.exp(-age / 80) * rng.uniform(0.9, 1.1, n)).round(-2)
    df = pd.DataFrame({"size": size, "age": age, "town": rng.choice(list("AB"), n)})
    df["price"] = price.astype(int)
    df.loc[7, "age"] = 870
    return df.to_csv(index=False).encode()


def opened(raw, name="homes.csv"):
    return upload(open_app(), name, raw)


def test_prices_are_a_label_of_numbers_on_all_pages():
    app = opened(prices())
    assert session_of(app).table.target is not None
    assert "the label is a number" in text_of(app)
    assert box(app, "The label is").value == "number"
    app = settled(click(app, "Value the cells"))
    shown = session_of(app).shown()
    assert shown.values.settings.scoring == "closeness"
    row, column = divmod(int(shown.suspicion.order[0]), 3)
    assert (row, column) == (7, 1)
    for page in PAGES:
        app = goto(app, page)
        assert not app.exception, page
        assert not app.error, page
        assert "accuracy" not in text_of(app).lower(), page
    session_of(app).file.repair(8, "age", Repair("replace", "87"))
    app = settled(click(goto(app, "repair"), "Measure before and after"))
    assert not app.exception
    assert "R²" in text_of(app) and "accuracy" not in text_of(app).lower()


def test_a_table_without_a_label_is_looked_at():
    app = pick(opened(prices()), "Label (to be learned)", NO_LABEL)
    assert session_of(app).table.label == ""
    app = settled(click(app, "Look for odd cells"))
    shown = session_of(app).shown()
    assert not shown.values.settings.is_valued
    row, column = divmod(int(shown.suspicion.order[0]), 4)
    assert (row, column) == (7, 1)
    for page in ("heatmap", "inspect", "repair", "export"):
        app = goto(app, page)
        assert not app.exception and not app.error, page
        assert "value of" not in text_of(app).lower()
    for page in ("sample", "columns", "sources", "validate"):
        app = goto(app, page)
        assert not app.exception, page
        assert "needs values, and these need a label" in text_of(app), page
    again = click(app, "Open the Data page")
    app = pick(again, "Label (to be learned)", "price")
    assert session_of(app).table.target is not None


def test_few_numbers_may_be_classes_or_measure_something():
    df = pd.DataFrame({"x": np.arange(60) % 7 * 1.5, "stars": np.arange(60) % 5 + 1})
    app = opened(df.to_csv(index=False).encode(), "stars.csv")
    assert len(session_of(app).table.classes) == 5
    assert "do they name groups, or measure something?" in text_of(app)
    app = pick(app, "The label is", "number")
    assert session_of(app).table.target is not None
    app = pick(app, "The label is", "category")
    assert session_of(app).table.target is None


def test_a_file_in_which_nothing_can_be_a_label_opens_without_one():
    days = pd.date_range("2020-01-01", periods=60, freq="31h")
    df = pd.DataFrame({"came": days.astype(str), "left": days.shift(2).astype(str)})
    app = opened(df.to_csv(index=False).encode(), "visits.csv")
    assert not app.exception and not app.error
    assert box(app, "Label (to be learned)").value == NO_LABEL
    assert session_of(app).file.project.setup.has_label is False  # also on disk


def test_a_kind_that_is_said_while_another_label_is_read_is_of_that_one():
    """A click may come before the page is drawn again."""
    found = with_label_kind("price", Setup(label="age"), "number")
    assert found == Setup(label="age", kinds=(("age", "number"),))
    found = with_label_kind("price", Setup(), "number")
    assert found == Setup(label="price", kinds=(("price", "number"),))
    unlabelled = Setup(has_label=False)
    assert with_label_kind("price", unlabelled, "number") == unlabelled
