"""How long a run will take: values on all cores, surprise beside them."""

import math
from dataclasses import replace

import pytest
from cases import random_table

import cellval
from cellval.jobs import expected
from cellval.jobs.expected import Estimate, estimate, run_seconds
from cellval.knn.engine import Outlook
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


def test_an_estimate_says_what_the_run_says_afterwards(monkeypatch):
    monkeypatch.setattr(expected, "is_warm", lambda: True)
    table = random_table(1, 30, ["number"] * 3)
    found = estimate(table, RunOptions(), timed=True)
    assert (found.outlook.n_columns, found.outlook.n_subsets) == (3, 7)
    assert found.seconds == run_seconds(table, RunOptions()) > 0
    values = cellval.value_cells(table)
    assert found.stderr == pytest.approx(values.typical_stderr, rel=0.2)
    assert estimate(table, RunOptions(), timed=True).seconds == found.seconds, "kept"


def test_what_is_not_known_is_not_said():
    table = random_table(1, 30, ["number"] * 3)
    early = estimate(table, RunOptions(), timed=False)
    assert math.isnan(early.stderr) and "standard error" not in str(early.words)
    stops = estimate(table, RunOptions(budget=5.0), timed=True)
    assert math.isnan(stops.stderr)
    other = estimate(table, RunOptions(method="random"), timed=True)
    assert other.words == [] and math.isnan(other.on_cores(8))
    assert math.isnan(other.on_h200)


def test_a_cluster_does_not_shorten_the_search_for_surprising_cells():
    run = Outlook(1_000_000, 20, 1_000_000, 2_564, 39, 500)
    found = Estimate(run, 1e-6, 400.0, 300.0, 90.0, 2)
    assert found.on_cores(4) == 150.0
    assert found.on_cores(1_000) == 90.0
    assert math.isnan(Estimate(run, 1e-6, 400.0, 300.0, 90.0, 0).on_cores(4))
    sorts = Estimate(replace(run, near=0), 1e-6, 400.0, 300.0, 90.0, 2)
    assert 1 < found.on_h200 < 2 < sorts.on_h200
    assert found.words[0] == "test points: 2,564 of 1,000,000, drawn at random"
