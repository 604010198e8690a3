"""Suspects and missing cells of each column."""

import numpy as np
import pytest

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.views.column_facts import column_facts


def test_every_flagged_cell_is_counted_in_its_column(davis):
    values = cellval.value_cells(davis, n_neighbors=5)
    ranked = make_suspicion(davis, values, surprise(davis))
    facts = column_facts(values, davis, ranked)
    assert facts.suspects.sum() == ranked.n_flagged
    assert facts.suspects.tolist() == [1, 1, 0, 0]  # weight and height of row 12
    missing = [np.mean(column.missing) for column in davis.features]
    assert facts.missing == pytest.approx(missing)
    assert facts.missing[2] == pytest.approx(17 / 200)


def test_before_suspicion_nothing_is_said_of_suspects(davis):
    values = cellval.value_cells(davis, n_neighbors=5)
    assert column_facts(values, davis, None).suspects is None
