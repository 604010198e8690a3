"""A table with planted errors, written as its file writes."""

import re

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.validation.planted_table import plant_into
from cellval.validation.planting import KINDS


def sample(name, label):
    return cellval.read(f"sample_data/{name}.csv", label=label)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_planted_stands_in_the_table_and_nothing_else_changed(kind):
    table = sample("ugly", "grade")
    made = plant_into(table, kind, share=0.05, test_share=0.2)
    clean, dirty = made.clean, made.table
    assert dirty.feature_names == clean.feature_names == table.feature_names
    assert [c.kind for c in dirty.features] == [c.kind for c in clean.features]
    assert clean.n_rows + made.held_out.size == table.n_rows
    changed = (clean.cells != dirty.cells).to_numpy()
    names = list(clean.cells.columns)
    places = {(i, names[j]) for i, j in zip(*np.nonzero(changed), strict=True)}
    wrong = {
        (i, table.feature_names[j])
        for i, j in zip(*np.nonzero(made.wrong), strict=True)
    }
    assert wrong <= places <= set(made.texts)
    for (i, name), text in made.texts.items():
        assert dirty.cells[name].iloc[i] == text
        column = next(c for c in dirty.features if c.name == name)
        assert not column.missing[i]  # an error is a content, and no stray


def test_errors_are_written_as_the_file_writes():
    frame = pd.DataFrame(
        {
            "weight": [f"{60 + i % 30},5 kg" for i in range(120)],
            "day": [f"{1 + i % 28:02}.0{1 + i % 9}.2024" for i in range(120)],
            "y": ["a", "b"] * 60,
        }
    )
    kinds = {"weight": "number", "day": "date"}
    table = cellval.Table.from_frame(frame, label="y", kinds=kinds)
    ten = plant_into(table, "times ten", share=0.1)
    assert ten.n_wrong == 12 and not ten.wrong[:, 1].any()
    assert all(text.endswith("5 kg") for text in ten.texts.values())
    noise = plant_into(table, "noise", share=0.1)
    assert noise.wrong[:, 1].any()
    days = [text for (_, name), text in noise.texts.items() if name == "day"]
    assert all(len(day) == 10 and day[2] == day[5] == "." for day in days)


def test_errors_in_times_and_named_months_are_written_as_such():
    frame = pd.DataFrame(
        {
            "at": [f"{8 + i % 9:02}:{i % 60:02}" for i in range(120)],
            "day": [f"{1 + i % 28} Mar 2024" for i in range(120)],
            "y": ["a", "b"] * 60,
        }
    )
    table = cellval.Table.from_frame(frame, label="y")
    noise = plant_into(table, "noise", share=0.1)
    assert noise.wrong.any(axis=0).all()
    for (_, name), text in noise.texts.items():
        assert re.fullmatch(r"\d\d:\d\d" if name == "at" else r"\d\d \w{3} 2024", text)
