"""Pieces that pages share: charts, windows, columns of tables, lasting widgets."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from cellval.text import content
from cellval.ui.session import Session
from cellval.ui.text import plain
from cellval.views.order import window

CHART_CONFIG = {"displaylogo": False, "scrollZoom": False}
DISTANCE_HELP = "0: equal; about 1: as two random rows."


def lasting(
    session: Session, name: str, default: Any, allowed: Collection[Any] | None = None
) -> dict[str, Any]:
    """Key of a widget of the file at hand whose value outlives page switches.

    It holds the default where it has no value, or one that is not allowed.
    """
    key = session.widget_key(name)
    missing = key not in st.session_state
    if missing or (allowed is not None and st.session_state[key] not in allowed):
        st.session_state[key] = default
    return {"key": key, "persist_state": "session"}


def view_key(*parts: Any) -> str:
    """A widget key that changes with what is shown, so that no selection is stale."""
    return " ".join(map(str, parts))


@dataclass(frozen=True)
class Window:
    """The part of many rows or columns that is drawn; a slider moves it."""

    first: int
    last: int  # exclusive
    n: int  # of all
    size: int
    key: str  # of the slider, which counts from 1

    @classmethod
    def of(
        cls, session: Session, name: str, n: int, size: int, *, whole: int = 0
    ) -> "Window":
        """`whole`: so many are drawn without a window; by default one window's."""
        key = session.widget_key(name)
        if n <= max(whole, size):
            return cls(0, n, n, size, key)
        lasting(session, name, 1)
        first, last = window(n, st.session_state[key] - 1, size)
        st.session_state[key] = first + 1
        return cls(first, last, n, size, key)

    @property
    def is_whole(self) -> bool:
        return self.last - self.first == self.n

    def slider(self, what: str, words: str) -> None:
        """Moves the window; where all is drawn there is none."""
        if not self.is_whole:
            st.slider(
                f"First {what} of the window",
                1,
                self.n - self.size + 1,
                key=self.key,
                persist_state="session",
                help=words,
            )


def chart(
    figure: Any, key: str, alt: str, on_select: Any = "ignore", *, menu: bool = True
) -> None:
    """A figure that answers clicks on points, not lassos, and can be saved."""
    st.plotly_chart(
        figure,
        key=key,
        on_select=on_select,
        selection_mode="points",
        config={**CHART_CONFIG, "displayModeBar": "hover" if menu else False},
        alt=alt,
    )
    if menu:
        st.download_button(
            "Save as HTML",
            lambda: figure.to_html(include_plotlyjs=True).encode(),
            file_name=f"{alt}.html",
            mime="text/html",
            key=f"{key} html",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
            help="The figure as a page that opens without a server. As a picture: the "
            "camera in the menu on the figure.",
        )


def error(fault: Exception) -> None:
    """What is wrong, as a sentence that Markdown leaves alone."""
    st.error(plain(str(fault)), icon=":material/error:")


# --- tables ---------------------------------------------------------------------------


def data_table(
    frame: pd.DataFrame,
    alt: str,
    columns: dict[str, Any],
    *,
    few: int | None = None,
    **options: Any,
) -> Any:
    """All lines of a frame; where there are more than a few, they scroll."""
    is_long = few is not None and len(frame) > few
    return st.dataframe(
        frame,
        hide_index=True,
        height=38 + 35 * few if few and is_long else "content",
        column_config=columns,
        placeholder="–",
        alt=alt,
        **options,
    )


def number_column(
    label: str | None = None, decimals: int | str = 2, **options: Any
) -> Any:
    """A column of numbers with so many decimals, or as a format says."""
    form = decimals if isinstance(decimals, str) else f"%.{decimals}f"
    return st.column_config.NumberColumn(label, format=form, **options)


def text_column(label: str | None = None, **options: Any) -> Any:
    """A column of texts; links in it cannot be clicked."""
    return st.column_config.TextColumn(label, **options)


def heading(name: str) -> str:
    """A column's name as a heading."""
    return content(name, 24)


def row_column() -> Any:
    words = "As counted in the file: from 1, no header."
    return number_column("row", "%d", width=55, help=words)
