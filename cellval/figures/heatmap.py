"""The heatmap as a plotly figure; no computing, no streamlit."""

from collections.abc import Set
from typing import Any

import numpy as np
import plotly.graph_objects as go

from cellval.detect.suspicion import Suspicion
from cellval.figures.cells import (
    HELD_OUT_WORDS,
    HOVER_CELL,
    HOVER_ROW,
    STAYS,
    SUSPICION_RANGE,
    SUSPICION_TICKS,
    Cell,
    Trace,
    cell_data,
    colours,
    decades,
    held_out,
    id_words,
    outlines,
    placed,
    points,
    scaled,
)
from cellval.figures.layout import (
    MENU_PIXELS,
    PLOT_HEIGHT,
    colour_bar,
    lay_out,
    named_axis,
    note_above,
    text_pixels,
)
from cellval.figures.palette import sign_colours
from cellval.text import figure_name, figure_names, share
from cellval.values.words import spoken
from cellval.views.value_view import ValueView

BAR_HEIGHT, GAP, TOP, NOTE_PIXELS = 48, 14, 60, 18
MOST_BAR_TICK = 48  # pixels of the numbers beside the bars
ROWS_DOWN, ROWS_ACROSS = 18, 70  # pixels of what the names of rows are


def heatmap(
    view: ValueView,
    rows: np.ndarray,
    columns: np.ndarray,
    *,
    suspicion: Suspicion | None = None,
    outlined: Set[Cell] = frozenset(),
    selected: Cell | None = None,
    transposed: bool = False,
) -> go.Figure:
    """Cells as colours, outlined where suspected; bars of columns, a strip of rows.

    The colours are those of values or, if it is given, of suspicion. Rows and columns
    are drawn in the order given; outlined cells that are not among them are ignored.
    Transposed, rows go across and columns down, as in the paper.
    """
    values = view.values
    names = figure_names([values.column_names[j] for j in columns], 18)
    ids = figure_names([values.ids[i] for i in rows], 16)
    n = len(columns) if transposed else len(rows)
    size = min(26.0, PLOT_HEIGHT / max(n, 1)) if n <= 120 else 3.0
    thin = size <= 8
    framed = placed(rows, columns, outlined)
    # Around a thin row, not over it: the colour must stay visible.
    half = 0.5 if transposed else max(0.5, 3.5 / size)
    if suspicion is None:
        coloured = [
            *_by_value(view, values.values[np.ix_(rows, columns)], transposed),
            *_value_strip(view, rows, transposed),
        ]
    else:
        coloured = _by_suspicion(view, suspicion, rows, columns, transposed)
    figure = go.Figure(
        [
            *coloured,
            _overlay(view, suspicion, rows, columns, transposed, size, selected),
            *([_column_bars(view, columns, transposed)] if view.is_valued else []),
            *outlines(framed, 1 if thin else 2, turn=transposed, half=half),
        ]
    )
    down, across = (names, ids) if transposed else (ids, names)
    bars = view.column_unit.name if view.is_valued else ""
    _lay_out(figure, down, across, size, transposed, bars)
    held = any(trace.get("name") == "held out" for trace in coloured)
    note_above(figure, _words(view, suspicion) + f"   {HELD_OUT_WORDS}" * held)
    place_scale(figure)
    _name_rows(figure, view, transposed)
    return figure


def _name_rows(figure: go.Figure, view: ValueView, turn: bool) -> None:
    """Are the names of rows ids or numbers? In the margin, beside or before them.

    A title of plotly's own would need its "automargin", which is slow.
    """
    place: dict[str, Any] = {"x": 0, "xanchor": "right", "xshift": -6}
    place |= {"y": 1, "yanchor": "bottom"}
    if not turn:
        place = {"x": 0, "xanchor": "left", "xshift": -figure.layout.margin.l}
        place |= {
            "y": figure.layout.yaxis.domain[1],
            "yanchor": "top",
            "textangle": -90,
        }
    figure.add_annotation(
        text="row id" if view.has_ids else "row number",
        **{"xref": "paper", "yref": "paper", "showarrow": False, "font_size": 11},
        **place,
    )


