"""When the app is drawn again by itself."""

from types import SimpleNamespace

import pytest
from helpers import listed
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
