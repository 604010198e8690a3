"""A table that is valued in a moment, and one that takes minutes."""

import pytest
from cases import random_table


@pytest.fixture(scope="module")
def table():
    return random_table(0, 60, ["number", "number", "category"])


@pytest.fixture(scope="module")
def long_table():
    """With all subsets: so that a test can look at a run in progress."""
    return random_table(1, 1200, ["decimal"] * 12)
