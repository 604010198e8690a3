"""Lines that are told apart by colour and by dash, in panels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.layout import lay_out
from cellval.figures.palette import AXIS, CHANCE_STYLE, GREY, GRID, STYLES

HEIGHT = 420


@dataclass(frozen=True, eq=False)
class LineOf:
    """One line: shares along, a number up."""

    name: str
    x: np.ndarray
    y: np.ndarray


def styles(names: Sequence[str], chance: str = "Random") -> dict[str, tuple[str, str]]:
    """Colour and dash of each name; what is random is grey and dotted."""
    found, rest = {}, [name for name in dict.fromkeys(names) if name != chance]
    for k, name in enumerate(rest):
        found[name] = STYLES[k % len(STYLES)]
    return found | {chance: CHANCE_STYLE}


def lay_out_lines(
    figure: go.Figure,
    height: int,
    margin: tuple[int, int, int, int],
    legend_y: float,
) -> go.Figure:
    """One box for all lines where the mouse is; the legend above."""
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(gridcolor=GRID, zeroline=False, automargin=True)
    legend = {"y": legend_y}
    return lay_out(figure, height, margin, legend=legend, hovermode="x unified")


def plain(figure: go.Figure, height: int = HEIGHT) -> go.Figure:
    """A look for light and for dark pages without a theme of their own."""
    figure.update_xaxes(linecolor=AXIS)
    figure.update_yaxes(linecolor=AXIS)
    figure.update_layout(template="none", font={"color": GREY, "size": 13})
    return lay_out_lines(figure, height, (64, 16, 64, 56), 1.06)


def lines_figure(
    panels: Mapping[str, Sequence[LineOf]],
    *,
    x: str,
    y: str,
    columns: int = 3,
    percent: bool = True,
) -> go.Figure:
    """Panels of lines; shares along and up are shown in %.

    Parameters
    ----------
    panels : mapping of title to lines
        The same name has the same colour everywhere and one line of the legend.
    percent : bool
        Is what goes along a share?
    """
    titles = list(panels)
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=titles if len(titles) > 1 or titles[0] else None,
        horizontal_spacing=0.07,
        vertical_spacing=0.36 / rows if rows > 1 else 0.1,
    )
    looks = styles([line.name for lines in panels.values() for line in lines])
    shown: set[str] = set()
    for k, lines in enumerate(panels.values()):
        row, column = 1 + k // columns, 1 + k % columns
        for line in lines:
            colour, dash = looks[line.name]
            figure.add_scatter(
                x=((100 if percent else 1) * line.x).round(3).tolist(),
                y=(100 * line.y).round(3).tolist(),
                name=line.name,
                legendgroup=line.name,
                showlegend=line.name not in shown,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2.2},
                hovertemplate="%{y:.1f} %",
                row=row,
                col=column,
            )
            shown.add(line.name)
    plain(figure, height=360 if rows == 1 else 80 + 280 * rows)
    figure.update_annotations(font={"size": 13, "color": GREY})
    figure.update_xaxes(title_text=x, row=rows)
    figure.update_yaxes(title_text=y, col=1)
    if rows > 1 or len(titles) > 1:  # titles of panels lie where the legend would
        figure.update_layout(
            legend={"y": 1.12 if rows == 1 else 1.0 + 0.16 / rows}, margin={"t": 96}
        )
    return figure
