"""Hostile files: each gives what is stated of it (`hostile.files`), a sentence or a
table that can be valued.

Here all that are written down and some that are drawn; `python -m tests.hostile` takes
thousands of the latter.
"""

from collections import Counter

import pytest
from hostile.check import outcome
from hostile.files import Hostile, files, grid

FILES = files(n_mutated=150)


def test_there_are_many_and_the_same_each_time():
    assert [one.raw for one in files(150)] == [one.raw for one in FILES]
    assert sum(bool(one.refused) for one in FILES) >= 120
    assert sum(bool(one.shape) for one in FILES) >= 300
    assert sum(one.is_drawn for one in FILES) >= 300


def test_a_file_of_which_nothing_is_stated_is_none_of_them():
    for stated in ({}, {"refused": "x", "shape": (1, 1)}):
        with pytest.raises(AssertionError, match="what must it give"):
            Hostile("new", b"", **stated)


def test_what_does_not_give_what_is_stated_is_noticed():
    good = grid().encode()
    wrong = {"shape": (9, 4)}, {"refused": "is empty"}
    for raw, stated in ((good, wrong[0]), (good, wrong[1]), (b"a,y", wrong[1])):
        with pytest.raises(AssertionError):
            outcome(Hostile("wrong", raw, **stated), value=False)
    with pytest.raises(AssertionError):
        outcome(Hostile("wrong", b"", shape=(8, 4)), value=False)


@pytest.mark.parametrize("part", range(8))
def test_every_file_gives_what_is_stated(part):
    some = enumerate(FILES[part::8])
    found = Counter(outcome(one, value=k % 8 == 0) for k, one in some)
    assert found["table"] > 20 and found["refused"] > 15
