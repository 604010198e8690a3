"""Tables on pages: frames, and how their columns look."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from pandas.api.types import is_numeric_dtype

from cellval.text import short_name, short_names
from cellval.ui.text import plain

text = st.column_config.TextColumn  # links in it cannot be clicked
MOST_STYLED = 6000  # cells; writing more by pandas would be felt
# Pixels of a line, of each line of a wrapped text, of its letters, beside it.
LINE, WRAPPED, LETTER, PADDING = 35, 18, 6.1, 8
LEAST_WRAPPED = 66  # pixels: the browser wraps texts in no lower lines


def draw(
    frame: pd.DataFrame, alt: str, columns: dict[str, Any], few: int = 0, **options: Any
) -> Any:
    """All lines of a frame; where there are more than a few, they scroll."""
    styled, columns = with_minus(frame, as_texts(frame, columns))
    return st.dataframe(
        styled,
        hide_index=True,
        # half a line more says that there are others below
        height=3 + LINE * (2 * few + 3) // 2 if few and len(frame) > few else "content",
        column_config=columns,
        placeholder="–",
        alt=alt,
        **options,
    )


def as_texts(frame: pd.DataFrame, columns: dict[str, Any]) -> dict[str, Any]:
    """Looks of all columns that do not hold numbers: links in cells are not clicked."""
    others = {name: text() for name in frame if not is_numeric_dtype(frame[name])}
    return others | columns


def with_minus(
    frame: pd.DataFrame, columns: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Frame and columns for st.dataframe that write −0.5 with a real minus sign.

    The browser writes a hyphen, so pandas writes columns with numbers below zero; they
    still sort as numbers. Very large frames stay as they are.
    """
    forms = {
        name: config["type_config"]["format"]
        for name, config in columns.items()
        if name in frame
        and is_numeric_dtype(frame[name])
        and "%" in str(config["type_config"].get("format"))
        and (frame[name] < 0).any()
    }
    if not forms or frame.size > MOST_STYLED:
        return frame, columns
    written = {
        name: {**columns[name], "type_config": {"type": "number"}} for name in forms
    }
    style = frame.style.format(
        {name: partial(_written, form) for name, form in forms.items()}
    )
    return style, columns | written


def _written(form: str, value: float) -> str:
    return "–" if math.isnan(value) else (form % value).replace("-", "−")


def number(label: str | None = None, decimals: int | str = 2, **options: Any) -> Any:
    """A column of numbers with so many decimals, or as a format says."""
    form = decimals if isinstance(decimals, str) else f"%.{decimals}f"
    return st.column_config.NumberColumn(label, format=form, **options)


def n_lines(texts: Iterable[str], width: int) -> int:
    """How many lines the longest of these texts needs in a column so wide."""
    letters = max(1, int((width - 2 * PADDING) / LETTER))
    return max((len(textwrap.wrap(text, letters)) for text in texts), default=1)


def line_height(texts: Iterable[str], width: int, most: int = 6) -> int:
    """Pixels of a table's lines in which no text is cut: it wraps in its column."""
    n = n_lines(texts, width)
    return LINE if n <= 1 else max(LEAST_WRAPPED, WRAPPED * min(n, most) + PADDING)


def row_number() -> Any:
    words = "As counted in the file: from 1, no header."
    return number("row", "%d", width=55, help=words)


def distance(**options: Any) -> Any:
    return number(help="0: equal; about 1: as two random rows.", **options)


def named_texts(names: Iterable[str]) -> dict[str, Any]:
    """Looks of columns of texts with short headings; the whole shows on hover."""
    names = list(names)
    return {
        name: text(head, help=plain(short_name(name, 200)) if head != name else None)
        for name, head in zip(names, headings(names), strict=True)
    }


def heading(name: str) -> str:
    return headings([name])[0]


def headings(names: Sequence[str]) -> list[str]:
    """Names of columns side by side, short and told apart."""
    return [name or "(blank)" for name in short_names(names, 24)]
