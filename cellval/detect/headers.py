"""Findings: rows that hold the names of the columns once more."""

import numpy as np

from cellval.detect.finding import Finding, finding
from cellval.table.notes import header_rows
from cellval.table.table import Table
from cellval.text import counted

SURE = 0.99


def repeated_headers(table: Table) -> list[Finding]:
    """One for all of them: it is about whole rows."""
    rows = header_rows(table.cells)
    if not rows.size:
        return []
    names = [*table.cells]
    return [
        finding(
            table,
            "format",
            "",
            np.repeat(rows, len(names)),
            about=("header",),
            sure=SURE,
            title=f"{counted(rows.size, 'row')} with the names of the columns",
            evidence="As if files had been joined with their headers. Drop the row in "
            "the panel of one of its cells.",
            columns=names * rows.size,
        )
    ]
