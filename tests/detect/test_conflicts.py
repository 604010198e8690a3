"""Sources that contradict each other: asked where most of them agree."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.conflicts import conflicts

RNG = np.random.default_rng(0)


def flights(n=40, sources=12, wrong=0.3):
    name = np.repeat([f"AA-{k:03d}" for k in range(n)], sources)
    minutes = np.repeat(RNG.choice(1440, n, replace=False), sources)
    is_wrong = RNG.random(name.size) < wrong
    told = np.where(is_wrong, RNG.choice(1440, name.size), minutes)
    times = [f"{m // 60}:{m % 60:02d} p.m." for m in told]
    frame = pd.DataFrame({"flight": name, "leaves": times})
    frame["source"] = np.tile([f"site {k}" for k in range(sources)], n)
    return frame, is_wrong & (told != minutes)


def found_in(frame):
    return conflicts(cellval.Table.from_frame(frame, label=None))


def test_those_who_differ_from_most_of_their_group_are_asked_about():
    frame, is_wrong = flights()
    (one,) = found_in(frame)
    assert one.kind == "rule" and one.column == "leaves" and not one.is_flagged
    assert is_wrong[one.rows].all() and one.n_cells > 0.9 * is_wrong.sum()
    right = frame["leaves"].groupby(frame["flight"]).agg(lambda t: t.mode()[0])
    assert one.after.tolist() == right[frame["flight"].iloc[one.rows]].tolist()
    assert "rows with the same flight have" in one.reason(0)


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_columns_have_no_conflicts(seed):
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({f"c{k}": draw.integers(0, 2 + 5 * k, 300) for k in range(12)})
    assert found_in(frame.astype(str)) == ()


def test_what_agrees_easily_or_is_settled_is_no_conflict():
    frame, _ = flights(wrong=0.0)
    assert found_in(frame) == ()
    likely = RNG.choice(["small", "large"], 400)
    group = RNG.choice([f"g{k}" for k in range(20)], 400)
    assert found_in(pd.DataFrame({"group": group, "size": likely})) == ()
