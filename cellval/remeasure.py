"""Did a repair help? Accuracy of real models with a table before and after it.

A row is *touched* if the repair dropped it or changed it in a feature or the label, as
models see it. Only untouched rows are held out to be predicted, in repeated stratified
folds: they are the same in both versions, and nobody can repair a model's way to a
better score by editing the rows that it is judged by. In every fold each model is
trained twice, on the other untouched rows and the touched ones, these once as they were
and once as they are now (without the dropped ones), and predicts the same rows: what
counts is the difference of the pair.

Training sets of different folds overlap, so that their differences are less independent
than they look. The variance is corrected as by Nadeau and Bengio (2003):

    var(mean) = var(differences) * (1 / n_differences + n_test / n_train)
"""

import logging
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import stdtrit  # type: ignore[import-untyped] # it ships no types
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # likewise

from cellval.encoding import encode
from cellval.kinds import Column, read_only
from cellval.knn.compiled import kernel
from cellval.knn.rows import add_column
from cellval.reading import listed
from cellval.table import InputError, Table
from cellval.wording import brief, percent

log = logging.getLogger(__name__)

MODELS = ("KNN", "Logistic regression", "Gradient boosting")
CONFIDENCE = 0.95
# Sizes from which less is done; 32,561 rows x 14 columns are just below and take two
# minutes.
REPEATED_CELLS = 2.5e6  # in all repeats together
KNN_WORK = 4e9  # cells compared in one fold
FEWEST_TESTS = 1000
ROUNDS, TREES, TREE_WORK = 100, 500, 1e9  # of boosting; trees, and cells they look at
MOST_CATEGORIES = 100  # columns that one-hot coding makes of one; rarer ones are pooled


@dataclass(frozen=True, eq=False)
class Comparison:
    """Accuracies before and after a repair, as far as they are known.

    Attributes
    ----------
    models : tuple of str
    before, after : ndarray of shape (n_models, n_repeats, n_folds)
        Share of the held-out rows predicted rightly; NaN where not yet measured.
    test_to_train : float
        Rows held out per row trained on.
    n_touched, n_dropped : int
        Rows that the repair changed or dropped, and those it dropped.
    n_tested : int
        Untouched rows, which are predicted.
    guess, guess_accuracy : str, float
        The commonest class of these rows, and its share of them.
    note : str
        What was reduced or left out and why; may be empty.
    failures : mapping of str to str
        For each model that failed a sentence.
    done : float
        Share of the work, 0 to 1.
    """

    models: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    test_to_train: float
    n_touched: int
    n_dropped: int
    n_tested: int
    guess: str
    guess_accuracy: float
    note: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    done: float = 0.0
    seconds: float = 0.0
    seconds_left: float = float("nan")

    @property
    def reference(self) -> str:
        """What a model without any knowledge would reach, as a sentence."""
        return (
            f"For reference: always guessing the commonest class, '{brief(self.guess)}'"
            f", is right in {percent(self.guess_accuracy)} of these rows."
        )

    @cached_property
    def _frame(self) -> pd.DataFrame:
        rows = [self._row(m) for m in range(len(self.models))]
        return pd.DataFrame(rows, index=pd.Index(self.models, name="model"))

    def frame(self) -> pd.DataFrame:
        """One row per model.

        Columns are before, before_spread, after, after_spread (means over the folds,
        and standard deviations of the complete repeats' means), difference, stderr
        (corrected for overlapping training sets), low, high (the 95 % interval),
        n_folds (that were measured) and verdict. All but the last two are shares.
        """
        return self._frame.copy()

    def verdict(self, model: str) -> str:
        """What the difference means for one model, as a sentence."""
        return str(self._frame.loc[model, "verdict"])

    def _row(self, m: int) -> dict[str, float | int | str]:
        before, after = self.before[m], self.after[m]
        differences = (after - before)[~np.isnan(after)]
        difference, stderr, low, high = corrected(differences, self.test_to_train)
        return {
            "before": _mean(before[~np.isnan(before)]),
            "before_spread": _spread(before),
            "after": _mean(after[~np.isnan(after)]),
            "after_spread": _spread(after),
            "difference": difference,
            "stderr": stderr,
            "low": low,
            "high": high,
            "n_folds": differences.size,
            "verdict": self.failures.get(self.models[m])
            or _verdict(differences, difference, low, high),
        }


def corrected(
    differences: np.ndarray, test_to_train: float
) -> tuple[float, float, float, float]:
    """Mean, standard error, and 95 % interval of differences of overlapping folds.

    NaN for what cannot be said: fewer than two differences, or all alike but not 0.

    Examples
    --------
    >>> [round(x, 4) for x in corrected(np.array([0.01, 0.02, 0.03]), 0.25)]
    [0.02, 0.0076, -0.0129, 0.0529]
    """
    n, mean = differences.size, _mean(differences)
    if n < 2 or (mean != 0 and np.ptp(differences) == 0):
        return mean, np.nan, np.nan, np.nan
    stderr = float(np.sqrt(np.var(differences, ddof=1) * (1 / n + test_to_train)))
    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * stderr
    return mean, stderr, mean - reach, mean + reach


