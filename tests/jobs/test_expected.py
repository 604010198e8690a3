"""How long a run will take: values on all cores, surprise beside them."""

import pytest
from cases import random_table

from cellval.jobs import expected
from cellval.jobs.expected import run_seconds
from cellval.values.options import RunOptions


@pytest.fixture
def foretold(monkeypatch):
    """What `run_seconds` says on four cores of values and surprise that take so long"""

    def said(values, surprise, **options):
        monkeypatch.setattr(expected, "values_seconds", lambda *_: values)
        monkeypatch.setattr(expected, "surprise_seconds", lambda *_: surprise)
        return run_seconds(None, RunOptions(**options))

    monkeypatch.setattr(expected, "n_cores", lambda: 4)
    return said


@pytest.mark.parametrize(
    ("values", "surprise", "budget", "whole"),
    [
        (100, 0, None, 100),
        (100, 20, None, 105),  # they share the cores
        (1, 20, None, 20),  # but surprise has one of them only
        (100, 20, 60, 60),
        (100, 20, 10, 20),  # the budget is that of the values
    ],
)
def test_the_longer_one_tells_when_a_run_ends(
    foretold, values, surprise, budget, whole
):
    assert foretold(values, surprise, budget=budget) == whole


def test_nothing_is_timed_before_kernels_are_compiled(monkeypatch):
    table, asked = random_table(0, 30, ["number"] * 3), []

    def note(table, *rest, timed):
        asked.append(timed)
        return 1.0

    monkeypatch.setattr(expected.valuation, "expected_seconds", note)
    monkeypatch.setattr(expected.surprise, "expected_seconds", note)
    for warm in (False, False, True, True):
        monkeypatch.setattr(expected, "is_warm", lambda warm=warm: warm)
        run_seconds(table, RunOptions())
    assert asked == [False, False, True, True], "and once each"
