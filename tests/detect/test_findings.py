"""All findings of a table: each cell asked about once, most errors first."""

import numpy as np
import pandas as pd

import cellval
from cellval.detect.findings import all_findings, sure_of_cells
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion

RNG = np.random.default_rng(0)
N = 400


def dirty_frame():
    town = RNG.choice(["Zürich", "Genève", "Lausanne"], N).astype(object)
    code = pd.Series(town).map({"Zürich": "8001", "Genève": "1201", "Lausanne": "1003"})
    size = RNG.normal(50, 5, N).round(1).astype(str).astype(object)
    frame = pd.DataFrame({"town": town, "zip": code, "size": size})
    frame["weight"] = RNG.normal(70, 5, N).round(1)
    frame.loc[:24, "size"] = [f"{text}%" for text in frame.loc[:24, "size"]]
    frame.loc[100, "town"] = "Lausane"
    frame.loc[200, "weight"] = 712.0
    frame.loc[30:44, "weight"] = -999
    return frame


TABLE = cellval.Table.from_frame(dirty_frame(), label=None, kinds={"zip": "category"})
FOUND = cellval.findings(TABLE)


def test_each_error_is_a_question_and_most_come_first():
    flagged = [one for one in FOUND if one.is_flagged]
    assert [(one.kind, one.n_cells) for one in flagged[:2]] == [
        ("format", 25),
        ("code", 15),
    ]
    cells = {
        (int(i), str(c))
        for one in flagged
        for i, c in zip(one.rows, one.columns, strict=True)
    }
    assert {(100, "town"), (200, "weight")} <= cells and len(cells) <= 43
    errors = [one.expected_errors for one in FOUND]
    assert errors == sorted(errors, reverse=True)


def test_a_cell_is_in_one_flagged_finding_only():
    cells = [
        (int(i), c)
        for one in FOUND
        if one.is_flagged
        for i, c in zip(one.rows, one.columns, strict=True)
    ]
    assert len(cells) == len(set(cells))


def test_actions_are_filled_in():
    percent = next(one for one in FOUND if one.kind == "format")
    assert percent.after.tolist() == [t.rstrip("%") for t in percent.before(TABLE)]
    town = next(one for one in FOUND if (one.rows == 100).any() and one.is_flagged)
    assert town.after.tolist() == ["Lausanne"]


def test_many_cells_of_one_format_all_get_their_reading():
    n = 1500
    size = RNG.normal(50, 5, n).round(1).astype(str).astype(object)
    size[:500] = [f"{text}%" for text in size[:500]]
    frame = pd.DataFrame({"size": size, "x": RNG.normal(size=n).round(3)})
    table = cellval.Table.from_frame(frame, label=None)
    one = cellval.findings(table)[0]
    assert one.n_cells == 500
    assert one.after.tolist() == [text.rstrip("%") for text in one.before(table)]


def test_keys_differ_and_are_the_same_next_time():
    again = cellval.findings(TABLE)
    assert [one.key for one in again] == [one.key for one in FOUND]
    assert len({one.key for one in FOUND}) == len(FOUND)


def test_flagged_cells_and_flagged_findings_agree():
    suspicion = make_suspicion(TABLE, None, surprise(TABLE))
    names = TABLE.feature_names
    rows, columns = np.nonzero(suspicion.ranks <= suspicion.n_flagged)
    flagged = {(int(i), names[j]) for i, j in zip(rows, columns, strict=True)}
    asked = {
        (int(i), str(c))
        for one in all_findings(suspicion)
        if one.is_flagged
        for i, c in zip(one.rows, one.columns, strict=True)
    }
    assert flagged == {cell for cell in asked if cell[1] in names}


def test_how_sure_one_is_of_a_cell_falls_with_its_rank():
    suspicion = make_suspicion(TABLE, None, surprise(TABLE))
    sure = sure_of_cells(suspicion)
    places = np.unravel_index(suspicion.order, suspicion.scores.shape)
    sures = [sure((int(i), int(j))) for i, j in zip(*places, strict=True)]
    assert sures == sorted(sures, reverse=True)
    assert sures[suspicion.n_flagged - 1] >= 0.5 > sures[suspicion.n_flagged]


def test_a_clean_table_and_a_little_one_ask_little():
    frame = pd.DataFrame(RNG.normal(size=(300, 5)).round(3), columns=[*"abcde"])
    clean = cellval.Table.from_frame(frame, label=None)
    assert [one for one in cellval.findings(clean) if one.is_flagged] == []
    two = cellval.Table.from_frame(pd.DataFrame({"x": [1, 2], "z": [3, 4]}), label=None)
    assert cellval.findings(two) == ()


def test_numbers_with_one_unit_are_read_alike():
    size = RNG.normal(10, 3, 200).round(1).astype(str).astype(object)
    size[::10] = [f"{text} kg" for text in size[::10]]
    frame = pd.DataFrame({"size": size, "x": RNG.normal(size=200).round(3)})
    table = cellval.Table.from_frame(frame, label=None)
    one = next(one for one in cellval.findings(table) if one.kind == "format")
    held = [text.removesuffix(" kg") for text in one.before(table)]
    assert one.n_cells == 20 and one.after.tolist() in (held, [None] * 20)


def test_a_doubtful_code_of_flagged_cells_is_one_likely_question():
    x = RNG.normal(50, 5, 300).round(1)
    x[RNG.permutation(300)[:5]] = 1_000_000.0
    frame = pd.DataFrame({"x": x, "z": RNG.normal(size=300).round(3)})
    found = cellval.findings(cellval.Table.from_frame(frame, label=None))
    asked = [one for one in found if (one.columns == "x").any() and one.is_flagged]
    assert [(one.kind, one.n_cells) for one in asked] == [("code", 5)]


def test_a_spelling_goes_before_blanks_around_it():
    town = np.resize(["Boston", "Chicago"], 400).astype(object)
    town[:30] = [f"{text} " for text in town[:30]]
    town[0] = "Bostn "
    frame = pd.DataFrame({"town": town, "z": RNG.normal(size=400).round(3)})
    table = cellval.Table.from_frame(frame, label=None)
    found = {one.kind: one for one in cellval.findings(table) if one.is_flagged}
    assert found["spelling"].after.tolist() == ["Boston"]
    assert found["format"].n_cells == 29
    assert found["format"].action(table).startswith("Chicago␣ → Chicago")


def test_of_dates_only_what_is_clear_is_proposed():
    days = pd.date_range("2020-01-01", periods=N, freq="D").strftime("%Y-%m-%d")
    frame = dirty_frame().assign(day=days)
    frame.loc[[3, 5, 9], "day"] = ["31.12.2024", "03/04/2024", "31.12.24"]
    table = cellval.Table.from_frame(frame, label=None)
    found = [one for one in cellval.findings(table) if one.column == "day"]
    after = {
        int(i): new for one in found for i, new in zip(one.rows, one.after, strict=True)
    }
    assert after[3] == "2024-12-31" and after[5] is None and after[9] is None
    assert cellval.suggest(table, 4, "day")[0].text == "2024-12-31"
    assert not any(one.is_likely for one in cellval.suggest(table, 6, "day"))
