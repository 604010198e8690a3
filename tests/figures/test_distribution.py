"""A column's cells with one marked, and the sizes of classes."""

import pandas as pd
import pytest
from cases import make_table

import cellval
from cellval.figures.distribution import class_sizes, distribution
from cellval.figures.palette import GREY
from cellval.table import describe


def test_the_distribution_marks_the_cell_and_one_far_outside():
    table = make_table([("number", [*range(50), 100_000])], [0, 1] * 25 + [0])
    spread = describe.spread(table, 50, "c0")
    figure = distribution(spread, "class no", "100000")
    assert "→" in figure.layout.annotations[0].text
    # One shape for all rows and one for the class, however many bins.
    assert [trace.type for trace in figure.data] == ["scatter", "scatter"]
    assert figure.layout.showlegend is False
    assert "class no" in figure.layout.annotations[1].text
    inside = distribution(describe.spread(table, 3, "c0"), "class no", "3")
    assert inside.layout.annotations[0].text == "this cell: 3"
    assert inside.layout.shapes[0].x0 == 3


def test_the_steps_of_a_distribution_hold_all_cells():
    table = make_table([("number", [1, 1, 2, 9])], [0, 0, 1, 1])
    spread = describe.spread(table, 0, "c0")
    everyone, own = distribution(spread, "a", "1").data
    assert sum(everyone.y[1:-1:2]) == pytest.approx(100, abs=0.1)
    assert max(own.y) == pytest.approx(100)  # both cells of the class are 1
    assert (everyone.x[0], everyone.x[-1]) == (spread.edges[0], spread.edges[-1])


def test_the_axis_of_dates_has_dates():
    days = [f"2023-0{1 + k % 9}-15" for k in range(60)]
    numbers = [k % 7 for k in range(60)]
    frame = pd.DataFrame({"day": days, "x": numbers, "y": ["a", "b"] * 30})
    table = cellval.Table.from_frame(frame, label="y")
    axis = distribution(
        describe.spread(table, 3, "day"), "a", "2023-04-15"
    ).layout.xaxis
    assert len(axis.ticktext) == len(axis.tickvals) == 3
    assert all(text.startswith("2023-") for text in axis.ticktext)
    other = distribution(describe.spread(table, 3, "x"), "a", "3").layout.xaxis
    assert other.ticktext is None


def test_class_sizes_are_pieces_of_one_bar_that_sum_to_all_rows():
    figure = class_sizes(["<b>a</b>", "b"], [3, 7])
    assert [trace.x[0] for trace in figure.data] == [3, 7]
    assert figure.layout.barmode == "stack"
    assert "<b>" not in figure.data[0].text
    assert "3 of 10 rows" in figure.data[0].hovertemplate


def test_text_of_a_file_is_shown_as_text(nasty, shows_text):
    table, _ = nasty
    spread = describe.spread(table, 0, table.feature_names[0])
    assert shows_text(distribution(spread, table.classes[0], "<script>0</script>"))


def test_of_99_classes_the_largest_are_shown_and_the_others_are_one_grey_part():
    counts = [5] * 99
    counts[98] = 50
    figure = class_sizes([f"class {k}" for k in range(99)], counts)
    names = figure.layout.yaxis.ticktext
    assert len(figure.data) == len(names) == 13
    assert names[0] == "class 98: 50"
    assert names[-1] == f"and 87 more: {87 * 5}"
    assert figure.data[-1].marker.color == GREY
    assert sum(bar.x[0] for bar in figure.data) == sum(counts)
    assert len({bar.y[0] for bar in figure.data}) == 13  # readable: a line each


def test_a_class_too_small_for_its_name_in_the_bar_gets_a_line():
    figure = class_sizes(["many", "few"], [990, 10])
    assert list(figure.layout.yaxis.ticktext) == ["many: 990", "few: 10"]
