"""The command plan: what a run would take, before it is begun."""

import re

import pytest
from command_line import on_davis

from cellval.cli import plan as planning
from cellval.jobs import expected
from cellval.knn import plan


def said(capsys, *words):
    assert on_davis("plan", *words) == 0
    return capsys.readouterr().out


def test_it_says_what_would_be_done_and_what_it_takes(capsys):
    text = said(capsys, "--cores", "8")
    assert "davis.csv: 200 rows x 4 columns, 800 cells" in text
    assert "test points: all 200" in text
    assert "15 column subsets for each of them" in text
    assert re.search(r"standard error to expect 0\.0\d+ pp", text)
    assert re.search(r"memory about (\d+|less than 1) MB", text)
    assert re.search(r"on this machine, \d+ cores: about", text)
    assert "on a cluster of 8 cores like these: about" in text
    assert "H200 (none is here): about a second, from what was measured" in text


def test_test_points_that_would_be_drawn_are_told(capsys, monkeypatch):
    monkeypatch.setattr(plan, "AUTO_WORK", 1.0)
    monkeypatch.setattr(plan, "DRAWN_WORK", 1.0)
    text = said(capsys, "--near", "20")
    assert "test points: 100 of 200, drawn at random" in text
    assert "near field: rows beyond the 20 nearest" in text


def test_other_methods_take_what_they_take_here(capsys):
    text = said(capsys, "--method", "loo")
    assert "on this machine" in text
    assert "cluster" not in text and "H200" not in text and "test points" not in text


def test_a_table_that_does_not_fit_is_refused_after_its_estimate(capsys, monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_MEMORY_MB", "0.1")
    assert on_davis("plan") == 2
    shown = capsys.readouterr()
    assert "on this machine" in shown.out
    assert "MB of memory; the limit is less than 1 MB" in shown.err


def test_a_gpu_that_is_here_is_timed(capsys, monkeypatch):
    asked = []

    def estimate(table, options, *, timed):
        asked.append(options.backend)
        return expected.estimate(table, expected_options, timed=False)

    expected_options = planning.RunOptions()
    monkeypatch.setattr(planning, "no_gpu", lambda: "")
    monkeypatch.setattr(planning, "estimate", estimate)
    assert "on the GPU of this machine: about" in said(capsys)
    assert asked == ["cpu", "cuda"]


@pytest.mark.parametrize("cores", ["0", "-3"])
def test_a_cluster_has_cores(capsys, cores):
    assert on_davis("plan", "--cores", cores) == 2
    assert "--cores must be 1 to 1,000,000" in capsys.readouterr().err
