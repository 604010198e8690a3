"""What came of planted errors, as JSON for the project, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cellval.progress import Snapshot
from cellval.project.results import again, told
from cellval.table.table import Table

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.validation.curves import Curve
    from cellval.validation.result import Validation

SAME = ("kind", "share", "accuracy_clean", "accuracy_known", "found", "note")
MOST_POINTS = 20_000  # of a curve: more cannot be seen, and make the project large


@dataclass(frozen=True)
class PlantingChoice:
    """What a person chose; a run belongs to one of them."""

    kind: str
    share: float
    seed: int
    tree: bool
    options: tuple[tuple[str, Any], ...]


def validation_told(table: Table, found: "Validation") -> dict[str, Any]:
    """Of the table only what was planted into it: the project has the rest."""
    planted, ranks = found.planted, found.ranks
    return {name: getattr(found, name) for name in SAME} | {
        "table": table.fingerprint,
        "held_out": planted.held_out.tolist(),
        "texts": [(*cell, text) for cell, text in planted.texts.items()],
        "curves": {name: told(_corners(c)) for name, c in found.curves.items()},
        "removal": {name: told(own) for name, own in found.removal.items()},
        # of the others nobody asks
        "ranks": None if ranks is None else ranks[planted.wrong].tolist(),
    }


def iter_validation_again(
    table: Table, saved: Mapping[str, Any]
) -> "Iterator[Snapshot[Validation]]":
    """The one step of a job that has it all: planting takes a moment."""
    found = _validation(table, saved)
    yield Snapshot(1.0, seconds_left=0.0, make=partial(_itself, found))


def _itself(found: "Validation") -> "Validation":
    return found


def _validation(table: Table, saved: Mapping[str, Any]) -> "Validation":
    from cellval.validation.curves import Curve, Removal
    from cellval.validation.planted_table import with_errors, without_rows
    from cellval.validation.result import Validation

    held_out = np.array(saved["held_out"], np.int64)
    texts = {(i, column): text for i, column, text in saved["texts"]}
    planted = with_errors(without_rows(table, held_out), held_out, texts)
    ranks = None
    if saved["ranks"] is not None:
        ranks = np.full(planted.wrong.shape, np.nan)
        ranks[planted.wrong] = saved["ranks"]
    return Validation(
        planted=planted,
        curves={name: again(Curve, own) for name, own in saved["curves"].items()},
        removal={name: again(Removal, own) for name, own in saved["removal"].items()},
        ranks=ranks,
        **{name: saved[name] for name in SAME},
    )


def _corners(curve: "Curve") -> "Curve":
    """The same curve without points on level parts, and not too many of the others."""
    level = np.diff(curve.found) == 0
    shown = np.flatnonzero(~(np.append(False, level) & np.append(level, False)))
    if shown.size > MOST_POINTS:
        some = np.linspace(0, shown.size - 1, MOST_POINTS).round().astype(int)
        shown = shown[some]
    return replace(curve, inspected=curve.inspected[shown], found=curve.found[shown])
