"""The command line as a person uses it, in a process of its own where it matters."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.cli.arguments import main

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_data"


def cellval_process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "cellval", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for processes")
def test_ctrl_c_keeps_and_writes_what_there_is(tmp_path):
    process = cellval_process(
        "run",
        SAMPLES / "adult_2000.csv",
        "--label",
        "income",
        "--subsets",
        "all",
        "--out",
        tmp_path,
    )
    seen = ""
    deadline = time.monotonic() + 120
    while "left" not in seen and time.monotonic() < deadline:
        seen += process.stderr.read(40)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "keeping what there is" in err
    assert "Traceback" not in err
    assert 0 < cellval.load(tmp_path / "values.npz").n_test < 2000
    assert len(pd.read_csv(tmp_path / "lowest.csv")) == 2000 * 14
    assert "written to" in out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"a,b\n", "no rows below"),
        (b"PK\x03\x04" + bytes(200), "CSV"),
        (b"a,y\n1,p\n2\n3,q\n", "row 2"),
        (b"x,y\n1,p\n2,\x00q\n", "NUL"),
        (b'x,y\n1,"p\n2,q\n', "quote"),
        (b"x,y\n1,p\n2,p\n", "y"),
        (b"x,y\ninf,p\n2,q\n3,p\n4,q\n5,q\n", "row 1"),
    ],
)
def test_bad_files_exit_with_2_and_a_sentence(content, words, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    assert main(["run", str(path), "--label", "y", "--out", str(tmp_path / "out")]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("cellval: ")
    assert words in shown.err
    assert "Traceback" not in shown.err


def test_bad_settings_exit_with_2_and_a_sentence(tmp_path, capsys):
    davis = str(SAMPLES / "davis.csv")
    for arguments, words in [
        (["run", str(tmp_path / "none.csv")], "none.csv"),
        (
            ["run", davis, "--label", "sexx", "--out", str(tmp_path)],
            "Did you mean 'sex'",
        ),
        (["explain", davis, "--label", "sex", "--row", "999"], "999"),
        (["run", davis, "--neighbors", "0", "--out", str(tmp_path)], "--neighbors 0"),
        (["run", davis, "--out", str(SAMPLES / "davis.csv" / "x")], "Cannot write"),
        (["run", davis, "--continue", davis, "--out", str(tmp_path)], "does not hold"),
    ]:
        assert main(arguments) == 2
        shown = capsys.readouterr()
        assert words in shown.err
        assert "Traceback" not in shown.err


def test_python_m_cellval_runs_and_reports_errors_without_a_traceback(tmp_path):
    process = cellval_process("run", tmp_path / "none.csv")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cellval: " in err
    assert "Traceback" not in err


def test_nasty_invocations_get_a_sentence(tmp_path, capsys):
    davis = str(SAMPLES / "davis.csv")
    out = ["--out", str(tmp_path / "out")]
    for arguments, words in [
        (["run", davis, "--jobs", "0", *out], "--jobs 0"),
        (["run", davis, "--subsets", "²", *out], "--subsets"),
        (["run", davis, "--subsets=--5", *out], "--subsets"),
        (["run", davis, "--seconds", "-1", *out], "--seconds -1"),
        (["run", davis, "--seconds", "nan", *out], "--seconds nan"),
    ]:
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
    assert main(["run", davis, "--near", "9" * 30, *out]) == 0
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


def test_notes_on_the_test_table_are_shown(tmp_path, capsys):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    lines = [f"{i * i % 31},{'ab'[i > 9]}" for i in range(20)]
    train.write_text("\n".join(["x,y", *lines]))
    test.write_text("x,y\n1,a\n2,c\n")
    code = main(["run", str(train), "--test", str(test), "--out", str(tmp_path / "o")])
    assert code == 0
    assert "note on the test table: Classes that train.csv does not have: 'c'" in (
        capsys.readouterr().err
    )
    test.write_text("x,y\n1,A\n2,B\n")
    assert (
        main(["run", str(train), "--test", str(test), "--out", str(tmp_path / "o")])
        == 2
    )
    assert "no class of" in capsys.readouterr().err


def test_output_into_a_closed_pipe_ends_quietly(tmp_path):
    process = cellval_process(
        "run", SAMPLES / "davis.csv", "--label", "sex", "--out", tmp_path
    )
    process.stdout.close()
    with process.stderr:
        err = process.stderr.read()
    process.wait(60)
    assert "Traceback" not in err


def repair(tmp_path, decisions, *arguments, raw=b"x;y\r\n1;a\r\n 2;b\r\n30;b\r\n=4;a"):
    data = tmp_path / "data.csv"
    data.write_bytes(raw)
    (tmp_path / "decisions.csv").write_text(decisions)
    common = ["repair", str(data), "--decisions", str(tmp_path / "decisions.csv")]
    if "--out" not in arguments:
        common += ["--out", str(tmp_path / "repaired.csv")]
    return main([*common, "--label", "y", *map(str, arguments)])


def test_repair_writes_a_drop_in_file_and_a_change_log(tmp_path, capsys):
    decisions = "row,column,repair,after,reason\n3,x,replace,3,=typo\n2,,drop row,,\n"
    assert repair(tmp_path, decisions + "1,x,blank,,\n") == 0
    shown = capsys.readouterr().out
    assert "data.csv: 1 cell replaced, 1 blanked, 1 row dropped" in shown
    assert "1 untouched cell looks like a formula (first row 4, 'x')" in shown
    assert f"changes are listed in {tmp_path / 'repaired_changes.csv'}" in shown
    expected = b"x;y\r\n;a\r\n3;b\r\n=4;a"
    assert (tmp_path / "repaired.csv").read_bytes() == expected
    log = pd.read_csv(
        tmp_path / "repaired_changes.csv", dtype=str, keep_default_na=False
    )
    assert log.values.tolist() == [
        ["3", "3", "x", "30", "3", "'=typo"],
        ["2", "2", "(whole row)", " 2;b", "(dropped)", ""],
        ["1", "1", "x", "1", "", ""],
    ]


def test_repair_takes_its_options(tmp_path, capsys):
    log, out = tmp_path / "log.csv", tmp_path / "out.csv"
    raw = b"k,x,z,y\na,1,5,p\nb,2,6,q\nc,3,7,q\n"
    options = ["--out", out, "--log", log, "--id", "k", "--exclude", "z"]
    assert repair(tmp_path, "row;column;after\n2;z;8\n", *options, raw=raw) == 0
    assert out.read_bytes() == raw.replace(b"6", b"8")
    assert pd.read_csv(log)["id"].tolist() == ["b"]
    assert "formula" not in capsys.readouterr().out


def test_decisions_without_repairs_make_a_copy(tmp_path, capsys):
    assert repair(tmp_path, "row,column,decision\n1,x,fine\n") == 0
    same = (tmp_path / "data.csv").read_bytes()
    assert (tmp_path / "repaired.csv").read_bytes() == same
    assert "holds no repairs" in capsys.readouterr().out


def test_what_cannot_be_repaired_gets_a_sentence_and_no_file(tmp_path, capsys):
    good = "row,column,after\n3,x,3\n"
    for decisions, arguments, words in [
        (good, ["--out", tmp_path / "data.csv"], "would replace"),
        (good, ["--out", tmp_path / "decisions.csv"], "would replace"),
        (good, ["--log", tmp_path / "data.csv"], "would replace"),
        (good, ["--log", tmp_path / "repaired.csv"], "both"),
        (good, ["--out", tmp_path / "none" / "a.csv"], "no folder"),
        (good, ["--log", tmp_path / "none" / "a.csv"], "no folder"),
        (good, ["--out", tmp_path], "it is a folder"),
        (good, ["--out", "."], "it is a folder"),
        (good, ["--out", tmp_path / ("a" * 300)], "Cannot write"),
        (good, ["--decisions", tmp_path / "none.csv"], "no such file"),
        ("row,column,after\n9,x,3\n", [], "no row 9"),
        ("row,column,after\n3,x,3\n3,z,3\n", [], "line 3"),
        ("row,column,repair\n3,x,burn\n", [], "'burn' is no repair"),
        (
            "row,column,repair\n1,,drop row\n2,,drop row\n3,,drop row\n4,,drop row\n",
            [],
            "All 4 rows",
        ),
    ]:
        assert repair(tmp_path, decisions, *arguments) == 2, words
        shown = capsys.readouterr()
        assert shown.err.startswith("cellval: ")
        assert words in shown.err
        assert len(shown.err.splitlines()) == 1
        assert sorted(p.name for p in tmp_path.iterdir()) == [
            "data.csv",
            "decisions.csv",
        ]


@pytest.fixture(scope="module")
def davis_values(tmp_path_factory):
    """Davis valued once; the path of its values.npz."""
    folder = tmp_path_factory.mktemp("davis")
    run = ["run", str(SAMPLES / "davis.csv"), "--label", "sex", "--out", str(folder)]
    assert main(run) == 0
    return folder / "values.npz"


def on_davis(command, *arguments):
    davis = str(SAMPLES / "davis.csv")
    return main([command, davis, "--label", "sex", *map(str, arguments)])


def test_suspects_prints_the_flagged_cells_and_lists_all(tmp_path, capsys):
    out = tmp_path / "suspects.csv"
    assert on_davis("suspects", "--out", out) == 0
    shown = capsys.readouterr()
    assert "2 cells of 800 flagged; the rule aims at one false" in (shown.out)
    assert "standard error" in shown.err
    assert "looking for surprising cells: 100%" in shown.err
    lines = shown.out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("row "))
    assert {tuple(line.split()[:4]) for line in lines[first + 1 : first + 3]} == {
        ("12", "weight", "166", "57"),
        ("12", "height", "57", "166"),
    }
    assert lines[first + 3] == ""
    listed = pd.read_csv(out, keep_default_na=False)
    assert len(listed) == 800
    assert listed["suspicion"].is_monotonic_increasing
    assert listed["reason"].str.len().min() > 0


def test_suspects_takes_earlier_values_or_none(tmp_path, davis_values, capsys):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    assert on_davis("suspects", "--values", davis_values, "--out", a) == 0
    assert "test points" not in capsys.readouterr().err
    assert on_davis("suspects", "--no-values", "--out", b, "--top", 3) == 0
    shown = capsys.readouterr()
    assert "the 3 most suspicious" in shown.out
    assert "test points" not in shown.err
    assert pd.read_csv(a)["value"].notna().all()
    assert pd.read_csv(b)["value"].isna().all()


def test_the_list_of_suspects_filled_in_is_a_decisions_file(tmp_path, capsys):
    out, fixed = tmp_path / "suspects.csv", tmp_path / "fixed.csv"
    raw = (SAMPLES / "davis.csv").read_bytes().replace(b"F,50,", b"F,=50,", 1)
    (tmp_path / "data.csv").write_bytes(raw)
    data = [str(tmp_path / "data.csv"), "--label", "sex"]
    assert main(["suspects", *data, "--no-values", "--out", str(out)]) == 0
    frame = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert frame["content"].str.startswith("'=50").sum() == 1
    swapped = (frame["row"] == "12") & frame["column"].isin(["weight", "height"])
    frame.loc[swapped, "after"] = frame.loc[swapped, "suggestion"]
    frame.to_csv(out, index=False)
    decided = ["--decisions", str(out), "--out", str(fixed)]
    assert main(["repair", *data, *decided]) == 0
    assert "2 cells replaced" in capsys.readouterr().out
    assert fixed.read_bytes() == raw.replace(b"F,166,57,", b"F,57,166,")


def test_report_writes_html_and_xlsx_with_decisions(tmp_path, davis_values, capsys):
    openpyxl = pytest.importorskip("openpyxl")
    decisions = tmp_path / "decisions.csv"
    decisions.write_text(
        "row,column,decision,after\n12,height,error,166\n12,weight,error,57\n"
    )
    page, book = tmp_path / "report.html", tmp_path / "report.xlsx"
    files = ["--out", page, "--xlsx", book, "--decisions", decisions]
    assert on_davis("report", *files, "--values", davis_values, "--measure") == 0
    shown = capsys.readouterr()
    assert "measuring models" in shown.err
    assert "Gradient boosting: " in shown.out
    assert f"written to {page}, {book}" in shown.out
    text = page.read_text(encoding="utf-8")
    assert "Accuracy before and after" in text
    assert "Decisions and changes" in text
    assert openpyxl.load_workbook(book)["Table"]["C13"].value == 166


def test_what_cannot_be_reported_gets_a_sentence(tmp_path, davis_values, capsys):
    davis = tmp_path / "davis.csv"
    davis.write_bytes((SAMPLES / "davis.csv").read_bytes())
    fine = tmp_path / "fine.csv"
    fine.write_text("row,column,decision\n12,height,fine\n")
    out = ["--out", tmp_path / "out.html"]
    values = ["--values", davis_values]
    for command, arguments, words in [
        ("suspects", ["--out", davis], "would replace"),
        ("suspects", ["--out", davis_values, *values], "would replace"),
        ("suspects", ["--out", tmp_path / "none" / "a.csv"], "no folder"),
        ("suspects", ["--top", "-1"], "--top -1 is not possible"),
        ("suspects", [*out, *values, "--exclude", "repwt"], "another table"),
        ("suspects", [*out, "--values", davis], "does not hold cell values"),
        ("suspects", [*out, "--values", tmp_path / "no.npz"], "no file"),
        ("report", ["--out", davis], "would replace"),
        ("report", ["--out", fine, "--decisions", fine], "would replace"),
        ("report", [*out, "--xlsx", davis], "Choose another --xlsx"),
        ("report", [*out, "--xlsx", tmp_path / "out.html"], "are both"),
        ("report", [*out, "--measure"], "--decisions"),
        ("report", [*out, "--measure", "--decisions", fine], "Nothing was changed"),
    ]:
        given = [command, str(davis), "--label", "sex", *map(str, arguments)]
        assert main(given) == 2, words
        shown = capsys.readouterr()
        assert words in shown.err
        assert shown.err.splitlines()[-1].startswith("cellval: ")
        assert not (tmp_path / "out.html").exists()
    assert davis.read_bytes() == (SAMPLES / "davis.csv").read_bytes()


def test_no_xlsx_is_told_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    files = ["--out", tmp_path / "a.html", "--xlsx", tmp_path / "a.xlsx"]
    assert on_davis("report", *files) == 2
    shown = capsys.readouterr()
    assert 'pip install "cellval[xlsx]"' in shown.err
    assert "test points" not in shown.err


def test_messages_name_options_and_not_python_arguments(tmp_path, davis_values, capsys):
    out = ["--out", tmp_path / "o"]
    for arguments, words in [
        (["--id", "x"], "no column 'x' (--id)"),
        (["--exclude", "x"], "no column 'x' (--exclude)"),
        (["--kind", "x=number"], "no column 'x' (--kind)"),
        (["--kind", "sexes"], "--kind sexes is not understood"),
        (["--kind", "height=size"], "'size' is no kind"),
        (["--max-columns", "3"], "raise the limit with --max-columns"),
        (
            ["--neighbors", 3, "--continue", davis_values],
            "different --neighbors. Use",
        ),
        (
            ["--kind", "weight=id", "--exclude", "height", "repwt", "repht"],
            "set its kind with --kind",
        ),
    ]:
        assert on_davis("run", *out, *arguments) == 2
        assert words in capsys.readouterr().err


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
    assert saved.settings["table"] == told.fingerprint


def test_ctrl_c_keeps_the_last_complete_answer(tmp_path, monkeypatch, capsys):
    from cellval.cli import find as loop_commands

    def interrupted(*arguments, **options):
        yield from cellval.detect.surprise.iter_surprise(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(loop_commands, "iter_surprise", interrupted)
    out = tmp_path / "s.csv"
    assert on_davis("suspects", "--no-values", "--out", out) == 130
    assert "keeping what there is" in capsys.readouterr().err
    assert len(pd.read_csv(out)) == 800