def place_scale(figure: go.Figure) -> None:
    """Below the note, whatever the height: places in a figure are shares of it."""
    at = 1 - (MENU_PIXELS + NOTE_PIXELS) / figure.layout.height
    figure.data[0].colorbar.update(y=at, yref="container", ypad=0)


def _words(view: ValueView, suspicion: Suspicion | None) -> str:
    """What the colours mean."""
    if suspicion is not None:
        harm = ", and a little how harmful" * view.is_valued
        return f"suspicion: how odd{harm}; lower is worse"
    if view.values.settings.additive:
        return f"value: {view.unit.of_score}; below 0 hurts"
    return f"score: {view.unit.name}; lower is worse"


def _cells(z: np.ndarray, turn: bool, **more: Any) -> Trace:
    """Cells by their numbers, with gaps where there is room for them."""
    gap = 1 if z.shape[0] <= 80 and z.shape[1] <= 40 else 0
    return dict(
        type="heatmap",
        z=z.T if turn else z,
        **{"xgap": gap, "ygap": gap, "hoverinfo": "skip"},
        **more,
    )


def _by_value(view: ValueView, grid: np.ndarray, turn: bool) -> list[Trace]:
    factor = view.unit.factor
    range_ = colours(view.limit, factor, view.values.settings)
    scale = colour_bar(0.5, tickangle=0)
    cells = _cells(scaled(grid, factor), turn, **range_, colorbar=scale)
    gaps = {"xgap": cells["xgap"], "ygap": cells["ygap"]}
    return [cells, *held_out(grid.T if turn else grid, **gaps)]


def _by_suspicion(
    view: ValueView,
    suspicion: Suspicion,
    rows: np.ndarray,
    columns: np.ndarray,
    turn: bool,
) -> list[Trace]:
    """All cells, also those without a value; the strip has the worst of each row."""
    ticks = {"tickmode": "array", "tickvals": [*SUSPICION_TICKS]}
    ticks["ticktext"] = [*SUSPICION_TICKS.values()]
    scale = colour_bar(0.6, tickangle=0, **ticks)
    grid = decades(suspicion.scores[np.ix_(rows, columns)])
    worst = suspicion.scores[rows].min(axis=1)
    texts = [
        f"{_row_words(view, i)}<br>suspicion of its worst cell: {share(score)}"
        for i, score in zip(rows.tolist(), worst.tolist(), strict=True)
    ]
    return [
        _cells(grid, turn, **SUSPICION_RANGE, colorbar=scale),
        _strip(decades(worst), texts, turn, SUSPICION_RANGE),
    ]


def _overlay(
    view: ValueView,
    suspicion: Suspicion | None,
    rows: np.ndarray,
    columns: np.ndarray,
    turn: bool,
    size: float,
    selected: Cell | None,
) -> Trace:
    shown = np.ix_(rows, columns)
    if suspicion is None:
        n = int(np.count_nonzero(view.ranks))
        ranks = view.ranks[shown].ravel().tolist()
        texts = [f"{rank:,} of {n:,}" if rank else "–" for rank in ranks]
        line = spoken(
            "rank %{customdata[8]} (within its class; 1 is worst)", view.values.settings
        )
    else:
        n = suspicion.scores.size
        scores = suspicion.scores[shown].ravel().tolist()
        ranks = suspicion.ranks[shown].ravel().tolist()
        texts = [
            f"{share(score)}, rank {rank:,} of {n:,}"
            for score, rank in zip(scores, ranks, strict=True)
        ]
        line = "suspicion %{customdata[8]} (1 is worst)"
    down, across = np.indices((len(rows), len(columns))).reshape(2, -1)
    known = cell_data(view, rows[down], columns[across], texts)
    drawn = points(
        down if turn else across,
        across if turn else down,
        known,
        f"{HOVER_CELL}<br>{line}<br>{HOVER_ROW}",
        mark=max(12, size / 2),
    )
    # As if it was clicked: a click on another cell then takes the mark away.
    for i, j in placed(rows, columns, [selected] if selected else []):
        drawn["selectedpoints"] = [i * len(columns) + j]
    return drawn