def _mean(x: np.ndarray) -> float:
    return float(np.mean(x)) if x.size else np.nan


def _spread(accuracies: np.ndarray) -> float:
    """Of the means of complete repeats; there must be two."""
    means = accuracies.mean(axis=1)
    means = means[~np.isnan(means)]
    return float(np.std(means, ddof=1)) if means.size > 1 else np.nan


def _verdict(
    differences: np.ndarray, difference: float, low: float, high: float
) -> str:
    if differences.size < 2:
        return "Too early to say: fewer than two folds are measured."
    if not differences.any():
        return "No difference."
    if np.isnan(low):
        return (
            f"Too early to say: the difference is {_signed(difference)} percentage "
            "points in every fold, which does not show how far chance reaches."
        )
    decimals = 1 if high - low >= 0.01 else 2
    one, *ends = (_signed(x, decimals) for x in (difference, low, high))
    interval = f"95 % interval {ends[0]} to {ends[1]}"
    if low <= 0 <= high:
        return (
            f"Within noise: the difference of {one} percentage points could be chance "
            f"({interval})."
        )
    better = "Better" if difference > 0 else "Worse"
    return f"{better} by {one[1:]} percentage points ({interval})."


def _signed(share: float, decimals: int = 1) -> str:
    return f"{100 * share:+.{decimals}f}".replace("-", "−")


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
    versions = _versions(before, after)
    plan = _plan(versions, n_neighbors, folds, repeats, random_state)
    return _run(versions, plan)


@dataclass(frozen=True, eq=False)
class _Versions:
    """Both versions in one table, so that a training set is a list of positions."""

    rows: Table  # those of `before`, then the touched ones as they are after
    untouched: np.ndarray  # positions
    old: np.ndarray  # touched rows as they were
    new: np.ndarray  # touched rows as they are, without the dropped ones

    @cached_property
    def X(self) -> np.ndarray:
        """For scikit-learn: one row per row; numbers and codes, NaN where missing."""
        return np.column_stack([_cells(column) for column in self.rows.features])

    @cached_property
    def is_category(self) -> np.ndarray:
        return np.array([column.codes is not None for column in self.rows.features])


def _versions(before: Table, after: Table) -> _Versions:
    n = before.n_rows
    at = np.searchsorted(after.row_numbers, before.row_numbers)
    kept = np.isin(before.row_numbers, after.row_numbers)
    alike = [(c.name, c.kind) for c in before.features] == [
        (c.name, c.kind) for c in after.features
    ]
    if not alike or before.label != after.label or kept.sum() != after.n_rows:
        raise InputError(
            f"{after.name} is no repaired version of {before.name}: it has other rows, "
            "features or another label. Make it with before.with_cells."
        )
    columns = map(_joined, before.features, after.features)
    classes = tuple(dict.fromkeys(before.classes + after.classes))
    place = {text: k for k, text in enumerate(classes)}
    other = np.array([place[text] for text in after.classes], np.int32)
    both = replace(
        before,
        cells=pd.DataFrame(index=range(n + after.n_rows)),  # nobody asks for texts
        columns=tuple(columns),
        classes=classes,
        y=np.concatenate([before.y, other[after.y]]),
        row_numbers=np.concatenate([before.row_numbers, after.row_numbers]),
    )
    then, now = np.flatnonzero(kept), n + at[kept]
    touched = ~kept
    touched[then] = both.y[then] != both.y[now]
    for column in both.features:
        x = _cells(column)
        equal = (x[then] == x[now]) | (np.isnan(x[then]) & np.isnan(x[now]))
        touched[then] |= ~equal
    if not touched.any():
        raise InputError(
            "Nothing was changed that a model could see, so there is nothing to "
            "measure. Correct or drop something first."
        )
    if touched.all():
        raise InputError(
            "Every row was changed or dropped, so no row is left to measure on: only "
            "untouched rows tell fairly whether models got better. Repair fewer rows."
        )
    new = now[touched[then]]
    rows = _part(both, np.concatenate([np.arange(n), new]))
    positions = n + np.arange(new.size)
    return _Versions(rows, np.flatnonzero(~touched), np.flatnonzero(touched), positions)


def _joined(a: Column, b: Column) -> Column:
    """Cells of a, then cells of b, whatever codes their categories have."""
    missing = np.concatenate([a.missing, b.missing])
    if a.numbers is not None and b.numbers is not None:
        numbers = np.concatenate([a.numbers, b.numbers])
        return replace(a, missing=missing, strays=(), numbers=numbers)
    assert a.codes is not None and b.codes is not None
    categories = tuple(dict.fromkeys(a.categories + b.categories))
    place = {text: code for code, text in enumerate(categories)}
    other = np.array([*(place[text] for text in b.categories), -1], np.int32)
    codes = np.concatenate([a.codes, other[b.codes]])
    return replace(a, missing=missing, codes=codes, categories=categories)


