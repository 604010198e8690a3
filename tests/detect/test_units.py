"""Another unit: found where a factor puts a cluster right, not where rows are far."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.units import in_another_unit, other_units

RNG = np.random.default_rng(0)
INCHES = RNG.normal(68, 4, 400).round(1)


def table_of(numbers):
    frame = pd.DataFrame({"x": numbers, "y": np.arange(len(numbers)) % 2})
    return cellval.Table.from_frame(frame, label="y", kinds={"x": "number"})


def converted(numbers):
    groups = in_another_unit(table_of(numbers).columns[0])
    return {i: group for group in groups for i in group.rows.tolist()}


@pytest.mark.parametrize("factor", [1 / 12, 2.54, 0.0254, 0.001])
@pytest.mark.parametrize("n", [12, 120])
def test_cells_in_another_unit_are_found(factor, n):
    x = INCHES.copy()
    x[:n] *= factor
    found = converted(x)
    if factor == 0.0254:  # inches in metres: no factor between two units
        assert found == {}
    else:
        assert len(set(found) - set(range(n))) == 0 and len(found) >= 0.9 * n


def test_both_sides_and_the_sentence():
    x = INCHES.copy()
    x[:20] /= 12
    x[20:50] *= 2.54
    x[0], x[20] = 6.0, 172.72
    found = converted(x)
    assert {0, 20} <= set(found) <= set(range(50)) and len(found) > 45
    assert (found[0].given, found[0].wanted) == ("ft", "in")
    feet, metric = other_units(table_of(x))
    assert feet.reason(0).startswith("6 lies far from the others, but 72 would be as")
    assert feet.reason(0).endswith("another unit, such as ft for in?")
    assert feet.after[0] == "72" and metric.after[0] == "68" and feet.is_flagged
    assert feet.title == "x: ft instead of in?"


@pytest.mark.parametrize(
    "x",
    [
        INCHES,
        np.append(INCHES, RNG.normal(25, 1, 60)),  # another kind of rows
        np.append(INCHES, [68 / 12] * 5),  # too few to say
        RNG.lognormal(3, 1, 800),  # a long tail
        np.append(np.zeros(500), RNG.lognormal(8, 1, 60)),  # mostly nothing
        np.append(RNG.normal(4.9, 0.8, 100), RNG.normal(1.5, 0.2, 50)),  # petals
        np.append(np.full(300, 40.0), np.repeat([20.0, 60.0], 60)),  # hours
        -INCHES,
        np.full(60, 3.0),
        [1.0, 2.0],
        [np.nan] * 30 + [1.0] * 30,
    ],
)
def test_what_is_far_for_other_reasons_is_left_alone(x):
    assert converted(np.asarray(x, float)) == {}


def test_they_are_suspects_and_do_not_hide_others():
    x = INCHES.copy()
    x[:90] /= 12
    x[200] = 9000.0
    frame = pd.DataFrame({"x": x, "z": RNG.normal(size=400), "y": ["a", "b"] * 200})
    table = cellval.Table.from_frame(frame, label="y")
    found = surprise(table)
    assert (found.surprise[:90, 0] == 0).mean() > 0.9
    assert found.surprise[200, 0] < 1e-6
    flagged = cellval.suspects(table)
    assert {201, *range(1, 80)} <= set(flagged["row_number"][: 1 + 90])
