"""What is asked of a file to be rewritten, and whether the result says so."""

import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table.changes import Changes

BEFORE = pd.DataFrame({"x": ["1", "2", "3"], "y": ["a", "b", "a"]}, dtype="str")


def asked(changes, drop=()):
    return Changes.of(BEFORE, changes, drop, "data")


def message_of(call, *arguments):
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


def test_only_what_is_new_counts_and_nothing_in_rows_that_go():
    changes = asked({(1, "x"): "1", (2, "x"): "7", (3, "y"): "z"}, [3])
    assert changes.new == {2: {0: "7"}} and changes.gone == {3}
    assert changes.by_column == {0: {2: "7"}}
    assert changes and not asked({(1, "x"): "1"})


def test_what_is_not_there_gets_a_sentence():
    assert "no row 4" in message_of(asked, {(4, "x"): "1"})
    assert "no column 'z'" in message_of(asked, {(1, "z"): "1"})
    assert "All 3 rows" in message_of(asked, {}, [1, 2, 3])
    assert "data, row 1, 'x': the new text holds a NUL" in message_of(
        asked, {(1, "x"): "\0"}
    )


def test_a_result_that_says_something_else_is_refused():
    changes = asked({(2, "x"): "7"}, [3])
    right = pd.DataFrame({"x": ["1", "7"], "y": ["a", "b"]}, dtype="str")
    changes.check(lambda: right)
    for wrong in (
        right.assign(x=["1", "7.0"]),
        right.assign(y=["a", "c"]),
        right.rename(columns={"x": "z"}),
        right.iloc[:1],
        BEFORE,
    ):
        assert "would not be read back" in message_of(changes.check, lambda w=wrong: w)
    changes.check(lambda: right.assign(x=["1", "7.0"]), lambda j, a, b: j == 0)

    def broken():
        raise InputError("It is broken.")

    assert "as asked: It is broken. No file was made" in message_of(
        changes.check, broken
    )
