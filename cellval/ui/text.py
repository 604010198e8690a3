"""Words on pages: text of a file made harmless, numbers made readable."""

import re

from cellval.glossary import of_numbers
from cellval.methods import about
from cellval.repairs.repair import Repairs, split
from cellval.table.table import Table
from cellval.text import counted, full, spoken_time
from cellval.values.result import CellValues
from cellval.values.words import spoken

_MEANING = """
**A cell's value** is what this cell adds to the accuracy of a simple model, on average
over all ways of taking rows and columns away.{sums}

- **Below zero:** the cell misleads the model. Look at it first.
- **About zero:** it changes little.
- **Above zero:** it helps.

**The standard error** says how far a value may be off because only so many test points
were seen. Trust a value that is several standard errors from zero.

**A row's (or column's) value** is the sum of its cells. **Rank 1** is the lowest cell.

Values are in percentage points (pp) of accuracy. They are small because they are
shares: with 200 rows of 4 columns the accuracy is shared by 800 cells. Compare cells
with each other, not with 100.

A low value shows that a cell *hurts the task*. It may be an error, or a true but
unusual case. You decide.
"""

_SUMS = (
    " All cells together sum to the accuracy\nthat the model reaches, its **valued "
    "accuracy**."
)

_CLOSENESS = """
**Closeness** is how near the labels of the nearest rows are to a row's own: 100 % if
they are equal, 0 % if they are {width} or more apart, half at half of that.
"""


def meaning(values: CellValues | None) -> str:
    """What the numbers on the pages mean (Markdown)."""
    if values is None:
        return _MEANING.format(sums=_SUMS)
    sums = _SUMS
    if not values.settings.sums_to_score:
        sums = (
            " With other weights than Shapley's the cells do not sum to\n"
            "the accuracy; compare them with each other only."
        )
    if values.settings.additive:
        text = spoken(_MEANING.format(sums=sums), values.settings)
        return text + _CLOSENESS.format(
            width=full(values.settings.width or 0.0)
        ) * bool(values.settings.width)
    method = about(values.settings.method)
    return f"**{method.title}.** {method.means}\n\nLower is worse. {method.when}"


def said(table: Table, sentence: str) -> str:
    """A sentence written for classes, in words for the label of this table."""
    return sentence if table.target is None else of_numbers(sentence)


WORD_JOINER = "\u2060"
# Which of their letters the joiner follows; times such as 12:30:45 are no emojis.
_addresses = r"https?(?=://)|www(?=\.)|\w(?=@)"
_emojis = r":(?!\d\d:)(?=[\w+-]+:)"
_signs = r"(?<!\S)[<>~-](?=-?[->=](?!\S))"  # -> and --, written as → and —
_replaced = re.compile(f"{_addresses}|{_emojis}|{_signs}", re.IGNORECASE)


def plain(text: str) -> str:
    """Text that Markdown shows as it is.

    Addresses would become links even so, and what Streamlit looks for after Markdown
    emojis, icons and signs: a joiner that nobody sees keeps them texts.
    """
    text = _replaced.sub(f"\\g<0>{WORD_JOINER}", " ".join(str(text).split()))
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def spelled(text: str) -> str:
    """With the first pp written out, for those who meet it here first."""
    return text.replace(" pp", " percentage points (pp)", 1)


def roughly(seconds: float) -> str:
    """A duration as an estimate is said: a few seconds, about 3 min."""
    if seconds < 3:
        return "a few seconds"
    return f"about {spoken_time(seconds)}"


def changes_words(repairs: Repairs) -> str:
    """How much was changed: 2 cells changed, 1 row dropped."""
    texts, drop = split(repairs)
    parts = [f"{counted(len(texts), 'cell')} changed"] if texts else []
    parts += [f"{counted(len(drop), 'row')} dropped"] if drop else []
    return ", ".join(parts) or "nothing changed"
