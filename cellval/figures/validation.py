"""Figures of a validation: how soon errors are found, and what a model gains by it."""

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from cellval.figures.lines import HEIGHT, lay_out_lines, styles
from cellval.figures.palette import GREY
from cellval.stats import SURE
from cellval.validation.signals import SIGNALS, SUSPICION

if TYPE_CHECKING:  # it loads scikit-learn, which takes two seconds
    from cellval.validation.result import Validation

POINTS = 250  # of a line over all cells, and as many over the first tenth
# Lines by signal, the same whichever are known so far; suspicion stands out.
LOOKS: dict[str, dict[str, Any]] = {
    name: {"color": colour, "dash": dash, "width": 3.2 if name == SUSPICION else 1.9}
    for name, (colour, dash) in styles(SIGNALS).items()
}


def inspected(n_cells: int) -> np.ndarray:
    """Numbers of inspected cells at which lines are drawn: close at the start."""
    steps = [np.linspace(0, end, POINTS) for end in (n_cells / 10, n_cells)]
    return np.unique(np.concatenate(steps).round().astype(int))


def detection(result: "Validation", until: float = 1.0) -> go.Figure:
    """Share of the planted errors found against share of the cells inspected.

    The picture ends at `until`, a share of the cells.
    """
    figure = go.Figure()
    shares = inspected(result.n_cells) / result.n_cells
    for name, curve in result.curves.items():
        found = curve.found_at(shares)
        figure.add_scatter(
            x=(100 * shares).round(4).tolist(),
            y=(100 * found).round(3).tolist(),
            customdata=[f"{k:,.0f}" for k in found * result.n_wrong],
            name=name,
            mode="lines",
            line=LOOKS[name],
            hovertemplate=f"%{{y:.1f}} % (%{{customdata}} of {result.n_wrong:,})",
        )
    as_many = 100 * result.n_wrong / result.n_cells
    figure.add_vline(
        x=as_many,
        line={"color": GREY, "dash": "dot", "width": 1},
        annotation_text=f"{result.n_wrong:,} cells: as many as errors",
        annotation_position="top right",
        annotation={"yanchor": "bottom", "font": {"size": 12, "color": GREY}},
    )
    figure.update_yaxes(range=[0, 102])
    return _lay_out(figure, "inspected", 100 * until, "planted errors found")


def removal(result: "Validation") -> go.Figure:
    """Accuracy on held-out rows against share of the cells refilled, by order."""
    figure = go.Figure()
    end = max([1.0, *(100 * own.removed[-1] for own in result.removal.values())])
    for name, own in result.removal.items():
        x = (100 * own.removed).round(3)
        y = 100 * own.accuracy
        errors = 100 * np.array([own.gain_at(share)[1] for share in own.removed])
        if name == SUSPICION:
            figure.add_scatter(
                x=[*x, *x[::-1]],
                y=[*(y + SURE * errors), *(y - SURE * errors)[::-1]],
                fill="toself",
                fillcolor=LOOKS[name]["color"],
                opacity=0.15,
                mode="lines",
                line={"width": 0},
                hoverinfo="skip",
                name="what may be chance",
            )
        figure.add_scatter(
            x=x.tolist(),
            y=y.round(3).tolist(),
            customdata=[
                f"{change:+.1f} ± {error:.1f}".replace("-", "−")
                for change, error in zip(y - y[0], errors, strict=True)
            ],
            name=name,
            mode="lines+markers",
            marker={"size": 5},
            line=LOOKS[name],
            hovertemplate="%{y:.1f} % (%{customdata} points)",
        )
    for level, words, dash in (
        (result.accuracy_clean, "Clean table", "longdash"),
        (result.accuracy_known, "Exactly the errors refilled", "dot"),
    ):
        if np.isfinite(level):
            figure.add_scatter(
                x=[0, end],
                y=[100 * level] * 2,
                mode="lines",
                line={"color": GREY, "dash": dash, "width": 1.5},
                hoverinfo="skip",
                name=f"{words}: {100 * level:.1f} %",
            )
    return _lay_out(figure, "refilled", end, "accuracy on held-out rows")


def _lay_out(figure: go.Figure, done: str, end: float, result: str) -> go.Figure:
    """The axes: what was done to so many cells up to an end, in %, and its result."""
    figure.update_xaxes(
        title_text=f"cells {done}, the worst first (% of all cells)",
        range=[0, end],
        hoverformat=".1f",
        unifiedhovertitle={"text": f"%{{x:.1f}} % of the cells {done}"},
    )
    figure.update_yaxes(title_text=f"{result} (%)")
    lay_out_lines(figure, HEIGHT + 20, (8, 16, 28, 8))
    # Below, however many lines it takes: above it would lie under the menu.
    below = {"y": 0, "yref": "container", "yanchor": "bottom"}
    return figure.update_layout(legend=below)
