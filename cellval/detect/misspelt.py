"""Categories that look like a slip of the fingers for a much more common one."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from cellval.table.booleans import BOOLEAN, usual_spellings
from cellval.table.columns import Column
from cellval.table.table import Table

MOST_CELLS = 2  # of a slip, as a rule: what is written more often is mostly meant
TIMES = 20  # as common as the slip, at least, is what was meant
LONG = 8  # letters: a word with several of them wrong can still be told
FEW_WRONG = 0.2  # of its letters, at most
SHORTEST = 5  # letters: short words are close to each other by chance
SHORTEST_SWAP = 4  # the same for two letters swapped, which chance does less often
LONGEST = 40  # letters: a long text is no word
MOST_CATEGORIES = 2_000
# Signs that mean something; hyphens do at the ends of words only.
_meaning = re.compile(r"[+<>=#*/%!~&^|@$€£±°]|(?<!\w)[-−]|[-−](?!\w)")
_numerals = re.compile(r"\b[ivx]+\b")
MEANT = 3  # words that differ alike are meant so


def misspelt(column: Column) -> dict[int, int]:
    """Code of each category that is likely a slip, and the code of what was meant.

    Case, blanks and punctuation may differ, or one letter may be wrong, missing, too
    many or swapped with the next; digits must agree.
    """
    if column.codes is None or not 2 <= len(column.categories) <= MOST_CATEGORIES:
        return {}
    counts = np.bincount(
        column.codes[column.codes >= 0], minlength=len(column.categories)
    )
    order = np.argsort(-counts, kind="stable").tolist()
    common = [code for code in order if counts[code] >= TIMES]
    near: dict[str, list[int]] = {}  # what is left without one letter -> categories
    shapes = {code: letters_of(column.categories[code]) for code in common}
    for code, shape in shapes.items():
        for rest in _without_one(shape):
            near.setdefault(rest, []).append(code)
    found = {}
    most = max((counts[code] for code in common), default=0)
    as_long: dict[int, list[int]] = {}
    for code in common:
        as_long.setdefault(len(column.categories[code]), []).append(code)
    for code in np.flatnonzero((counts > 0) & (TIMES * counts <= most)).tolist():
        text, shape = column.categories[code], letters_of(column.categories[code])
        alike = {c for rest in _without_one(shape) for c in near.get(rest, ())}
        alike = {c for c in alike if is_slip(shape, shapes[c])}
        alike |= {
            c
            for c in as_long.get(len(text), ())
            if c != code and _has_slips(text, column.categories[c])
        }
        alike = {c for c in alike if counts[c] >= TIMES * counts[code]}
        alike = {c for c in alike if same_signs(text, column.categories[c])}
        if alike:
            found[code] = max(alike, key=lambda c: (counts[c], -c))
    return found


def same_signs(a: str, b: str) -> bool:
    """Have they the same signs that mean something: O+ is not O-, nor >50K <=50K?"""
    return _signs(a) == _signs(b)


def _signs(text: str) -> list[str]:
    """Signs, and numerals of Rome, that tell words apart."""
    return [*_meaning.findall(text), *_numerals.findall(text.casefold())]


def _has_slips(a: str, b: str) -> bool:
    """Are some letters of a long text wrong, and all digits of the other one there?"""
    if len(b) < LONG:
        return False
    wrong = [(x, y) for x, y in zip(a.casefold(), b.casefold(), strict=True) if x != y]
    no_digit = not any(x.isdigit() or y.isdigit() for x, y in wrong)
    return no_digit and 0 < len(wrong) <= FEW_WRONG * len(b)


def spelt_otherwise(table: Table, column: Column) -> dict[str, str]:
    """Texts of few cells that say yes or no, and what nearly all others write for it.

    Yes among ja, or TRUE among yes: they count as the same, so it is about looks only.
    """
    if column.form != BOOLEAN:
        return {}
    counts = Counter(table.cells[column.name].str.strip())
    return {
        text: usual
        for text, usual in usual_spellings(counts, column.categories).items()
        if text != usual and counts[usual] >= TIMES * counts[text]
    }


def letters_of(text: str) -> str:
    """What is left of a text without case, blanks and punctuation."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _without_one(word: str) -> set[str]:
    """The word, and if it is neither short nor long, what is left without a letter."""
    if not SHORTEST_SWAP <= len(word) <= LONGEST:
        return {word}
    return {word} | {word[:i] + word[i + 1 :] for i in range(len(word))}


def is_slip(a: str, b: str) -> bool:
    """Is one a slip for the other: a letter wrong, missing, too many or swapped?"""
    if a == b:
        return True
    if [c for c in a if c.isdigit()] != [c for c in b if c.isdigit()]:
        return False
    long_enough = min(len(a), len(b)) >= SHORTEST
    if len(a) != len(b):
        return long_enough and (a in _without_one(b) or b in _without_one(a))
    wrong = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if len(wrong) == 1:
        return long_enough
    i, j = wrong[0], wrong[-1]
    return len(wrong) == 2 and j == i + 1 and a[i] == b[j] and a[j] == b[i]


def is_systematic(own: str, word: str, slips: Sequence[tuple[str, str]]) -> bool:
    """Do several words differ from what would be meant in the same way and place?

    ak_pn-2 for al_pn-2, beside ak_hf-1 for al_hf-1, is no slip: it is another state.
    """
    change = differing(own, word)
    return sum(differing(*pair) == change for pair in slips) >= MEANT


def differing(a: str, b: str) -> tuple[str, str]:
    """What two words begin with, up to the letter in which they differ."""
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    return a[: same + 1], b[: same + 1]
