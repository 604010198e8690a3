"""Categories that are a slip of the fingers."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.misspelt import misspelt


def slips(*words):
    cells = ["Berlin"] * 60 + ["München"] * 40 + ["Type 1"] * 40 + ["Köln"] * 40
    cells += words
    frame = pd.DataFrame({"x": cells, "y": np.resize(["a", "b"], len(cells))})
    table = cellval.Table.from_frame(frame, label="y", kinds={"x": "category"})
    (column,) = table.features
    names = column.categories
    return {names[slip]: names[meant] for slip, meant in misspelt(column).items()}


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("berlin", "Berlin"),
        ("BERLIN.", "Berlin"),
        ("Belrin", "Berlin"),
        ("Berin", "Berlin"),
        ("Berlinn", "Berlin"),
        ("Bärlin", "Berlin"),
        ("Munchen", "München"),
        ("Könl", "Köln"),
    ],
)
def test_one_slip_is_recognised(slip, meant):
    assert slips(slip) == {slip: meant}


@pytest.mark.parametrize("word", ["Paris", "Type 2", "Be", "Berlikum", "Kölm", "Kön"])
def test_other_words_are_left_alone(word):
    assert slips(word) == {}


def test_what_is_written_more_often_is_meant():
    assert slips("Berlina", "Berlina", "Berlina") == {}


def test_a_cell_may_hold_a_novel():
    assert slips("Berlin " * 10_000) == {}
