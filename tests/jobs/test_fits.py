import sys

import pytest
from cases import message_of, random_table
from command_line import on_davis

from cellval.jobs import fits
from cellval.values.options import RunOptions


def test_a_table_that_does_not_fit_is_told_with_the_estimate(monkeypatch):
    table = random_table(0, 50, ["number"] * 4)
    fits.check_memory(table)
    monkeypatch.setattr(fits, "free_memory", lambda: 100)
    told = message_of(fits.check_memory, table)
    assert "200 cells to value" in told
    assert "less than 1 MB are free" in told
    monkeypatch.setattr(fits, "free_memory", lambda: None)  # the system does not say
    fits.check_memory(table)


@pytest.mark.skipif(sys.platform != "linux", reason="others do not say")
def test_limits_of_a_process_and_of_containers_count(monkeypatch, tmp_path):
    free = fits.free_memory()
    assert free > 0
    most, used = tmp_path / "memory.max", tmp_path / "memory.current"
    most.write_text("max\n")
    used.write_text("900000\n")
    (tmp_path / "memory.stat").write_text("inactive_file 300000\nactive_file 0\n")
    monkeypatch.setattr(fits, "CGROUPS", ((str(most), str(used)),))
    assert fits.free_memory() > 1_000_000  # no limit
    most.write_text("1000000\n")
    assert fits.free_memory() == 400_000
    monkeypatch.setattr(fits, "_address_limit", lambda: 1)
    assert fits.free_memory() == 0


def test_too_little_memory_is_a_sentence_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fits, "free_memory", lambda: 100)
    assert on_davis("run", "--out", tmp_path / "out") == 2
    told = capsys.readouterr().err
    assert "of memory, but less than 1 MB are free" in told
    assert "test points" not in told


def test_memory_that_ends_on_the_way_is_a_sentence(tmp_path, monkeypatch, capsys):
    def full(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("cellval.cli.value.write_results", full)
    assert on_davis("run", "--out", tmp_path) == 2
    assert "memory that this program may use is not enough" in capsys.readouterr().err


def test_a_run_beyond_the_limits_is_refused_with_the_estimate(monkeypatch):
    table = random_table(0, 50, ["number"] * 4)
    monkeypatch.setenv("CELLVAL_MAX_MEMORY_MB", "0.01")
    told = message_of(fits.check_memory, table)
    assert "the limit is" in told
    assert "CELLVAL_MAX_MEMORY_MB" in told
    fits.check_time(table, RunOptions())
    monkeypatch.setattr(fits, "run_seconds", lambda table, options: 26 * 3600.0)
    told = message_of(fits.check_time, table, RunOptions())
    assert "about 26.0 h; the limit is 24.0 h" in told
    assert "CELLVAL_MAX_HOURS" in told
    monkeypatch.setenv("CELLVAL_MAX_HOURS", "30")
    fits.check_time(table, RunOptions())
