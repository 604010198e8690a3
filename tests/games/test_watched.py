"""Utilities that are counted and stopped from outside."""

import numpy as np
import pytest

from cellval.games.watched import Play, Stopped, Watched, is_compiled, line

ROWS, ORDER = np.array([4, 7]), np.array([1, 0, 2])


def product(rows, columns):
    return float(len(rows) * len(columns))


class Own:
    """A utility with lines of its own."""

    compiled = True

    def __call__(self, rows, columns):
        return product(rows, columns)

    def line(self, rows, columns, wanted):
        return np.full(len(columns) + 1, 7.0)


def test_a_line_asks_for_what_is_wanted_with_sorted_columns():
    asked = []

    def h(rows, columns):
        asked.append(columns.tolist())
        return product(rows, columns)

    wanted = np.array([True, False, True, True])
    assert line(h, ROWS, ORDER, wanted).tolist() == [0, 0, 4, 6]
    assert asked == [[], [0, 1], [0, 1, 2]]


def test_a_utility_with_lines_of_its_own_makes_them():
    assert line(Own(), ROWS, ORDER, np.ones(4, bool)).tolist() == [7] * 4
    watched = Watched(Own())
    assert watched.line(ROWS, ORDER, np.ones(4, bool)).tolist() == [7] * 4
    assert watched.n == 3


def test_evaluations_are_counted():
    watched = Watched(product)
    assert watched(ROWS, ORDER) == 6
    watched.line(ROWS, ORDER, np.array([True, True, False, False]))
    assert watched.n == 3


def test_a_stopped_utility_evaluates_nothing_more():
    watched = Watched(product)
    watched.stop = True
    with pytest.raises(Stopped):
        watched(ROWS, ORDER)
    with pytest.raises(Stopped):
        watched.line(ROWS, ORDER, np.ones(4, bool))
    assert watched.n == 0


def test_a_line_made_of_calls_is_stopped_within():
    def h(rows, columns):
        watched.stop = len(columns) == 1
        return 0.0

    watched = Watched(h)
    with pytest.raises(Stopped):
        watched.line(ROWS, ORDER, np.ones(4, bool))
    assert watched.n == 2


def test_only_what_holds_the_gil_asks_for_processes():
    class Slow(Own):
        compiled = False

    assert is_compiled(product) and is_compiled(Own()) and not is_compiled(Slow())
    for h, processes in ((product, False), (Slow(), True)):
        play = Play(h, 2, 3)
        assert play.processes == processes
        play.watched(ROWS, ORDER)
        assert play.done_inside() == 1
        play.stop()
        assert play.watched.stop
