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

__version__ = "0.2.0"

# Modules, and the public names that each has.
_MODULES = {
    "cellval.detect.finding": "Finding",
    "cellval.detect.findings": "findings",
    "cellval.detect.labels": "suspect_labels",
    "cellval.detect.suggestions": "Suggestion",
    "cellval.detect.suspects": "suggest suspects",
    "cellval.errors": "InputError",
    "cellval.export.check": "Check check",
    "cellval.export.report": "report",
    "cellval.games.block_values": "BlockValues",
    "cellval.games.blocks": "iter_blocks value_blocks",
    "cellval.games.groups": "Groups",
    "cellval.launch": "show",
    "cellval.progress": "Snapshot",
    "cellval.project.project": "Project",
    "cellval.project.shelf": "open_project projects",
    "cellval.recipes.applying": "apply_recipe",
    "cellval.recipes.recipe": "Recipe read_recipe",
    "cellval.repairer": "CellRepairer",
    "cellval.repairs.comparison": "Comparison",
    "cellval.repairs.decisions": "read_decisions repair repair_file",
    "cellval.repairs.measure": "compare_models iter_comparison",
    "cellval.repairs.repair": "Repair",
    "cellval.table.columns": "Column",
    "cellval.table.table": "Table read",
    "cellval.validation.result": "Validation",
    "cellval.validation.run": "iter_validation validate",
    "cellval.valuation": "iter_values value_cells value_rows",
    "cellval.values.options": "RunOptions",
    "cellval.values.result": "CellValues load",
    "cellval.values.settings": "Settings",
    "cellval.whatif.questions": "LabelOrCell WhatIf label_or_cell what_if",
}
_PUBLIC = {name: module for module, has in _MODULES.items() for name in has.split()}
_RENAMED = {"read_csv": "read"}  # since 0.1

__all__ = sorted(_PUBLIC)

if TYPE_CHECKING:  # `as` says that the name is there for others
    from cellval.detect.finding import Finding as Finding
    from cellval.detect.findings import findings as findings
    from cellval.detect.labels import suspect_labels as suspect_labels
    from cellval.detect.suggestions import Suggestion as Suggestion
    from cellval.detect.suspects import suggest as suggest
    from cellval.detect.suspects import suspects as suspects
    from cellval.errors import InputError as InputError
    from cellval.export.check import Check as Check
    from cellval.export.check import check as check
    from cellval.export.report import report as report
    from cellval.games.block_values import BlockValues as BlockValues
    from cellval.games.blocks import iter_blocks as iter_blocks
    from cellval.games.blocks import value_blocks as value_blocks
    from cellval.games.groups import Groups as Groups
    from cellval.launch import show as show
    from cellval.progress import Snapshot as Snapshot
    from cellval.project.project import Project as Project
    from cellval.project.shelf import open_project as open_project
    from cellval.project.shelf import projects as projects
    from cellval.recipes.applying import apply_recipe as apply_recipe
    from cellval.recipes.recipe import Recipe as Recipe
    from cellval.recipes.recipe import read_recipe as read_recipe
    from cellval.repairer import CellRepairer as CellRepairer
    from cellval.repairs.comparison import Comparison as Comparison
    from cellval.repairs.decisions import read_decisions as read_decisions
    from cellval.repairs.decisions import repair as repair
    from cellval.repairs.decisions import repair_file as repair_file
    from cellval.repairs.measure import compare_models as compare_models
    from cellval.repairs.measure import iter_comparison as iter_comparison
    from cellval.repairs.repair import Repair as Repair
    from cellval.table.columns import Column as Column
    from cellval.table.table import Table as Table
    from cellval.table.table import read as read
    from cellval.validation.result import Validation as Validation
    from cellval.validation.run import iter_validation as iter_validation
    from cellval.validation.run import validate as validate
    from cellval.valuation import iter_values as iter_values
    from cellval.valuation import value_cells as value_cells
    from cellval.valuation import value_rows as value_rows
    from cellval.values.options import RunOptions as RunOptions
    from cellval.values.result import CellValues as CellValues
    from cellval.values.result import load as load
    from cellval.values.settings import Settings as Settings
    from cellval.whatif.questions import LabelOrCell as LabelOrCell
    from cellval.whatif.questions import WhatIf as WhatIf
    from cellval.whatif.questions import label_or_cell as label_or_cell
    from cellval.whatif.questions import what_if as what_if


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        found = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = found
        return found
    hint = f"; since 0.2 it is cellval.{_RENAMED[name]}" if name in _RENAMED else ""
    raise AttributeError(f"module 'cellval' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
