"""cellval finds the cells of a table that hurt a learning task. Lower is worse.

The whole loop::

    table = cellval.read("data.csv", label="diabetes")
    values = cellval.value_cells(table)
    found = cellval.suspects(table, values)
    fixed = cellval.repair(table, {(12, "height"): "166"})
    cellval.compare_models(table, fixed)

What is not in ``cellval.__all__`` is private and may change. Everything is loaded when
it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

# Every public name, and the module that has it.
_PUBLIC = {
    "BlockValues": "cellval.games.block_values",
    "CellValues": "cellval.values.result",
    "Column": "cellval.table.columns",
    "Comparison": "cellval.repairs.comparison",
    "Groups": "cellval.games.groups",
    "InputError": "cellval.errors",
    "LabelOrCell": "cellval.whatif.questions",
    "Repair": "cellval.repairs.repair",
    "RunOptions": "cellval.values.options",
    "Settings": "cellval.values.settings",
    "Snapshot": "cellval.progress",
    "Suggestion": "cellval.detect.suggestions",
    "Table": "cellval.table.table",
    "Validation": "cellval.validation.result",
    "WhatIf": "cellval.whatif.questions",
    "compare_models": "cellval.repairs.measure",
    "iter_blocks": "cellval.games.blocks",
    "iter_comparison": "cellval.repairs.measure",
    "iter_validation": "cellval.validation.run",
    "iter_values": "cellval.valuation",
    "label_or_cell": "cellval.whatif.questions",
    "load": "cellval.values.result",
    "read": "cellval.table.table",
    "read_decisions": "cellval.repairs.decisions",
    "repair": "cellval.repairs.decisions",
    "repair_file": "cellval.repairs.decisions",
    "report": "cellval.export.report",
    "suggest": "cellval.detect.suspects",
    "suspects": "cellval.detect.suspects",
    "validate": "cellval.validation.run",
    "value_blocks": "cellval.games.blocks",
    "value_cells": "cellval.valuation",
    "value_rows": "cellval.valuation",
    "what_if": "cellval.whatif.questions",
}
_RENAMED = {"read_csv": "read"}  # since 0.1

__all__ = [
    "BlockValues",
    "CellValues",
    "Column",
    "Comparison",
    "Groups",
    "InputError",
    "LabelOrCell",
    "Repair",
    "RunOptions",
    "Settings",
    "Snapshot",
    "Suggestion",
    "Table",
    "Validation",
    "WhatIf",
    "compare_models",
    "iter_blocks",
    "iter_comparison",
    "iter_validation",
    "iter_values",
    "label_or_cell",
    "load",
    "read",
    "read_decisions",
    "repair",
    "repair_file",
    "report",
    "suggest",
    "suspects",
    "validate",
    "value_blocks",
    "value_cells",
    "value_rows",
    "what_if",
]

if TYPE_CHECKING:
    from cellval.detect.suggestions import Suggestion
    from cellval.detect.suspects import suggest, suspects
    from cellval.errors import InputError
    from cellval.export.report import report
    from cellval.games.block_values import BlockValues
    from cellval.games.blocks import iter_blocks, value_blocks
    from cellval.games.groups import Groups
    from cellval.progress import Snapshot
    from cellval.repairs.comparison import Comparison
    from cellval.repairs.decisions import read_decisions, repair, repair_file
    from cellval.repairs.measure import compare_models, iter_comparison
    from cellval.repairs.repair import Repair
    from cellval.table.columns import Column
    from cellval.table.table import Table, read
    from cellval.validation.result import Validation
    from cellval.validation.run import iter_validation, validate
    from cellval.valuation import iter_values, value_cells, value_rows
    from cellval.values.options import RunOptions
    from cellval.values.result import CellValues, load
    from cellval.values.settings import Settings
    from cellval.whatif.questions import LabelOrCell, WhatIf, label_or_cell, what_if


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        found = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = found
        return found
    hint = f"; since 0.2 it is cellval.{_RENAMED[name]}" if name in _RENAMED else ""
    raise AttributeError(f"module 'cellval' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
