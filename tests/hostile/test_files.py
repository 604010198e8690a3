"""Hostile files: each is refused with a sentence, or is a table that can be valued.

Here all that are written down and some that are drawn; `python -m tests.hostile` takes
thousands of the latter.
"""

from collections import Counter

import pytest
from hostile.check import outcome
from hostile.files import files

FILES = files(n_mutated=150)


def test_there_are_many_and_the_same_each_time():
    assert len(FILES) >= 400
    assert [one.raw for one in files(150)] == [one.raw for one in FILES]
    said = Counter(bool(one.refused) + 2 * bool(one.shape) for one in FILES)
    assert said[1] >= 25 and said[2] >= 150  # stated refusals, stated shapes


@pytest.mark.parametrize("part", range(8))
def test_every_file_is_refused_with_a_sentence_or_is_a_table(part):
    some = enumerate(FILES[part::8])
    found = Counter(outcome(one, value=k % 8 == 0) for k, one in some)
    assert found["table"] > 20 and found["refused"] > 15
