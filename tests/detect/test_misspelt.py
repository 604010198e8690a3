"""Categories that are a slip of the fingers."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.misspelt import misspelt, spelt_otherwise


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
    assert slips(*["Berlina"] * 3) == {"Berlina": "Berlin"}  # one in twenty
    assert slips(*["Berlina"] * 4) == {}


def test_several_letters_of_a_long_word_may_be_wrong():
    words = ["Germany here"] * 20
    assert slips("Gexmaxy here", *words) == {"Gexmaxy here": "Germany here"}
    assert slips("Gexmxxy xere", *words) == {}  # too many


def test_a_cell_may_hold_a_novel():
    assert slips("Berlin " * 10_000) == {}


def booleans(**counts):
    cells = [text for text, n in counts.items() for _ in range(n)]
    frame = pd.DataFrame({"x": cells, "y": np.resize(["a", "b"], len(cells))})
    table = cellval.Table.from_frame(frame, label="y", kinds={"x": "category"})
    return table, spelt_otherwise(table, table.features[0])


def test_rare_spellings_of_yes_and_no_are_found():
    _, found = booleans(yes=60, no=40, Yes=3, ja=1, No=2)
    assert found == {"Yes": "yes", "ja": "yes", "No": "no"}


def test_what_many_write_is_as_usual():
    assert booleans(yes=60, no=40, Yes=4)[1] == {}
    assert booleans(yes=60, no=40, maybe=1, Yes=1)[1] == {}


def test_a_rare_spelling_is_listed_with_the_usual_one_as_suggestion():
    table, _ = booleans(yes=60, no=40, ja=1)
    first = cellval.suspects(table).iloc[0]
    assert (first["content"], first["suggestion"]) == ("ja", "yes")
    assert first["reason"] == "Written otherwise: nearly all others have 'yes'."
    assert first["why"] == "What most cells that mean the same have."
