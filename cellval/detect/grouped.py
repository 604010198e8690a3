"""Findings that whole columns tell, whatever rows are like each other."""

from collections.abc import Callable, Iterable

from cellval.detect.arithmetic import arithmetic
from cellval.detect.finding import Finding
from cellval.detect.keys import keys
from cellval.detect.ordered import ordered
from cellval.detect.two_givens import two_givens
from cellval.kept import kept
from cellval.table.table import Table

FINDERS: tuple[Callable[[Table], Iterable[Finding]], ...] = (
    two_givens,
    arithmetic,
    ordered,
    keys,
)


@kept(1)
def grouped(table: Table) -> tuple[Finding, ...]:
    """Those of every finder; a cell may be in several."""
    return tuple(one for finder in FINDERS for one in finder(table))
