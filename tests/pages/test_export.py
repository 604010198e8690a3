"""The Export page: the repaired file, decisions and values, reports."""

import io
import json
import sys
from dataclasses import replace

import pandas as pd
import pytest
from cases import survey_workbook
from helpers import (
    DAVIS,
    click,
    davis_source,
    davis_table,
    downloads_of,
    labels,
    pick,
    running,
    session_of,
    shown,
    text_of,
    texts,
    valued,
)

import cellval
from cellval.errors import InputError
from cellval.export.frames import csv_bytes, decisions_frame
from cellval.project.source import Source
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import Repair, repaired, repaired_file, repaired_name
from cellval.table.workbook import WorkbookFormat
from cellval.ui.export import files

SWAP = {
    (12, "height"): Repair("replace", "166", "Swapped with 'weight' in the same row."),
    (12, "weight"): Repair("replace", "57", "Swapped with 'height' in the same row."),
}
FILES = ["Download the repaired CSV", "Download the change log", "Download the recipe"]
FILES += ["Download flagged cells", "Download the whole list", "Download the values"]
FILES += ["Download the script"]


def opened(run, **work):
    return shown("export", run, source=davis_source(), **work)


def opened_file(raw, repairs):
    """The page of another file, with label y."""
    source = Source.of("other.csv", raw)
    run = valued(cellval.read(source.buffer(), label="y"))
    return shown("export", run, source=source, repairs=repairs)


def test_export_offers_the_repaired_file_and_the_rest(davis):
    app = opened(davis, repairs=dict(SWAP))
    assert list(downloads_of(app)) == FILES
    assert "byte for byte" in text_of(app)
    assert "would be run as a formula" not in texts(app.warning)
    assert {"Make the report", "Make the workbook"} <= set(labels(app))


def test_a_large_file_is_repaired_by_a_click_of_its_own(davis, monkeypatch):
    made = []

    def noted(table, file, changes):
        made.append(changes)
        return b"repaired"

    monkeypatch.setattr(files, "QUICKLY_REPAIRED", 100)
    monkeypatch.setattr(files, "repaired_bytes", noted)
    app = opened(davis)
    assert not made, "nothing is changed, and nothing made"
    app = opened(davis, repairs=dict(SWAP))
    assert not made and "Download the repaired CSV" not in downloads_of(app)
    click(app, "Make the repaired CSV")
    assert made == [tuple(SWAP.items())]
    assert "Download the repaired CSV" in downloads_of(app)


def test_during_a_run_files_hold_the_values_so_far(davis):
    app = opened(running(davis.table))
    assert "The run is going on" in text_of(app)
    assert list(downloads_of(app)) == FILES
    assert "Reports can be made as soon as" in text_of(app)


def test_the_repaired_file_is_the_drop_in():
    source = davis_source()
    found = files.repaired_bytes(davis_table(), source, tuple(SWAP.items()))
    assert found == repaired_file(source.raw, SWAP, "davis.csv")
    pairs = zip(source.raw.splitlines(), found.splitlines(), strict=True)
    assert sum(a != b for a, b in pairs) == 1


def test_a_change_log_promises_an_id_only_where_there_is_one(davis):
    assert "2 lines: row, column, before" in text_of(opened(davis, repairs=SWAP))
    table = cellval.read(DAVIS, label="sex", id_column="repwt")
    app = opened(valued(table), repairs=SWAP)
    assert "2 lines: row, id, column, before, after and reason." in text_of(app)


