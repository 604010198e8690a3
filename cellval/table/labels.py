"""Which column can be the label, and its classes."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.table.columns import FIT, Texts, numbers_of
from cellval.text import shortened

LABEL_NAMES = (
    *("label", "labels", "target", "class", "classes", "y", "outcome", "response"),
    *("income", "diagnosis", "species", "survived", "churn", "default", "category"),
)


def guessed_label(
    cells: pd.DataFrame, taken: Collection[str | None], decimal: str, table: str
) -> str:
    """The column that looks most like a label, of those that are not `taken`."""
    free = {
        name: Texts.of(cells[name])
        for name in reversed([str(column) for column in cells.columns])
        if name not in taken
    }
    plain = {re.sub(r"[^a-z0-9]", "", name.casefold()): name for name in free}
    named = [plain[known] for known in LABEL_NAMES if known in plain]
    few = [
        name
        for name, texts in free.items()
        if len(texts.different) <= min(20, max(2, texts.present / 5))
    ]
    faults = []
    for name in (*named, *few, *free):
        fault = label_fault(free[name], decimal)
        if not fault:
            return name
        faults.append(fault)
    why = faults[0] if faults else "All are excluded or name the rows."
    raise InputError(f"No column of {table} can be the label. {why}")


def label_fault(texts: Texts, decimal: str, is_test: bool = False) -> str:
    """Why the column cannot be a label; empty if it can."""
    name, n, k = texts.title, texts.present, len(texts.different)
    needed = 1 if is_test else 2
    if n < needed:
        return (
            f"The label '{name}' is filled in {n} row{'s' * (n != 1)}; cellval needs "
            f"at least {needed} row{'s' * (needed > 1)} with a label. Add rows, or "
            "choose another label."
        )
    if is_test:
        return ""
    if k == 1:
        return (
            f"The label '{name}' is '{shortened(min(texts.different))}' in every row, "
            "so there is nothing to learn. Choose another column, or add rows of "
            "another class."
        )
    values, _ = numbers_of(texts, decimal)
    numeric = texts.share(values) >= FIT
    whole = not np.mod(values[np.isfinite(values)], 1).any()
    too_many = (k == n and n > 2) or (k > n / 2 and n >= 10)
    if too_many or (numeric and k > (50 if whole else 20)):
        what, fix = ("numbers", "bin") if numeric else ("values", "group")
        return (
            f"cellval needs classes that repeat; '{name}' holds {k:,} different {what} "
            f"in {n:,} rows. Choose another column as the label, or {fix} its {what} "
            "first."
        )
    return ""


def sorted_classes(classes: set[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(classes, key=lambda text: (float(text), text)))
    except ValueError:
        return tuple(sorted(classes))
