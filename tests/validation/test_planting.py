"""Errors planted into a frame."""

import numpy as np
import pandas as pd
import pytest

from cellval.validation.planting import KINDS, plant, slip_labels


def frame():
    draw = np.random.default_rng(0)
    n = 400
    y = draw.integers(0, 2, n)
    return pd.DataFrame(
        {
            "x": draw.normal(50 + 20 * y, 3).round(2),
            "count": draw.integers(1, 9, n),
            "word": np.where(y == 1, draw.choice(["a", "b"], n), "c"),
            "y": np.where(y == 1, "yes", "no"),
        }
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_changed_is_what_is_said_to_be_wrong(kind):
    clean = frame()
    planted = plant(clean, "y", kind, share=0.05)
    features = clean.columns.drop("y")
    changed = (planted.frame[features] != clean[features]).to_numpy()
    np.testing.assert_array_equal(changed, planted.wrong)
    assert 0 < planted.wrong.sum() <= round(0.05 * 400 * 3)
    assert (planted.frame["y"] == clean["y"]).all()
    again = plant(clean, "y", kind, share=0.05)
    pd.testing.assert_frame_equal(planted.frame, again.frame)
    other = plant(clean, "y", kind, share=0.05, random_state=1)
    assert (other.wrong != planted.wrong).any()


def test_kinds_do_what_they_say():
    clean = frame()
    ten = plant(clean, "y", "times ten", share=0.1)
    bad = ten.wrong[:, 0]
    assert (ten.frame["x"][bad] == 10 * clean["x"][bad]).all() and bad.any()
    assert not ten.wrong[:, 2].any()
    zero = plant(clean, "y", "zero", share=0.1)
    assert (zero.frame["x"][zero.wrong[:, 0]] == 0).all()
    across = plant(clean, "y", "swap across classes", share=0.1)
    bad = across.wrong[:, 2]
    from_other = np.where(clean["y"][bad] == "yes", "c", "ab")
    pairs = zip(across.frame["word"][bad], from_other, strict=True)
    assert bad.any() and all(word in others for word, others in pairs)
    rare = plant(clean, "y", "low density", share=0.1)
    bad = rare.wrong[:, 0] & (clean["y"] == "no").to_numpy()
    assert (np.abs(rare.frame["x"][bad] - 50) > 6).all() and bad.any()
    assert (rare.frame["count"] % 1 == 0).all()


def test_labels_slip_by_ten_or_to_another_class():
    frame = pd.DataFrame({"x": range(100), "y": np.arange(1.0, 101)})
    slipped, wrong = slip_labels(frame, "y", share=0.2, random_state=1)
    assert wrong.sum() == 20 and slipped["x"].equals(frame["x"])
    ratio = (slipped["y"] / frame["y"])[wrong].round(9)
    assert set(ratio) == {10.0, 0.1}
    assert slipped["y"][~wrong].equals(frame["y"][~wrong])
    words = frame.assign(y=np.where(frame["y"] > 30, "a", "b"))
    other, wrong = slip_labels(words, "y", share=0.1)
    assert wrong.sum() == 10 and (other["y"][wrong] != words["y"][wrong]).all()
    again, _ = slip_labels(words, "y", share=0.1)
    assert again.equals(other)
