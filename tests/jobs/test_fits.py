from cases import message_of, random_table

from cellval.jobs import fits
from cellval.progress import Snapshot
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


def test_what_goes_on_is_refused_as_soon_as_it_is_known_to_take_too_long():
    fits.check_step(Snapshot(0.5, 3600.0))  # not known
    fits.check_step(Snapshot(0.5, 3600.0, 3600.0))
    told = message_of(fits.check_step, Snapshot(0.1, 3600.0, 25 * 3600.0))
    assert "about 26.0 h; the limit is 24.0 h" in told
