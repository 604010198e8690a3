"""`Validation`: what looking for planted errors has found so far, and what it means."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cellval.stats import SURE
from cellval.validation.curves import Curve, Removal, share_needed
from cellval.validation.planted_table import PlantedTable
from cellval.validation.signals import RANDOM, SUSPICION, VALUE

ORDERS = (SUSPICION, VALUE, RANDOM)  # of the removal curve
BETTER = 0.8  # of the cells: so much less work is worth a word
CHANCE = 0.6  # AUC below which finding is little better than chance


@dataclass(frozen=True)
class Search:
    """How much must be inspected until errors are found, the most suspicious first."""

    for_half: float  # share of all cells that holds half of the errors
    for_most: float  # nine in ten of them
    is_chance: bool  # no better, or little better, than a random order
    better: str = ""  # a signal that would do with clearly less, if there is one
    better_for_most: float = float("nan")


@dataclass(frozen=True)
class RefillEffect:
    """What errors cost a decision tree, and what refilling as many cells gives back."""

    n_tests: int  # rows held out clean
    with_errors: float  # accuracy of trees that learn from the table with errors
    clean: float  # and from the clean one
    noise: float  # standard error of the latter
    hurts: bool  # is the difference more than noise?
    # Change and its standard error when the most suspicious cells, or as many random
    # ones, are refilled; None until that was measured.
    gain: tuple[float, float] | None = None
    random_gain: tuple[float, float] | None = None
    lead: int = 0  # 1 if the suspicious ones clearly gain more, -1 if less


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
        planted cells refilled. NaN while unknown. Of a label of numbers it is their
        closeness (see `score`).
    ranks : ndarray of float, shape (n_rows, n_columns), or None
        Of every cell by suspicion, 1 first; None before there are values.
    found : bool
        Is detection finished?
    note : str
        What was reduced; else empty.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> found = cellval.validate(table, kind="swap", removal=False)
    >>> found.n_wrong, found.frame().columns.tolist()
    (15, ['signal', 'auc', 'found_first', 'cells_for_50', 'cells_for_90'])
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
    def score(self) -> str:
        """What trees are measured by: "accuracy", or "closeness" to true numbers."""
        return "accuracy" if self.planted.table.target is None else "closeness"

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

    def search(self) -> Search | None:
        """How much must be inspected; None before the cells are valued."""
        frame = self.frame().set_index("signal")
        if SUSPICION not in frame.index:
            return None
        own = frame.loc[SUSPICION]
        shares = (float(own["cells_for_50"]), float(own["cells_for_90"]))
        is_chance = bool(own["auc"] < CHANCE)
        others = frame.drop(index=[SUSPICION, RANDOM])["cells_for_90"]
        if self.found and len(others) and others.min() < BETTER * shares[1]:
            best = str(others.idxmin()), float(others.min())
            return Search(*shares, is_chance, *best)
        return Search(*shares, is_chance)

    def refill_effect(self) -> RefillEffect | None:
        """What the errors cost and refilling gives back; None before it is measured."""
        if not self.removal:
            return None
        own, share = self.removal[SUSPICION], self.n_wrong / self.n_cells
        n, dirty, clean = own.hits.shape[1], own.accuracy[0], self.accuracy_clean
        noise = math.sqrt(max(clean * (1 - clean), 1 / n) / n)
        if self.score == "closeness":
            noise = float(own.hits[0].std(ddof=1) / math.sqrt(n))
        hurts = bool(abs(clean - dirty) >= SURE * noise)
        cost = (n, float(dirty), clean, noise, hurts)
        if own.removed[-1] < share:
            return RefillEffect(*cost)
        rest = self.removal[RANDOM]
        k = int(np.argmin(np.abs(own.removed - share)))
        apart = own.hits[k] - rest.hits[k]
        lead, error = float(apart.mean()), float(apart.std(ddof=1) / math.sqrt(n))
        sign = 0 if abs(lead) <= SURE * error else 1 if lead > 0 else -1
        return RefillEffect(*cost, own.gain_at(share), rest.gain_at(share), sign)

    def signals(self) -> pd.DataFrame:
        """As `frame`, with numbers of cells beside their shares."""
        frame = self.frame()
        for level in ("50", "90"):
            share = frame[f"cells_for_{level}"]
            place = frame.columns.get_loc(f"cells_for_{level}")
            frame.insert(place, f"n_for_{level}", (share * self.n_cells).round())
        return frame

    def points(self, cells: np.ndarray) -> pd.DataFrame:
        """Points of both kinds of curves; those of detection at numbers of cells."""
        shares = cells / self.n_cells
        parts = [
            pd.DataFrame(
                {
                    "curve": "errors found",
                    "order": name,
                    "cells": cells,
                    "share_of_cells": shares,
                    "share": curve.found_at(shares),
                }
            )
            for name, curve in self.curves.items()
        ]
        parts += [
            pd.DataFrame(
                {
                    "curve": self.score,
                    "order": name,
                    "cells": (own.removed * self.n_cells).round().astype(int),
                    "share_of_cells": own.removed,
                    "share": own.accuracy,
                    "stderr_of_change": [own.gain_at(x)[1] for x in own.removed],
                }
            )
            for name, own in self.removal.items()
        ]
        return pd.concat(parts, ignore_index=True)

    def errors(self) -> pd.DataFrame:
        """A line per planted error, those that are found last first."""
        planted = self.planted
        i, j = np.nonzero(planted.wrong)
        ranks = np.full(i.size, np.nan) if self.ranks is None else self.ranks[i, j]
        names = list(planted.table.feature_names)
        before, after = (
            table.cells[names].to_numpy(object)[i, j]
            for table in (planted.clean, planted.table)
        )
        order = np.argsort(-ranks, kind="stable")
        return pd.DataFrame(
            {
                "row_number": planted.clean.row_numbers[i],
                "column": np.array(names, object)[j],
                "before": before,
                "planted": after,
                "rank": ranks,
            }
        ).iloc[order]
