"""Blank cells in a column that is otherwise complete."""

import numpy as np

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.rules import exceptions
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import counted, percent

MOST = 0.02  # of the cells are blank, at most
FEWEST_ROWS = 50  # of fewer rows, one blank cell is no small share
ALIKE = 0.5  # as many blank cells as in a column are about as many
SETTLED, ASKED = 0.7, 0.3  # how sure, if a rule says what belongs there, or nothing


@kept(1)
def blanks(table: Table) -> list[Finding]:
    """One for each column, and one for those of its cells that a rule settles.

    Where half of the columns have about as many, blanks are how the table is. A mark
    such as "?" was written on purpose and is no blank.
    """
    if table.n_rows < FEWEST_ROWS:
        return []
    blank = {str(name): _blank(table, str(name)) for name in table.cells}
    n_blank = np.array([rows.size for rows in blank.values()])
    rules = None
    found = []
    for name, rows in blank.items():
        if not 0 < rows.size <= MOST * table.n_rows:
            continue
        others = int((n_blank >= ALIKE * rows.size).sum()) - 1
        if len(blank) > 1 and 2 * others >= len(blank):
            continue
        rules = exceptions(table) if rules is None else rules
        settled = [i for i in rows.tolist() if (i, name) in rules]
        rest = [i for i in rows.tolist() if (i, name) not in rules]
        complete = percent(1 - rows.size / table.n_rows)
        if settled:
            broken = [rules[i, name] for i in settled]
            found.append(
                finding(
                    table,
                    "blank",
                    name,
                    settled,
                    [rule.usual[k] for rule, k in broken],
                    about=("settled",),
                    sure=SETTLED,
                    title=f"{column_name(name)}: {counted(len(settled), 'blank cell')}",
                    evidence="Nearly all rows that have the same elsewhere have it.",
                    why=[rule.sentence(table, k) for rule, k in broken],
                )
            )
        if rest:
            found.append(
                finding(
                    table,
                    "blank",
                    name,
                    rest,
                    about=("blank",),
                    sure=ASKED,
                    title=f"{column_name(name)}: {counted(len(rest), 'blank cell')}",
                    evidence=f"{complete} of the column is filled in.",
                )
            )
    return found


def _blank(table: Table, name: str) -> np.ndarray:
    return np.flatnonzero((table.cells[name].str.strip() == "").to_numpy(bool))
