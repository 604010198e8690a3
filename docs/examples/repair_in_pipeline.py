"""Repairs within a scikit-learn pipeline: learnt in training, done to every new row.

The sizes x, y and z of some diamonds are 0, which stands for "not measured": a model
that takes it for a size is misled, if it compares rows (a linear one hardly is).
CellRepairer finds out by itself what 0 stands for.
"""

from pathlib import Path

import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from cellval import CellRepairer

SAMPLES = Path(__file__).parents[2] / "sample_data"

diamonds = pd.read_csv(SAMPLES / "diamonds.csv")
X, y = diamonds.drop(columns="price"), diamonds["price"]

of_numbers = make_column_selector(dtype_include="number")
of_texts = make_column_selector(dtype_include=["object", "str"])
model = make_pipeline(
    CellRepairer(),
    make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), of_numbers),
        (OneHotEncoder(handle_unknown="ignore"), of_texts),
    ),
    KNeighborsRegressor(10),
)
without = clone(model).set_params(cellrepairer="passthrough")

recipe = model.fit(X, y)["cellrepairer"].recipe_
print("Learnt from all rows:", *(step.words for step in recipe.steps), sep="\n  ")
folds = KFold(5, shuffle=True, random_state=0)  # the recipe is learnt anew in each
for name, pipeline in {"as they are": without, "repaired": model}.items():
    scores = cross_val_score(pipeline, X, y, cv=folds)
    print(f"R² with cells {name}: {scores.mean():.3f}")
