"""Does it work on *this* table? Errors are planted into it, and then looked for.

`iter_validation` answers two questions on a person's own table: how soon each order of
inspection finds the planted errors, and what a decision tree gains on rows held out
clean when the first cells of the order are refilled.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from cellval.cluster import as_executor
from cellval.detect.surprise import Surprise, iter_surprise
from cellval.detect.suspicion import make_suspicion
from cellval.errors import InputError
from cellval.knn.plan import subsets_to_compare
from cellval.knn.problem import require_label
from cellval.parallel import Computation, Piece, drive
from cellval.progress import Snapshot, Stages
from cellval.table.table import Table, as_table, part
from cellval.text import percent
from cellval.validation.curves import (
    Curve,
    Removal,
    detection_curve,
    hits_without,
    order_of,
)
from cellval.validation.planted_table import PlantedTable, plant_into
from cellval.validation.result import ORDERS, Validation
from cellval.validation.signals import (
    ALL,
    RANDOM,
    RARITY,
    SIGNALS,
    SURPRISE,
    SUSPICION,
    VALUE,
    rarity,
    within_class,
)
from cellval.valuation import expected_seconds, iter_values
from cellval.values.options import RunOptions
from cellval.values.result import CellValues

EVERY = 0.5  # seconds between curves of values that are not finished
TREES, LARGE = 5, 100_000  # cells from which one tree must do


def validate(table: Table | pd.DataFrame, **options: Any) -> Validation:
    """Plant errors into a table and look for them: the end of `iter_validation`.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> found = cellval.validate(table, kind="times ten", removal=False)
    >>> found.curves["Suspicion"].auc > 0.95
    True
    """
    *_, last = iter_validation(table, **options)
    return last.result


def iter_validation(
    table: Table | pd.DataFrame,
    *,
    kind: str = "low density",
    share: float = 0.02,
    removal: bool = True,
    test_share: float = 0.3,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Iterator[Snapshot[Validation]]:
    """Plant errors into a table and look for them, step by step.

    Yields a snapshot soon after the start and then after every step; detection comes
    first. Whoever stops iterating keeps what the last one holds. The same
    settings give the same numbers, unless there is a `budget`.

    Parameters
    ----------
    kind : str
        One of `planting.KINDS`.
    share : float
        Of the cells that can have such an error.
    removal : bool
        Measure a decision tree, too, on rows that are held out clean; they are not
        planted into and not valued. Without it, all rows are. Where the label is a
        number, its score is closeness, as that of values.
    test_share : float
        Of the rows to hold out.
    n_jobs, executor
        How many threads, or where else it is computed, as in `cellval.value_cells`.
    options
        Of `cellval.value_cells` with the KNN method: `n_neighbors`, `near`, `budget`,
        ...; every test point sees 8 subsets a column unless `subsets` says otherwise,
        or the table is so large that test points are drawn.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> *_, last = cellval.iter_validation(table, kind="times ten", removal=False)
    >>> last.done, last.result.found
    (1.0, True)
    """
    table = as_table(table).labelled
    require_label(table)
    if "test" in options or "method" in options:
        raise InputError(
            "A validation chooses the method (KNN) and the test rows itself; leave "
            "these options out."
        )
    planted = plant_into(
        table,
        kind,
        share=share,
        test_share=test_share if removal else 0.0,
        random_state=random_state,
    )
    few = subsets_to_compare(planted.table.n_rows, len(table.features))
    options.setdefault("subsets", few)
    options |= {"random_state": random_state}
    where: dict[str, Any] = {"n_jobs": n_jobs, "executor": as_executor(executor)}
    # refuses wrong options at once
    values = iter_values(planted.table, **options, **where)
    of_values = expected_seconds(planted.table, RunOptions(**options))
    if removal and planted.held_out.size == 0:
        of = "each class" if table.target is None else "them"
        raise InputError(
            f"{table.n_rows:,} rows are too few to hold out {percent(test_share)} of "
            f"{of}. Hold out a larger share, or leave out the decision tree."
        )
    now = Validation(kind, share, planted)
    return _run(now, table, values, of_values, removal, random_state, where)


def _run(
    now: Validation,
    table: Table,
    values: Any,  # a generator of snapshots
    of_values: float,  # seconds that they are expected to take
    removal: bool,
    random_state: int,
    where: Mapping[str, Any],
) -> Generator[Snapshot[Validation], None, None]:
    clock, unknown = Stages[Validation](), float("nan")
    planted, wrong = now.planted.table, now.planted.wrong
    scores: dict[str, np.ndarray] = {
        RARITY: rarity(planted),
        RANDOM: np.zeros(wrong.shape),  # all alike: what a random order finds
    }
    now = replace(now, curves=_curves(wrong, scores))
    yield clock.told(now, "planting errors", unknown)
    removing: _Removing | None = None
    if removal:
        # the first fit tells how long all of them will take
        began = time.monotonic()
        removing = _Removing(now.planted, part(table, now.planted.held_out))
        now = replace(now, accuracy_clean=removing.clean(), note=removing.note)
        n_fits = 1 + len(ORDERS) * len(removing.shares)
        clock.later = (time.monotonic() - began) * n_fits
        yield clock.told(now, "planting errors", unknown)
    looking = iter_surprise(planted, random_state=random_state, **where)
    odd: Surprise | None = None
    with closing(looking):
        for step in looking:
            if step.has_result and step.result is not odd:
                odd = step.result
                scores[SURPRISE] = odd.surprise
                now = replace(now, curves=_curves(wrong, scores))
            left = step.seconds_left + of_values
            yield clock.told(now, "looking for surprising cells", left)
    assert odd is not None
    last = -EVERY
    with closing(values):
        for snapshot in values:
            over = snapshot.done >= 1
            if not over and (snapshot.preparing or time.monotonic() - last < EVERY):
                continue
            if snapshot.has_result:
                scores |= _by_value(planted, snapshot.result, odd)
            curves = _curves(wrong, scores)
            now = replace(now, curves=curves, ranks=scores.get(SUSPICION), found=over)
            yield clock.told(now, "valuing the cells", snapshot.seconds_left)
            last = time.monotonic()
            if over:
                break
    if removing is not None:
        known = removing.known()
        removing.orders = [order_of(scores[o], seed=random_state) for o in ORDERS]
        clock.later = 0.0
        elsewhere = where if where["executor"] is not None else {}
        with closing(drive(removing, **elsewhere)) as steps:
            for removed in steps:
                now = replace(now, removal=removed.result, accuracy_known=known)
                left = removed.seconds_left
                yield clock.told(now, "measuring a decision tree", left)
    yield clock.over(now)


def _curves(wrong: np.ndarray, scores: Mapping[str, np.ndarray]) -> dict[str, Curve]:
    return {
        name: detection_curve(wrong, scores[name]) for name in SIGNALS if name in scores
    }


def _by_value(table: Table, values: CellValues, odd: Surprise) -> dict[str, np.ndarray]:
    return {
        SUSPICION: make_suspicion(table, values, odd).ranks.astype(float),
        VALUE: within_class(values),
        ALL: values.values,
    }


@dataclass(eq=False)
class _Removing(Computation[tuple[np.ndarray, ...], dict[str, Removal]]):
    """The removal curves, one share of the cells after the other."""

    planted: PlantedTable
    test: Table

    def __post_init__(self) -> None:
        n = self.planted.wrong.size
        self.trees = TREES if n < LARGE else 1
        self.note = "One decision tree is trained a step, not five." * (n >= LARGE)
        # fine steps around the number of errors, then coarse ones
        near = np.linspace(0, min(0.5, 4 * self.planted.n_wrong / n), 9)
        self.shares = np.unique(np.append(near, np.linspace(near[-1], 0.5, 6)))
        self.orders: list[np.ndarray] = []  # of the cells, for each of `ORDERS`
        self.total = float(len(self.shares))

    def clean(self) -> float:
        """Accuracy without errors."""
        clean, nothing = self.planted.clean, np.array([], int)
        return float(hits_without(clean, self.test, nothing, 0.0, self.trees).mean())

    def known(self) -> float:
        """Accuracy with exactly the planted cells refilled."""
        wrong = np.flatnonzero(self.planted.wrong)
        return float(self._hits(wrong, wrong.size / self.planted.wrong.size).mean())

    def _hits(self, order: np.ndarray, share: float) -> np.ndarray:
        return hits_without(self.planted.table, self.test, order, share, self.trees)

    def _step(self, share: float) -> np.ndarray:
        return np.array([self._hits(order, share) for order in self.orders])

    def pieces(self) -> list[Piece]:
        return [Piece(self._step, (share,)) for share in self.shares]

    def make(self, state: tuple[np.ndarray, ...]) -> Callable[[], dict[str, Removal]]:
        return lambda: {
            name: Removal(self.shares[: len(state)], np.array([s[k] for s in state]))
            for k, name in enumerate(ORDERS if state else ())
        }
