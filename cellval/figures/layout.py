"""The layout that all figures share: clear background, legend, axes with names."""

import unicodedata
from collections.abc import Sequence
from html import unescape
from typing import Any

import plotly.graph_objects as go

from cellval.figures.palette import CLEAR

PLOT_HEIGHT = 480  # pixels for cells: one screen
BAR_PIXELS = 26
MENU_PIXELS = 26  # at the top of a figure, where its menu comes up
# Small values in full, 0.0005 instead of 500μ.
NO_POWERS = {"exponentformat": "none"}
LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}


def lay_out(
    figure: go.Figure,
    height: float,
    margin: tuple[float, float, float, float] = (8, 8, 28, 40),
    *,
    legend: dict[str, Any] | None = None,
    hovermode: str = "closest",
    menu: bool = True,
    **more: Any,
) -> go.Figure:
    """Clear, with margins on the left, right, top and bottom, and a flat legend.

    A figure with a menu gets room for it above all else.
    """
    room = MENU_PIXELS if menu else 0
    sides = dict(zip("lrtb", map(round, margin), strict=True))
    return figure.update_layout(
        height=round(height) + room,
        margin=sides | {"t": sides["t"] + room},
        legend=LEGEND | (legend or {}),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        hovermode=hovermode,
        **more,
    )


def named_axis(
    names: Sequence[str], *, step: int = 1, down: bool = False, **more: Any
) -> dict[str, Any]:
    """An axis whose places 0, 1, 2, ... have names, of which every step-th is told."""
    ends = [-0.5, len(names) - 0.5]
    return {
        "tickmode": "array",
        "tickvals": list(range(0, len(names), step)),
        "ticktext": list(names[::step]),
        "range": ends[::-1] if down else ends,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        **({"automargin": True} if down else {"side": "top"}),
        **more,
    }


def text_pixels(text: str) -> float:
    """How wide a name on an axis is at most, in whatever font.

    Margins that plotly measures itself ("automargin") make it draw everything twice.
    """
    return sum(_character_pixels(character) for character in unescape(text))


def _character_pixels(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 13.0
    return 9.0 if character.isupper() or character in "mw@%…" else 7.0


def colour_bar(length: float, **more: Any) -> dict[str, Any]:
    """A flat one at the left."""
    return {
        **{"orientation": "h", "thickness": 10, "len": length, "nticks": 5},
        **{"x": 0, "xanchor": "left", "yanchor": "top", "tickfont": {"size": 11}},
        **NO_POWERS,
        **more,
    }


def note_below(figure: go.Figure, text: str) -> None:
    """The same at the bottom left of the margin, where it is never cut."""
    figure.add_annotation(
        text=text,
        **{"xref": "paper", "x": 0, "xanchor": "left", "showarrow": False},
        **{"yref": "paper", "y": 0, "yanchor": "bottom", "align": "left"},
        yshift=-figure.layout.margin.b,
        font_size=12,
    )


def note_above(figure: go.Figure, text: str, *, menu: bool = True) -> None:
    """What the numbers are, at the top left of the margin, below the menu if any."""
    figure.add_annotation(
        text=text,
        **{"xref": "paper", "x": 0, "xanchor": "left", "showarrow": False},
        **{"yref": "paper", "y": 1, "yanchor": "top", "align": "left"},
        yshift=figure.layout.margin.t - (MENU_PIXELS if menu else 0),
        font_size=12,
    )
