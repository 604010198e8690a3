"""Texts that a spreadsheet would run, made harmless and back again."""

import random

import pytest

from cellval.table.formulas import is_formula, plain_text, safe_text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-2+3", "'-2+3"),
        ("@sum", "'@sum"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("-12.5", "-12.5"),
        ("-12,5", "-12,5"),
        ("+3", "+3"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_formulas_are_neutralised_and_numbers_are_not(text, safe):
    assert safe_text(text) == safe


def test_neutralising_formulas_can_be_undone():
    rng = random.Random(0)
    pieces = ["'", "=", "+", "-", "@", "\t", "\n", "\r", "1", ",5", ".", "a", " ", "e3"]
    texts = ["".join(rng.choices(pieces, k=rng.randint(0, 5))) for _ in range(20_000)]
    for text in texts:
        assert not is_formula(safe_text(text))
        assert plain_text(safe_text(text)) == text
        if not is_formula(text):
            assert safe_text(plain_text(text)) == text
    assert len({safe_text(text) for text in texts}) == len(set(texts))
    assert safe_text("'=1") == "''=1"
