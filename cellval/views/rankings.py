"""Which cells come first: by suspicion, by value, by surprise; how many are outlined.

A ranking that needs surprise is answered by value until surprise is there.
"""

from dataclasses import dataclass

import numpy as np

from cellval.detect.suspicion import Suspicion, n_to_flag
from cellval.kept import kept
from cellval.values.result import CellValues
from cellval.views.value_view import value_view

RANKINGS = {
    "suspicion": "suspicion",
    "value": "value within the class",
    "all": "value over all cells",
    "surprise": "surprise",
}
OUTLINES = {
    "suspicion": "suspicion",
    "value": "value only",
    "surprise": "surprise only",
}
# Superlatives for lists and sentences.
WORST = {
    "suspicion": "most suspicious",
    "value": "lowest",
    "all": "lowest",
    "surprise": "most surprising",
}


@dataclass(frozen=True, eq=False)
class Ranking:
    """Cells, worst first."""

    by: str  # of `RANKINGS`; "value" where surprise was asked for and is not there yet
    order: np.ndarray  # flat positions; by value, cells without one are left out
    n_rule: int | None  # suspects, which come first; None by value, which has no rule


def ranking(values: CellValues, suspicion: Suspicion | None, by: str) -> Ranking:
    """All cells of a result by one of `RANKINGS`."""
    if by == "all":
        return Ranking(by, value_view(values).order_over_all, None)
    if suspicion is None or by == "value":
        return Ranking("value", value_view(values).order, None)
    if by == "surprise":
        return Ranking(by, suspicion.surprise_order, _n_surprising(suspicion))
    return Ranking("suspicion", suspicion.order, suspicion.n_flagged)


@kept(1)
def _n_surprising(suspicion: Suspicion) -> int:
    return n_to_flag(suspicion.surprise.surprise)


@dataclass(frozen=True, eq=False)
class Outlines:
    """The cells to outline."""

    by: str  # key of `OUTLINES`; see `Ranking`
    cells: np.ndarray  # flat positions, worst first
    chosen: bool  # a person said how many; otherwise a rule did


def outlines(
    values: CellValues, suspicion: Suspicion | None, by: str, k: int | None = None
) -> Outlines:
    """The k worst cells by one of `OUTLINES`; with None as many as the rule says.

    By value alone, only cells that clearly hurt are outlined.
    """
    ranked = ranking(values, suspicion, by)
    order, n = ranked.order, ranked.n_rule
    if ranked.by == "value":
        order, n = value_view(values).harmful, value_view(values).usual_suspects
    return Outlines(ranked.by, order[: n if k is None else k], k is not None)


def outline_words(shown: Outlines) -> str:
    """Which cells are outlined, and by what rule, as a sentence."""
    n = len(shown.cells)
    cells = "1 suspect is" if n == 1 else f"{n:,} suspects are"
    if shown.by == "value":
        if n == 0:
            return "No cell is outlined: none is clearly below 0."
        which = f"Outlined: the {n:,} lowest cells within their class"
        return f"{which} that are clearly below 0."
    if shown.chosen:
        worst = f"The {n:,} {WORST[shown.by]} cells are"
        if n == 1:
            worst = f"The {WORST[shown.by]} cell is"
        return f"{worst} outlined, as many as you chose."
    if n == 0:
        return (
            "No suspects: nothing stands out. Choose a number under View to outline "
            f"the {WORST[shown.by]} cells anyway."
        )
    alone = ", by surprise alone" if shown.by == "surprise" else ""
    return f"{cells} outlined{alone}; the rule aims at one false alarm in ten."


def cells_at(values: CellValues, flat: np.ndarray) -> list[tuple[int, str]]:
    """Row position and column of cells, by their flat positions."""
    rows, columns = np.divmod(flat, len(values.column_names))
    names = [values.column_names[j] for j in columns.tolist()]
    return list(zip(rows.tolist(), names, strict=True))
