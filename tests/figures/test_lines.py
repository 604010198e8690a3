"""Lines that are told apart, in panels."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.figures.lines import lines_figure, plain, styles
from cellval.figures.palette import CHANCE_STYLE, CLEAR, STYLES

X = np.linspace(0, 1, 5)


def lines_of(**names):
    """A panel each, and the names of its lines."""
    return pd.concat(
        pd.DataFrame({"panel": panel, "line": name, "x": X, "y": 100 * X ** (k + 1)})
        for panel, lines in names.items()
        for k, name in enumerate(lines)
    )


def test_every_name_has_its_style_and_chance_is_dotted():
    found = styles(["a", "Random", "b", "a"])
    assert found == {"a": STYLES[0], "b": STYLES[1], "Random": CHANCE_STYLE}


def test_a_name_has_one_colour_and_one_line_of_the_legend():
    drawn = lines_of(p=["a", "b"], q=["b", "Random"])
    figure = lines_figure(drawn, x="share", y="found")
    shown = [(line.name, line.showlegend) for line in figure.data]
    assert shown == [("a", True), ("b", True), ("b", False), ("Random", True)]
    assert figure.data[1].line == figure.data[2].line
    assert {note.text for note in figure.layout.annotations} == {"p", "q"}
    assert (figure.data[0].x[-1], figure.data[0].y[-1]) == (1, 100)


def test_a_line_without_points_is_not_drawn_and_keeps_its_colour():
    drawn = lines_of(**{"": ["a", "b"]})
    drawn.loc[drawn["line"] == "a", "y"] = np.nan
    figure = lines_figure(drawn, x="rows", y="found")
    (line,) = figure.data
    assert (line.name, line.line.color) == ("b", STYLES[1][0])
    assert not figure.layout.annotations


def test_many_panels_lie_in_rows():
    drawn = lines_of(**{name: ["a"] for name in "abcde"})
    figure = lines_figure(drawn, x="share", y="found", columns=2)
    assert len({line.yaxis for line in figure.data}) == 5
    assert figure.layout.height == 80 + 3 * 280


def test_a_plain_figure_needs_no_theme():
    figure = plain(go.Figure(go.Scatter(x=[1], y=[1])), 300)
    assert (figure.layout.height, figure.layout.hovermode) == (300, "x unified")
    assert figure.layout.paper_bgcolor == CLEAR
    assert figure.layout.font.color
