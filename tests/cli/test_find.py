"""Commands that find and repair wrong cells: suspects, report and repair."""

import re
import sys
import threading
from dataclasses import replace

import pandas as pd
import pytest
from cases import SAMPLES, random_table, survey_workbook
from command_line import on_davis

import cellval
from cellval.cli import find
from cellval.cli.arguments import main
from cellval.cli.find import _beside
from cellval.detect.conflicts import conflicts
from cellval.detect.grouped import Search
from cellval.parallel import await_end


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


def call(*arguments):
    return main([*map(str, arguments)])


def test_a_workbook_is_repaired_on_the_sheet_that_is_named(tmp_path, capsys):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book, out = tmp_path / "survey.xlsx", tmp_path / "out.xlsx"
    book.write_bytes(survey_workbook())
    decisions = tmp_path / "decisions.csv"
    decisions.write_text("row,column,after\n2,mean,75\n")
    command = ["repair", book, "--decisions", decisions, "--out", out]
    assert call(*command) == 2  # there is no such column on the first table
    assert "no column 'mean'" in capsys.readouterr().err
    assert call(*command, "--sheet", "Sums", "--header-row", 2, "--label", "sex") == 0
    sheet = openpyxl.load_workbook(out)["Sums"]
    assert [cell.value for cell in sheet["A"]] == [
        sheet["A1"].value,
        "mean",
        57,
        75,
        58,
        77,
    ]
    assert call(*command, "--header-row", 0) == 2
    assert "--header-row 0 is not possible" in capsys.readouterr().err
    assert call(*command, "--sheet", "Nowhere") == 2
    assert "'Survey', 'Sums'" in capsys.readouterr().err


def test_an_old_workbook_becomes_a_csv(tmp_path, capsys):
    xlwt = pytest.importorskip("xlwt")
    pytest.importorskip("xlrd")
    book = xlwt.Workbook()
    sheet = book.add_sheet("S")
    for i, row in enumerate([["x", "y"], [1, "a"], [2, "b"], [30, "b"], [4, "a"]]):
        for j, value in enumerate(row):
            sheet.write(i, j, value)
    book.save(str(tmp_path / "old.xls"))
    decisions = tmp_path / "decisions.csv"
    decisions.write_text("row,column,after\n3,x,3\n")
    command = ["repair", tmp_path / "old.xls", "--decisions", decisions, "--label", "y"]
    assert call(*command, "--out", tmp_path / "new.xls") == 2
    assert "ends with .csv" in capsys.readouterr().err
    assert call(*command, "--out", tmp_path / "new.csv") == 0
    assert (tmp_path / "new.csv").read_bytes() == b"x,y\n1,a\n2,b\n3,b\n4,a\n"


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


def test_suspects_prints_the_flagged_cells_and_lists_all(tmp_path, capsys):
    out = tmp_path / "suspects.csv"
    assert on_davis("suspects", "--out", out) == 0
    shown = capsys.readouterr()
    assert "2 suspects among 800 cells; the rule aims at one false" in (shown.out)
    assert "standard error" in shown.err
    assert re.search(r"looking for surprising cells: \[#+\] 100%", shown.err)
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
    assert "Tested accuracy before and after" in text
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
    assert 'pip install "cellval[excel]"' in shown.err
    assert "test points" not in shown.err


