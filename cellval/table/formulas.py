"""Texts that a spreadsheet would run as a formula, made harmless and back again."""

import re

# What a spreadsheet would run as a formula when a CSV is opened.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

# Where a cell begins for a spreadsheet that splits at semicolons, as those of many
# languages do, or tabs: there quotes of a CSV with commas hold nothing together.
_WITHIN = "(?<=[;\t\r\n]){}(?=['\"]*[=+\\-@\t＝＋－＠])"
_OPEN, _MARKED = re.compile(_WITHIN.format("")), re.compile(_WITHIN.format("'"))


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run the text; signed numbers are none."""
    return text.startswith(FORMULA_STARTS) and not _is_number(text)


def safe_text(text: str) -> str:
    """Text that a spreadsheet shows instead of running: formulas get a leading ', also
    where they stand behind a semicolon or on a line of their own.

    A formula that already has a ' gets one more, so that `plain_text` can tell them
    apart.
    """
    text = _OPEN.sub("'", text)
    return "'" + text if is_formula(text.lstrip("'")) else text


def plain_text(text: str) -> str:
    """The text of which `safe_text` made this one."""
    is_marked = text[:1] == "'" and is_formula(text.lstrip("'"))
    return _MARKED.sub("", text[1:] if is_marked else text)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return "\t" not in text and "\n" not in text and "\r" not in text