def test_a_repaired_workbook_comes_back_as_one():
    pytest.importorskip("python_calamine", reason="in the extra 'excel'")
    import openpyxl

    source = Source.of("survey.xlsx", survey_workbook())
    table = cellval.read(source.buffer(), label="sex")
    repairs = {
        (12, "weight"): Repair("replace", "57", "Swapped."),
        (12, "height"): Repair("replace", "166", "Swapped."),
        (3, ""): Repair("drop"),
    }
    app = shown("export", valued(table), source=source, repairs=repairs)
    found = downloads_of(app)
    assert "Download the repaired workbook" in found
    assert "formats, formulas and sheets as they were" in text_of(app)
    assert "Dropped rows are left empty" in text_of(app)
    raw = files.repaired_bytes(table, source, tuple(repairs.items()))
    book = openpyxl.load_workbook(io.BytesIO(raw))
    assert book.sheetnames == ["About", "Survey", "Sums"]
    sheet = book["Survey"]
    assert (sheet["C15"].value, sheet["B15"].value, sheet["A6"].value) == (
        57,
        166,
        None,
    )
    assert sheet["B4"].number_format == "0.00"
    assert book["Sums"]["A1"].value == "=SUM(Survey!C4:C203)"


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("data.csv", None, "data_repaired.csv"),
        ("data.tsv.gz", None, "data_repaired.tsv.gz"),
        ("my.data.parquet", None, "my.data_repaired.parquet"),
        ("data", None, "data_repaired.csv"),
        ("book.xlsx", "xlsx", "book_repaired.xlsx"),
        ("book.xls", "xls", "book_repaired.csv"),
        ("book.ods.zip", "ods", "book_repaired.csv"),
    ],
)
def test_the_repaired_file_is_named_after_its_format(name, kind, expected):
    written = WorkbookFormat(kind, "S", ("S",), 1, ".") if kind else None
    table = replace(davis_table(), name=name, format=written)
    assert repaired_name(table) == expected


def test_what_cannot_be_written_back_comes_as_a_csv_and_it_is_said(davis):
    old = WorkbookFormat("xls", "S", ("S",), 1, ".")
    table = replace(davis_table(), name="book.xls", format=old)
    assert r"as a CSV of this sheet: \.xls files" in files._kept_words(table)
    assert files._noun(table) == "CSV"


def test_without_changes_there_is_nothing_to_download(davis):
    found = downloads_of(opened(davis))
    assert found["Download the repaired CSV"].proto.disabled
    assert found["Download the change log"].proto.disabled


def test_a_text_that_the_file_cannot_hold_is_told_on_the_export_page():
    lines = ["größe;b;y"] + [
        f"{k % 7};{k % 3};{'ja' if k % 2 else 'nö'}" for k in range(40)
    ]
    change = {(3, "b"): Repair("replace", "漢", "Typed by hand.")}
    app = opened_file("\r\n".join(lines).encode("cp1252"), change)
    assert "cannot be written in Latin-1" in text_of(app)
    assert "Download the repaired CSV" not in downloads_of(app)
    assert "Download flagged cells" in downloads_of(app)


def test_formulas_in_the_file_are_kept_and_told():
    lines = ["a,b,y"] + [
        f"{k % 7},=x{k % 2},{'n' if k % 2 else 'm'}" for k in range(20)
    ]
    change = {(3, "a"): Repair("replace", "@sum", "Typed by hand.")}
    change[4, "b"] = Repair("blank")
    change[5, ""] = Repair("drop")
    app = opened_file("\n".join(lines).encode(), change)
    assert "19 cells of the repaired CSV would be run as a formula" in text_of(app)
    assert "keeps what you have in it as it is" in text_of(app)


def test_decisions_in_the_file_of_flagged_cells_are_chosen(davis):
    decisions = {(12, "height"): "error", (3, "weight"): "fine", (4, "weight"): "fine"}
    app = opened(davis, decisions=decisions)
    assert "1 so far" in text_of(app)
    pick(app, "Decisions in the file of flagged cells", ["error", "fine"])
    assert "3 so far" in text_of(app)


def test_reports_are_made_on_demand_and_faults_are_told(monkeypatch, davis):
    seen = {}

    def report_html(suspicion, **options):
        seen.update(options)
        return b"<html>"

    def xlsx_bytes(suspicion, **options):
        raise InputError("openpyxl is *not* installed.")

    monkeypatch.setattr(files, "report_html", report_html)
    monkeypatch.setattr(files, "xlsx_bytes", xlsx_bytes)
    app = click(opened(davis, repairs=dict(SWAP)), "Make the report")
    assert seen["repairs"] == SWAP and seen["original"].n_rows == 200
    assert seen["comparison"] is None
    assert "Download the report" in downloads_of(app)
    click(app, "Make the workbook")
    assert "openpyxl is *not* installed." in text_of(app)
    assert "Download the workbook" not in downloads_of(app)
    assert "Download the report" in downloads_of(app)


