"""Tables on pages: frames, and how their columns look."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from cellval.text import short_names

text = st.column_config.TextColumn  # links in it cannot be clicked


def draw(
    frame: pd.DataFrame, alt: str, columns: dict[str, Any], few: int = 0, **options: Any
) -> Any:
    """All lines of a frame; where there are more than a few, they scroll."""
    return st.dataframe(
        frame,
        hide_index=True,
        height=38 + 35 * few if few and len(frame) > few else "content",
        column_config=columns,
        placeholder="–",
        alt=alt,
        **options,
    )


def number(label: str | None = None, decimals: int | str = 2, **options: Any) -> Any:
    """A column of numbers with so many decimals, or as a format says."""
    form = decimals if isinstance(decimals, str) else f"%.{decimals}f"
    return st.column_config.NumberColumn(label, format=form, **options)


def row_number() -> Any:
    words = "As counted in the file: from 1, no header."
    return number("row", "%d", width=55, help=words)


def distance() -> Any:
    return number(help="0: equal; about 1: as two random rows.")


def heading(name: str) -> str:
    return headings([name])[0]


def headings(names: Sequence[str]) -> list[str]:
    """Names of columns side by side, short and told apart."""
    return [name or "(blank)" for name in short_names(names, 24)]
