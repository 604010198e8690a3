"""Pieces that pages share: lasting widgets, windows, buttons, downloads."""

import math
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from cellval.errors import InputError
from cellval.table.table import Table
from cellval.ui.parts import say
from cellval.ui.session import Session
from cellval.ui.text import plain
from cellval.views.order import find_rows, window

AT_ONCE = 2**20  # bytes of a file that may wait in memory for its click
WAITS = 60.0  # seconds that a click waits for its page


def lasting(
    session: Session, name: str, default: Any, allowed: Collection[Any] | None = None
) -> dict[str, Any]:
    """Key and default of a widget of the file at hand whose value outlives page
    switches. A value that is not allowed gives way to the default.
    """
    by = "default" if isinstance(default, list) else "value"
    is_chosen = isinstance(default, bool)
    key = _kept(session, name, default, allowed, is_chosen=is_chosen)
    return {"key": key, by: default, "persist_state": "session"}


def _kept(
    session: Session,
    name: str,
    default: Any,
    allowed: Collection[Any] | None,
    *,
    is_chosen: bool,
) -> str:
    """The key of a widget, after its value was looked at.

    What is written here the browser is told, also when Streamlit draws the page once
    more without having heard of it: a click in between would be undone there. So
    nothing is written that is not needed. Where one of several was chosen, the answer
    says so: if the browser was told an older value meanwhile, it shows the right one
    again.
    """
    key = session.widget_key(name)
    now = st.session_state.get(key, default)
    # the default first: a range looks for None, which is no number, at every place
    is_allowed = now is default or allowed is None or now in allowed
    now = now if is_allowed else default
    if not is_allowed or (is_chosen and session.drawn_with.get(key, default) != now):
        st.session_state[key] = now
    session.drawn_with[key] = now
    return key


def one_of(
    session: Session, name: str, options: Collection[Any], default: Any = None
) -> dict[str, Any]:
    """The same for a list or for buttons to choose from: a mapping has words; the first
    by default.
    """
    names = list(options)
    usual = default if default in names else names[0]
    key = _kept(session, name, usual, options, is_chosen=True)
    how = {"key": key, "index": names.index(usual), "persist_state": "session"}
    if isinstance(options, Mapping):
        how["format_func"] = options.__getitem__
    return {"options": names, **how}


def segments(
    session: Session, name: str, options: Collection[Any], default: Any = None
) -> dict[str, Any]:
    """The same for a segmented control, of which one is always chosen."""
    how = one_of(session, name, options, default)
    usual = how["options"][how.pop("index")]
    return {**how, "default": usual, "required": True}


def forget(session: Session, name: str) -> None:
    st.session_state[session.widget_key(name)] = None


@dataclass(frozen=True)
class Window:
    """The part of many rows or columns that is drawn; a slider moves it."""

    first: int
    last: int  # exclusive
    n: int  # of all
    key: str  # of the slider, which counts from 1

    @classmethod
    def of(
        cls, session: Session, name: str, n: int, size: int, *, whole: int = 0
    ) -> "Window":
        """`whole`: so many are drawn without a window; by default one window's."""
        key = session.widget_key(name)
        if n <= max(whole, size):
            return cls(0, n, n, key)
        now = st.session_state.get(key, 1)
        first, last = window(n, now - 1, size)
        if first + 1 != now:
            st.session_state[key] = first + 1
        return cls(first, last, n, key)

    @property
    def is_whole(self) -> bool:
        return self.last - self.first == self.n

    def slider(self, what: str, words: str) -> None:
        """Moves the window; where all is drawn there is none."""
        if not self.is_whole:
            st.slider(
                f"First {what} of the window",
                1,
                self.n - (self.last - self.first) + 1,
                key=self.key,
                persist_state="session",
                help=words,
            )


def typed_rows(table: Table, key: str) -> list[int]:
    """Positions of the rows whose number or id was typed; says if there is none."""
    wanted = st.session_state[key]
    found = find_rows(table, wanted) if wanted.strip() else []
    if wanted.strip() and not found:
        say("There is no row with this number or id.")
    return found


def download(
    label: str, name: str, data: bytes | Callable[[], bytes], **options: Any
) -> None:
    """A button that fetches a file; a function makes it when it is asked for.

    What is still to be made has another address each time that the page is drawn, so
    that a click just then is lost. A small file that is there keeps its own.
    """
    if isinstance(data, bytes) and len(data) > AT_ONCE:
        data = partial(bytes, data)
    st.download_button(
        label,
        data,
        file_name=name,
        icon=":material/download:",
        on_click="ignore",
        **{"mime": "text/csv", "width": "stretch", **options},
    )


def action(label: str, act: Callable[[], object], *, key: str, **look: Any) -> None:
    """A button that acts by its click, before anything is drawn: if the page had to
    come to it first, a redraw in between would lose the click. What was wrong is said
    below it.
    """
    fault = f"{key}: what was wrong"

    def clicked() -> None:
        try:
            act()
        except InputError as wrong:
            st.session_state[fault] = str(wrong)

    st.button(label, key=key, on_click=clicked, **look)
    if fault in st.session_state:
        error(st.session_state.pop(fault))


def was_clicked(label: str, *, key: str, **look: Any) -> bool:
    """A button whose click waits until the page comes to it, and then has all that the
    page knows: a redraw in between would lose it otherwise.
    """
    at = f"{key}: clicked at"

    def remember() -> None:
        st.session_state[at] = time.monotonic()

    st.button(label, key=key, on_click=remember, **look)
    # Whoever has left for another page since then does not want it any more.
    return bool(time.monotonic() - st.session_state.pop(at, -math.inf) < WAITS)


def text_form(
    label: str, button: str, act: Callable[[], None], *, key: str, help: str
) -> None:
    """A text and the button that takes it, in one line."""
    with (
        st.form(f"{key} form", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"),
    ):
        st.text_input(
            label, key=key, placeholder=label.lower(), label_visibility="collapsed"
        )
        st.form_submit_button(button, key=f"{key} taken", on_click=act, help=help)


def error(fault: InputError | str, place: Any = st) -> None:
    """What is wrong, as a sentence that Markdown leaves alone."""
    place.error(plain(str(fault)), icon=":material/error:")
