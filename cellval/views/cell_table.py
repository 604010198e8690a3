"""The heatmap in words: a line per row, a text per cell, for who cannot see colours."""

import numpy as np
import pandas as pd

from cellval.text import content
from cellval.values.result import CellValues
from cellval.views.value_view import value_view

LONGEST = 40  # characters of a cell


def cell_table(
    values: CellValues,
    rows: np.ndarray,
    columns: np.ndarray,
    suspects: np.ndarray,
    outlined: np.ndarray | None = None,
) -> pd.DataFrame:
    """Content and value of every cell that is drawn.

    Suspects are marked, and other cells that are outlined: a person marked them as
    wrong. Both by flat position.
    """
    unit, m = value_view(values).unit, len(values.column_names)
    marks = dict.fromkeys([] if outlined is None else outlined.tolist(), "flagged: ")
    marks |= dict.fromkeys(suspects.tolist(), "suspect: ")
    lines: dict[str, list[object]] = {
        "row": values.row_numbers[rows].tolist(),
        "class": [values.labels[i] for i in rows],
    }
    for j in columns.tolist():
        texts = values.cells.iloc[rows, j]
        lines[f"c{j}"] = [
            f"{marks.get(i * m + j, '')}{content(text, LONGEST)} "
            f"({unit.number(values.values[i, j])})"
            for i, text in zip(rows.tolist(), texts, strict=True)
        ]
    return pd.DataFrame(lines)
