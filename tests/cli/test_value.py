"""Commands that value a table: run and explain."""

import errno
import re
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from cases import SAMPLES
from command_line import cellval_process, on_davis

import cellval
from cellval.cli import value
from cellval.cli.arguments import main
from cellval.project import database, project


def test_the_command_line_takes_methods(tmp_path, capsys):
    def run(options):
        return on_davis("run", *options.split(), "--out", tmp_path)

    assert run("--method oob --rounds 60") == 0
    said = capsys.readouterr().out
    assert "60 trees" in said and "Not additive" in said
    assert "sum to" not in said.split("Not")[0]
    assert run("--method mc --rounds 3 --model knn") == 0
    said = capsys.readouterr().out
    assert "accuracy of the KNN model" in said
    assert re.search(r"cellval suspects \S*davis.csv --label sex --values \S+npz", said)
    assert run("--method loo --subsets all") == 2
    assert "--subsets is no option of --method 'loo'" in capsys.readouterr().err


def test_run_writes_values_lowest_and_npz(tmp_path, capsys):
    code = main(
        ["run", str(SAMPLES / "davis.csv"), "--label", "sex", "--out", str(tmp_path)]
    )
    assert code == 0
    shown = capsys.readouterr()
    assert "all 16 column subsets (exact)" in shown.out
    assert "200 test points" in shown.err
    assert "standard error" in shown.err
    assert "left" in shown.err
    source = pd.read_csv(SAMPLES / "davis.csv")
    values = pd.read_csv(tmp_path / "values.csv")
    assert values.shape == source.shape
    assert list(values.columns) == list(source.columns)
    assert (values["sex"] == source["sex"]).all()
    saved = cellval.load(tmp_path / "values.npz")
    np.testing.assert_allclose(
        values[list(saved.column_names)], saved.values, atol=1e-12
    )
    lowest = pd.read_csv(tmp_path / "lowest.csv")
    assert list(lowest.columns) == [
        "row",
        "id",
        "column",
        "cell",
        "value",
        "stderr",
        "rank",
    ]
    assert len(lowest) == 800
    assert lowest["value"].is_monotonic_increasing


def test_explain_prints_bars_that_sum_to_the_row_s_value(capsys):
    code = main(
        ["explain", str(SAMPLES / "davis.csv"), "--label", "sex", "--row", "12"]
    )
    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    parts = {line.split()[0]: line.split() for line in lines[3:7]}
    assert set(parts) == {"weight", "height", "repwt", "repht"}
    assert parts["weight"][1] == "166"
    total = float(lines[7].split()[2])
    assert abs(sum(float(p[2]) for p in parts.values()) - total) < 5e-6
    assert "|####" in "\n".join(lines)


def test_a_second_csv_and_a_share_serve_as_test_points(tmp_path, capsys):
    wine = pd.read_csv(SAMPLES / "wine.csv")
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    wine[::2].to_csv(train, index=False)
    wine[1::2].to_csv(test, index=False)
    common = ["run", str(train), "--label", "cultivar", "--subsets", "40", "--out"]
    assert main([*common, str(tmp_path / "a"), "--test", str(test)]) == 0
    assert cellval.load(tmp_path / "a" / "values.npz").n_test == 89
    assert main([*common, str(tmp_path / "b"), "--test", "0.25"]) == 0
    assert cellval.load(tmp_path / "b" / "values.npz").n_test < 30
    capsys.readouterr()


def test_a_run_continues_where_it_stopped(tmp_path, capsys):
    common = [
        "run",
        str(SAMPLES / "wine.csv"),
        "--label",
        "cultivar",
        "--subsets",
        "all",
    ]
    assert main([*common, "--seconds", "0.001", "--out", str(tmp_path)]) == 0
    part = cellval.load(tmp_path / "values.npz")
    assert part.n_test < 178
    assert (
        main(
            [
                *common,
                "--continue",
                str(tmp_path / "values.npz"),
                "--out",
                str(tmp_path),
            ]
        )
        == 0
    )
    assert cellval.load(tmp_path / "values.npz").n_test == 178
    capsys.readouterr()


def test_results_never_replace_the_file_that_is_read(tmp_path, capsys):
    data = tmp_path / "values.csv"
    data.write_bytes((SAMPLES / "davis.csv").read_bytes())
    assert main(["run", str(data), "--label", "sex", "--out", str(tmp_path)]) == 2
    assert "would replace" in capsys.readouterr().err
    assert data.read_bytes() == (SAMPLES / "davis.csv").read_bytes()


def test_a_result_that_cannot_be_written_is_told(tmp_path, capsys):
    (tmp_path / "values.csv").mkdir()
    davis = str(SAMPLES / "davis.csv")
    assert main(["run", davis, "--label", "sex", "--out", str(tmp_path)]) == 2
    assert "Cannot write to" in capsys.readouterr().err
    assert cellval.load(tmp_path / "values.npz").n_test == 200


def test_output_into_a_closed_pipe_ends_quietly(tmp_path):
    process = cellval_process(
        "run", SAMPLES / "davis.csv", "--label", "sex", "--out", tmp_path
    )
    process.stdout.close()
    with process.stderr:
        err = process.stderr.read()
    process.wait()
    assert "Traceback" not in err


def test_a_kind_can_be_given(tmp_path, capsys):
    kinds = ["--kind", "weight=category", "--kind", "height=text"]
    assert on_davis("run", "--out", tmp_path, "--subsets", 8, *kinds) == 0
    capsys.readouterr()
    told = cellval.read(
        SAMPLES / "davis.csv",
        label="sex",
        kinds={"weight": "category", "height": "text"},
    )
    saved = cellval.load(tmp_path / "values.npz")
    assert saved.settings.table == told.fingerprint


