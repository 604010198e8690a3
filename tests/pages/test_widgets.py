"""What the browser is told of widgets: little, and the answer to each choice."""

import pytest
from helpers import davis_source, drawn, goto, shown

from cellval.ui.navigation import PAGES


def told(app):
    """Choices whose value the browser is told, by their name."""
    found = [*app.get("button_group"), *app.selectbox, *app.radio, *app.toggle]
    found += [*app.number_input, *app.multiselect, *app.slider]
    return {one.label: one.value for one in found if one.proto.set_value}


@pytest.mark.parametrize("page", PAGES)
def test_nothing_before_something_was_chosen(davis, page):
    """It would be told twice if the page is drawn twice, and undo a click between."""
    app = shown(page, davis, source=davis_source())
    assert told(app) == {}
    assert told(drawn(app)) == {}


def test_the_answer_to_a_choice_says_what_was_chosen(davis):
    app = shown("inspect", davis)
    app.get("button_group")[0].set_value("Cells").run()
    assert told(app) == {"What to look at": "Cells"}
    assert told(drawn(app)) == {}
    (by,) = (box for box in app.selectbox if box.label == "Ranked by")
    by.set_value("value").run()
    assert told(app) == {"Ranked by": "value", "How many cells": None}
    assert by.value == "value"


def test_what_was_chosen_is_there_when_one_comes_back(davis):
    app = shown("inspect", davis)
    app.get("button_group")[0].set_value("Cells").run()
    goto(app, "export")
    goto(app, "inspect")
    assert app.get("button_group")[0].value == "Cells"
    assert told(app) == {"What to look at": "Cells"}
