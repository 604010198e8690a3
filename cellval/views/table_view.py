"""What follows from a table alone, for pages: search, similar rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from cellval.kept import kept
from cellval.table.encoding import Encoded, encode
from cellval.table.table import Table
from cellval.views.similar import coordinates, similar_order


@dataclass(frozen=True, eq=False)
class TableView:
    """What follows from the table alone."""

    table: Table

    @cached_property
    def encoded(self) -> Encoded:
        return encode(self.table)

    @cached_property
    def text(self) -> pd.Series:
        """All that a search looks at, per row."""
        cells = self.table.cells.to_numpy(object).tolist()
        numbers = self.table.row_numbers.tolist()
        return pd.Series(
            [
                "\n".join([str(number), name, *row]).casefold()
                for number, name, row in zip(
                    numbers, self.table.ids, cells, strict=True
                )
            ],
            dtype=str,
        )

    @cached_property
    def similar(self) -> np.ndarray:
        """All rows, alike ones near each other, whatever their class."""
        return similar_order(self.points)

    @cached_property
    def similar_in_class(self) -> np.ndarray:
        return self.similar[np.argsort(self.table.y[self.similar], kind="stable")]

    @cached_property
    def points(self) -> np.ndarray:
        return coordinates(self.encoded)


@kept(1)
def table_view(table: Table) -> TableView:
    """The view of this table, kept with it."""
    return TableView(table)
