"""Did a repair help? Accuracy of real models with a table before and after it.

A row is *touched* if the repair dropped it or changed it in a feature or the label, as
models see it. Only untouched rows are held out to be predicted, in repeated stratified
folds: they are the same in both versions, and nobody can repair a model's way to a
better score by editing the rows that it is judged by. In every fold each model is
trained twice, on the other untouched rows and the touched ones, these once as they were
and once as they are now (without the dropped ones), and predicts the same rows: what
counts is the difference of the pair.
"""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from cellval.errors import InputError
from cellval.repair.comparison import Comparison
from cellval.repair.models import MODELS, predicted
from cellval.repair.versions import Versions, versions_of
from cellval.table.columns import read_only
from cellval.table.table import Table
from cellval.text import brief, listed

__all__ = ["MODELS", "Comparison", "iter_scores"]

log = logging.getLogger(__name__)

# Sizes from which less is done; 32,561 rows x 14 columns are just below and take two
# minutes.
REPEATED_CELLS = 2.5e6  # in all repeats together
KNN_WORK = 4e9  # cells compared in one fold
FEWEST_TESTS = 1000
ROUNDS, TREES, TREE_WORK = 100, 500, 1e9  # of boosting; trees, and cells they look at


def iter_scores(
    before: Table,
    after: Table,
    *,
    n_neighbors: int = 10,
    folds: int = 5,
    repeats: int = 5,
    random_state: int = 0,
) -> Iterator[Comparison]:
    """Measure step by step whether a repair made models better.

    Yields a `Comparison` before the first and after every model of every fold. Whoever
    stops iterating keeps what the last one holds. The same settings give the same
    accuracies bit for bit.

    Large tables get fewer repeats (2,500,000 cells in all repeats together), at most
    about 4,000,000,000 / (rows x columns), but 1,000, held-out rows per fold, and fewer
    rounds of boosting; a class with few untouched rows means fewer folds. `note` says
    what was reduced.

    Parameters
    ----------
    before : Table
    after : Table
        The repaired version, made by `before.with_cells`.
    n_neighbors : int
        Of the KNN model. Rows tied at the last place share what is left of the vote;
        of classes with equally many votes, the commoner one in training wins.
    folds, repeats : int
        At most so many.
    random_state : int

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> repaired = table.with_cells({(11, "weight"): "57", (11, "height"): "166"})
    >>> for comparison in iter_scores(table, repaired, folds=2, repeats=1):
    ...     pass
    >>> comparison.verdict("KNN")
    'No difference.'
    """
    for name, number, least in (
        ("n_neighbors", n_neighbors, 1),
        ("folds", folds, 2),
        ("repeats", repeats, 1),
        ("random_state", random_state, 0),
    ):
        is_whole = isinstance(number, int | np.integer) and number is not True
        if not is_whole or number < least:
            raise InputError(
                f"{name}={number!r} is not possible: it must be a whole number, "
                f"{least} or more."
            )
    versions = versions_of(before, after)
    plan = _plan(versions, n_neighbors, folds, repeats, random_state)
    return _run(versions, plan)


@dataclass(frozen=True)
class _Plan:
    n_neighbors: int
    folds: int
    repeats: int
    n_test: int  # rows held out in a fold at most
    rounds: int  # of boosting
    random_state: int
    note: str


