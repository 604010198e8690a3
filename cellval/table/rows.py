"""Some rows of a table, as models see them."""

from dataclasses import replace

import numpy as np
import pandas as pd

from cellval.table.columns import Column
from cellval.table.table import Table


def part(table: Table, rows: np.ndarray) -> Table:
    """Some rows as models see them; without their texts."""

    def column(c: Column) -> Column:
        if c.numbers is not None:
            return replace(c, missing=c.missing[rows], numbers=c.numbers[rows])
        assert c.codes is not None
        return replace(c, missing=c.missing[rows], codes=c.codes[rows])

    return replace(
        table,
        cells=pd.DataFrame(index=range(rows.size)),
        columns=tuple(column(c) for c in table.features),
        y=table.y[rows],
        row_numbers=table.row_numbers[rows],
    )


def cells_of(column: Column) -> np.ndarray:
    if column.numbers is not None:
        return column.numbers
    assert column.codes is not None
    return np.where(column.codes < 0, np.nan, column.codes)
