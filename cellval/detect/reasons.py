"""Why a cell is suspicious, as a sentence."""

import numpy as np

from cellval.detect.suspicion import CORNERS, SURPRISING, Suspicion
from cellval.table.columns import Column
from cellval.table.describe import number_text, usual_range
from cellval.text import brief


def reasons(suspicion: Suspicion, rows: np.ndarray, columns: np.ndarray) -> list[str]:
    """A sentence for each cell on what is odd about it and whether it hurts."""
    corners = list(CORNERS.values())
    ordinary = {k: f"{words[0].upper()}{words[1:]}." for k, words in enumerate(corners)}
    kinds = suspicion.corner[rows, columns]
    texts = [ordinary[kind] for kind in kinds.tolist()]
    usual: dict[tuple[int, int], str] = {}
    for at in np.flatnonzero(suspicion.surprise.surprise[rows, columns] < SURPRISING):
        i, j = int(rows[at]), int(columns[at])
        why = suspicion.surprise.misfits.get((i, j)) or _oddity(suspicion, i, j, usual)
        texts[at] = why + (" It hurts." if suspicion.hurts[i, j] else "")
    return texts


def _oddity(
    suspicion: Suspicion, i: int, j: int, usual: dict[tuple[int, int], str]
) -> str:
    table, found = suspicion.table, suspicion.surprise
    column, label = table.features[j], int(table.y[i])
    if (j, label) not in usual:
        usual[j, label] = usual_range(column, table.y == label)
    parts = []
    if found.residual[i, j] < 0.05 and np.isfinite(found.nearby.expected[i, j]):
        has = _expected_text(column, float(found.nearby.expected[i, j]))
        parts.append(f"rows like this one have about {has}")
    if found.rarity[i, j] < 0.05 or not parts:
        who = brief(table.classes[label], 20)
        parts.append(
            f"usual where {brief(table.label, 20)} is {who}: {usual[j, label]}"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _expected_text(column: Column, expected: float) -> str:
    if column.codes is not None:
        return f"'{brief(column.categories[int(expected)], 30)}'"
    return number_text(column, expected)
