import numpy as np
import pandas as pd
import pytest

from cellval.experiments.splits import correlations, random_groups


def test_the_short_version_is_well_told(quick, well_told):
    well_told("splits", quick("splits"))


def test_values_of_all_blocks_sum_to_the_same_for_every_split(quick):
    sums = quick("splits").points.groupby(["model", "split"])["value"].sum()
    for _, own in sums.groupby(level="model"):
        np.testing.assert_allclose(own, own.iloc[0])


def test_random_lines_cut_everything_into_groups_that_are_large_enough():
    for seed in range(50):
        groups = random_groups(23, 4, np.random.default_rng(seed), 2)
        assert len(groups) == 4
        assert groups.sizes.sum() == 23
        assert groups.sizes.min() >= 2


def test_ranks_correlate_whatever_the_shape():
    accuracy = np.array([0.5, 0.6, 0.7, 0.8])
    own = {"model": "KNN", "split": 1, "accuracy": accuracy, "cells": [4, 3, 2, 1]}
    found = correlations(pd.DataFrame({**own, "value": np.exp(9 * accuracy)})).iloc[0]
    assert found["spearman"] == pytest.approx(1.0)
    assert found["pearson"] < 0.99
    assert found["spearman_of_size"] == pytest.approx(-1.0)
