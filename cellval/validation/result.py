"""`Validation`: what looking for planted errors has found so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.experiments.wording import percent
from cellval.figures.lines import LineOf, lines_figure
from cellval.table.table import Table
from cellval.text import SURE
from cellval.validation.curves import Curve, Removal, share_needed
from cellval.validation.planted_table import Rehearsal
from cellval.validation.planting import KINDS

SUSPICION, VALUE, ALL = "Suspicion", "Value within the class", "Value over all cells"
SURPRISE, RARITY, RANDOM = "Surprise", "Class-wise |z|", "Random"
SIGNALS = (SUSPICION, VALUE, ALL, SURPRISE, RARITY, RANDOM)
ORDERS = (SUSPICION, VALUE, RANDOM)  # of the removal curve


@dataclass(frozen=True, eq=False)
class Validation:
    """What is known so far.

    Attributes
    ----------
    kind, share : str, float
        What was planted, into which share of the cells that can have it.
    rehearsal : Rehearsal
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
    done : float
    seconds, seconds_left : float
    """

    kind: str
    share: float
    rehearsal: Rehearsal
    curves: Mapping[str, Curve] = field(default_factory=dict)
    removal: Mapping[str, Removal] = field(default_factory=dict)
    accuracy_clean: float = float("nan")
    accuracy_known: float = float("nan")
    ranks: np.ndarray | None = None
    found: bool = False
    done: float = 0.0
    seconds: float = 0.0
    seconds_left: float = float("nan")
    stage: str = "planting errors"
    note: str = ""

    @property
    def n_wrong(self) -> int:
        return self.rehearsal.n_wrong

    @property
    def n_cells(self) -> int:
        return int(self.rehearsal.wrong.size)

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

    def planted(self) -> pd.DataFrame:
        """A line per planted error, those that are found last first."""
        about = self.rehearsal
        i, j = np.nonzero(about.wrong)
        ranks = np.full(i.size, np.nan) if self.ranks is None else self.ranks[i, j]
        names = np.array(about.table.feature_names, object)[j]
        order = np.argsort(-ranks, kind="stable")
        return pd.DataFrame(
            {
                "row": about.clean.row_numbers[i],
                "column": names,
                "before": _contents(about.clean, i, names),
                "planted": _contents(about.table, i, names),
                "rank": ranks,
            }
        ).iloc[order]

    def in_words(self) -> str:
        """What was found, as sentences; empty before there is anything to say."""
        if not self.found:
            return ""
        best = self.curves[SUSPICION]
        need = share_needed(best, 0.9)
        texts = [
            f"{self.n_wrong:,} errors ({KINDS[self.kind]}) were planted into "
            f"{self.n_cells:,} cells. Inspecting the most suspicious cells first finds "
            f"half of them in {percent(share_needed(best, 0.5), 1)} and nine in ten in "
            f"{percent(need, 1)} of the cells; in random order it would take 50 % and "
            "90 %."
        ]
        if best.auc < 0.6:
            texts.append(
                "That is no better, or little better, than chance: errors of this "
                "kind look like ordinary cells here."
            )
        if self.removal and self.done >= 1:
            texts.append(self._gain_words())
        return " ".join(texts)

    def _gain_words(self) -> str:
        own = self.removal[SUSPICION]
        gain, error = own.gain_at(self.n_wrong / self.n_cells)
        cost = float(own.accuracy[0]) - self.accuracy_clean
        sure = "" if abs(gain) > SURE * error else ", which may be chance"
        return (
            "The errors change the accuracy of a decision tree on "
            f"{own.hits.shape[1]:,} rows held out clean by {100 * cost:+.1f} points; "
            "refilling as many of the most suspicious cells changes it by "
            f"{100 * gain:+.1f} ± {100 * error:.1f}{sure}."
        )

    def detection_figure(self) -> go.Figure:
        """Share of the errors found against share of the cells inspected."""
        lines = [
            LineOf(name, curve.inspected[k], curve.found[k])
            for name, curve in self.curves.items()
            for k in [_some(curve.inspected.size)]
        ]
        return lines_figure(
            {"": lines}, x="% of cells inspected", y="% of planted errors found"
        )

    def removal_figure(self) -> go.Figure:
        """Accuracy on held-out rows against share of the cells refilled."""
        lines = [LineOf(n, r.removed, r.accuracy) for n, r in self.removal.items()]
        figure = lines_figure(
            {"": lines}, x="% of cells refilled", y="accuracy on held-out rows in %"
        )
        for level, text in (
            (self.accuracy_clean, "without errors"),
            (self.accuracy_known, "planted cells refilled"),
        ):
            if np.isfinite(level):
                figure.add_hline(
                    y=100 * level,
                    line={"color": "rgba(128,128,128,0.8)", "dash": "dot", "width": 1},
                    annotation={"text": text, "font": {"size": 11}},
                    annotation_position="bottom right",
                )
        return figure


def _contents(table: Table, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    texts = np.empty(rows.size, object)
    for name in dict.fromkeys(columns):
        own = columns == name
        texts[own] = table.cells[name].iloc[rows[own]].to_numpy(object)
    return texts


def _some(n: int, most: int = 1000) -> np.ndarray:
    """Places of at most so many points, the ends among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
