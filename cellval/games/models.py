"""The one zoo: models by name, as utilities of games and as pipelines to measure by."""

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from cellval.errors import InputError
from cellval.games.knn_utility import KnnUtility
from cellval.games.model_utility import ModelUtility, TableUtility
from cellval.games.watched import Utility
from cellval.knn.problem import label_settings, require_label
from cellval.methods import MODELS
from cellval.table.splits import split
from cellval.table.table import Table
from cellval.values.options import RunOptions

MOST_CODED = 100  # columns that one-hot coding makes of one; rarer ones are pooled


def utility_of(
    table: Table,
    model: Any = "knn",
    *,
    test: Table | float | None = None,
    n_neighbors: int = RunOptions.n_neighbors,
    width: float | None = None,
    random_state: int = 0,
) -> Utility:
    """How well a model does with some rows and columns of a table.

    Tested on a table read like this one, or on a share of the rows, which are no
    players then. None is leave-one-out for KNN, 0.3 for models.
    """
    require_label(table)
    if isinstance(model, str) and model == "knn":
        how: dict[str, Any] = {"random_state": random_state, "width": width}
        return KnnUtility(table, test, n_neighbors, **how)
    width = label_settings(table, RunOptions(width=width))["width"]
    estimator = estimator_of(model, random_state, numbers=table.target is not None)
    players, train, tests = split(table, test, random_state)
    place = np.full(table.n_rows, -1)
    place[players] = np.arange(players.size)
    return TableUtility(ModelUtility(estimator, train, tests, width=width), place)


def estimator_of(model: Any, random_state: int = 0, *, numbers: bool = False) -> Any:
    """The estimator with this name; any other estimator is taken as it is.

    A regressor if the label is `numbers`.
    """
    if not isinstance(model, str):
        return model
    if model == "logistic":
        linear = Ridge() if numbers else LogisticRegression(max_iter=200)
        return make_pipeline(StandardScaler(), linear)
    if model == "tree":
        tree = DecisionTreeRegressor if numbers else DecisionTreeClassifier
        return tree(random_state=random_state)  # as in the paper
    if model == "boosting":
        how = {"max_iter": 50, "early_stopping": False, "random_state": random_state}
        return _boosting(numbers)(**how)
    possible = ", ".join(repr(name) for name in MODELS)
    raise InputError(
        f"model={model!r} is not possible here: use one of {possible}, or a "
        f"scikit-learn {'regressor' if numbers else 'classifier'}."
    )


def _boosting(numbers: bool) -> type:
    return HistGradientBoostingRegressor if numbers else HistGradientBoostingClassifier


# --- pipelines that learn all of their preprocessing from the rows they are given -----


def pipeline_of(
    model: str,
    is_category: np.ndarray,
    *,
    rounds: int,
    random_state: int,
    numbers: bool = False,
) -> Pipeline:
    """A model for columns of numbers and of codes, with missing cells.

    `rounds` are those of boosting. A regressor if the label is `numbers`.
    """
    if model == "logistic":
        linear = Ridge() if numbers else LogisticRegression(max_iter=200)
        return _linear_model(is_category, linear)
    how = {"max_iter": rounds, "random_state": random_state}
    return _gradient_boosting(is_category, _boosting(numbers), how)


def _linear_model(is_category: np.ndarray, linear: Any) -> Pipeline:
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True),
        StandardScaler(),
    )
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=2,
        max_categories=MOST_CODED,
    )
    columns = [
        ("numbers", numbers, np.flatnonzero(~is_category)),
        ("categories", categories, np.flatnonzero(is_category)),
    ]
    return make_pipeline(ColumnTransformer(columns), linear)


def _gradient_boosting(
    is_category: np.ndarray, boosting: type, how: dict[str, Any]
) -> Pipeline:
    categories = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        max_categories=255,  # more the model does not take
    )
    columns = [("categories", categories, np.flatnonzero(is_category))]
    model = boosting(
        categorical_features=np.arange(is_category.sum()),
        early_stopping=False,  # a small class cannot be split once more
        **how,
    )
    return make_pipeline(ColumnTransformer(columns, remainder="passthrough"), model)
