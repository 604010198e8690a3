"""The cells of one column, overall and within a class; the sizes of classes."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from cellval.figures.layout import NO_POWERS, lay_out, named_axis, note_above
from cellval.figures.palette import AXIS, GREY, HIGH, SELECTED
from cellval.table.describe import Spread, drawn_range
from cellval.text import (
    content,
    figure_name,
    figure_names,
    figure_text,
    full,
    short_names,
)

MOST_CLASSES = 12
LABEL_BINS = 40
BAR_WIDTH, LETTER = 500, 7  # pixels, about
LINE = 20


def distribution(
    spread: Spread, group: str, cell: str, *, height: int = 200
) -> go.Figure:
    """A column's cells overall and in a group of rows, with one cell marked.

    It is drawn anew at every click: few shapes, nothing to hover over, and a legend in
    words, which a browser draws much faster.
    """
    (own,) = figure_names([group], 34)
    shares = (spread.overall.round(3), spread.in_class.round(3))
    drawn = list(zip(shares, (GREY, HIGH), strict=True))
    if group == "all rows":
        drawn = drawn[:1]
    figure = _bars(spread, drawn) if spread.labels else _steps(spread, drawn, cell)
    if spread.labels:
        height = max(height, 70 + 30 * len(spread.labels))
    lay_out(figure, height, (8, 8, 40, 40), menu=False, showlegend=False)
    squares = [f'<span style="color:{colour}">■</span>' for _, colour in drawn]
    names = ("all rows", own)
    words = "   ".join(f"{a} {b}" for a, b in zip(squares, names, strict=False))
    note_above(figure, words, menu=False)
    return figure


def _bars(spread: Spread, drawn: list[tuple[np.ndarray, str]]) -> go.Figure:
    """Categories, a pair of bars each."""
    names = figure_names(spread.labels, 22)
    if spread.at is not None:
        names[int(spread.at)] = f"<b>▸ {names[int(spread.at)]}</b>"
    traces = [
        dict(
            type="bar",
            x=shares.tolist(),
            y=list(range(len(names))),
            orientation="h",
            marker={"color": colour, "opacity": 0.8},
        )
        for shares, colour in drawn
    ]
    return go.Figure(traces).update_layout(
        barmode="group",
        xaxis_title="% of cells",
        yaxis=named_axis(names, down=True, showgrid=True),
    )


def _steps(spread: Spread, drawn: list[tuple[np.ndarray, str]], cell: str) -> go.Figure:
    """Numbers: the outline of a histogram, one shape instead of a bar for every bin."""
    edges = np.repeat(spread.edges, 2).tolist()
    figure = go.Figure(
        [
            dict(
                type="scatter",
                x=edges,
                y=[0.0, *np.repeat(shares, 2).tolist(), 0.0],
                mode="lines",
                line={"color": colour, "width": 1},
                fill="tozeroy",
            )
            for shares, colour in drawn
        ]
    )
    if spread.at is not None:
        low, high = float(spread.edges[0]), float(spread.edges[-1])
        at = min(max(spread.at, low), high)
        text = f"this cell: {figure_text(content(cell, 24))}"
        if spread.outside:
            text = f"{text} →" if spread.at > high else f"← {text}"
        left = at > (low + high) / 2  # of the line, where there is room
        figure.add_vline(
            x=at,
            line={"color": SELECTED, "width": 3},
            annotation={"text": text},
            annotation_position="top left" if left else "top right",
            annotation_xshift=-6 if left else 6,
        )
    figure.update_xaxes(showgrid=False)
    if spread.marks:
        places, texts = zip(*spread.marks, strict=True)
        figure.update_xaxes(tickvals=places, ticktext=texts, tickangle=0)
    return figure.update_yaxes(title="% of cells", rangemode="tozero")


def label_histogram(numbers: np.ndarray, name: str) -> go.Figure:
    """Where the numbers of a label lie, without far outliers."""
    low, high = drawn_range(numbers, None)
    counts, edges = np.histogram(numbers, LABEL_BINS, (low, high))
    outside = int(np.count_nonzero((numbers < low) | (numbers > high)))
    figure = go.Figure(
        go.Bar(
            x=((edges[1:] + edges[:-1]) / 2).tolist(),
            y=counts.tolist(),
            width=np.diff(edges).tolist(),
            marker={"color": HIGH, "line": {"width": 0}},
            customdata=[
                f"{full(a, 4)} to {full(b, 4)}: {n:,} rows"
                for a, b, n in zip(edges, edges[1:], counts.tolist(), strict=False)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    words = f"rows by {figure_name(name)}"
    if outside:
        words += f"; {outside:,} lie beyond"
    lay_out(figure, 130, (40, 8, 20, 24), menu=False, bargap=0.05, showlegend=False)
    figure.update_xaxes(**NO_POWERS)
    note_above(figure, words, menu=False)
    return figure


def class_sizes(classes: Sequence[str], counts: Sequence[int]) -> go.Figure:
    """How many rows each class has: one bar cut into pieces, or a bar each if some
    pieces would be too small for their names. Of many classes, the largest.
    """
    total = sum(counts)
    shown = list(range(len(classes)))
    if len(classes) > MOST_CLASSES:
        shown.sort(key=lambda k: -counts[k])
    shown = shown[:MOST_CLASSES]
    texts = short_names([classes[k] for k in shown], 16)
    pieces = [
        (f"{text}: {counts[k]:,}", figure_name(classes[k]), counts[k], HIGH)
        for k, text in zip(shown, texts, strict=True)
    ]
    if rest := len(classes) - len(shown):
        n = total - sum(counts[k] for k in shown)
        words = f"and {rest:,} more"
        pieces.append((f"{words}: {n:,}", f"{rest:,} smaller classes", n, GREY))
    narrow = any(BAR_WIDTH * n < LETTER * len(text) * total for text, _, n, _ in pieces)
    figure = go.Figure()
    for at, (text, whole, n, colour) in enumerate(pieces):
        figure.add_bar(
            x=[n],
            y=[at if narrow else 0],
            orientation="h",
            text=None if narrow else figure_text(text),
            textposition="inside",
            insidetextanchor="middle",
            marker_line={"width": 1, "color": AXIS},
            marker_color=colour,
            hovertemplate=f"{whole}: {n:,} of {total:,} rows<extra></extra>",
        )
    largest = max(n for _, _, n, _ in pieces)
    figure.update_xaxes(visible=False, range=[0, largest if narrow else total])
    figure.update_yaxes(visible=False)
    height = 46.0
    if narrow:
        names = [figure_text(text) for text, *_ in pieces]
        figure.update_yaxes(named_axis(names, down=True, visible=True))
        height = LINE * len(pieces)
    return lay_out(
        figure,
        height,
        (0, 0, 0, 0),
        menu=False,
        barmode="stack",
        bargap=0.2 if narrow else 0,
        showlegend=False,
    )
