"""What the server says beside every answer, and whom it does not answer at all."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders

from cellval.ui.projects import LOCAL, is_shared

HEADERS = {
    "X-Frame-Options": "SAMEORIGIN",  # no other site shows the app within its own
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # the address holds the key to a project
}
FORBIDDEN = {"type": "websocket.close", "code": 4403, "reason": "another site"}

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Answers = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class Guard:
    """Around the app: adds headers, and lets no page of another site connect.

    Streamlit refuses those as well, but asks another host for this computer's address
    before.
    """

    def __init__(self, app: Answers) -> None:
        self.app = app

    async def __call__(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] == "websocket" and not is_own(Headers(scope=scope)):
            await send(dict(FORBIDDEN))
            return
        await self.app(scope, receive, with_headers)


def is_own(headers: Headers) -> bool:
    """Does a page of this server ask, or no page at all?"""
    origin = headers.get("origin")
    if origin is None:
        return True
    asks = urlsplit(origin).hostname
    known = {*LOCAL, "0.0.0.0", st.get_option("browser.serverAddress")} - {None, ""}
    known |= {
        urlsplit(url).hostname for url in st.get_option("server.corsAllowedOrigins")
    }
    # That a name leads here proves nothing on a server for this computer alone.
    same = asks == urlsplit(f"//{headers.get('host', '')}").hostname
    return asks in known or (same and is_shared())
