"""Findings that whole columns and rows tell, whatever rows are like each other."""

from collections.abc import Callable, Iterable
from itertools import chain

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
from cellval.kept import keep, kept
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


class Search:
    """One finder after the other, here or in another thread, until time is over."""

    def __init__(self, table: Table) -> None:
        self._table, self.is_over = table, False
        self._found: list[tuple[Finding, ...]] = []

    def look(self, is_over: Callable[[], bool] = lambda: False) -> None:
        """What they find is kept with the table."""
        for finder in FINDERS:
            if self.is_over or is_over():
                return
            self._found.append(tuple(finder(self._table)))

    def end(self) -> None:
        """What was found by now is what `grouped` tells."""
        self.is_over = True
        if self.is_cut:
            keep(grouped, tuple(chain.from_iterable(self._found)), self._table)

    @property
    def is_cut(self) -> bool:
        return self.is_over and len(self._found) < len(FINDERS)
