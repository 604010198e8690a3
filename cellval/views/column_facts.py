"""What is known of each column beside its value: suspects, missing cells."""

from dataclasses import dataclass

import numpy as np

from cellval.detect.suspicion import Suspicion
from cellval.kept import kept
from cellval.table.describe import column_of
from cellval.table.table import Table
from cellval.values.result import CellValues


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """A number for each column, as the values have them."""

    suspects: np.ndarray | None  # cells that the rule picks; None while it is not known
    missing: np.ndarray  # share of the cells, 0 to 1


@kept(2)
def column_facts(
    values: CellValues, table: Table, suspicion: Suspicion | None
) -> ColumnFacts:
    m = len(values.column_names)
    suspects = None
    if suspicion is not None:
        flagged = suspicion.first(suspicion.n_flagged)
        suspects = np.bincount(flagged % m, minlength=m)
    missing = [column_of(table, name).missing.mean() for name in values.column_names]
    return ColumnFacts(suspects, np.array(missing))
