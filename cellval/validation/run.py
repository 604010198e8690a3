"""Does it work on *this* table? Errors are planted into it, and then looked for.

`iter_validation` answers two questions on a person's own table: how soon each order of
inspection finds the planted errors, and what a decision tree gains on rows held out
clean when the first cells of the order are refilled.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellval.detect.surprise import Surprise, iter_surprise
from cellval.detect.suspicion import make_suspicion
from cellval.errors import InputError
from cellval.table.rows import part
from cellval.table.table import Table
from cellval.text import percent
from cellval.validation.curves import (
    Curve,
    Removal,
    detection_curve,
    hits_without,
    order_of,
)
from cellval.validation.planted_table import rehearse
from cellval.validation.result import (
    ALL,
    ORDERS,
    RANDOM,
    RARITY,
    SIGNALS,
    SURPRISE,
    SUSPICION,
    VALUE,
    Validation,
)
from cellval.validation.signals import rarity, within_class
from cellval.valuation import iter_values
from cellval.values.result import CellValues

__all__ = ["ORDERS", "SIGNALS", "Validation", "iter_validation"]

EVERY = 0.5  # seconds between curves of values that are not finished
TREES, LARGE = 5, 100_000  # cells from which one tree must do


def iter_validation(
    table: Table,
    *,
    kind: str = "low density",
    share: float = 0.02,
    removal: bool = True,
    test_share: float = 0.3,
    random_state: int = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> Iterator[Validation]:
    """Plant errors into a table and look for them, step by step.

    Yields a `Validation` soon after the start and then after every step; detection
    comes first. Whoever stops iterating keeps what the last one holds. The same
    settings give the same numbers, unless there is a `budget`.

    Parameters
    ----------
    kind : str
        One of `planting.KINDS`.
    share : float
        Of the cells that can have such an error.
    removal : bool
        Measure a decision tree, too, on rows that are held out clean; they are not
        planted into and not valued. Without it, all rows are.
    test_share : float
        Of the rows to hold out.
    options
        Of `cellval.value_cells` with the KNN method: `n_neighbors`, `near`, `budget`,
        ...; every test point sees 8 subsets a column unless `subsets` says otherwise.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> for now in iter_validation(table, kind="times ten", removal=False):
    ...     pass
    >>> now.curves["Suspicion"].auc > 0.95
    True
    """
    if "test" in options or "method" in options:
        raise InputError(
            "A validation chooses the method (KNN) and the test rows itself; leave "
            "these options out."
        )
    rehearsal = rehearse(
        table,
        kind,
        share=share,
        test_share=test_share if removal else 0.0,
        random_state=random_state,
    )
    m = len(table.features)
    options.setdefault("subsets", "auto" if m < 10 else 8 * m)
    options |= {"random_state": random_state, "n_jobs": n_jobs}
    values = iter_values(rehearsal.table, **options)  # refuses wrong options at once
    if removal and rehearsal.held_out.size == 0:
        raise InputError(
            f"{table.n_rows:,} rows are too few to hold out {percent(test_share)} of "
            "each class. Hold out a larger share, or leave out the decision tree."
        )
    now = Validation(kind, share, rehearsal)
    return _run(now, table, values, removal, random_state, n_jobs)


class _Clock:
    """Progress from what is left, as each stage tells it."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._done = 0.0
        self.later = 0.0  # seconds of the stages to come

    def told(self, left: float) -> dict[str, Any]:
        seconds = time.monotonic() - self._began
        left += self.later
        if np.isfinite(left) and seconds + left > 0:
            self._done = min(0.999, max(self._done, seconds / (seconds + left)))
        return {"done": self._done, "seconds": seconds, "seconds_left": left}

    def over(self) -> dict[str, Any]:
        seconds = time.monotonic() - self._began
        return {"done": 1.0, "seconds": seconds, "seconds_left": 0.0}