def _plan(
    versions: Versions, n_neighbors: int, folds: int, repeats: int, random_state: int
) -> _Plan:
    rows, n = versions.rows, versions.untouched.size
    cells = (n + versions.old.size) * len(rows.features)
    counts = np.bincount(rows.y[versions.untouched], minlength=len(rows.classes))
    present = np.flatnonzero(counts)
    rarest = present[np.argmin(counts[present])]
    name, least = f"class '{brief(rows.classes[rarest])}'", int(counts[rarest])
    if present.size < 2:
        raise InputError(
            f"All {n:,} rows that were not repaired are of {name}, so they do not show "
            "whether a model tells classes apart. Repair fewer rows of other classes."
        )
    if least < 2:
        raise InputError(
            f"Only one row of {name} was not repaired, but at least two are needed: "
            "one to learn from and one to predict. Repair fewer rows of that class, "
            "or give its rows another label or drop them."
        )
    notes = []
    if unseen := [text for text, n in zip(rows.classes, counts, strict=True) if not n]:
        notes.append(
            f"Not measured: {listed(unseen)}, of which every row was repaired."
        )
    if least < folds:
        notes.append(
            f"{least} instead of {folds} folds, because {name} has only {least} rows "
            "that were not repaired."
        )
        folds = least
    size = f"because the table is large ({cells:,} cells)"
    if (fewer := max(1, int(REPEATED_CELLS / cells))) < repeats:
        notes.append(f"{fewer} instead of {repeats} repeats, {size}.")
        repeats = fewer
    n_test = max(FEWEST_TESTS, int(KNN_WORK / cells))
    if n_test < -(-n // folds):
        notes.append(f"{n_test:,} rows are predicted in each fold, {size}.")
    trees = len(rows.classes) if len(rows.classes) > 2 else 1
    rounds = int(min(ROUNDS, TREES / trees, TREE_WORK / (cells * trees)))
    rounds = max(10, rounds)
    if rounds < ROUNDS:
        notes.append(
            f"Gradient boosting makes {rounds} instead of {ROUNDS} rounds, because "
            "the table is large or has many classes."
        )
    note = " ".join(notes)
    return _Plan(n_neighbors, folds, repeats, n_test, rounds, random_state, note)


def _folds(versions: Versions, plan: _Plan) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Untouched rows to train on and to predict, as positions."""
    untouched = versions.untouched
    splits = RepeatedStratifiedKFold(
        n_splits=plan.folds, n_repeats=plan.repeats, random_state=plan.random_state
    )
    rng = np.random.default_rng(plan.random_state)
    for train, test in splits.split(untouched, versions.rows.y[untouched]):
        if test.size > plan.n_test:
            test = np.sort(rng.permutation(test)[: plan.n_test])
        yield untouched[train], untouched[test]


def _run(versions: Versions, plan: _Plan) -> Iterator[Comparison]:
    y, n = versions.rows.y, versions.untouched.size
    counts = np.bincount(y[versions.untouched], minlength=len(versions.rows.classes))
    shape = (len(MODELS), plan.repeats, plan.folds)
    scores = np.full((2, *shape), np.nan)
    n_held_out = n / plan.folds
    now = Comparison(
        models=MODELS,
        before=read_only(scores[0].copy()),
        after=read_only(scores[1].copy()),
        test_to_train=min(n_held_out, plan.n_test)
        / (n - n_held_out + versions.new.size),
        n_touched=versions.old.size,
        n_dropped=versions.old.size - versions.new.size,
        n_tested=n,
        guess=versions.rows.classes[int(np.argmax(counts))],
        guess_accuracy=float(counts.max() / n),
        note=plan.note,
    )
    yield now
    started = time.monotonic()
    taken = np.zeros(len(MODELS))  # seconds of each model
    for number, (train, test) in enumerate(_folds(versions, plan)):
        repeat, fold = divmod(number, plan.folds)
        for m, model in enumerate(MODELS):
            began = time.monotonic()
            if model not in now.failures:
                try:
                    for version, touched in enumerate((versions.old, versions.new)):
                        rows = np.concatenate([train, touched])
                        classes = predicted(model, versions, plan, rows, test)
                        scores[version, m, repeat, fold] = np.mean(classes == y[test])
                except Exception as error:  # one model's trouble is not the others'
                    log.warning("%s failed", model, exc_info=True)
                    scores[:, m] = np.nan
                    why = f"{model} failed on this table ({type(error).__name__})."
                    now = replace(now, failures={**now.failures, model: why})
            ended = time.monotonic()
            taken[m] += ended - began
            n_done = number + (np.arange(len(MODELS)) <= m)
            left = plan.repeats * plan.folds - n_done
            now = replace(
                now,
                before=read_only(scores[0].copy()),
                after=read_only(scores[1].copy()),
                done=1.0 - float(left.sum()) / scores[0].size,
                seconds=ended - started,
                # unknown until every model has been seen
                seconds_left=float(np.sum(taken / n_done * left))
                if n_done.all()
                else np.nan,
            )
            yield now
