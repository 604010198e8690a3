"""Filters that the list of findings and that of cells share."""

from collections.abc import Sequence
from typing import Any

from cellval.table.table import Table
from cellval.text import brief
from cellval.ui.session import Session
from cellval.ui.text import plain
from cellval.ui.widgets import lasting
from cellval.values.settings import Settings
from cellval.values.words import spoken


def columns_filter(
    place: Any, session: Session, key: str, names: Sequence[str], **how: Any
) -> list[str]:
    chosen: list[str] = place.multiselect(
        "Columns",
        names,
        **lasting(session, f"{key} columns", []),
        placeholder="all columns",
        **how,
    )
    return chosen


def classes_filter(
    place: Any,
    session: Session,
    key: str,
    table: Table,
    settings: Settings,
    words: str,
    **how: Any,
) -> list[str]:
    """Classes of the label, or bands of its numbers."""
    chosen: list[str] = place.multiselect(
        f"Only {plain(brief(table.label, 20))}",
        table.classes,
        **lasting(session, f"{key} classes", []),
        placeholder=spoken("all classes", settings),
        help=spoken(words, settings),
        **how,
    )
    return chosen