def _part(table: Table, rows: np.ndarray) -> Table:
    """Some rows as models see them; without their texts."""

    def column(c: Column) -> Column:
        if c.numbers is not None:
            return replace(c, missing=c.missing[rows], numbers=c.numbers[rows])
        assert c.codes is not None
        return replace(c, missing=c.missing[rows], codes=c.codes[rows])

    return replace(
        table,
        cells=pd.DataFrame(index=range(rows.size)),
        columns=tuple(column(c) for c in table.features),
        y=table.y[rows],
        row_numbers=table.row_numbers[rows],
    )


def _cells(column: Column) -> np.ndarray:
    if column.numbers is not None:
        return column.numbers
    assert column.codes is not None
    return np.where(column.codes < 0, np.nan, column.codes)


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
    versions: _Versions, n_neighbors: int, folds: int, repeats: int, random_state: int
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


def _folds(versions: _Versions, plan: _Plan) -> Iterator[tuple[np.ndarray, np.ndarray]]:
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


def _run(versions: _Versions, plan: _Plan) -> Iterator[Comparison]:
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


def predicted(
    model: str, versions: _Versions, plan: _Plan, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Classes of the rows `test` as a model trained on the rows `train` sees them."""
    if model == "KNN":
        known = _part(versions.rows, train)
        seen = encode(_part(versions.rows, test), like=known).cells
        return knn_classes(known, seen, plan.n_neighbors)
    y, X = versions.rows.y[train], versions.X[train]
    # scikit-learn stumbles over columns that are all missing
    used = ~np.isnan(X).all(axis=0)
    if model == "Logistic regression":
        pipeline = _logistic_regression(versions.is_category[used])
    else:
        pipeline = _gradient_boosting(versions.is_category[used], plan)
    # One core: the models gain next to nothing from two, and where other threads are
    # busy, waiting for each other made them up to 60 times slower. Filters and BLAS
    # threads are the whole process's, and runs may restore them in any order: a narrow
    # filter, and one thread, do no harm if they stay.
    with (
        threadpool_limits(1),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        pipeline.fit(X[:, used], y)
        return np.asarray(pipeline.predict(versions.X[test][:, used]))


def _logistic_regression(is_category: np.ndarray) -> Pipeline:
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True),
        StandardScaler(),
    )
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=2,
        max_categories=MOST_CATEGORIES,
    )
    columns = [
        ("numbers", numbers, np.flatnonzero(~is_category)),
        ("categories", categories, np.flatnonzero(is_category)),
    ]
    return make_pipeline(ColumnTransformer(columns), LogisticRegression(max_iter=200))


def _gradient_boosting(is_category: np.ndarray, plan: _Plan) -> Pipeline:
    categories = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        max_categories=255,  # more the model does not take
    )
    columns = [("categories", categories, np.flatnonzero(is_category))]
    model = HistGradientBoostingClassifier(
        max_iter=plan.rounds,
        categorical_features=np.arange(is_category.sum()),
        early_stopping=False,  # a small class cannot be split once more
        random_state=plan.random_state,
    )
    return make_pipeline(ColumnTransformer(columns, remainder="passthrough"), model)


def knn_classes(train: Table, cells: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Class that a vote of the nearest rows gives to each column of encoded cells."""
    encoded = encode(train)
    return np.asarray(
        _vote(
            encoded.cells,
            encoded.weight,
            encoded.is_category,
            encoded.y,
            len(train.classes),
            cells,
            min(n_neighbors, train.n_rows),
        )
    )


@kernel
def _vote(cells, weight, is_category, y, n_classes, tests, k):  # type: ignore[no-untyped-def] # numba infers types
    """Class of each test point; one row of distances at a time.

    Votes are counted in units of 1 / (rows tied at the last place), so that a share of
    a vote is a whole number and equal votes are equal.
    """
    m, n = cells.shape
    common = np.zeros(n_classes, np.int64)
    for i in range(n):
        common[y[i]] += 1
    classes = np.empty(tests.shape[1], np.int32)
    dist = np.empty(n, np.float32)
    nearest = np.empty(k, np.float32)
    nearer, tied = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    for t in range(tests.shape[1]):
        dist[:] = 0
        for j in range(m):
            add_column(cells[j], tests[j, t], weight[j], is_category[j], dist)
        nearest[:] = np.inf
        for i in range(n):
            if dist[i] < nearest[k - 1]:
                p = k - 1
                while p > 0 and nearest[p - 1] > dist[i]:
                    nearest[p] = nearest[p - 1]
                    p -= 1
                nearest[p] = dist[i]
        nearer[:] = 0
        tied[:] = 0
        for i in range(n):
            if dist[i] < nearest[k - 1]:
                nearer[y[i]] += 1
            elif dist[i] == nearest[k - 1]:
                tied[y[i]] += 1
        votes = nearer * tied.sum() + tied * (k - nearer.sum())
        best = 0
        for c in range(1, n_classes):
            if votes[c] > votes[best] or (
                votes[c] == votes[best] and common[c] > common[best]
            ):
                best = c
        classes[t] = best
    return classes
