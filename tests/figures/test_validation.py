"""How soon planted errors are found, and what a model gains by it, as figures."""

import numpy as np
import pytest

from cellval.figures.validation import detection, inspected, removal
from cellval.validation.run import iter_validation
from cellval.validation.signals import SIGNALS


@pytest.fixture(scope="module")
def results(davis):
    steps = iter_validation(davis[0], kind="times ten", share=0.05)
    return [now.result for now in steps if now.has_result]


def test_lines_keep_their_colours_while_others_come(results):
    first, last = (detection(now) for now in (results[0], results[-1]))
    assert [line.name for line in last.data] == list(SIGNALS)
    colours = {line.name: line.line.color for line in last.data}
    assert len(set(colours.values())) == len(SIGNALS)
    for line in first.data:
        assert line.line.color == colours[line.name]


def test_the_detection_figure_shows_the_curves(results):
    last = results[-1]
    figure = detection(last, until=0.1)
    assert list(figure.layout.xaxis.range) == [0, 10]
    for line in figure.data:
        curve = last.curves[line.name]
        assert (line.x[0], line.y[0], line.x[-1], line.y[-1]) == (0, 0, 100, 100)
        found = 100 * curve.found_at(np.array(line.x) / 100)
        assert np.array(line.y) == pytest.approx(found, abs=0.2)


def test_the_removal_figure_has_its_reference_lines(results):
    last = results[-1]
    figure = removal(last)
    names = [line.name for line in figure.data]
    assert names[:4] == ["what may be chance", *last.removal]
    assert names[4] == f"Clean table: {100 * last.accuracy_clean:.1f} %"
    assert names[5].startswith("Exactly the errors refilled: ")
    assert removal(results[0]).data == ()


def test_lines_are_close_at_the_start_and_never_long():
    assert inspected(30).tolist() == list(range(31))
    cells = inspected(1_000_000)
    assert cells.size < 500 and cells[-1] == 1_000_000
    assert np.diff(cells)[0] < np.diff(cells)[-1] / 5
