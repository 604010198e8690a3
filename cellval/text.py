"""Numbers and texts as people read them: units, signs, plain sentences."""

import html
import math
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal


def cut(text: object, length: int) -> str:
    """Cut to a length; a cell may hold a novel."""
    whole = str(text)
    return whole if len(whole) <= length else whole[: length - 1] + "…"


def brief(text: object, length: int = 40) -> str:
    """On one line, cut to a length."""
    return cut(" ".join(str(text).split()), length)


def content(text: object, length: int = 40) -> str:
    """A cell's text as it is shown: blank cells have a word."""
    return brief(text, length) or "(blank)"


def figure_text(text: object, length: int = 40) -> str:
    """For plotly, which understands some HTML."""
    return html.escape(brief(text, length), quote=False)


def short_name(name: object, length: int = 40) -> str:
    """On one line, cut in the middle: long names of one table differ at their ends."""
    whole = " ".join(str(name).split())
    if len(whole) <= length:
        return whole
    tail = (length - 1) // 2
    return f"{whole[: length - 1 - tail]}…{whole[len(whole) - tail :]}"


def short_names(names: Sequence[object], length: int = 40) -> list[str]:
    """The same for several, which stay different: those that would look alike begin
    shortly before they differ.
    """
    alike = defaultdict(set)
    for name in names:
        alike[short_name(name, length)].add(" ".join(str(name).split()))
    short = []
    for name in names:
        text = short_name(name, length)
        first, last = min(alike[text]), max(alike[text])  # differ first of all of them
        if first != last:
            pairs = enumerate(zip(first, last, strict=False))
            differ = (k for k, (a, b) in pairs if a != b)
            start = max(0, next(differ, len(first)) - 2)
            text = cut("…" + " ".join(str(name).split())[start:], length)
        short.append(text)
    return short


def figure_names(names: Sequence[object], length: int) -> list[str]:
    """Names on an axis, for plotly."""
    return [html.escape(name, quote=False) for name in short_names(names, length)]


def figure_name(name: object, length: int = 200) -> str:
    """The whole name where one hovers, on several lines if need be, for plotly."""
    lines = textwrap.wrap(short_name(name, length), 60)
    return "<br>".join(html.escape(line, quote=False) for line in lines)


JOINERS = "\u200c\u200d"  # of letters and emojis; they do nothing by themselves


def harmless(text: object, length: int | None = None) -> str:
    """On one line of a terminal: what would steer it is shown instead.

    Escape codes can colour, delete or overwrite what was printed, marks of direction
    can turn it round. With `length`, what is longer is cut in the middle.

    Examples
    --------
    >>> harmless("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    whole = str(text)
    if length is not None and len(whole) > length:
        whole = short_name(whole[:length] + whole[-length:], length)
    if whole.isprintable():
        return whole
    return "".join(map(_shown, whole))


def _shown(letter: str) -> str:
    if letter.isprintable() or letter in JOINERS:
        return letter
    if letter.isspace():
        return " "
    if letter < " ":
        return chr(0x2400 + ord(letter))  # the picture of a control character
    return "\N{REPLACEMENT CHARACTER}"


def percent(share: float) -> str:
    """A share of rows; never rounded to none or all when it is not."""
    size = 100 * share
    for decimals in (0, 1, 2, 3):
        text = f"{size:.{decimals}f}"
        if (float(text) > 0) == (size > 0) and (float(text) < 100) == (size < 100):
            break
    return f"{text} %"


def whole_percent(share: float) -> str:
    """How far something is: 45 %, with a blank at which no line is broken."""
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def one_in(share: float) -> str:
    """A probability as people count it, down to one in a million."""
    if not math.isfinite(share):
        return "–"
    if share < 1e-6:
        return "less than 1 in a million"
    if share >= 0.095:
        return f"{100 * share:.0f} in 100"
    n = 1 / share
    digits = 1 - math.floor(math.log10(n))
    return f"1 in {round(n, min(digits, 0)):,.0f}".replace("1,000,000", "a million")


def full(number: float, digits: int = 6) -> str:
    """A number without an exponent, with so many digits that count."""
    if not math.isfinite(number):
        return "–"
    return f"{Decimal(f'{number:.{digits}g}'):,f}".replace("-", "−")


def shortened(text: str) -> str:
    """Text as a message can show it."""
    return cut(harmless(text), 60)


def listed(names: Iterable[str], at_most: int = 10) -> str:
    return joined((f"'{shortened(name)}'" for name in names), at_most)


def joined(texts: Iterable[str], at_most: int = 10) -> str:
    texts = list(texts)
    more = f" and {len(texts) - at_most:,} more" * (len(texts) > at_most)
    return ", ".join(texts[:at_most]) + more


def spoken_time(seconds: float) -> str:
    """Seconds as a person says them: 8 s, 3 min, 2.5 h."""
    if not seconds < float("inf"):
        return "?"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5940 else f"{seconds / 3600:.1f} h"


def spoken_bytes(number: float) -> str:
    """Bytes as a person says them.

    Examples
    --------
    >>> spoken_bytes(6e9), spoken_bytes(3.2e6), spoken_bytes(100)
    ('6.0 GB', '3 MB', 'less than 1 MB')
    """
    if number < 1e6:
        return "less than 1 MB"
    return f"{number / 1e6:.0f} MB" if number < 1e9 else f"{number / 1e9:.1f} GB"


def share(number: float) -> str:
    """A number from 0 to 1; how small a tiny one is says little."""
    if not math.isfinite(number):
        return "–"
    if number < 0.0001:
        return "below 0.0001"
    return f"{number:.2f}" if number >= 0.1 else f"{number:.2g}"


def class_words(name: object) -> str:
    """A class by its name: class F; but "class I" says itself what it is."""
    said = str(name)
    return said if said.casefold().startswith("class") else f"class {said}"


def every(n: int, one: str) -> str:
    """All of so many, as the beginning of a sentence: both rows, all 3 rows."""
    return f"Both {one}s" if n == 2 else f"All {counted(n, one)}"


def counted(n: int, one: str) -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{n:,} {one}{'s' * (n != 1)}"
