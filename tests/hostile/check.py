"""What must be true of every file, whatever is in it."""

import numpy as np

import cellval
from cellval.table.formats import rewritten


def outcome(one, value=True):
    """ "refused" or "table"; an AssertionError or another exception is a fault."""
    try:
        table = cellval.read(one.raw)
    except cellval.InputError as error:
        said = str(error)
        assert said.endswith((".", "?", ")")) and len(said) < 6000, said[:200]
        assert (one.refused or one.is_drawn) and one.refused in said, said[:300]
        return "refused"
    assert not one.refused
    if one.shape:
        assert table.cells.shape == one.shape
    unchanged(one.raw, table)
    if value:
        values = cellval.value_cells(table, subsets=4, n_jobs=1)
        assert np.isfinite(values.values[table.y >= 0]).all()
    return "table"


def unchanged(raw, table):
    """Rewriting nothing, or a cell by what it is, gives the same bytes; another text
    stands in the cell when it is read again, and everything else as it was.
    """
    assert rewritten(raw, {}) == raw
    row, name = int(table.row_numbers[-1]), str(table.cells.columns[0])
    new = rewritten(raw, {(row, name): "7"})
    again = cellval.read(new, label=table.label, kinds={})
    assert again.cells.shape == table.cells.shape
    assert again.cells[name].iloc[-1].strip() == "7" or name == table.label
    assert rewritten(new, {(row, name): table.cells[name].iloc[-1]}) is not None
