"""The contributions of a row's cells to its value, as a waterfall."""

import pandas as pd
import plotly.graph_objects as go

from cellval.figures.layout import BAR_PIXELS, NO_POWERS, lay_out, named_axis
from cellval.figures.palette import GREY, HIGH, LOW
from cellval.text import content, figure_name, figure_names, figure_text
from cellval.values.words import Unit
from cellval.views.row_detail import folded, running_limits


def waterfall(
    explained: pd.DataFrame,
    total: float,
    unit: Unit,
    *,
    limits: tuple[float, float] | None = None,
) -> go.Figure:
    """From 0 to the row's value, largest contribution first (`CellValues.explain`).

    `limits` of the axis are shares of the score: so two rows can be compared.
    """
    lines = folded(explained)
    names = [
        name if pd.isna(cell) else f"{name} = <b>{figure_text(content(cell, 18))}</b>"
        for name, cell in zip(
            figure_names(lines["column"].tolist(), 22), lines["cell"], strict=True
        )
    ]
    whole = [
        f"<b>{figure_name(name)}</b>"
        + ("" if pd.isna(cell) else f": {figure_text(content(cell, 60))}")
        for name, cell in zip(lines["column"], lines["cell"], strict=True)
    ]
    sizes = (lines["value"] * unit.factor).tolist()
    texts = [unit.number(value) for value in lines["value"]]
    errors = map(unit.with_error, lines["value"], lines["stderr"])
    places = list(range(len(lines) + 1))
    figure = go.Figure(
        go.Waterfall(
            orientation="h",
            measure=["relative"] * len(lines) + ["total"],
            y=places,
            x=[*sizes, total * unit.factor],
            text=[*texts, unit.number(total)],
            textposition="outside",
            cliponaxis=False,
            customdata=[
                *map("<br>".join, zip(whole, errors, strict=True)),
                unit.text(total),
            ],
            hovertemplate="%{customdata}<extra></extra>",
            decreasing={"marker": {"color": LOW}},
            increasing={"marker": {"color": HIGH}},
            totals={"marker": {"color": GREY}},
            connector={"line": {"color": GREY, "width": 1}},
        )
    )
    low, high = limits or running_limits(lines["value"].to_numpy(), total)
    room = 0.16 * (high - low)
    return lay_out(
        figure,
        110 + BAR_PIXELS * len(places),
        xaxis={
            "title": f"{unit.of_score}; below 0 hurts",
            "range": [(low - room) * unit.factor, (high + room) * unit.factor],
            "zeroline": True,
            "zerolinecolor": GREY,
            **NO_POWERS,
        },
        yaxis=named_axis([*names, "<b>row value</b>"], down=True, showgrid=True),
    )