def test_reports_rank_what_is_left_as_pages_do(monkeypatch, davis):
    seen = []
    monkeypatch.setattr(
        files, "report_html", lambda suspicion, **_: seen.append(suspicion) or b"x"
    )
    odd = [(21, "repwt"), (83, "repht"), (19, "repht"), (50, "repwt")]
    app = opened(davis, decisions=dict.fromkeys(odd, "error"))
    click(app, "Make the report")
    session = session_of(app)
    assert seen[0] is session.taught(davis.suspicion).left is not davis.suspicion


def test_exported_decisions_can_be_read_again():
    table = cellval.read(DAVIS, label="sex")
    more = {**SWAP, (20, ""): Repair("drop", reason="A test.")}
    values = cellval.value_cells(repaired(table, more), n_neighbors=3)
    decisions = {(12, "height"): "error"}
    frame = decisions_frame(values, decisions, more, table, only=["error"])
    raw = csv_bytes(frame)
    assert read_decisions(raw, table) == (decisions, more)
    assert len(pd.read_csv(io.BytesIO(raw))) == 3


def test_exported_decisions_are_safe_and_complete():
    raw = b"id,=x,y\n@1,-a,n\n@2,b,m\n@3,-a,n\n@4,b,m\n"
    table = cellval.read(raw, label="y", id_column="id")
    values = cellval.value_cells(table, n_neighbors=1)
    decisions = {(2, "=x"): "error", (3, "=x"): "fine"}
    whole = decisions_frame(values, decisions, {}, table)
    assert list(whole["rank"]) == [1, 2, 3, 4]
    assert set(whole["column"]) == {"'=x"}
    assert set(whole["content"]) == {"'-a", "b"}
    assert set(whole["id"]) == {"'@1", "'@2", "'@3", "'@4"}
    flagged = decisions_frame(values, decisions, {}, table, only=["error"])
    assert flagged[["row", "decision"]].values.tolist() == [[2, "error"]]
    read = pd.read_csv(io.BytesIO(csv_bytes(flagged)))
    assert read["row"].tolist() == [2]


def test_the_preview_is_written_as_on_other_pages_and_the_file_as_ever(davis):
    app = opened(davis, decisions={(12, "height"): "error"})
    column, frame = davis.values.column_names.index("height"), app.dataframe[0].value
    assert frame["decision"].tolist() == ["wrong"]
    assert frame["value"][0] == pytest.approx(100 * davis.values.values[11, column])
    config = json.loads(app.dataframe[0].proto.columns)
    assert config["value"]["label"] == "value (pp)"
    assert "says error where it is “wrong”" in text_of(app).replace("`", "")


def test_the_original_file_is_never_touched_in_all_words(davis):
    repairs = {(12, "weight"): Repair("replace", "57")}
    for page in ("export", "repair"):
        assert "original file is never touched" in text_of(
            shown(page, davis, source=davis_source(), repairs=dict(repairs))
        )


def test_the_recipe_repairs_the_next_file(davis):
    app = opened(davis, repairs=dict(SWAP))
    text = files._recipe(session_of(app), davis.table)
    done = cellval.apply_recipe(cellval.read_recipe(text), davis.table)
    assert {cell: new.after for cell, new in done.repairs.items()} == {
        cell: new.after for cell, new in SWAP.items()
    }
    assert downloads_of(opened(davis))["Download the recipe"].proto.disabled


def test_without_yaml_there_is_a_script_and_why_there_is_no_recipe(davis, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    app = opened(davis, repairs=dict(SWAP))
    assert downloads_of(app)["Download the recipe"].proto.disabled
    assert 'pip install "cellval[recipes]"' in text_of(app)
    app.session_state["script"] = True
    app.run()
    assert "davis_repaired.csv" in app.code[0].value


def test_the_script_of_what_was_done_is_shown_when_it_is_asked_for(davis):
    app = opened(davis, repairs=dict(SWAP))
    assert not app.code
    app.session_state["script"] = True
    app.run()
    assert not app.exception
    (code,) = app.code
    assert 'cellval.read(FILE, label="sex")' in code.value
    assert "value_cells(table, n_neighbors=5)" in code.value
    assert "after: '166'" in code.value and "davis_repaired.csv" in code.value
    assert "fixed = " not in code.value  # nothing was measured or valued again
