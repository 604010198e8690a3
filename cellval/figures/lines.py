"""Lines that are told apart by colour and by dash, in panels."""

from collections.abc import Iterable
from itertools import cycle

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.layout import lay_out
from cellval.figures.palette import AXIS, CHANCE_STYLE, GREY, GRID, STYLES

HEIGHT = 420


def styles(names: Iterable[str], chance: str = "Random") -> dict[str, tuple[str, str]]:
    """Colour and dash of each name; what is random is grey and dotted."""
    rest = [name for name in dict.fromkeys(names) if name != chance]
    return dict(zip(rest, cycle(STYLES), strict=False)) | {chance: CHANCE_STYLE}


def lay_out_lines(
    figure: go.Figure,
    height: int,
    margin: tuple[int, int, int, int],
    legend_y: float = 1.02,
    menu: bool = True,
) -> go.Figure:
    """One box for all lines where the mouse is; the legend above."""
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(gridcolor=GRID, zeroline=False, automargin=True)
    legend = {"y": legend_y}
    return lay_out(
        figure, height, margin, legend=legend, hovermode="x unified", menu=menu
    )


def plain(figure: go.Figure, height: int = HEIGHT) -> go.Figure:
    """A look for light and for dark pages without a theme of their own."""
    figure.update_xaxes(linecolor=AXIS)
    figure.update_yaxes(linecolor=AXIS)
    figure.update_layout(template="none", font={"color": GREY, "size": 13})
    return lay_out_lines(figure, height, (64, 16, 64, 56), 1.06, menu=False)


def lines_figure(
    drawn: pd.DataFrame,
    *,
    x: str,
    y: str,
    columns: int = 3,
    mode: str = "lines",
    hover: str = "%{y:.1f} %",
) -> go.Figure:
    """Lines in panels, from points with columns panel, line, x and y.

    The same name has the same colour everywhere and one line of the legend.
    """
    looks = styles(drawn["line"])
    titles = drawn["panel"].unique().tolist()
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=titles if len(titles) > 1 or titles[0] else None,
        horizontal_spacing=0.07,
        vertical_spacing=0.36 / rows if rows > 1 else 0.1,
    )
    shown: set[str] = set()
    known = drawn[["panel", "line", "x", "y"]].dropna()
    for (title, name), line in known.groupby(["panel", "line"], sort=False):
        colour, dash = looks[name]
        row, column = divmod(titles.index(title), columns)
        figure.add_scatter(
            x=[float(f"{number:.6g}") for number in line["x"]],
            y=[float(f"{number:.6g}") for number in line["y"]],
            name=name,
            legendgroup=name,
            showlegend=name not in shown,
            mode=mode,
            line={"color": colour, "dash": dash, "width": 2.2},
            hovertemplate=hover,
            row=1 + row,
            col=1 + column,
        )
        shown.add(name)
    plain(figure, height=360 if rows == 1 else 80 + 280 * rows)
    figure.update_annotations(font={"size": 13, "color": GREY})
    figure.update_xaxes(title_text=x, row=rows)
    figure.update_yaxes(title_text=y, col=1)
    if len(titles) > 1:  # titles of panels lie where the legend would
        figure.update_layout(
            legend={"y": 1.12 if rows == 1 else 1.0 + 0.16 / rows}, margin={"t": 96}
        )
    return figure