def test_ctrl_c_keeps_the_last_complete_answer(tmp_path, monkeypatch, capsys):
    from cellval.cli import find

    def interrupted(*arguments, **options):
        yield from cellval.detect.surprise.iter_surprise(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(find, "iter_surprise", interrupted)
    out = tmp_path / "s.csv"
    assert on_davis("suspects", "--no-values", "--out", out) == 130
    assert "keeping what there is" in capsys.readouterr().err
    assert len(pd.read_csv(out)) == 800


def test_who_stops_the_values_waits_for_no_more_than_a_quick_look(
    tmp_path, capsys, monkeypatch
):
    parts = []

    def stopped(*arguments, **options):
        *_, last = cellval.iter_values(*arguments, **options)
        yield last
        raise KeyboardInterrupt

    def looked(*arguments, in_parts, **options):
        parts.append(in_parts)
        first, *_ = cellval.detect.surprise.iter_surprise(*arguments, **options)
        *_, last = cellval.detect.surprise.iter_surprise(*arguments, **options)
        yield first
        yield replace(last, done=0.5)
        raise AssertionError("it went on")

    monkeypatch.setattr("cellval.cli.files.iter_values", stopped)
    monkeypatch.setattr("cellval.cli.files.FEW_SECONDS", 0)
    monkeypatch.setattr(find, "expected_seconds", lambda *_, **__: 60.0)
    monkeypatch.setattr(find, "iter_surprise", looked)
    assert on_davis("suspects", "--out", tmp_path / "s.csv") == 130
    told = capsys.readouterr().out
    assert parts == [True]
    assert "stopped. Values are in" in told
    assert len(pd.read_csv(tmp_path / "s.csv")) == 800


def test_suggestions_are_said_to_be_cut_short_only_if_they_were(
    tmp_path, capsys, monkeypatch
):
    options = "--no-values", "--seconds", "0.001", "--out", tmp_path / "found.csv"
    assert on_davis("suspects", *options) == 0
    assert "only the worst cells" not in capsys.readouterr().out
    monkeypatch.setattr("cellval.detect.suggestions.AT_ONCE", 1)
    assert on_davis("suspects", *options) == 0
    assert "only the worst cells have suggestions" in capsys.readouterr().out


HOMES = "size,price\n" + "".join(
    f"{20 + 3 * i + i % 2},{9000 + 1310 * i + 170 * (i % 7)}\n" for i in range(40)
)


def test_a_table_without_a_label_is_looked_at_not_valued(tmp_path, capsys):
    data, out = tmp_path / "homes.csv", tmp_path / "suspects.csv"
    data.write_text(HOMES.replace("\n50,", "\n5000,"))
    assert main(["suspects", str(data), "--no-label", "--out", str(out)]) == 0
    found = pd.read_csv(out)
    assert found.loc[0, ["row", "column", "content"]].tolist() == [11, "size", 5000]
    assert found["value"].isna().all()
    capsys.readouterr()
    folder = str(tmp_path / "values")
    assert main(["run", str(data), "--no-label", "--out", folder]) == 2
    assert "without a label" in capsys.readouterr().err


def test_a_label_of_numbers_is_valued_by_closeness(tmp_path, capsys):
    data = tmp_path / "homes.csv"
    data.write_text(HOMES)
    command = ["run", str(data), "--label", "price", "--out", str(tmp_path / "v")]
    assert main(command) == 0
    assert "closeness" in capsys.readouterr().out
    assert main([*command, "--width", "1e9"]) == 0
    total = cellval.load(tmp_path / "v" / "values.npz").total
    assert total == pytest.approx(1.0, abs=1e-3)  # all labels agree
    assert main([*command, "--scoring", "balanced"]) == 2
    assert "is for classes" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--xlsx", "--measure"])
def test_what_takes_longer_than_the_seconds_is_refused_before_the_work(
    tmp_path, monkeypatch, capsys, option
):
    decisions = tmp_path / "decisions.csv"
    decisions.write_text("row,column,repair,after\n12,height,replace,166\n")
    out, book = tmp_path / "report.html", tmp_path / "report.xlsx"
    asked = ["--out", out, "--decisions", decisions, "--seconds", 10, option]
    monkeypatch.setattr("cellval.cli.find.XLSX", 0.02)
    monkeypatch.setattr("cellval.cli.find.FOLD", 0.02)
    assert on_davis("report", *asked, *[book] * (option == "--xlsx")) == 2
    told = capsys.readouterr().err
    assert f"{option} would take about" in told and "--seconds 10" in told
    assert not out.exists() and not book.exists()


@pytest.mark.parametrize("command", ["run", "suspects", "report"])
def test_far_too_few_seconds_are_refused_before_the_work(
    command, tmp_path, monkeypatch, capsys
):
    for where in ("value", "find"):
        monkeypatch.setattr(f"cellval.cli.{where}.VALUING", 0.1)
    out = tmp_path / "out"
    assert on_davis(command, "--out", out, "--seconds", 10) == 2
    told = capsys.readouterr().err
    assert "--seconds 10 is too short" in told and "Allow --seconds" in told
    assert not out.is_file() and not list(tmp_path.glob("out/*"))


def test_values_are_kept_if_rules_cannot_be_found(tmp_path, monkeypatch, capsys):
    def fails(table):
        raise MemoryError

    monkeypatch.setattr("cellval.detect.grouped.FINDERS", (fails,))
    assert on_davis("suspects", "--out", tmp_path / "s.csv") == 2
    assert "Values are finished" in capsys.readouterr().err
    assert cellval.load(tmp_path / "s_values.npz").n_test


def test_who_leaves_early_does_not_wait_for_all_rules(monkeypatch):
    begun, waits, asked = threading.Event(), threading.Event(), []

    def looks(table):
        begun.set()
        waits.wait()

    monkeypatch.setattr("cellval.cli.find.PATIENCE", 0.01)
    monkeypatch.setattr("cellval.detect.grouped.FINDERS", (looks, asked.append))
    search = Search(random_table(0, 20, ["number"]))
    with pytest.raises(KeyboardInterrupt), _beside(search) as rules:
        begun.wait()
        raise KeyboardInterrupt
    assert not rules.done()
    waits.set()
    await_end(rules)
    assert not asked  # the next one was not begun


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_rules_are_looked_for_beside_values_where_there_is_a_core(
    jobs, tmp_path, monkeypatch
):
    where = []

    def looks(table):
        where.append(threading.current_thread() is threading.main_thread())
        return []

    monkeypatch.setattr("cellval.detect.grouped.FINDERS", (looks,))
    assert on_davis("suspects", "--out", tmp_path / "s.csv", "--jobs", jobs) == 0
    assert where[0] == (jobs == "1")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_rules_that_are_not_found_in_time_are_left_out(
    jobs, tmp_path, monkeypatch, capsys
):
    """One that looks just then, beside, is not waited for."""
    goes_on, asked = threading.Event(), []

    def looks(table):
        if jobs == "2":
            goes_on.wait()
        return conflicts(table)

    monkeypatch.setattr("cellval.cli.find.PATIENCE", 0.01)
    monkeypatch.setattr("cellval.detect.grouped.FINDERS", (looks, asked.append))
    options = "--no-values", "--seconds", "0.001", "--out", tmp_path / "s.csv"
    assert on_davis("suspects", *options, "--jobs", jobs) == 0
    goes_on.set()
    assert not asked
    assert "not all kinds of rules were looked for" in capsys.readouterr().err
    assert len(pd.read_csv(tmp_path / "s.csv")) == 800


def test_measuring_ends_with_the_seconds(tmp_path, monkeypatch, davis_values, capsys):
    decisions = tmp_path / "decisions.csv"
    decisions.write_text("row,column,repair,after\n12,height,replace,166\n")
    asked = ["--out", tmp_path / "report.html", "--decisions", decisions, "--measure"]
    monkeypatch.setattr("cellval.cli.find.FOLD", 0.0)
    assert on_davis("report", *asked, "--values", davis_values, "--seconds", 0.001) == 0
    told = capsys.readouterr().out
    assert "KNN: Too early to say" in told
    assert "not all folds were measured; more time" in told
