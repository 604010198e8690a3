"""The models that a repair is measured by: KNN as in the values, and two others."""

import warnings
from typing import Protocol

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # it ships no types

from cellval.compiled import kernel
from cellval.knn.distance import add_column
from cellval.repair.versions import Versions
from cellval.table.encoding import encode
from cellval.table.rows import part
from cellval.table.table import Table

MODELS = ("KNN", "Logistic regression", "Gradient boosting")
MOST_CATEGORIES = 100  # columns that one-hot coding makes of one; rarer ones are pooled


class Plan(Protocol):
    """What models need to know of a measurement."""

    @property
    def n_neighbors(self) -> int: ...
    @property
    def rounds(self) -> int: ...  # of boosting
    @property
    def random_state(self) -> int: ...


def predicted(
    model: str, versions: Versions, plan: Plan, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Classes of the rows `test` as a model trained on the rows `train` sees them."""
    if model == "KNN":
        known = part(versions.rows, train)
        seen = encode(part(versions.rows, test), like=known).cells
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


def _gradient_boosting(is_category: np.ndarray, plan: Plan) -> Pipeline:
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
