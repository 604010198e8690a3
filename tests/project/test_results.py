"""Small results as JSON, and back."""

import json

import numpy as np
import pytest

import cellval
from cellval.games.block_values import BlockValues
from cellval.project.results import again, told
from cellval.repairs.comparison import Comparison


def test_results_come_back_as_they_were(davis):
    fixed = cellval.repair(davis, {(12, "weight"): "57", (12, "height"): "166"})
    measured = cellval.compare_models(davis, fixed, folds=2, repeats=1)
    blocks = cellval.value_blocks(davis, "sex")
    for kind, result in ((Comparison, measured), (BlockValues, blocks)):
        found = again(kind, json.loads(json.dumps(told(result))))
        for name, value in vars(result).items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(getattr(found, name), value)
                assert getattr(found, name).dtype == value.dtype
    assert found.row_groups == blocks.row_groups
    assert again(Comparison, told(measured)).frame().equals(measured.frame())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("models", "all"),
        ("models", [1, 2]),
        ("before", [1.0]),
        ("before", {"array": ["x"], "dtype": "<U1"}),
        ("before", {"array": [1] * 200, "dtype": "S2000000000"}),
        ("before", {"array": [1], "dtype": "f8,f8"}),
        ("note", {}),
        ("n_touched", None),
        ("failures", {"tree": 5}),
        ("errors_before", "none"),
        ("unheard_of", 1),
    ],
)
def test_what_is_no_result_is_refused(davis, name, value):
    """Of a project that somebody made up; or a page could not be drawn."""
    fixed = cellval.repair(davis, {(12, "weight"): "57"})
    measured = cellval.compare_models(davis, fixed, folds=2, repeats=1)
    with pytest.raises(TypeError):
        again(Comparison, told(measured) | {name: value})
