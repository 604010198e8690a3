"""What the server says to browsers, and to which it says nothing."""

import pytest
from helpers import run
from starlette.datastructures import Headers
from streamlit import config

from cellval.ui import headers


async def answered(scope):
    """What comes from a guarded app that answers everything."""
    sent = []

    async def app(scope, receive, send):
        kind = "websocket.accept"
        if scope["type"] == "http":
            kind = "http.response.start"
        await send({"type": kind, "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    await headers.Guard(app)(scope, None, send)
    return sent


def test_every_answer_forbids_frames_of_other_sites():
    (answer,) = run(answered({"type": "http", "headers": []}))
    said = Headers(raw=answer["headers"])
    assert said["x-frame-options"] == "SAMEORIGIN"
    assert said["content-security-policy"] == "frame-ancestors 'self'"
    assert said["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("origin", "host", "shared", "own"),
    [
        ("http://localhost:8501", "localhost:8501", "0", True),
        ("http://127.0.0.1:8501", "127.0.0.1:8501", "0", True),
        ("https://evil.example", "localhost:8501", "0", False),
        ("https://evil.example", "evil.example", "0", False),  # a name that leads here
        ("null", "localhost:8501", "0", False),
        ("https://data.example", "data.example", "1", True),
        ("https://evil.example", "data.example", "1", False),
        ("https://front.example", "10.0.0.2:8501", "1", True),  # it was allowed
        (None, "localhost:8501", "0", True),
    ],
)
def test_pages_of_other_sites_do_not_get_through(
    monkeypatch, origin, host, shared, own
):
    monkeypatch.setenv("CELLVAL_SHARED", shared)
    known = config.get_option("server.corsAllowedOrigins")
    config.set_option("server.corsAllowedOrigins", ["https://front.example"])
    said = {"host": host} | ({"origin": origin} if origin else {})
    scope = {"type": "websocket", "headers": Headers(said).raw}
    try:
        (answer,) = run(answered(scope))
    finally:
        config.set_option("server.corsAllowedOrigins", known)
    assert answer["type"] == ("websocket.accept" if own else "websocket.close")
