"""When the app is drawn again by itself."""

from types import SimpleNamespace

import pytest
from helpers import listed, running, shown
from streamlit.runtime.scriptrunner import StopException

from cellval.ui import cell_detail, frame, live


@pytest.mark.parametrize(
    ("drawn", "began", "now", "again"),
    [
        ("idle", "idle", "idle", False),
        ("idle", "going", "going", True),  # a click has started something
        ("going", "going", "idle", True),
        # what a click has started ended while it was drawn: the page shows it going
        ("idle", "going", "idle", True),
    ],
)
def test_what_is_shown_is_what_is_so(drawn, began, now, again, monkeypatch):
    asked = []
    monkeypatch.setattr(live.st, "rerun", lambda: asked.append(True))
    monkeypatch.setattr(live, "_facts", lambda session: (now,))
    monkeypatch.setattr(live, "_pace", lambda session: None)
    live._agree(SimpleNamespace(drawn=(drawn,), in_use=False), None, (began,))
    assert bool(asked) == again


def test_a_drawing_that_is_cut_short_is_not_taken_for_a_whole_one(davis, monkeypatch):
    """What it had not come to would count as gone, and clicks on it be lost."""
    ended = []
    monkeypatch.setattr(frame, "_let_go", lambda session: ended.append(session))
    app = listed(davis)
    assert ended
    ended.clear()

    def stop(*_):
        raise StopException  # the browser asks for another one

    monkeypatch.setattr(cell_detail, "_step_buttons", stop)
    app.run()
    assert not ended


def place_of(node, words, *above):
    """Where on a page something is, as Streamlit names it: numbers, from the top."""
    if words in str(getattr(node, "label", getattr(node, "value", ""))):
        return above
    children = getattr(node, "children", {}).items()
    found = (place_of(child, words, *above, i) for i, child in children)
    return next(filter(None, found), None)


@pytest.mark.parametrize(
    ("page", "view", "words"),
    [
        ("heatmap", None, "Next"),
        ("inspect", "Cells", "Next"),
        ("sample", None, "What if?"),
        ("export", None, "Your file, repaired"),
    ],
)
def test_a_fragment_keeps_its_place(davis, page, view, words):
    """Or a click on it, while lines above it come and go, would be lost."""
    ended = shown(page, davis, view=view)
    going = shown(page, running(davis.table), view=view)
    place = place_of(going.main, words)
    assert place and place == place_of(ended.main, words)
