"""Frames for files: the shape of the input, and nothing a spreadsheet runs."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
from cases import people, random_table

import cellval
from cellval.detect.suggestions import Suggestion
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.export import frames
from cellval.export.frames import (
    csv_bytes,
    decisions_frame,
    lowest_frame,
    suspects_list,
    values_frame,
    write_csv,
)
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import (
    Repair,
)


def test_values_frame_has_the_shape_of_the_input():
    text = "id,x,note,y\n1,1.5,same,a\n2,2.5,same,\n3,3.5,same,b\n4,9,same,a\n"
    table = cellval.read(text.encode(), label="y", id_column="id")
    values = cellval.value_cells(table, n_neighbors=1)
    frame = values_frame(values, table)
    assert frame.shape == (4, 4)
    assert list(frame.columns) == ["id", "x", "note", "y"]
    assert frame["x"].isna().tolist() == [False, True, False, False]
    assert frame["y"].tolist()[0] == "a"
    assert frame["note"].isna().all()


def test_exported_lists_neutralise_ids_columns_and_cells():
    rows = "\n".join(
        f"=id{i},{'=1+1' if i % 2 else 'b'},{'pq'[i % 3 == 0]}" for i in range(30)
    )
    table = cellval.read(f"key,=c,y\n{rows}\n".encode(), label="y", id_column="key")
    frame = lowest_frame(cellval.value_cells(table))
    assert frame["id"].str.startswith("'=id").all()
    assert set(frame["column"]) == {"'=c"}
    assert set(frame["cell"]) == {"'=1+1", "b"}
    assert list(frame.columns) == [
        "row",
        "id",
        "column",
        "cell",
        "value",
        "stderr",
        "rank",
    ]


def test_the_export_holds_repairs_of_cells_without_a_value():
    table = people()
    values = cellval.value_cells(table, n_neighbors=1)
    repairs = {(6, ""): Repair("drop", reason="twice"), (5, "sex"): Repair("blank")}
    frame = decisions_frame(values, {}, repairs, table, only=["error"])
    assert frame[["row", "id", "column", "repair", "reason"]].values.tolist() == [
        [6, "f", "", "drop row", "twice"],
        [5, "e", "sex", "blank", ""],
    ]
    assert frame["value"].isna().all()
    whole = decisions_frame(values, {}, repairs, table)
    assert len(whole) == np.isfinite(values.values).sum() + 2  # row 3 has no label
    assert whole["rank"].tolist()[-2:] == [0, 0]
    none = decisions_frame(values, {}, {}, table, only=["error"])
    assert len(none) == 0 and "repair" in none


def test_rows_held_out_for_testing_are_exported_too():
    table = people()
    values = cellval.value_cells(table, n_neighbors=1)
    held_out = np.array(values.values)
    held_out[1] = np.nan
    values = replace(values, values=held_out)
    repairs = {(2, "height"): Repair("replace", "1,57")}
    decisions = {(2, "=note"): "fine"}
    frame = decisions_frame(values, decisions, repairs, table)
    assert read_decisions(csv_bytes(frame), table) == (decisions, repairs)
    decisions[1, "height"] = "fine"  # which has a value, and comes first
    few = decisions_frame(values, decisions, repairs, table, only=["fine"])
    assert few["row"].tolist() == [1, 2, 2]


def test_suggestions_stand_at_the_end_and_decisions_are_still_read():
    table = people()
    values = cellval.value_cells(table, n_neighbors=1)
    decisions = {(2, "height"): "error", (1, "height"): "error"}
    best = {
        (2, "height"): Suggestion("1,57", "A slip."),
        (1, "height"): Suggestion("", "?"),
    }
    frame = decisions_frame(
        values, decisions, {}, table, only=["error"], suggested=best
    )
    assert frame.columns[-3:].tolist() == ["reason", "suggestion", "why"]
    lines = frame.set_index("row")
    assert lines["suggestion"].to_dict() == {2: "1,57", 1: "(blank)"}
    assert lines.loc[2, "why"] == "A slip."
    assert read_decisions(csv_bytes(frame), table) == (decisions, {})


def test_a_list_of_suspects_says_why_something_is_suggested():
    table = cellval.read("sample_data/davis.csv", label="sex")
    frame = suspects_list(make_suspicion(table, None, surprise(table)), 20)
    assert frame.columns[-1] == "why"
    assert ((frame["why"] != "") == (frame["suggestion"] != "")).all()
    assert (frame["why"] != "").any()


def test_a_csv_reads_back_whatever_its_texts_hold():
    texts = ['say "a, b"', "two\nlines", "", "plain", "ß ,"]
    numbers = [1.0, np.nan, 0.1, -1e-9, 123456.5]
    frame = pd.DataFrame({'a "name", too': texts, "v": numbers, "n": range(5)})
    file = io.BytesIO()
    write_csv(frame, file)
    back = pd.read_csv(io.BytesIO(file.getvalue()), keep_default_na=False)
    assert back.iloc[:, 0].tolist() == texts
    again = pd.to_numeric(back["v"], errors="coerce").tolist()
    np.testing.assert_array_equal(again, numbers)
    assert "\nplain,-1e-9,3\n" in file.getvalue().decode()  # no needless quotes


def test_of_very_many_cells_the_lowest_are_listed(monkeypatch):
    values = cellval.value_cells(random_table(0, 30, ["number"] * 3))
    every = lowest_frame(values)
    monkeypatch.setattr(frames, "MOST_LINES", 7)
    pd.testing.assert_frame_equal(lowest_frame(values), every.head(7))
