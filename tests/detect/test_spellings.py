"""Spellings as questions: how sure, by how often they are and how words differ."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.spellings import spellings

WORDS = ["hospital"] * 120 + ["surgery"] * 80 + ["Hospital care centre"] * 110


def found(*words, main=WORDS):
    cells = [*main, *words]
    frame = pd.DataFrame({"x": cells, "y": np.resize(["a", "b"], len(cells))})
    table = cellval.Table.from_frame(frame, label="y", kinds={"x": "category"})
    return {
        table.cells["x"].iat[one.rows[0]]: one
        for one in spellings(table)
        if one.column == "x"
    }


@pytest.mark.parametrize(
    ("word", "n", "usual", "flagged"),
    [
        ("hospitel", 1, "hospital", True),
        ("hospitel", 5, "hospital", False),  # so often it may be meant
        ("Hospital care centrw", 5, "Hospital care centre", True),
        ("HOSPITAL", 30, "hospital", True),
        ("HOSPITAL", 100, "hospital", False),  # who knows which
        ("hoxpixal", 1, "", False),  # too much is wrong
        ("clinic", 2, "", False),
    ],
)
def test_one_question_for_each_spelling(word, n, usual, flagged):
    one = found(*[word] * n).get(word)
    if not usual:
        assert one is None
        return
    assert one.n_cells == n and set(one.after) == {usual}
    assert one.is_flagged == flagged and one.kind == "spelling"


def test_a_letter_may_make_another_word():
    main = ["group A"] * 200 + ["typical pain"] * 100
    ones = found("group B", "atypical pain", main=main)
    assert {text: one.is_flagged for text, one in ones.items()} == {
        "group B": False,
        "atypical pain": False,
    }


def test_short_words_are_asked_about_only():
    ones = found(*["xl"] * 3, *["tx"] * 3, main=["al"] * 200)
    assert list(ones) == ["xl"] and not ones["xl"].is_flagged


def test_words_that_differ_alike_are_one_doubtful_question():
    main = [f"al_{name}" for name in ("heart", "lungs", "liver") for _ in range(60)]
    ones = found("ak_heart", "ak_lungs", "ak_liver", main=main)
    (one,) = ones.values()
    assert one.n_cells == 3 and one.sure < 0.2 and one.title == "x: 'ak' for 'al'"
    assert one.after.tolist() == ["al_heart", "al_lungs", "al_liver"]


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ("<=50K", ">50K"),
        ("O+", "O-"),
        ("HIV-", "HIV+"),
        ("C", "C++"),
        ("Stage II", "Stage III"),
        ("x+y values", "x-y values"),
    ],
)
@pytest.mark.parametrize("n", [1, 4, 40])
def test_signs_and_numerals_tell_words_apart(usual, other, n):
    assert found(*[other] * n, main=[usual] * 200 + ["unlike"] * 30) == {}


@pytest.mark.parametrize(
    ("usual", "other"), [("Zambia", "Gambia"), ("Maternal", "Paternal")]
)
def test_another_first_letter_may_be_another_word(usual, other):
    ones = found(other, main=[usual] * 200 + ["unlike"] * 30)
    assert not ones[other].is_flagged


def test_numbers_in_names_are_told_apart():
    assert found("v 15", main=["v 1.5"] * 100 + ["v 2.5"] * 50) == {}


def test_many_words_make_a_slip_less_sure():
    names = [f"{a}{b}ville" for a in "bcdfghjklmnpqrstvwz" for b in ("ea", "oo", "ai")]
    main = [name for name in names for _ in range(40)]
    ones = found("beavillee", *["boovillee"] * 2, main=main)
    assert not any(one.is_flagged for one in ones.values()) and len(ones) == 2


def test_no_categories_no_spellings():
    table = cellval.Table.from_frame(pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}))
    assert spellings(table) == []


def test_slips_in_the_label_are_asked_about_too():
    cells = [*["rain"] * 60, *["sun"] * 90, "rian", "Sun"]
    frame = pd.DataFrame({"x": np.arange(len(cells)) % 7, "weather": cells})
    table = cellval.Table.from_frame(frame, label="weather")
    asked = spellings(table)
    assert {one.action(table) for one in asked} == {"rian → rain", "Sun → sun"}
    assert all(one.column == "weather" and one.is_flagged for one in asked)
