"""Figures on pages, and clicks on their points.

The browser may show, and let a person click, what was replaced here a moment ago. So a
figure that answers clicks has a key of its own (`drawn_key`): the callback of the old
one comes then, too, and finds what was clicked in it. Under one key only what was
clicked in the new figure would be known: nothing.
"""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import streamlit as st

from cellval.kept import kept
from cellval.ui.session import Shown
from cellval.ui.widgets import download

ANSWERED, MOST = "clicks answered", 16


def chart(
    figure: Any,
    alt: str,
    key: str = "",
    on_click: Callable[[list[Any]], None] | None = None,
    menu: bool = True,
    *,
    still: bool = False,
) -> None:
    """A figure that can be saved, and answers clicks on points, not lassos.

    `on_click` is called with a point's custom data. It is given no values: Streamlit
    keeps callbacks long after their figure is gone. A still figure is drawn faster.
    """
    at = key or alt
    st.plotly_chart(
        figure,
        key=at,
        on_select="ignore" if on_click is None else lambda: _answer(at, on_click),
        selection_mode="points",
        config={
            "displaylogo": False,
            "scrollZoom": False,
            "displayModeBar": "hover" if menu else False,
            "staticPlot": still,
            "modeBarButtonsToRemove": ["zoom2d", "pan2d", "autoScale2d"],
        },
        alt=alt,
    )
    if on_click is not None and clicked(at) is None:
        _answered().pop(at, None)
    if menu:
        download(
            "Save as HTML",
            f"{alt}.html",
            lambda: figure.to_html(include_plotlyjs=True).encode(),
            mime="text/html",
            width="content",
            # one button, whatever is drawn
            key=f"{alt if on_click else at} html",
            type="tertiary",
            help="The figure as a page that opens without a server. As a picture: the "
            "camera in the menu on the figure.",
        )


def _answer(key: str, on_click: Callable[[list[Any]], None]) -> None:
    """Once: with every click the browser tells all that it knows, also what was clicked
    before in a figure that it does not yet know to be gone.
    """
    point, answered = clicked(key), _answered()
    if point is None:
        answered.pop(key, None)
    elif answered.get(key) != point:
        answered[key] = point
        while len(answered) > MOST:
            del answered[next(iter(answered))]
        on_click(point)


def _answered() -> dict[str, list[Any]]:
    """The point last clicked, by the key of its chart."""
    known: dict[str, list[Any]] = st.session_state.setdefault(ANSWERED, {})
    return known


_numbers = itertools.count()


@kept(1)
def _number_of(drawn: Any) -> int:
    """Another one for each object."""
    return next(_numbers)


def drawn_key(key: str, *drawn: Any) -> str:
    """The key of a figure of these objects and arrays, which no other figure has."""

    def name(one: Any) -> object:
        if isinstance(one, np.ndarray):
            return hash(one.tobytes())
        return one if one is None else _number_of(one)

    return " ".join([key, *(str(name(one)) for one in drawn)])


def clicked(key: str) -> list[Any] | None:
    """The custom data of the point last clicked in a chart; None if deselected."""
    event = st.session_state.get(key)
    points = event["selection"]["points"] if event else []
    data = points[-1].get("customdata") if points else None
    return list(data.values()) if isinstance(data, Mapping) else data


def marked_cell(
    shown: Shown, rows: np.ndarray, key: str
) -> tuple[str, tuple[int, int] | None]:
    """A chart's key, and the selected cell if its figure has to mark it.

    A cell clicked in a figure that marks none is marked by the browser: the same figure
    again is answered twice as fast.
    """
    names, selection = shown.values.column_names, shown.session.selection
    position, column = selection.cell or (-1, "")
    wanted = None
    if column in names and position in rows:
        wanted = position, names.index(column)
    cell = None if _clicked_cell(f"{key} None") == wanted else wanted
    selection.chart = f"{key} {cell}"
    if _clicked_cell(selection.chart) not in (None, wanted):
        selection.chart += " again"  # or the browser would leave its mark where it is
    return selection.chart, cell


def _clicked_cell(key: str) -> tuple[int, int] | None:
    point = clicked(key)
    return None if point is None else (int(point[0]), int(point[1]))
