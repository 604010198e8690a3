"""Labels that the rows most like theirs contradict."""

import numpy as np

from cellval.detect.finding import Finding, column_name, finding, row_name
from cellval.detect.labels import judged_labels
from cellval.detect.suspicion import Suspicion, n_to_flag
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import brief, content, full, one_in

MOST = 50  # labels that are asked about, the clearest
SURE = 0.4  # a label is changed only with caution: asked, not flagged


@kept(1)
def doubtful_labels(suspicion: Suspicion) -> list[Finding]:
    """One for each row whose label is much odder than chance makes any, worst first."""
    table = suspicion.table.labelled
    if not table.label or table.n_rows < 2:
        return []
    places = np.flatnonzero(suspicion.table.y >= 0)
    judged = judged_labels(table)
    n = min(MOST, n_to_flag(judged.surprise))
    order = np.argsort(judged.surprise, kind="stable")[:n]
    found = []
    for i in order.tolist():
        expected = float(judged.expected[i])
        if np.isnan(expected) or (table.target is None and expected == table.y[i]):
            continue
        found.append(
            _finding(suspicion.table, int(places[i]), expected, judged.surprise[i])
        )
    return found


def _finding(table: Table, position: int, expected: float, odd: float) -> Finding:
    label = column_name(table.label)
    own = table.cells[table.label].iat[position].strip()
    after = table.classes[int(expected)] if table.target is None else None
    says = full(expected) if after is None else f"'{brief(after, 30)}'"
    return finding(
        table,
        "label",
        table.label,
        [position],
        [after],
        about=(own, row_name(table, position)),
        sure=SURE,
        title=f"{label}: {content(own, 30)}",
        evidence=(
            f"Rows like this one have about {says}; a label as odd as this one has "
            f"{one_in(float(odd))} ordinary rows."
        ),
    )