def _run(
    now: Validation,
    table: Table,
    values: Any,  # a generator of snapshots
    removal: bool,
    random_state: int,
    n_jobs: int | None,
) -> Iterator[Validation]:
    clock = _Clock()
    planted, wrong = now.rehearsal.table, now.rehearsal.wrong
    scores: dict[str, np.ndarray] = {
        RARITY: rarity(planted),
        RANDOM: np.zeros(wrong.shape),  # all alike: what a random order finds
    }
    now = replace(now, curves=_curves(wrong, scores), **clock.told(float("nan")))
    yield now
    steps: _Steps | None = None
    if removal:
        # the first fit tells how long all of them will take
        began = time.monotonic()
        steps = _Steps.of(now, table, random_state)
        now = replace(now, accuracy_clean=steps.accuracy_clean, note=steps.note)
        clock.later = (time.monotonic() - began) * (steps.n_fits - 1)
        yield now
    now = replace(now, stage="looking for surprising cells")
    odd: Surprise | None = None
    for odd in iter_surprise(planted, random_state=random_state, n_jobs=n_jobs):
        scores[SURPRISE] = odd.surprise
        now = replace(now, curves=_curves(wrong, scores), **clock.told(float("nan")))
        yield now
    assert odd is not None
    now = replace(now, stage="valuing the cells")
    last = -EVERY
    with closing(values):
        for snapshot in values:
            if snapshot.done >= 1:
                scores |= _by_value(planted, snapshot.values, odd)
                told: dict[str, Any] = {
                    "curves": _curves(wrong, scores),
                    **clock.told(0.0),
                }
                now = replace(now, ranks=scores[SUSPICION], found=True, **told)
                yield now
                break
            if snapshot.compiling or time.monotonic() - last < EVERY:
                continue
            if snapshot.has_values:
                scores |= _by_value(planted, snapshot.values, odd)
            told = clock.told(snapshot.seconds_left)
            told["ranks"] = scores.get(SUSPICION)
            now = replace(now, curves=_curves(wrong, scores), **told)
            yield now
            last = time.monotonic()
    if steps is not None:
        now = replace(now, stage="measuring a decision tree")
        for removed, known, left in steps.run(scores):
            clock.later = 0.0
            now = replace(
                now, removal=removed, accuracy_known=known, **clock.told(left)
            )
            yield now
    yield replace(now, stage="finished", **clock.over())


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


@dataclass(frozen=True, eq=False)
class _Steps:
    """The removal curves, one share of the cells after the other."""

    train: Table
    test: Table
    wrong: np.ndarray
    shares: np.ndarray
    trees: int
    accuracy_clean: float
    random_state: int
    note: str

    @classmethod
    def of(cls, now: Validation, table: Table, random_state: int) -> "_Steps":
        about = now.rehearsal
        test = part(table, about.held_out)
        n = about.wrong.size
        trees = TREES if n < LARGE else 1
        note = "" if trees > 1 else "One decision tree is trained a step, not five."
        # fine steps around the number of errors, then coarse ones
        share = about.n_wrong / n
        near = np.linspace(0, min(0.5, 4 * share), 9)
        shares = np.unique(np.append(near, np.linspace(near[-1], 0.5, 6)))
        nothing = np.array([], int)
        clean = hits_without(about.clean, test, nothing, 0.0, trees=trees).mean()
        return cls(
            about.table,
            test,
            about.wrong,
            shares,
            trees,
            float(clean),
            random_state,
            note,
        )

    @property
    def n_fits(self) -> int:
        return 2 + len(ORDERS) * len(self.shares)

    def _hits(self, order: np.ndarray, share: float) -> np.ndarray:
        return hits_without(self.train, self.test, order, share, trees=self.trees)

    def run(
        self, scores: Mapping[str, np.ndarray]
    ) -> Iterator[tuple[dict[str, Removal], float, float]]:
        """Curves so far, the accuracy with known errors refilled, and seconds left."""
        began = time.monotonic()
        orders = {
            name: order_of(scores[name], seed=self.random_state) for name in ORDERS
        }
        wrong = np.flatnonzero(self.wrong)
        known = float(self._hits(wrong, wrong.size / self.wrong.size).mean())
        hits: dict[str, list[np.ndarray]] = {name: [] for name in ORDERS}
        for k, share in enumerate(self.shares):
            for name, order in orders.items():
                hits[name].append(self._hits(order, share))
            curves = {
                name: Removal(self.shares[: k + 1], np.array(own))
                for name, own in hits.items()
            }
            each = (time.monotonic() - began) / (k + 1)
            yield curves, known, each * (len(self.shares) - k - 1)
