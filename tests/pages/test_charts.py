"""Clicks on points of figures, and the mark on the cell that is looked at."""

from types import SimpleNamespace

import numpy as np
import pytest

from cellval.ui import charts
from cellval.ui.charts import MOST, drawn_key, marked_cell


@pytest.fixture
def state(monkeypatch):
    """What the browser told, by the keys of charts."""
    known = {}
    monkeypatch.setattr(charts, "st", SimpleNamespace(session_state=known))
    return known


def told(*point):
    points = [{"customdata": list(point)}] if point else []
    return {"selection": {"points": points}}


def test_a_click_is_answered_once_until_the_point_is_left(state):
    clicks = []
    for points in ((3, 1), (3, 1), (3, 2), (), (3, 2)):
        state["a"] = told(*points)
        charts._answer("a", clicks.append)
    assert clicks == [[3, 1], [3, 2], [3, 2]]


def test_only_the_last_figures_are_remembered(state):
    for k in range(3 * MOST):
        state[str(k)] = told(k, 0)
        charts._answer(str(k), lambda point: None)
    last = [str(k) for k in range(2 * MOST, 3 * MOST)]
    assert list(state[charts.ANSWERED]) == last


def test_what_is_drawn_has_a_key_of_its_own():
    one, other = SimpleNamespace(), SimpleNamespace()
    rows = np.arange(3)
    key = drawn_key("k", one, None, rows)
    assert key == drawn_key("k", one, None, rows.copy())
    others = [(other, None, rows), (one, other, rows), (one, None, rows[::-1].copy())]
    assert len({key, *(drawn_key("k", *drawn) for drawn in others)}) == 4


def test_the_mark_follows_the_selection_wherever_it_was_clicked(state):
    selection = SimpleNamespace(cell=None, chart="")
    values = SimpleNamespace(column_names=("a", "b"))
    shown = SimpleNamespace(values=values, session=SimpleNamespace(selection=selection))

    def drawn(cell):
        selection.cell = cell
        key, marked = marked_cell(shown, np.arange(5), "k")
        assert key == selection.chart
        return key, marked

    assert drawn(None) == drawn((9, "a")) == drawn((1, "gone")) == ("k None", None)
    state["k None"] = told(3, 1)  # the browser has marked it, in the same figure
    assert drawn((3, "b")) == ("k None", None)
    assert drawn(None) == ("k None again", None)  # without the browser's mark
    assert drawn((2, "a")) == ("k (2, 0)", (2, 0))
    del state["k None"]
    assert drawn((3, "b")) == ("k (3, 1)", (3, 1))
    state["k (3, 1)"] = told(4, 0)
    assert drawn((4, "a")) == ("k (4, 0)", (4, 0))
    assert drawn((3, "b")) == ("k (3, 1) again", (3, 1))
