"""Findings that whole columns and rows tell, whatever rows are like each other."""

from collections.abc import Callable, Iterable

from cellval.detect.arithmetic import arithmetic
from cellval.detect.blanks import blanks
from cellval.detect.codes import codes
from cellval.detect.conflicts import conflicts
from cellval.detect.duplicates import near_duplicates
from cellval.detect.finding import Finding
from cellval.detect.formats import formats
from cellval.detect.headers import repeated_headers
from cellval.detect.keys import keys
from cellval.detect.ordered import ordered
from cellval.detect.rules import broken_rules
from cellval.detect.shared_domains import shared_domains
from cellval.detect.shifted import shifted
from cellval.detect.spellings import spellings
from cellval.detect.swapped import swapped
from cellval.detect.two_givens import two_givens
from cellval.detect.units import other_units
from cellval.kept import kept
from cellval.table.table import Table

FINDERS: tuple[Callable[[Table], Iterable[Finding]], ...] = (
    codes,
    repeated_headers,
    formats,
    spellings,
    broken_rules,
    two_givens,
    conflicts,
    arithmetic,
    ordered,
    shared_domains,
    keys,
    other_units,
    shifted,
    swapped,
    near_duplicates,
    blanks,
)


@kept(1)
def grouped(table: Table) -> tuple[Finding, ...]:
    """Those of every finder; a cell may be in several."""
    return tuple(one for finder in FINDERS for one in finder(table))
