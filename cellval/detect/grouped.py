"""Findings that whole columns tell, whatever rows are like each other."""

from cellval.detect.blanks import blanks
from cellval.detect.duplicates import near_duplicates
from cellval.detect.finding import Finding
from cellval.detect.shifted import shifted
from cellval.detect.swapped import swapped
from cellval.kept import kept
from cellval.table.table import Table

OF_ROWS = (shifted, swapped, near_duplicates, blanks)


@kept(1)
def grouped(table: Table) -> tuple[Finding, ...]:
    """Those of every finder; a cell may be in several."""
    return tuple(one for find in OF_ROWS for one in find(table))
