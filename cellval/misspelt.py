"""Categories that look like a slip of the fingers for a much more common one."""

from collections.abc import Iterator

import numpy as np

from cellval.kinds import Column

MOST_CELLS = 2  # of a slip; what is written more often is meant
TIMES = 20  # as common as the slip, at least, is what was meant
SHORTEST = 5  # letters: short words are close to each other by chance
LONGEST = 40  # there are as many slips as letters times the alphabet
MOST_CATEGORIES = 2_000


def misspelt(column: Column) -> dict[int, int]:
    """Code of each category that is likely a slip, and the code of what was meant.

    Case, blanks and punctuation may differ, or one letter may be wrong, missing, too
    many or swapped with the next; digits must agree.

    Examples
    --------
    >>> import cellval
    >>> text = b"city,y\\n" + b"Berlin,a\\nBerlin,b\\n" * 20 + b"Berlni,a\\n"
    >>> table = cellval.read_csv(text, label="y", kinds={"city": "category"})
    >>> misspelt(table.features[0]), table.features[0].categories
    ({1: 0}, ('Berlin', 'Berlni'))
    """
    if column.codes is None or not 2 <= len(column.categories) <= MOST_CATEGORIES:
        return {}
    counts = np.bincount(
        column.codes[column.codes >= 0], minlength=len(column.categories)
    )
    by_shape: dict[str, int] = {}
    for code in np.argsort(-counts, kind="stable").tolist():
        by_shape.setdefault(_shape(column.categories[code]), code)
    letters = sorted({letter for shape in by_shape for letter in shape})
    letters = [letter for letter in letters if not letter.isdigit()]
    found = {}
    for code in np.flatnonzero((counts > 0) & (counts <= MOST_CELLS)).tolist():
        shape = _shape(column.categories[code])
        near = {by_shape.get(other) for other in (shape, *_one_slip(shape, letters))}
        enough = [
            c for c in near if c is not None and counts[c] >= TIMES * counts[code]
        ]
        if enough:
            found[code] = max(enough, key=lambda c: (counts[c], -c))
    return found


def _shape(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _one_slip(word: str, letters: list[str]) -> Iterator[str]:
    """Words that one slip turns into this one or back; digits stay."""
    if not SHORTEST <= len(word) <= LONGEST:
        return
    for i, letter in enumerate(word):
        if letter.isdigit():
            continue
        yield word[:i] + word[i + 1 :]
        for other in letters:
            yield word[:i] + other + word[i + 1 :]
        if i + 1 < len(word) and not word[i + 1].isdigit():
            yield word[:i] + word[i + 1] + letter + word[i + 2 :]
    for i in range(len(word) + 1):
        for other in letters:
            yield word[:i] + other + word[i:]
