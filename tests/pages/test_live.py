"""When the app is drawn again by itself."""

from types import SimpleNamespace

import pytest

from cellval.ui import live


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
