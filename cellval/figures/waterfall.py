"""Plotly figures of cells, rows and columns; no computing, no streamlit."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.figures.layout import BAR_PIXELS, MAX_BARS, plain_layout
from cellval.figures.palette import GREY, HIGH, LOW
from cellval.text import content, figure_text
from cellval.values.words import Unit


def folded(explained: pd.DataFrame, max_bars: int = MAX_BARS) -> pd.DataFrame:
    """The largest contributions, and the others as one line; the sum stays."""
    if len(explained) <= max_bars:
        return explained
    shown, rest = explained.iloc[: max_bars - 1], explained.iloc[max_bars - 1 :]
    error = float(np.sqrt(np.sum(rest["stderr"] ** 2)))
    line = {
        "column": f"{len(rest):,} other columns",
        "cell": None,
        "value": rest["value"].sum(),
        "stderr": error,
    }
    return pd.concat([shown, pd.DataFrame([line])], ignore_index=True)


def waterfall(
    explained: pd.DataFrame,
    total: float,
    unit: Unit,
    *,
    limits: tuple[float, float] | None = None,
    max_bars: int = MAX_BARS,
) -> go.Figure:
    """From 0 to the row's value, largest contribution first.

    Parameters
    ----------
    explained : DataFrame
        From `CellValues.explain`.
    total : float
        The row's value.
    limits : (float, float), optional
        Of the axis, as shares of accuracy, so that two rows can be compared.
    """
    lines = folded(explained, max_bars)
    names = [
        figure_text(name, 22)
        if pd.isna(cell)
        else f"{figure_text(name, 22)} = <b>{figure_text(content(cell, 18))}</b>"
        for name, cell in zip(lines["column"], lines["cell"], strict=True)
    ]
    sizes = (lines["value"] * unit.factor).tolist()
    texts = [unit.number(value) for value in lines["value"]]
    errors = [
        unit.with_error(value, stderr)
        for value, stderr in zip(lines["value"], lines["stderr"], strict=True)
    ]
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
            customdata=[*errors, unit.text(total)],
            hovertemplate="%{customdata}<extra></extra>",
            decreasing={"marker": {"color": LOW}},
            increasing={"marker": {"color": HIGH}},
            totals={"marker": {"color": GREY}},
            connector={"line": {"color": GREY, "width": 1}},
        )
    )
    low, high = limits or running_limits(lines["value"].to_numpy(), total)
    room = 0.16 * (high - low)
    figure.update_layout(
        xaxis={
            "title": f"{unit.name} of accuracy; below 0 hurts",
            "range": [(low - room) * unit.factor, (high + room) * unit.factor],
            "zeroline": True,
            "zerolinecolor": GREY,
        },
        yaxis={
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [*names, "<b>row value</b>"],
            "autorange": "reversed",
            "automargin": True,
        },
    )
    return plain_layout(figure, 110 + BAR_PIXELS * (len(lines) + 1))


def running_limits(values: np.ndarray, total: float) -> tuple[float, float]:
    """Smallest and largest point that a waterfall of these values passes."""
    path = np.concatenate([[0.0, total], np.cumsum(values)])
    low, high = float(np.nanmin(path)), float(np.nanmax(path))
    return (low, high) if low < high else (low - 1e-9, high + 1e-9)
