"""What looking for planted errors has found so far."""

import numpy as np
import pytest

import cellval
from cellval.validation.curves import detection_curve
from cellval.validation.planted_table import plant_into
from cellval.validation.result import Validation
from cellval.validation.signals import RANDOM, SUSPICION


@pytest.fixture(scope="module")
def planted():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return plant_into(table, "times ten", share=0.03)


def test_errors_are_listed_those_found_last_first(planted):
    rng = np.random.default_rng(0)
    ranks = 1.0 + rng.permutation(planted.wrong.size).reshape(planted.wrong.shape)
    errors = Validation("times ten", 0.03, planted, ranks=ranks).errors()
    assert list(errors) == ["row_number", "column", "before", "planted", "rank"]
    assert len(errors) == planted.n_wrong
    assert errors["rank"].is_monotonic_decreasing
    for line in errors.itertuples():
        position = planted.table.position(line.row_number)
        assert planted.texts[position, line.column] == line.planted
        assert planted.clean.cells[line.column].iloc[position] == line.before
        assert float(line.planted) == 10 * float(line.before)


def test_before_there_are_values_ranks_are_unknown(planted):
    now = Validation("times ten", 0.03, planted)
    assert now.errors()["rank"].isna().all()
    assert (now.n_wrong, now.n_cells) == (planted.n_wrong, 800)
    assert now.frame().empty and "cells_for_90" in now.frame()
    assert np.isnan(now.accuracy_clean) and not now.found


def test_a_line_a_signal_says_how_soon_errors_are_found(planted):
    perfect = np.where(planted.wrong, 0.0, 1.0)
    curves = {
        SUSPICION: detection_curve(planted.wrong, perfect),
        RANDOM: detection_curve(planted.wrong, np.zeros(perfect.shape)),
    }
    frame = Validation("times ten", 0.03, planted, curves).frame().set_index("signal")
    share = planted.n_wrong / 800
    assert frame.loc[SUSPICION, ["auc", "found_first"]].tolist() == [1.0, 1.0]
    assert frame.loc[SUSPICION, "cells_for_90"] <= share
    assert frame.loc[RANDOM, "auc"] == 0.5
    assert frame.loc[RANDOM, "found_first"] == pytest.approx(share)
    assert frame.loc[RANDOM, "cells_for_50"] == pytest.approx(0.5)
