"""Labels that the rows most like theirs contradict.

A label that differs from those of all similar rows is an error only where similar rows
agree: where they are torn in many places, the label is likely, not settled, and rare
cases are what a model has to live with. How often they are torn does not depend on a
few wrong labels, so that it tells one from the other.
"""

import numpy as np

from cellval.detect.finding import Finding, column_name, finding, row_name
from cellval.detect.labels import with_label_as_column
from cellval.detect.neighbours import ITEM_ROWS, Asking, NeighbourIndex
from cellval.detect.surprise import odds_of, sure_codes, without
from cellval.detect.suspicion import Suspicion, n_to_flag
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import brief, content, full

FEWEST_ROWS = 50
FEWEST_NEAR = 10  # rows like a row: fewer cannot agree by more than chance
KNOWN = 4_096  # rows among which similar ones are looked for
TORN = 0.75  # of the rows like a row have the same label, at most
SETTLED, LIKELY = 0.02, 0.1  # of all rows have torn neighbours, at most
# Of the rows like a row so many have the same other label, at least, and how sure it
# then is: where labels are settled, and where they are likely. Of numbers no one knows.
AGREED = {SETTLED: (0.8, 0.6), LIKELY: (0.93, 0.4)}
OF_NUMBERS = 0.3
MOST = 100  # labels that are asked about, the clearest


@kept(1)
def doubtful_labels(suspicion: Suspicion) -> list[Finding]:
    """One for each row whose label is contradicted, the clearest first."""
    table = suspicion.table.labelled
    if not table.label or table.n_rows < FEWEST_ROWS:
        return []
    places = np.flatnonzero(suspicion.table.y >= 0)
    whole = with_label_as_column(without(table, sure_codes(table)))
    asking = Asking(whole, targets=(len(whole.features) - 1,))
    if table.target is not None:
        return _of_numbers(suspicion.table, places, asking)
    return _of_classes(suspicion.table, places, table.y, asking)


def _of_classes(
    table: Table, places: np.ndarray, y: np.ndarray, asking: Asking
) -> list[Finding]:
    usual, n_same, n_near = _votes(asking, y)
    torn = float(np.mean(n_same < TORN * n_near))
    known = [rule for most, rule in AGREED.items() if torn <= most]
    if not known:
        return []
    agreed, sure = known[0]
    doubtful = (usual != y) & (n_near >= FEWEST_NEAR) & (n_same >= agreed * n_near)
    rows = np.flatnonzero(doubtful)
    rows = rows[np.argsort(-(n_same / np.maximum(n_near, 1))[rows], kind="stable")]
    return [
        _finding(
            table,
            int(places[i]),
            table.classes[usual[i]],
            sure,
            f"{n_same[i]} of the {n_near[i]} rows most like this one have "
            f"'{brief(table.classes[usual[i]], 30)}'.",
        )
        for i in rows[:MOST].tolist()
    ]


def _votes(asking: Asking, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The commonest class of the rows like each row; how many have it, of how many."""
    model, n_classes = asking.model, int(y.max()) + 1
    index = NeighbourIndex(asking.table, model, KNOWN, asking.asked)
    votes = np.empty((3, y.size), np.int64)
    for start in range(0, y.size, ITEM_ROWS):
        rows = np.arange(start, min(y.size, start + ITEM_ROWS))
        near = index.neighbours(model.cells[:, rows], rows)[:, 0]
        own = np.repeat(np.arange(rows.size), near.shape[1])[near.ravel() >= 0]
        pairs = own * n_classes + y[near.ravel()[near.ravel() >= 0]]
        counts = np.bincount(pairs, minlength=rows.size * n_classes)
        counts = counts.reshape(rows.size, n_classes)
        votes[:, rows] = counts.argmax(1), counts.max(1), counts.sum(1)
    return votes[0], votes[1], votes[2]


def _of_numbers(table: Table, places: np.ndarray, asking: Asking) -> list[Finding]:
    """Those that are too odd for chance among so many."""
    index = NeighbourIndex(asking.table, asking.model, KNOWN, asking.asked)
    nearby = index.ask(asking.model.cells, np.arange(places.size))
    odd = odds_of(asking, nearby).both[:, 0]
    rows = np.argsort(odd, kind="stable")[: min(MOST, n_to_flag(odd))]
    return [
        _finding(
            table,
            int(places[i]),
            None,
            OF_NUMBERS,
            f"The rows most like this one have about {full(nearby.expected[i, 0])}.",
        )
        for i in rows.tolist()
        if np.isfinite(nearby.expected[i, 0])
    ]


def _finding(
    table: Table, position: int, after: str | None, sure: float, evidence: str
) -> Finding:
    own = table.cells[table.label].iat[position].strip()
    return finding(
        table,
        "label",
        table.label,
        [position],
        [after],
        about=(own, row_name(table, position)),
        sure=sure,
        title=f"{column_name(table.label)}: {content(own, 30)}",
        evidence=evidence,
    )
