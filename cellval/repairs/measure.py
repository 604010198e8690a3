"""Did a repair help? Scores of real models with a table before and after it.

A row is *touched* if the repair dropped it or changed it in a feature or the label, as
models see it. Only untouched rows are held out to be predicted, in repeated stratified
folds: they are the same in both versions, and nobody can repair a model's way to a
better score by editing the rows that it is judged by. In every fold each model is
trained twice, on the other untouched rows and the touched ones, these once as they were
and once as they are now (without the dropped ones), and predicts the same rows: what
counts is the difference of the pair.

Classes are scored by accuracy; numbers by R² and the mean absolute error, with
regressors for models.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

from cellval.errors import InputError, is_whole, require
from cellval.games.model_utility import said_by
from cellval.games.models import pipeline_of
from cellval.knn.nearest import knn_classes, knn_numbers
from cellval.knn.problem import require_label
from cellval.methods import MODELS_OF
from cellval.parallel import Computation, Piece, drive
from cellval.progress import Snapshot
from cellval.repairs.comparison import Comparison
from cellval.repairs.versions import Versions, versions_of
from cellval.stats import unit_of
from cellval.table.columns import read_only
from cellval.table.encoding import encode
from cellval.table.table import Table, as_table, part
from cellval.text import brief, full, listed
from cellval.values.memory import COMPARED, check_memory
from cellval.values.options import RunOptions

log = logging.getLogger(__name__)

MEASURED = ("knn", "logistic", "boosting")
# Sizes from which less is done; 32,561 rows x 14 columns are just below and take two
# minutes.
REPEATED_CELLS = 2.5e6  # in all repeats together
KNN_WORK = 4e9  # cells compared in one fold
FEWEST_TESTS = 1000
ROUNDS, TREES, TREE_WORK = 100, 500, 1e9  # of boosting; trees, and cells they look at


def compare_models(
    before: Table | pd.DataFrame, after: Table | pd.DataFrame, **options: Any
) -> Comparison:
    """Whether a repair made models better, at the end of `iter_comparison`.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> fixed = cellval.repair(table, {(12, "weight"): "57", (12, "height"): "166"})
    >>> cellval.compare_models(table, fixed, folds=2, repeats=1).verdict("KNN")
    'No difference.'
    """
    *_, last = iter_comparison(before, after, **options)
    return last.result


def iter_comparison(
    before: Table | pd.DataFrame,
    after: Table | pd.DataFrame,
    *,
    n_neighbors: int = RunOptions.n_neighbors,
    folds: int = 5,
    repeats: int = 5,
    random_state: int = 0,
    executor: Executor | None = None,
) -> Iterator[Snapshot[Comparison]]:
    """Measure step by step whether a repair made models better.

    Yields a snapshot before the first and after every fold. Whoever stops iterating
    keeps what the last one holds. The same settings give the same accuracies bit for
    bit.

    Large tables get fewer repeats (2,500,000 cells in all repeats together), at most
    about 4,000,000,000 / (rows x columns), but 1,000, held-out rows per fold, and fewer
    rounds of boosting; a class with few untouched rows means fewer folds, and one with
    a single such row is left out. `note` says what was reduced or left out. Where the
    label is a number, low and high ones are in every fold alike.

    Parameters
    ----------
    before : Table
    after : Table
        The repaired version, made by `before.with_cells`.
    n_neighbors : int
        Of the KNN model. Rows tied at the last place share what is left of the vote;
        of classes with equally many votes, the commoner one in training wins. Of
        numbers it says the neighbours' mean.
    folds, repeats : int
        At most so many.
    random_state : int
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Where folds are measured, several at a time; else one by one, here.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> fixed = cellval.repair(table, {(12, "height"): "166"})
    >>> *_, last = cellval.iter_comparison(table, fixed, folds=2, repeats=1)
    >>> last.seen, last.result.n_touched
    ('2 of 2 folds', 1)
    """
    for name, number, least in (
        ("n_neighbors", n_neighbors, 1),
        ("folds", folds, 2),
        ("repeats", repeats, 1),
        ("random_state", random_state, 0),
    ):
        need = f"a whole number, {least} or more"
        require(name, number, is_whole(number, least), need)
    before = as_table(before)
    require_label(before)
    check_memory(before, COMPARED)
    both = versions_of(before, as_table(after, like=before))
    if before.target is None:
        versions, note = without_single_rows(both)
    else:
        versions, note = _with_different_numbers(both), ""
    plan = _plan(versions, n_neighbors, folds, repeats, random_state, note)
    n_jobs = 1 if executor is None else None
    return drive(_Measuring(versions, plan), n_jobs=n_jobs, executor=executor)


@dataclass(frozen=True)
class MeasuringPlan:
    n_neighbors: int
    folds: int
    repeats: int
    n_test: int  # rows held out in a fold at most
    rounds: int  # of boosting
    random_state: int
    note: str


def without_single_rows(versions: Versions) -> tuple[Versions, str]:
    """Without untouched rows that are alone in their class, and a note that says so.

    One row cannot both be learned from and be predicted. Repaired rows of such a class
    stay, to be learned from: they are what the two versions differ in.
    """
    rows, untouched = versions.rows, versions.untouched
    counts = np.bincount(rows.y[untouched], minlength=len(rows.classes))
    one = rows.classes[int(np.argmax(counts))]
    if np.count_nonzero(counts) < 2:
        raise InputError(
            f"All {untouched.size:,} rows that were not repaired are of class "
            f"'{brief(one)}', so they do not show whether a model tells classes apart. "
            "Repair fewer rows of other classes."
        )
    single = [text for text, n in zip(rows.classes, counts, strict=True) if n == 1]
    if np.count_nonzero(counts > 1) < 2:
        raise InputError(
            f"Only one row of {_classes(single)} was not repaired, but at least two "
            "classes need two rows or more: one to learn from and one to predict. "
            "Repair fewer rows, or give those rows another label or drop them."
        )
    notes = []
    if unseen := [text for text, n in zip(rows.classes, counts, strict=True) if not n]:
        notes.append(
            f"Not measured: {listed(unseen)}, of which every row was repaired."
        )
    if single:
        notes.append(
            f"Left out: 1 row of {_classes(single)}. There is no "
            "other row of that class that was not repaired, and models need one to "
            "learn from and one to predict."
        )
    kept = replace(versions, untouched=untouched[counts[rows.y[untouched]] > 1])
    return kept, " ".join(notes)


def _with_different_numbers(versions: Versions) -> Versions:
    """Themselves, if there is anything to predict in the untouched rows."""
    rows, untouched = versions.rows, versions.untouched
    assert rows.target is not None
    y = rows.target[untouched]
    if np.ptp(y) == 0:
        raise InputError(
            f"All {y.size:,} rows that were not repaired have the same "
            f"'{brief(rows.label)}', {full(y[0])}, so they do not show whether a model "
            "tells numbers apart. Repair fewer rows."
        )
    return versions


def _classes(names: Sequence[str]) -> str:
    return f"class {listed(names)}" if len(names) == 1 else f"each of {listed(names)}"


def _plan(
    versions: Versions,
    n_neighbors: int,
    folds: int,
    repeats: int,
    random_state: int,
    note: str = "",
) -> MeasuringPlan:
    rows, n = versions.rows, versions.untouched.size
    cells = (n + versions.old.size) * len(rows.features)
    name, least = _fewest(versions)
    notes = [note] if note else []
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
    used = np.concatenate([versions.untouched, versions.old, versions.new])
    n_classes = np.unique(rows.y[used]).size if rows.target is None else 1
    trees = n_classes if n_classes > 2 else 1
    rounds = int(min(ROUNDS, TREES / trees, TREE_WORK / (cells * trees)))
    rounds = max(10, rounds)
    if rounds < ROUNDS:
        notes.append(
            f"Gradient boosting makes {rounds} instead of {ROUNDS} rounds, because "
            "the table is large or has many classes."
        )
    note = " ".join(notes)
    return MeasuringPlan(
        n_neighbors, folds, repeats, n_test, rounds, random_state, note
    )


def _fewest(versions: Versions) -> tuple[str, int]:
    """What has the fewest untouched rows, a class or the table, and how many."""
    rows, untouched = versions.rows, versions.untouched
    if rows.target is not None:
        return "the table", untouched.size
    counts = np.bincount(rows.y[untouched], minlength=len(rows.classes))
    present = np.flatnonzero(counts)
    rarest = present[np.argmin(counts[present])]
    return f"class '{brief(rows.classes[rarest])}'", int(counts[rarest])


def number_folds(
    y: np.ndarray, folds: int, repeats: int, random_state: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Positions to train on and to test on: as many low and high numbers in each fold.

    Of every few rows that are next to each other in the order of their numbers, as many
    as there are folds, each goes to another fold.
    """
    rng = np.random.default_rng(random_state)
    for _ in range(repeats):
        order = np.lexsort((rng.random(y.size), y))
        lots = [rng.permutation(folds) for _ in range(-(-y.size // folds))]
        fold = np.empty(y.size, int)
        fold[order] = np.concatenate(lots)[: y.size]
        for k in range(folds):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)


# Scores before and after, (n_scores, 2, n_models), and a sentence for each model that
# failed. Scores are accuracy, or R² and the mean absolute error.
_Fold = tuple[np.ndarray, dict[str, str]]


@dataclass(eq=False)
class _Measuring(Computation[tuple[_Fold, ...], Comparison]):
    """All models on one fold after the other."""

    versions: Versions
    plan: MeasuringPlan

    def __post_init__(self) -> None:
        self.total = float(self.plan.repeats * self.plan.folds)
        self._failed: dict[str, str] = {}  # model and a sentence; not tried again
        self._is_stopped = False
        self.titles = MODELS_OF[self.versions.rows.label_kind]

    def _splits(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        plan, rows = self.plan, self.versions.rows
        untouched, seed = self.versions.untouched, plan.random_state
        if rows.target is not None:
            return number_folds(rows.target[untouched], plan.folds, plan.repeats, seed)
        splits = RepeatedStratifiedKFold(
            n_splits=plan.folds, n_repeats=plan.repeats, random_state=seed
        )
        return iter(splits.split(untouched, rows.y[untouched]))

    def pieces(self) -> Iterator[Piece]:
        plan, untouched = self.plan, self.versions.untouched
        rng = np.random.default_rng(plan.random_state)
        for train, test in self._splits():
            if test.size > plan.n_test:
                test = np.sort(rng.permutation(test)[: plan.n_test])
            yield Piece(self._measured, (untouched[train], untouched[test]))

    def _measured(self, train: np.ndarray, test: np.ndarray) -> _Fold:
        """All models, trained on some untouched rows, about others."""
        versions, failed = self.versions, self._failed
        scores = np.full((self._n_scores, 2, len(MEASURED)), np.nan)
        for m, model in enumerate(MEASURED):
            title = self.titles[model]
            if title in failed or self._is_stopped:
                continue
            try:
                for version, touched in enumerate((versions.old, versions.new)):
                    rows = np.concatenate([train, touched])
                    said = predicted(model, versions, self.plan, rows, test)
                    scores[:, version, m] = self._scores(said, test)
            except Exception as error:  # one model's trouble is not the others'
                log.warning("%s failed", title, exc_info=True)
                why = type(error).__name__
                failed[title] = f"{title} failed on this table ({why})."
        return scores, dict(failed)

    def stop(self) -> None:
        self._is_stopped = True  # before the next model: one of them takes long

    @property
    def _n_scores(self) -> int:
        return 1 if self.versions.rows.target is None else 2

    def _scores(self, said: np.ndarray, test: np.ndarray) -> tuple[float, ...]:
        """Accuracy of what a model says; of numbers R² and the mean absolute error."""
        rows = self.versions.rows
        if rows.target is None:
            return (float(np.mean(said == rows.y[test])),)
        y = rows.target[self.versions.untouched]
        unit = unit_of(y)
        gaps = said / unit - rows.target[test] / unit
        # The variance of all rows that are tested: the same in every fold.
        r2 = 1.0 - np.mean(gaps**2) / np.var(y / unit)
        return float(r2), float(unit * np.mean(np.abs(gaps)))

    def seen(self, state: tuple[_Fold, ...]) -> str:
        return f"{len(state)} of {self.total:.0f} folds"

    def make(self, state: tuple[_Fold, ...]) -> Callable[[], Comparison]:
        return lambda: self._comparison(state)

    def _comparison(self, state: tuple[_Fold, ...]) -> Comparison:
        versions, plan = self.versions, self.plan
        n = versions.untouched.size
        shape = (self._n_scores, 2, len(MEASURED), plan.repeats, plan.folds)
        scores = np.full(shape, np.nan)
        failures: dict[str, str] = {}
        for number, (measured, failed) in enumerate(state):
            scores[..., *divmod(number, plan.folds)] = measured
            failures |= failed
        for m, model in enumerate(MEASURED):
            if self.titles[model] in failures:
                scores[:, :, m] = np.nan
        n_test = n / plan.folds
        return Comparison(
            models=tuple(self.titles[model] for model in MEASURED),
            before=read_only(scores[0, 0]),
            after=read_only(scores[0, 1]),
            test_to_train=min(n_test, plan.n_test) / (n - n_test + versions.new.size),
            n_touched=versions.n_touched,
            n_dropped=versions.n_dropped,
            n_tested=n,
            **self._guess(),
            note=plan.note,
            failures=failures,
            errors_before=read_only(scores[1, 0]) if len(scores) > 1 else None,
            errors_after=read_only(scores[1, 1]) if len(scores) > 1 else None,
        )

    def _guess(self) -> dict[str, Any]:
        """What is said without any knowledge, and how good that is."""
        rows, untouched = self.versions.rows, self.versions.untouched
        if rows.target is None:
            counts = np.bincount(rows.y[untouched], minlength=len(rows.classes))
            guess = rows.classes[int(np.argmax(counts))]
            share = float(counts.max() / untouched.size)
            return {"guess": guess, "guess_accuracy": share}
        middle = np.median(rows.target[untouched])
        r2, error = self._scores(np.full(untouched.size, middle), untouched)
        return {"guess": full(middle), "guess_accuracy": r2, "guess_error": error}


def predicted(
    model: str,
    versions: Versions,
    plan: MeasuringPlan,
    train: np.ndarray,
    test: np.ndarray,
) -> np.ndarray:
    """Labels of the rows `test` as a model trained on the rows `train` sees them."""
    numbers = versions.rows.target
    if model == "knn":
        known = part(versions.rows, train)
        seen = encode(part(versions.rows, test), like=known).cells
        say = knn_classes if numbers is None else knn_numbers
        return say(known, seen, plan.n_neighbors)
    X, y = versions.X[train], (versions.rows.y if numbers is None else numbers)[train]
    # scikit-learn stumbles over columns that are all missing
    used = ~np.isnan(X).all(axis=0)
    pipeline = pipeline_of(
        model,
        versions.is_category[used],
        rounds=plan.rounds,
        random_state=plan.random_state,
        numbers=numbers is not None,
    )
    return said_by(pipeline, X[:, used], y, versions.X[test][:, used])
