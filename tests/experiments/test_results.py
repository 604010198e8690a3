"""What is kept in results/: no number is told there that was not measured.

The rule for writers is in results/README.md.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from cellval.experiments import (
    EXPERIMENTS,
    convergence,
    pairs,
    runtime,
    splits,
)
from cellval.experiments.result import Number, as_frame, read_numbers

RESULTS = Path(__file__).parents[2] / "results"
NAMES = ("Algorithm 2", "version 0.1")  # words with a number in them
# not within a word, such as 2D-KNN or N1; with its spread, if it has one
DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
NUMBER = re.compile(
    rf"(?<![\w.])(?P<number>[+-]?{DIGITS})(?![\d.]*[A-Za-z])"
    rf"(?: ± (?P<spread>{DIGITS}))?(?P<percent> ?%)?"
)


class Written(NamedTuple):
    """A number as it stands in a text."""

    text: str
    spread: str | None = None  # what stands behind ±
    percent: str | None = None

    def is_of(self, number: Number) -> bool:
        """Is this the number, and its spread, to the digits that are written?"""
        ours = number.ours if self.text[0] in "+-" else abs(number.ours)
        if len(self.text) == 1 and not self.percent:  # a count
            return ours == int(self.text)
        return (
            (not self.percent or number.unit.startswith("%"))
            and is_rounded(self.text, ours)
            and (self.spread is None or is_rounded(self.spread, number.plus_minus))
        )

    def is_same(self, other: "Written") -> bool:
        """Does it stand so in another text?"""
        unit = other.percent or not self.percent
        return bool(unit) and self.spread is None and self.text == other.text


def is_rounded(text: str, number: float) -> bool:
    digits = len(text.partition(".")[2])
    off = abs(number - float(text.replace(",", "")))
    return off <= 0.5 * 10**-digits * (1 + 1e-9)


def written(text: str) -> list[Written]:
    for name in NAMES:
        text = text.replace(name, "")
    found = (match.groupdict() for match in NUMBER.finditer(text))
    return [Written(m["number"], m["spread"], m["percent"]) for m in found]


def sentences(text: str) -> list[str]:
    """Of Markdown; a line of a table counts as one."""
    lines = re.sub(r"\n(?![\n|#])", " ", text)
    return [part for part in re.split(r"(?<=[.?!])\s+|\n", lines) if part.strip()]


def made_up(text: str, numbers: list[Number]) -> list[str]:
    """The numbers of a text that are not among those measured."""
    named = [own for number in numbers for own in written(number.what)]
    of_paper = [own for number in numbers for own in written(number.paper)]

    def is_known(own: Written, sentence: str) -> bool:
        usable = named + (of_paper if "paper" in sentence else [])
        return any(map(own.is_of, numbers)) or any(map(own.is_same, usable))

    return [
        own.text
        for sentence in sentences(text)
        for own in written(sentence)
        if not is_known(own, sentence)
    ]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_number_in_the_words_is_in_the_csv(name):
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    assert len(written(text)) > 5 and "paper" in text
    assert made_up(text, read_numbers(RESULTS / f"{name}.csv")) == []


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_most_changed_numbers_would_be_found(name):
    """Each number of the text in turn, with another first digit."""
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    numbers = read_numbers(RESULTS / f"{name}.csv")
    found = []
    for match in NUMBER.finditer(text):
        at = match.end("number") - len(match["number"].lstrip("+-"))
        other = text[:at] + str(1 + int(text[at]) % 9) + text[at + 1 :]
        found.append(made_up(other, numbers) != [])
    assert np.mean(found) > 0.75  # by chance some are numbers of other things


FOUND = Number("outliers in the first 5 % of cells", 78.5748, "%", "90 %", 7.42521)
CELLS = Number("cells to inspect, 400 rows", 136892.0, "cells", "fewer than 1,800")
SLOPE = Number("slope", -0.493457)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("We find 79 ± 7 % in the first 5 % of cells.", []),
        ("We find 78.6 ± 7.4 %.", []),
        ("We find 80 %.", ["80"]),
        ("We find 79 ± 8 %.", ["79"]),
        ("We find 7 % of them.", ["7"]),
        ("It takes 136,892 cells.", []),
        ("It takes 136,893 cells.", ["136,893"]),
        ("It takes 136,892 % of them.", ["136,892"]),
        ("The slope is -0.49, a fall of 0.493.", []),
        ("The slope is +0.49.", ["+0.49"]),
        ("The slope is 0.", ["0"]),
        ("We find 90 %.", ["90"]),
        ("The paper finds 90 %.", []),
        ("The paper finds 90 %. We find 90 %, too.", ["90"]),
        ("The paper has 1,800 cells, on 400 rows\nof Census.", []),
        ("The paper finds 95 %.", ["95"]),
        ("2D-KNN and 1D on a Neoverse-N1 (Algorithm 2) need none.", []),
        ("| 2D-KNN | 79 |\n| the paper | 90 |\n| 1D | 90 |", ["90"]),
    ],
)
def test_a_made_up_number_is_found(text, wrong):
    assert made_up(text, [FOUND, CELLS, SLOPE]) == wrong


@pytest.mark.parametrize("name", ("splits", "runtime", "pairs", "convergence"))
def test_the_numbers_kept_follow_from_the_points_kept(name):
    points = pd.read_csv(RESULTS / f"{name}_points.csv")
    again = {
        "splits": lambda: splits.numbers_of(points, splits.SplitSizes(), 30000),
        "runtime": lambda: runtime.numbers_of(points),
        "pairs": lambda: pairs.numbers_of(points, pairs.N_TRAIN),
        "convergence": lambda: convergence.numbers_of(
            points, (np.nan, np.nan), convergence.ConvergenceSizes()
        ),
    }
    made, kept = (
        as_frame(again[name]()),
        as_frame(read_numbers(RESULTS / f"{name}.csv")),
    )
    assert made["what"].tolist() == kept["what"].tolist()
    assert made["paper"].tolist() == kept["paper"].tolist()
    known = made["ours"].notna()  # how often errors are honest is not in the points
    assert known.mean() > 0.9
    np.testing.assert_allclose(made["ours"][known], kept["ours"][known], rtol=2e-5)


def test_only_whole_versions_are_kept():
    assert not list(RESULTS.glob("*_quick*.csv"))
    assert {path.stem for path in RESULTS.glob("*.csv")} >= set(EXPERIMENTS)
