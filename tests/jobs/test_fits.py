"""What does not fit is refused before it starts."""

import pytest
from cases import message_of, random_table

from cellval.errors import InputError
from cellval.jobs import fits
from cellval.jobs.background import ValuationJob
from cellval.progress import Snapshot
from cellval.values import memory
from cellval.values.options import RunOptions


def test_a_run_beyond_the_limit_is_refused_with_the_estimate(monkeypatch):
    table = random_table(0, 50, ["number"] * 4)
    fits.check_run(table, RunOptions())
    monkeypatch.setattr(fits, "run_seconds", lambda table, options: 26 * 3600.0)
    told = message_of(fits.check_run, table, RunOptions())
    assert "about 26.0 h; the limit is 24.0 h" in told
    assert "CELLVAL_MAX_HOURS" in told
    fits.check_run(table, RunOptions(), 0.5)  # what is left of it
    monkeypatch.setenv("CELLVAL_MAX_HOURS", "30")
    fits.check_run(table, RunOptions())


def test_what_goes_on_ends_when_it_took_too_long_and_not_by_a_guess():
    fits.check_step(Snapshot(0.5, 3600.0))
    fits.check_step(Snapshot(0.1, 3600.0, 100 * 3600.0))
    told = message_of(fits.check_step, Snapshot(0.1, 25 * 3600.0, 3600.0))
    assert "longer than the limit of 24.0 h" in told and "CELLVAL_MAX_HOURS" in told


def test_the_memory_of_a_run_that_is_stopped_for_another_counts(davis, monkeypatch):
    needed = memory.needed_memory(davis)
    monkeypatch.setattr(memory, "free_memory", lambda: needed // 2)
    old = ValuationJob(davis, RunOptions())
    with pytest.raises(InputError, match="free"):
        fits.check_run(davis, RunOptions())
    fits.check_run(davis, RunOptions(), instead_of=old)
    old.end_as("stopped")
    with pytest.raises(InputError, match="free"):
        fits.check_run(davis, RunOptions(), instead_of=old)
