"""What all figures share."""

import ast
from pathlib import Path

import plotly.graph_objects as go

from cellval.figures import layout
from cellval.figures.layout import (
    MENU_PIXELS,
    colour_bar,
    lay_out,
    named_axis,
    note_above,
    note_below,
)
from cellval.figures.palette import CLEAR

FOLDER = Path(layout.__file__).parent


def test_every_figure_is_clear_and_has_its_margins():
    how = {"legend": {"y": 2}, "bargap": 0.3, "menu": False}
    look = lay_out(go.Figure(), 99.6, (1, 2, 3.4, 4), **how).layout
    assert (look.height, look.bargap, look.hovermode) == (100, 0.3, "closest")
    assert (look.margin.l, look.margin.r, look.margin.t, look.margin.b) == (1, 2, 3, 4)
    assert look.paper_bgcolor == look.plot_bgcolor == CLEAR
    assert (look.legend.orientation, look.legend.y) == ("h", 2)


def test_an_axis_with_names_tells_every_so_many():
    names = list("abcde")
    down = named_axis(names, step=2, down=True)
    assert (down["tickvals"], down["ticktext"]) == ([0, 2, 4], ["a", "c", "e"])
    assert down["range"] == [4.5, -0.5]
    across = named_axis(names, tickangle=-90, side="bottom")
    assert across["range"] == [-0.5, 4.5]
    assert (across["tickangle"], across["side"]) == (-90, "bottom")
    go.Figure().update_layout(xaxis=across, yaxis=down)  # plotly knows all of it


def test_a_note_and_a_colour_bar_lie_at_the_left():
    figure = lay_out(go.Figure(), 100, (1, 2, 30, 4))
    note_above(figure, "pp of accuracy")
    (note,) = figure.layout.annotations
    assert (note.text, note.x, note.yshift) == ("pp of accuracy", 0, 30)
    assert figure.layout.margin.t - note.yshift == MENU_PIXELS  # above it is the menu
    assert figure.layout.height == 100 + MENU_PIXELS
    note_below(figure, "held out")
    assert figure.layout.annotations[1].yshift == -4
    bar = go.Heatmap(colorbar=colour_bar(0.4, y=-0.02)).colorbar
    assert (bar.orientation, bar.len, bar.x, bar.y) == ("h", 0.4, 0, -0.02)


def test_layout_and_colours_are_written_in_one_place():
    for path in FOLDER.glob("*.py"):
        text = path.read_text()
        if path.name != "layout.py":
            assert "paper_bgcolor" not in text, path.name
        if path.name != "palette.py":
            assert "rgba(" not in text and '"#' not in text, path.name


def test_figures_do_without_streamlit_and_scikit_learn():
    for path in FOLDER.glob("*.py"):
        rooms = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                rooms |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                rooms.add(node.module.partition(".")[0])
        assert not rooms & {"streamlit", "sklearn"}, path.name
