"""Lines that are told apart, in panels."""

import numpy as np
import plotly.graph_objects as go

from cellval.figures.lines import LineOf, lines_figure, plain, styles
from cellval.figures.palette import CHANCE_STYLE, CLEAR, STYLES

X = np.linspace(0, 1, 5)


def lines_of(*names):
    return [LineOf(name, X, X ** (k + 1)) for k, name in enumerate(names)]


def test_every_name_has_its_style_and_chance_is_dotted():
    found = styles(["a", "Random", "b", "a"])
    assert found == {"a": STYLES[0], "b": STYLES[1], "Random": CHANCE_STYLE}


def test_a_name_has_one_colour_and_one_line_of_the_legend():
    panels = {"p": lines_of("a", "b"), "q": lines_of("b", "Random")}
    figure = lines_figure(panels, x="share", y="found")
    shown = [(line.name, line.showlegend) for line in figure.data]
    assert shown == [("a", True), ("b", True), ("b", False), ("Random", True)]
    assert figure.data[1].line == figure.data[2].line
    assert {note.text for note in figure.layout.annotations} == {"p", "q"}
    assert figure.data[0].x[-1] == figure.data[0].y[-1] == 100


def test_what_goes_along_need_not_be_a_share():
    figure = lines_figure({"": lines_of("a")}, x="rows", y="found", percent=False)
    assert figure.data[0].x[-1] == 1
    assert figure.data[0].y[-1] == 100
    assert not figure.layout.annotations


def test_many_panels_lie_in_rows():
    panels = {name: lines_of("a") for name in "abcde"}
    figure = lines_figure(panels, x="share", y="found", columns=2)
    assert len({line.yaxis for line in figure.data}) == 5
    assert figure.layout.height == 80 + 3 * 280


def test_a_plain_figure_needs_no_theme():
    figure = plain(go.Figure(go.Scatter(x=[1], y=[1])), 300)
    assert (figure.layout.height, figure.layout.hovermode) == (300, "x unified")
    assert figure.layout.paper_bgcolor == CLEAR
    assert figure.layout.font.color
