"""Does a table pass? As a test of a data pipeline: pytest test_my_data.py

MY_DATA names another file than the sample.
"""

import os
from pathlib import Path

import pandas as pd
import pytest

import cellval

SAMPLES = Path(__file__).parents[2] / "sample_data"
FILE = os.environ.get("MY_DATA", SAMPLES / "wine.csv")

# What must hold in every delivery; the app and `cellval recipe` write such files.
RECIPE = b"""
version: 1
steps:
- do: rule
  kind: unique
  given: [alcohol, malic_acid, ash, proline]
  target: color_intensity
"""


def test_the_file_is_clean():
    """Nothing in it is probably wrong. The message says what is, and on which line."""
    found = cellval.check(FILE)
    assert found.is_clean, str(found)


def test_the_rules_hold():
    found = cellval.check(FILE, recipe=cellval.read_recipe(RECIPE))
    assert not found.unchecked, found.unchecked
    assert found.is_clean, str(found)


@pytest.fixture
def features():
    """A step of the pipeline."""
    return pd.read_csv(FILE).drop(columns="cultivar", errors="ignore")


def test_a_step_of_the_pipeline_leaves_a_clean_frame(features):
    found = cellval.check(features, fail_on=3)  # two may be looked at by a person
    assert found.is_clean, str(found)
