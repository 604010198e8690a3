"""Texts that a spreadsheet would run as a formula, made harmless and back again."""

# What a spreadsheet would run as a formula when a CSV is opened.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run the text; signed numbers are none."""
    return text.startswith(FORMULA_STARTS) and not _is_number(text)


def safe_text(text: str) -> str:
    """Text that a spreadsheet shows instead of running: formulas get a leading '.

    A formula that already has a ' gets one more, so that `plain_text` can tell them
    apart.
    """
    return "'" + text if is_formula(text.lstrip("'")) else text


def plain_text(text: str) -> str:
    """The text of which `safe_text` made this one."""
    return text[1:] if text[:1] == "'" and is_formula(text.lstrip("'")) else text


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return "\t" not in text and "\n" not in text and "\r" not in text