def _column_bars(view: ValueView, columns: np.ndarray, turn: bool) -> Trace:
    sizes = (view.values.column_values[columns] * view.column_unit.factor).tolist()
    places = list(range(len(columns)))
    return dict(
        type="bar",
        x=sizes if turn else places,
        y=places if turn else sizes,
        orientation="h" if turn else "v",
        xaxis="x2" if turn else "x",
        yaxis="y" if turn else "y2",
        marker_color=sign_colours(sizes),
        **STAYS,
        customdata=[
            [-1, j, figure_name(view.values.column_names[j]), view.column_text(j)]
            for j in columns.tolist()
        ],
        hovertemplate=(
            "<b>%{customdata[2]}</b><br>column value %{customdata[3]} of "
            f"{view.unit.score}<br>"
            "click to sort the rows by this column<extra></extra>"
        ),
        showlegend=False,
    )


def _value_strip(view: ValueView, rows: np.ndarray, turn: bool) -> list[Trace]:
    values, unit = view.values, view.row_unit
    own = values.row_values[rows]
    texts = [
        f"{_row_words(view, i)}<br>row value "
        f"{unit.with_error(values.row_values[i], values.row_stderr[i])} of {unit.score}"
        for i in rows.tolist()
    ]
    range_ = colours(view.row_limit, unit.factor, values.settings)
    strip = _strip(scaled(own, unit.factor), texts, turn, range_)
    place = {name: strip[name] for name in ("x", "y", "xaxis", "yaxis")}
    return [strip, *held_out(own.reshape(strip["z"].shape), **place)]


def _row_words(view: ValueView, i: int) -> str:
    return f"<b>row {view.values.row_numbers[i]:,}</b>{id_words(view.values, i)}"


def _strip(z: np.ndarray, texts: list[str], turn: bool, range_: Trace) -> Trace:
    """A colour for each row, beside or above the cells."""
    shape = (1, -1) if turn else (-1, 1)
    return dict(
        type="heatmap",
        z=z.reshape(shape),
        text=np.array(texts, object).reshape(shape),
        x=None if turn else [0],
        y=[0] if turn else None,
        xaxis="x" if turn else "x2",
        yaxis="y2" if turn else "y",
        **range_,
        showscale=False,
        hovertemplate="%{text}<extra></extra>",
    )


def _lay_out(
    figure: go.Figure,
    down: list[str],
    across: list[str],
    size: float,
    turn: bool,
    unit: str,  # of the bars; empty without bars
) -> None:
    """Bars on top and the strip beside, or the other way round; sizes in pixels."""
    cells = size * len(down)
    top = BAR_HEIGHT if not turn else 16
    area = cells + GAP + top
    longest = max((len(name) for name in across), default=0)
    angle = 0 if len(across) <= 6 and longest * len(across) <= 60 else -90
    if angle and len(across) <= 6:
        angle = -30
    margin = TOP + {0: 22, -30: 16 + 4 * longest, -90: 12 + 6.4 * longest}[angle]
    split = 1 - (GAP + top) / area
    beside = [0.86, 1.0] if turn else [0.965, 1.0]
    every = max(1, round(14 / size))
    step = -(-len(across) // 30)  # names must not overlap
    plain = {"showgrid": False, "zeroline": False, "ticksuffix": f" {unit}"}
    names = max([MOST_BAR_TICK, *map(text_pixels, down[::every])])
    left = max(names, ROWS_ACROSS) + 10 if turn else names + 10 + ROWS_DOWN
    lay_out(
        figure,
        area + margin + 24,
        (left, 34 if angle == -30 else 10, margin, 24),
        hoverdistance=-1,
        bargap=0.25,
        xaxis=named_axis(
            across,
            step=step,
            domain=[0, beside[0] - 0.012],
            tickangle=angle,
            ticklabeloverflow="allow",  # or slanted names at the edge are left out
            tickfont={"size": 12 if step == 1 else 11},
            anchor="free",
            position=1,
        ),
        yaxis=named_axis(
            down,
            step=every,
            down=True,
            automargin=False,
            domain=[0, split - GAP / area],
        ),
        xaxis2={
            **plain,
            "domain": beside,
            "anchor": "y",
            "showticklabels": turn and bool(unit),
            "nticks": 3,
            "title": {"text": "" if turn else "row", "standoff": 2},
            "side": "bottom",
        },
        yaxis2={
            **plain,
            "domain": [split, 1],
            "anchor": "x",
            "showticklabels": not turn and bool(unit),
            "nticks": 2,
        },
    )
