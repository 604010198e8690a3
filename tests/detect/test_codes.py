"""Codes for missing as questions: how sure, and which are none."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.codes import codes

RNG = np.random.default_rng(0)


def table_of(**columns):
    return cellval.Table.from_frame(pd.DataFrame(columns), label=None)


@pytest.mark.parametrize(
    ("code", "share", "flagged"),
    [(-999, 0.05, True), (-999, 0.4, True), (0, 0.05, True), (0, 0.4, False)],
)
def test_one_question_for_all_cells_of_a_code(code, share, flagged):
    x = RNG.normal(100, 5, 400).round(1)
    x[RNG.permutation(400)[: int(400 * share)]] = code
    (one,) = codes(table_of(x=x, z=RNG.normal(size=400)))
    assert one.n_cells == 400 * share and one.is_flagged == flagged
    assert one.kind == "code" and one.column == "x"
    assert set(one.after) == {""} and 'stand for "missing"' in one.evidence


def test_a_word_is_asked_about_and_not_flagged():
    texts = np.resize(["red", "green", "blue"], 300).astype(object)
    texts[:30] = "unknown"
    (one,) = codes(table_of(x=texts, z=RNG.normal(size=300)))
    assert one.n_cells == 30 and not one.is_flagged


def with_marker(*, elsewhere=False, blanks=True):
    x = RNG.integers(10, 99, 200).astype(str).astype(object)
    z = RNG.integers(10, 99, 200).astype(str).astype(object)
    x[:40] = "N/A"
    z[50:60] = "N/A" if elsewhere else ""
    if not blanks:
        z[50:60] = "12"
    return codes(table_of(x=x, z=z, w=z[::-1]))


def test_a_marker_beside_blanks_is_another_way_to_say_the_same():
    (one,) = with_marker()
    assert one.n_cells == 40 and one.is_flagged
    assert "other columns leave such cells blank" in one.evidence


def test_a_marker_that_is_how_the_file_says_it_is_no_question():
    assert with_marker(elsewhere=True) == ()
    assert with_marker(blanks=False) == ()
    x = RNG.integers(10, 99, 200).astype(str).astype(object)
    x[:180], x[190] = "NA", ""  # blanks of its own column tell nothing
    assert codes(table_of(x=x, z=RNG.integers(10, 99, 200).astype(str))) == ()


def test_little_tables_have_no_codes():
    assert codes(table_of(x=[1.0, 2.0], z=["a", "b"])) == ()
    assert codes(table_of(x=[np.nan] * 5, z=["a", "b", "a", "b", "c"])) == ()
