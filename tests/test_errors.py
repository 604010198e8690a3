"""What a person can fix: one exception, and checks that raise it."""

import numpy as np
import pytest

import cellval
from cellval.errors import InputError, is_positive, is_whole, require


def test_a_fault_of_a_person_is_a_value_error_with_a_sentence():
    assert issubclass(InputError, ValueError)
    assert cellval.InputError is InputError
    with pytest.raises(InputError) as caught:
        require("near", 0, False, "None, or 1 or more")
    assert str(caught.value) == "near=0 is not possible: it must be None, or 1 or more."
    require("near", 5, True, "None, or 1 or more")


@pytest.mark.parametrize("value", [1, 7, np.int64(3), np.uint8(1)])
def test_whole_numbers_are_whole(value):
    assert is_whole(value, 1) is True
    assert is_whole(value, 8) is False


@pytest.mark.parametrize("value", [True, 2.0, "2", None, [2], np.float64(2)])
def test_nothing_else_is_whole(value):
    assert not is_whole(value, 0)


@pytest.mark.parametrize("value", [None, 1, 0.1, np.float32(2)])
def test_positive_numbers_and_none_are_fine(value):
    assert is_positive(value)


@pytest.mark.parametrize("value", [0, -1, float("nan"), "2", [1], np.float64(0)])
def test_nothing_else_is_positive(value):
    assert not is_positive(value)
