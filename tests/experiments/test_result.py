import math

import pandas as pd
import plotly.graph_objects as go
import pytest

from cellval.experiments.result import (
    Number,
    Reproduction,
    as_text,
    over_seeds,
    read_numbers,
    write,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number("cells", 136892.0, "cells"), "136,892 cells"),
        (Number("gain", 4.94, "points"), "+4.94 points"),
        (Number("gain", -0.5, "points", "", 1.25), "-0.5 ± 1.25 points"),
        (Number("time", 0.0120522, "s", "11 s"), "0.0121 s"),
    ],
)
def test_numbers_are_short_and_have_their_unit(number, text):
    assert str(number) == text


def test_several_seeds_have_a_mean_and_a_spread_and_one_has_none():
    assert str(over_seeds("found", [78.0, 80.0], "%")) == "79 ± 1.41 %"
    assert math.isnan(over_seeds("found", [3.0]).plus_minus)


def test_the_table_puts_ours_beside_the_paper_s():
    lines = as_text([Number("found", 79.0, "%", "90 %"), Number("seeds", 10)])
    assert [line.split() for line in lines.splitlines()] == [
        ["ours", "paper"],
        ["found", "79", "%", "90", "%"],
        ["seeds", "10", "-"],
    ]


def test_a_short_version_does_not_take_the_place_of_what_is_kept(tmp_path):
    made = [Number("found, in all", 1 / 3, "", "'high'"), Number("seeds", 2)]
    result = Reproduction("age", made, pd.DataFrame({"x": [1.0]}), go.Figure())
    whole, short = (write(result, tmp_path, quick=q) for q in (False, True))
    assert not set(whole) & set(short)
    assert {path.name for path in tmp_path.iterdir()} == {p.name for p in whole + short}
    again = read_numbers(whole[0])
    assert [(n.what, n.paper) for n in again] == [(n.what, n.paper) for n in made]
    assert again[0].ours == pytest.approx(1 / 3, rel=1e-5)
