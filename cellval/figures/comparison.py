"""Figures that compare a table before and after its repair; no streamlit."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.cells import (
    HELD_OUT_WORDS,
    Cell,
    colours,
    held_out,
    outlines,
    placed,
    scaled,
)
from cellval.figures.layout import (
    PLOT_HEIGHT,
    colour_bar,
    lay_out,
    named_axis,
    note_below,
)
from cellval.figures.palette import GREY, HIGH, LOW, REPAIR_MARK
from cellval.repairs.comparison import Comparison
from cellval.text import content, figure_name, figure_names, figure_text
from cellval.values.result import CellValues
from cellval.views.matched_rows import MatchedRows
from cellval.views.value_view import value_view

MODEL_PIXELS = 64
OFFSET = 0.13  # between the dots of one model, in models
ROW_PIXELS = 24.0


def accuracies(comparison: Comparison) -> go.Figure:
    """A line per model: accuracy (or R²) before and after, and the difference."""
    frame, of_numbers = comparison.frame(), comparison.of_numbers
    titles = (
        "Tested accuracy in %<br>± spread over repeats",
        "Difference in pp,<br>95 % interval;<br>above 0 is better",
    )
    if of_numbers:
        titles = (
            "Tested R²<br>± spread over repeats",
            "Difference in R²,<br>95 % interval;<br>above 0 is better",
        )
    size, unit = (1, "") if of_numbers else (100, " %")
    places = np.arange(len(frame), dtype=float)
    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        column_widths=[0.6, 0.4],
        subplot_titles=titles,
    )
    for name, colour, away in (("before", GREY, -OFFSET), ("after", HIGH, OFFSET)):
        spread = np.nan_to_num(frame[f"{name}_spread"].to_numpy())
        figure.add_scatter(
            x=(size * frame[name]).tolist(),
            y=(places + away).tolist(),
            error_x={"array": (size * spread).tolist(), "color": colour},
            mode="markers",
            marker={"color": colour, "size": 11},
            name=name,
            hovertemplate=f"{name}: %{{x:.2f}}{unit}<extra></extra>",
        )
    figure.add_vline(
        x=size * comparison.guess_accuracy,
        line={"color": GREY, "dash": "dot", "width": 1.5},
        annotation={"text": "guessing", "font": {"color": GREY, "size": 11}},
        annotation_position="bottom right",
        row=1,
        col=1,
    )
    _differences(figure, comparison, places)
    figure.update_yaxes(named_axis(figure_names(comparison.models, 40), down=True))
    figure.update_annotations(font_size=13)
    return lay_out(
        figure,
        130 + MODEL_PIXELS * len(frame),
        (8, 8, 76, 40),
        menu=False,
        legend={"y": -0.12, "yanchor": "top"},
    )


def _differences(figure: go.Figure, comparison: Comparison, places: np.ndarray) -> None:
    size, unit, digits = (1, "", 3) if comparison.of_numbers else (100, " pp", 2)
    frame = size * comparison.frame()[["difference", "low", "high"]]
    middle = frame["difference"].to_numpy()
    sure = (frame["low"] > 0) | (frame["high"] < 0)
    better = frame["difference"] > 0
    colour_of = np.where(sure, np.where(better, HIGH, LOW), GREY).tolist()
    for k, colour in enumerate(colour_of):
        reach = np.nan_to_num([frame["high"].iat[k] - middle[k]])
        figure.add_scatter(
            x=[middle[k]],
            y=[places[k]],
            error_x={"array": reach.tolist(), "color": colour, "thickness": 2.5},
            mode="markers",
            marker={"color": colour, "size": 11, "symbol": "diamond"},
            showlegend=False,
            hovertemplate=f"{middle[k]:+.{digits}f}{unit}<extra></extra>".replace(
                "-", "−"
            ),
            row=1,
            col=2,
        )
    figure.add_vline(x=0, line={"color": GREY, "width": 1.5}, row=1, col=2)
    known = np.concatenate([frame["low"].dropna(), frame["high"].dropna(), middle])
    widest = max(size / 1000, float(np.nanmax(np.abs(known), initial=0.0)))
    # Around 0, so that the side of a dot shows at once which way it went.
    figure.update_xaxes(range=[-1.15 * widest, 1.15 * widest], row=1, col=2)


def heatmaps(pair: MatchedRows, columns: np.ndarray, repaired: set[Cell]) -> go.Figure:
    """Two heatmaps side by side: same rows, columns and colours.

    Repaired cells, by row number and column position, are outlined; column -1 stands
    for a whole row.
    """
    view = value_view(pair.before)
    unit, names = view.unit, pair.before.column_names
    limit = max(view.limit, value_view(pair.after).limit)
    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.02,
        subplot_titles=("<b>before</b>", "<b>after</b>"),
    )
    # Of a dropped row all cells are outlined.
    dropped = {(row, int(j)) for row, at in repaired if at < 0 for j in columns}
    cells = placed(pair.rows, columns, repaired | dropped)
    outlined = outlines(cells, 3, tones=REPAIR_MARK)
    sides = ((pair.before, pair.old), (pair.after, pair.new))
    grids = [values.values[np.ix_(at, columns)] for values, at in sides]
    # A dropped row is a gap, no held-out one.
    gaps = {"xgap": 1, "ygap": 1}
    greys = [
        held_out(np.where((at < 0)[:, None], 0.0, grid), **gaps)
        for grid, (_, at) in zip(grids, sides, strict=True)
    ]
    words = f"value: {unit.of_score}; below 0 hurts"
    if not pair.before.settings.additive:
        words = f"score: {unit.name}; lower is worse"
    words += f"   {HELD_OUT_WORDS}" * any(greys)
    for side, (values, at) in enumerate(sides, 1):
        grid = grids[side - 1]
        grid[at < 0] = np.nan
        figure.add_trace(
            go.Heatmap(
                z=scaled(grid, unit.factor),
                customdata=_hover(values, pair, at, columns),
                **colours(limit, unit.factor, pair.before.settings),
                **gaps,
                hoverongaps=True,
                hovertemplate="%{customdata}<extra></extra>",
                colorbar=colour_bar(0.4, y=-0.02),
                showscale=side == 1,
            ),
            row=1,
            col=side,
        )
        for more in (*greys[side - 1], *outlined):
            figure.add_trace(more, row=1, col=side)
    _lay_out(figure, pair, figure_names([names[j] for j in columns], 18))
    note_below(figure, words)
    return figure


def _hover(
    values: CellValues, pair: MatchedRows, at: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    unit = value_view(pair.before).unit
    texts = np.full((len(at), len(columns)), "", object)
    for a, i in enumerate(at.tolist()):
        where = f"row {pair.rows[a]:,}"
        for b, j in enumerate(columns.tolist()):
            name = figure_name(values.column_names[j], 120)
            if i < 0:
                texts[a, b] = f"{where}: dropped"
                continue
            cell = figure_text(content(values.cells.iat[i, j]))
            value = unit.with_error(values.values[i, j], values.stderr[i, j])
            texts[a, b] = f"<b>{name}</b>: {cell}<br>value {value}<br>{where}"
    return texts


def _lay_out(figure: go.Figure, pair: MatchedRows, names: list[str]) -> None:
    n = len(pair.rows)
    size = min(ROW_PIXELS, PLOT_HEIGHT / max(n, 1))
    every, step = max(1, round(14 / size)), -(-len(names) // 15)
    angle = 0 if len(names) <= 5 and max(map(len, names)) <= 10 else -90
    below = 70
    top = 34 + (22 if angle == 0 else 8 + 6.4 * max(map(len, names)))
    rows = [f"row {number:,}" for number in pair.rows]
    figure.update_xaxes(named_axis(names, step=step, tickangle=angle))
    figure.update_yaxes(named_axis(rows, step=every, down=True))
    figure.update_annotations(font_size=13, yshift=top - 28)
    lay_out(figure, size * n + top + below, (4, 4, top, below))