def test_a_run_is_kept_in_a_project_and_goes_on_there(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))
    out = ("--out", str(tmp_path / "out"))
    assert on_davis("run", "--project", "heights", *out) == 0
    assert "kept in the project heights" in capsys.readouterr().out
    kept = cellval.open_project("heights")
    assert kept.runs[0].status == "done"
    kept.work.repair(12, "height", cellval.Repair("replace", "166"))
    assert main(["run", "--project", "heights", *out]) == 0
    first, second = cellval.open_project("heights").runs
    assert (len(first.changes), len(second.changes)) == (0, 1)
    written = pd.read_csv(tmp_path / "out" / "values.csv")
    assert len(written) == 200
    assert main(["run", "--project", "nothing", *out]) == 2
    assert "There is no project 'nothing'" in capsys.readouterr().err
    assert main(["run", *out]) == 2
    assert "Name a file with a table, or a project" in capsys.readouterr().err


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_is_not_kept_in_a_project_is_said_and_files_are_written_all_the_same(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))
    cellval.open_project("heights", SAMPLES / "davis.csv", label="sex").close()
    out = tmp_path / "out"
    with monkeypatch.context() as disk:
        disk.setattr(project, "write_values", full)
        assert main(["run", "--project", "heights", "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert "cellval: not kept in the project heights: The disk is full." in said.err
    assert "kept in the project" not in said.out
    assert len(pd.read_csv(out / "values.csv")) == 200
    assert cellval.open_project("heights").values is None

    with monkeypatch.context() as disk:  # as a read-only file system is, also for root
        kept = tmp_path / "home" / "projects"
        disk.setattr(database.os, "access", lambda path, mode: kept not in path.parents)
        assert main(["run", "--project", "heights", "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert "not kept in the project heights: The data folder cannot be" in said.err
    assert main(["run", "--project", "heights", "--out", str(out)]) == 0
    assert "kept in the project heights" in capsys.readouterr().out


def test_a_stopped_run_that_is_not_kept_does_not_promise_to_go_on(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(project, "write_values", full)
    find = value.find_values
    monkeypatch.setattr(value, "find_values", lambda *a, **k: (find(*a, **k)[0], True))
    out = ("--out", str(tmp_path / "out"))
    assert on_davis("run", "--project", "heights", *out) > 128
    said = capsys.readouterr()
    assert "not kept" in said.err
    assert "stopped. To start again:" in said.out


def test_a_project_that_cannot_be_made_is_refused_before_the_work(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(project, "write_whole", full)
    out = tmp_path / "out"
    assert on_davis("run", "--project", "heights", "--out", str(out)) == 2
    assert "The disk is full" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("command", ["run", "recipe"])
def test_a_project_whose_file_vanished_is_told_in_a_sentence(
    tmp_path, capsys, monkeypatch, command
):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path))
    with closing(cellval.open_project("a", SAMPLES / "davis.csv", label="sex")) as one:
        for path in (one.folder / "files").iterdir():
            path.unlink()
    with closing(cellval.open_project("a")) as one:
        for ask in (lambda: one.table, one.value):
            with pytest.raises(cellval.InputError, match="its data file is gone"):
                ask()
    with pytest.raises(cellval.InputError, match="its data file is gone"):
        cellval.open_project("a", SAMPLES / "wine.csv")
    out = str(tmp_path / "out")
    assert main([command, "--project", "a", "--out", out]) == 2
    said = capsys.readouterr().err
    assert "It is damaged: its data file is gone" in said
    assert "Traceback" not in said


def test_a_project_is_not_continued_from_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path))
    part = str(tmp_path / "part.npz")
    words = ("--project", "a", "--continue", part, "--out", str(tmp_path / "out"))
    assert on_davis("run", *words) == 2
    assert "Leave --continue out" in capsys.readouterr().err


def test_rows_without_a_label_are_refused_before_the_work_and_listed(tmp_path, capsys):
    davis = pd.read_csv(SAMPLES / "davis.csv", dtype=str, keep_default_na=False)
    davis.loc[11, "sex"] = ""
    path = tmp_path / "some.csv"
    davis.to_csv(path, index=False)
    assert main(["explain", str(path), "--label", "sex", "--row", "12"]) == 2
    assert "Row 12 has no label" in capsys.readouterr().err
    out = str(tmp_path / "suspects.csv")
    assert main(["suspects", str(path), "--label", "sex", "--out", out]) == 0
    said = capsys.readouterr()
    assert "Warning" not in said.err and "166" in said.out


def test_a_run_on_drawn_test_points_says_so_and_how_to_go_on(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("cellval.knn.plan.AUTO_WORK", 1.0)
    monkeypatch.setattr("cellval.knn.plan.DRAWN_WORK", 1.0)
    assert on_davis("run", "--out", tmp_path) == 0
    said = capsys.readouterr().out
    assert "100 of 200 test points" in said
    assert "not all test points were drawn. To go on from here:" in said
    assert (
        on_davis("run", "--out", tmp_path, "--continue", tmp_path / "values.npz") == 0
    )
    said = capsys.readouterr().out
    assert "200 test points" in said and "not all test points" not in said
    assert on_davis("run", "--out", tmp_path, "--seconds", "5") == 0
    assert "not all test points" not in capsys.readouterr().out
