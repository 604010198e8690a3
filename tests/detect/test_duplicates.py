"""Near-duplicate rows: the odd one of several, either of two, and what is no copy."""

import numpy as np
import pandas as pd
import pytest
from row_cases import after_of, cells_of, odd_tables, people, read

import cellval
from cellval.detect.duplicates import near_duplicates


def copied(frame, rows):
    return pd.concat([frame, frame.iloc[rows]], ignore_index=True)


def test_of_three_copies_the_odd_one_is_asked_about():
    frame = copied(people(), [3, 3, 8, 8, 9, 9])
    frame.loc[200, "city"], frame.loc[202, "income"] = "Dallas", "1"
    frame.loc[204, "lat"] = "0"
    found = {one.column: one for one in near_duplicates(read(frame))}
    assert set(found) == {"city", "income", "lat"}
    assert after_of(found["city"]) == {(200, "city"): frame.at[3, "city"]}
    assert after_of(found["income"]) == {(202, "income"): frame.at[8, "income"]}
    assert all(one.kind == "duplicate" and one.is_flagged for one in found.values())
    assert "such as row 4" in found["city"].reason(0)


def test_of_two_rows_no_one_knows_which_is_wrong():
    frame = copied(people(), [3, 8])
    frame.loc[200, "city"], frame.loc[201, "lat"] = "Dallas", "0"
    found = {one.column: one for one in near_duplicates(read(frame))}
    assert cells_of(found["city"]) == {(3, "city"), (200, "city")}
    assert not found["city"].has_action and not found["city"].is_flagged
    assert found["city"].reason(0) == "Row 201 is the same in all other columns."
    assert found["city"].reason(1) == "Row 4 is the same in all other columns."


def test_a_blank_takes_what_its_copy_has():
    frame = copied(people(), [3])
    frame.loc[200, "city"] = ""
    (found,) = near_duplicates(read(frame))
    assert after_of(found) == {(200, "city"): frame.at[3, "city"]}


def test_a_column_that_tells_alike_things_apart_is_no_error():
    frame = copied(people(400), [*range(8)])
    frame.loc[400:, "income"] = [f"{k}0000" for k in range(20, 28)]
    assert near_duplicates(read(frame)) == []


def test_exact_copies_have_nothing_wrong():
    assert near_duplicates(read(copied(people(), [3, 8, 3]))) == []


def test_rows_that_agree_by_chance_are_no_copies():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (500, 6)), columns=[*"abcdef"])
    assert near_duplicates(read(frame.astype(str))) == []


def test_a_few_columns_may_agree_by_chance():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 30, (100, 4)), columns=[*"abcd"])
    frame.iloc[1, 1:] = frame.iloc[0, 1:]
    assert near_duplicates(read(frame.astype(str))) == []


def test_people_of_the_same_size_are_no_copies():
    table = cellval.read("sample_data/davis.csv", label="sex")
    assert near_duplicates(table) == []


def test_a_complete_design_is_no_error():
    levels = np.stack(np.meshgrid(*[np.arange(5)] * 4), axis=-1).reshape(-1, 4)
    frame = pd.DataFrame(levels, columns=[*"abcd"])
    assert near_duplicates(read(frame.astype(str))) == []


def test_moments_and_ids_may_differ():
    frame = copied(people(), [3, 8])
    frame["born"] = pd.date_range("2020-01-01", periods=len(frame)).strftime("%Y-%m-%d")
    frame["id"] = [f"p{k}" for k in range(len(frame))]
    assert near_duplicates(read(frame)) == []


@pytest.mark.parametrize("name", odd_tables())
def test_nothing_is_found_where_rows_differ(name):
    assert near_duplicates(read(odd_tables()[name])) == []
