"""Findings that whole columns tell, whatever rows are like each other."""

from cellval.detect.finding import Finding
from cellval.kept import kept
from cellval.table.table import Table


@kept(1)
def grouped(table: Table) -> tuple[Finding, ...]:
    """Those of every finder; a cell may be in several."""
    return ()
