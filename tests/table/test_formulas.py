"""Texts that a spreadsheet would run, made harmless and back again."""

import csv
import io
import random

import pandas as pd
import pytest

from cellval.export.frames import csv_bytes, safe_frame
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
        ("a;=1+1", "a;'=1+1"),
        ('a;"=1"', 'a;\'"=1"'),
        ("a;-5;b;;+c\n@d", "a;'-5;b;;'+c\n'@d"),
        ("=1;=2", "'=1;'=2"),
        ("a;b=1", "a;b=1"),
        ("a\t=1+1", "a\t'=1+1"),
        ("", ""),
    ],
)
def test_formulas_are_neutralised_and_numbers_are_not(text, safe):
    assert safe_text(text) == safe


def test_neutralising_formulas_can_be_undone():
    rng = random.Random(0)
    pieces = ["'", "=", "+", "-", "@", "\t", "\n", "\r", "1", ",5", ".", "a", " ", "e3"]
    pieces += [";", '"']
    texts = ["".join(rng.choices(pieces, k=rng.randint(0, 6))) for _ in range(20_000)]
    for text in texts:
        safe = safe_text(text)
        assert not is_formula(safe)
        assert plain_text(safe) == text
        if not is_formula(text) and not {*text} & {*";\t\n\r"}:
            assert safe_text(plain_text(text)) == text
    assert len({safe_text(text) for text in texts}) == len(set(texts))
    assert safe_text("'=1") == "''=1"


def test_no_list_runs_a_formula_however_a_spreadsheet_splits_it():
    """In many languages it splits a CSV at semicolons, though it has commas."""
    rng = random.Random(1)
    pieces = ["=x", "+y", "@z", "'", '"', ";", "\n", "\r", "\t", ",", "a"]
    texts = ["".join(rng.choices(pieces, k=rng.randint(1, 7))) for _ in range(2_000)]
    frame = pd.DataFrame({"row": range(1, 2_001), "content": texts, "why": texts})
    written = csv_bytes(safe_frame(frame)).decode()
    for separator in ",;\t":
        lines = csv.reader(io.StringIO(written, newline=""), delimiter=separator)
        starts = [field.lstrip("\r\n")[:1] for line in lines for field in line]
        assert "a" in starts and not {*starts} & {*"=+-@"}
