"""What a person's decisions say about the questions that are left."""

from collections.abc import Mapping
from dataclasses import dataclass

from cellval.detect.finding import Finding
from cellval.detect.findings import all_findings
from cellval.detect.suspicion import Suspicion
from cellval.table.table import Table

Decisions = Mapping[
    tuple[int, str], str
]  # row number from 1, column: error, fine, unsure


@dataclass(frozen=True, eq=False)
class Taught:
    """Findings after some decisions.

    Attributes
    ----------
    findings : tuple of Finding
        Those that still have undecided cells, most expected errors first; their `sure`
        is what decisions made of it.
    answered : tuple of Finding
        Those whose cells are all decided.
    n_decided : int
        Cells that were decided and are in a finding.
    moved : mapping of key to str
        A sentence for each finding that decisions on others moved.
    """

    findings: tuple[Finding, ...]
    answered: tuple[Finding, ...]
    n_decided: int
    moved: Mapping[str, str]

    @property
    def teaching(self) -> tuple[Finding, ...]:
        """The open ones in another order: those whose answer would teach most first."""
        return tuple(sorted(self.findings, key=lambda one: abs(one.sure - 0.5)))


def taught(suspicion: Suspicion, decisions: Decisions) -> Taught:
    table = suspicion.table
    open_, answered, n = [], [], 0
    for one in all_findings(suspicion):
        n_own = sum(cell in decisions for cell in cells_of(table, one))
        (answered if n_own == one.n_cells else open_).append(one)
        n += n_own
    return Taught(tuple(open_), tuple(answered), n, {})


def cells_of(table: Table, one: Finding) -> list[tuple[int, str]]:
    """Its cells as decisions name them: row number and column."""
    numbers = table.row_numbers[one.rows].tolist()
    return list(zip(numbers, one.columns.tolist(), strict=True))
