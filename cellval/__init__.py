"""cellval finds the cells of a table that hurt a learning task. Lower is worse."""

from cellval.detect.suspects import suspects
from cellval.errors import InputError
from cellval.knn.engine import Snapshot, value_rows
from cellval.table.columns import Column
from cellval.table.table import Table, read_csv
from cellval.valuation import iter_values, value_cells
from cellval.values.result import CellValues, load

__version__ = "0.1.0"

__all__ = [
    "CellValues",
    "Column",
    "InputError",
    "Snapshot",
    "Table",
    "iter_values",
    "load",
    "read_csv",
    "suspects",
    "value_cells",
    "value_rows",
]
