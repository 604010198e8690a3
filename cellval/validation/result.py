"""`Validation`: what looking for planted errors has found so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cellval.table.table import Table
from cellval.validation.curves import Curve, Removal, share_needed
from cellval.validation.planted_table import PlantedTable
from cellval.validation.signals import RANDOM, SUSPICION, VALUE

ORDERS = (SUSPICION, VALUE, RANDOM)  # of the removal curve


@dataclass(frozen=True, eq=False)
class Validation:
    """What is known so far.

    Attributes
    ----------
    kind, share : str, float
        What was planted, into which share of the cells that can have it.
    planted : PlantedTable
        The table with errors, the same rows without, and which cells are wrong.
    curves : mapping of str to Curve
        Detection curve by signal, in the order of `SIGNALS`; preliminary until
        `found` is True.
    removal : mapping of str to Removal
        By `ORDERS`, as far as it was measured; empty at first.
    accuracy_clean, accuracy_known : float
        Of decision trees on the held-out rows: without any error, and with exactly the
        planted cells refilled. NaN while unknown.
    ranks : ndarray of float, shape (n_rows, n_columns), or None
        Of every cell by suspicion, 1 first; None before there are values.
    found : bool
        Is detection finished?
    note : str
        What was reduced; else empty.
    """

    kind: str
    share: float
    planted: PlantedTable
    curves: Mapping[str, Curve] = field(default_factory=dict)
    removal: Mapping[str, Removal] = field(default_factory=dict)
    accuracy_clean: float = float("nan")
    accuracy_known: float = float("nan")
    ranks: np.ndarray | None = None
    found: bool = False
    note: str = ""

    @property
    def n_wrong(self) -> int:
        return self.planted.n_wrong

    @property
    def n_cells(self) -> int:
        return int(self.planted.wrong.size)

    def frame(self) -> pd.DataFrame:
        """A line per signal: AUC, and the shares of cells that hold 50 and 90 %."""
        return pd.DataFrame(
            [
                {
                    "signal": name,
                    "auc": curve.auc,
                    "found_first": float(curve.found_at(curve.n_wrong / curve.n_cells)),
                    "cells_for_50": share_needed(curve, 0.5),
                    "cells_for_90": share_needed(curve, 0.9),
                }
                for name, curve in self.curves.items()
            ],
            columns=["signal", "auc", "found_first", "cells_for_50", "cells_for_90"],
        )

    def errors(self) -> pd.DataFrame:
        """A line per planted error, those that are found last first."""
        planted = self.planted
        i, j = np.nonzero(planted.wrong)
        ranks = np.full(i.size, np.nan) if self.ranks is None else self.ranks[i, j]
        names = np.array(planted.table.feature_names, object)[j]
        order = np.argsort(-ranks, kind="stable")
        return pd.DataFrame(
            {
                "row_number": planted.clean.row_numbers[i],
                "column": names,
                "before": _contents(planted.clean, i, names),
                "planted": _contents(planted.table, i, names),
                "rank": ranks,
            }
        ).iloc[order]


def _contents(table: Table, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    texts = np.empty(rows.size, object)
    for name in dict.fromkeys(columns):
        own = columns == name
        texts[own] = table.cells[name].iloc[rows[own]].to_numpy(object)
    return texts
