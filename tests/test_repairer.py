"""`CellRepairer`: scikit-learn's own checks, and what is learnt and done."""

import pickle

import numpy as np
import pandas as pd
import pytest
from cases import SAMPLES
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import cellval
from cellval import CellRepairer
from cellval.recipes.steps import Replace

CITIES = {"10115": "Berlin", "20095": "Hamburg", "80331": "Munich", "50667": "Cologne"}
CITIES |= {"01067": "Dresden", "70173": "Stuttgart"}


@parametrize_with_checks([CellRepairer()])
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def rows(n, seed, dirty=True):
    """Sizes with a code, amounts as texts, spelt cities that their zip settles."""
    draw = np.random.default_rng(seed)
    zips = draw.choice([*CITIES], n)
    frame = pd.DataFrame(
        {
            "zip": zips,
            "city": [CITIES[z] for z in zips],
            "size": draw.normal(50, 3, n).round(1),
            "count": draw.integers(20, 60, n),
            "amount": [f"{x:.2f}" for x in draw.normal(7, 1, n)],
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(range(n), "D"),
        }
    )
    if dirty:
        frame.loc[draw.choice(n, n // 15, False), "size"] = -999.0
        frame.loc[draw.choice(n, n // 20, False), "count"] = 9999
        frame.loc[draw.choice(n, 3, False), "amount"] = "ca. 7.10"
        frame.loc[draw.choice(n, 1), "city"] = "Pariss"
    return frame


@pytest.fixture(scope="module")
def train():
    return rows(300, 0)


@pytest.fixture(scope="module")
def fitted(train):
    return CellRepairer().fit(train)


def test_codes_formats_and_rules_are_learnt_as_a_recipe(fitted):
    assert isinstance(fitted.recipe_, cellval.Recipe)
    words = " | ".join(step.words for step in fitted.recipe_.steps)
    assert "size: -999 → (blank)" in words and "count: 9999 → (blank)" in words
    assert "amount: ca. 7.10 → 7.10" in words
    assert "zip settles city" in words


def test_new_rows_are_repaired_and_rows_and_names_stay(fitted):
    new = rows(40, 1, dirty=False)
    right = new.copy()
    new.index = right.index = [f"r{k}" for k in range(40)]
    new.iloc[3, 2], new.iloc[4, 3], new.iloc[5, 4] = -999.0, 9999, "ca. 7.10"
    new.iloc[6, 1] = "Pariss"
    before = new.copy()
    found = fitted.transform(new)
    pd.testing.assert_frame_equal(new, before)  # which is not touched
    assert [*found.columns] == [*new.columns] and [*found.index] == [*new.index]
    assert np.isnan(found.iloc[3, 2]) and np.isnan(found.iloc[4, 3])
    assert found.iloc[5, 4] == 7.1
    assert found.iloc[6, 1] == CITIES[new.iloc[6, 0]]
    assert found["amount"].dtype == float and found["count"].dtype == float
    same = [0, 1, 2, *range(7, 40)]
    for name in ("zip", "city", "when"):
        assert found[name].iloc[same].equals(right[name].iloc[same])
    assert np.allclose(found["size"].iloc[same], right["size"].iloc[same])


def test_what_comes_out_is_of_the_same_kinds_whatever_comes_in(fitted, train):
    clean, dirty = rows(30, 2, dirty=False), rows(30, 3)
    kinds = fitted.transform(train).dtypes
    assert (fitted.transform(clean).dtypes == kinds).all()
    assert (fitted.transform(dirty).dtypes == kinds).all()


def test_a_single_row_is_repaired_as_among_others(fitted):
    new = rows(1, 4, dirty=False).assign(size=-999.0, city="Pariss")
    found = fitted.transform(new)
    assert np.isnan(found["size"].item())
    assert found["city"].item() == CITIES[new["zip"].item()]


def test_what_it_does_is_what_apply_does(fitted):
    new = rows(60, 5)
    file = new.to_csv(index=False).replace("-999.0,", "-999,").encode()
    table = cellval.read(file, label=None)
    done = cellval.apply_recipe(fitted.recipe_, table)
    assert len(done.repairs) > 5
    fixed, found = cellval.repair(table, done.repairs), fitted.transform(new)
    for name in ("zip", "city"):
        assert found[name].tolist() == fixed.cells[name].tolist()
    for name in ("size", "count", "amount"):
        numbers = pd.to_numeric(fixed.cells[name].replace("", None))
        assert np.array_equal(found[name], numbers, equal_nan=True)


def test_nothing_about_single_rows_is_learnt():
    davis = pd.read_csv(SAMPLES / "davis.csv").drop(columns="sex")
    repairer = CellRepairer().fit(davis)
    assert repairer.recipe_.steps == ()
    pd.testing.assert_frame_equal(repairer.transform(davis), davis)


def test_less_certain_findings_are_learnt_if_one_asks_for_them(train):
    assert CellRepairer(certainty=1.0).fit(train).recipe_.steps == ()
    for bad in (0, 2, "x"):
        with pytest.raises(ValueError, match="certainty"):
            CellRepairer(certainty=bad).fit(train)


def test_it_stands_before_an_imputer_and_a_model(train):
    y = (train["size"].where(train["size"] > 0, 50) > 50).astype(int)
    y = y.where(np.arange(len(y)) % 10 != 0, 1 - y)
    text = make_column_selector(dtype_include=["object", "str"])
    number = make_column_selector(dtype_include="number")
    model = make_pipeline(
        CellRepairer(),
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), text),
            (make_pipeline(SimpleImputer(), StandardScaler()), number),
        ),
        LogisticRegression(),
    )
    scores = cross_val_score(model, train, y, cv=2)
    raw = clone(model).set_params(cellrepairer="passthrough")
    raw_scores = cross_val_score(raw, train.drop(columns="amount"), y, cv=2)
    assert scores.mean() > raw_scores.mean()


def test_arrays_give_arrays(train):
    numbers = train[["size", "count"]].to_numpy()
    repairer = CellRepairer().fit(numbers)
    found = repairer.transform(numbers)
    assert isinstance(found, np.ndarray) and found.dtype == float
    assert np.array_equal(np.isnan(found[:, 0]), numbers[:, 0] == -999)
    texts = train[["size", "city", "amount"]].to_numpy(object)
    found = CellRepairer().fit_transform(texts)
    assert found.dtype == object and found.shape == texts.shape
    assert np.isnan(found[texts[:, 0] == -999.0][0, 0])
    assert [*repairer.get_feature_names_out()] == ["x0", "x1"]


def test_frames_can_be_asked_for(fitted, train):
    assert [*fitted.get_feature_names_out()] == [*train.columns]
    numbers = train[["size", "count"]].to_numpy()
    repairer = CellRepairer().set_output(transform="pandas").fit(numbers)
    assert isinstance(repairer.transform(numbers), pd.DataFrame)


def test_other_columns_than_in_training_are_refused(fitted, train):
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(train.rename(columns={"size": "length"}))
    with pytest.raises(ValueError):
        fitted.transform(train.drop(columns="size"))
    with pytest.raises(ValueError, match="sample"):
        CellRepairer().fit(train.head(0))


@pytest.mark.parametrize("kind", ["category", "object", "str", "string"])
def test_texts_of_every_dtype_stay_of_it(kind):
    cities = ["Berlin"] * 40 + ["Hamburg"] * 40 + ["Berlin "] * 9 + ["Munich"] * 11
    frame = pd.DataFrame({"city": cities, "x": range(100)}).astype({"city": kind})
    repairer = CellRepairer(certainty=0.5).fit(frame)
    assert any(isinstance(step, Replace) for step in repairer.recipe_.steps)
    new = pd.DataFrame({"city": ["Berlin ", "Ulm"], "x": [1, 2]})
    new = new.astype({"city": kind})
    found = repairer.transform(new)
    assert found["city"].tolist() == ["Berlin", "Ulm"]
    assert isinstance(found["city"].dtype, type(new["city"].dtype))


def test_it_is_cloned_kept_and_the_same_again(fitted, train, tmp_path):
    again = pickle.loads(pickle.dumps(fitted))
    new = rows(30, 6)
    pd.testing.assert_frame_equal(again.transform(new), fitted.transform(new))
    other = clone(fitted)
    assert not hasattr(other, "recipe_")
    assert other.fit(train).recipe_ == fitted.recipe_
    assert len(pickle.dumps(fitted)) < 50_000  # the training rows are not in it


def test_a_frame_of_which_nothing_can_be_learnt_passes_through():
    frame = pd.DataFrame({"a": [1], "b": ["x"]})
    found = CellRepairer().fit_transform(frame)
    pd.testing.assert_frame_equal(found, frame)
    assert found is not frame


def test_names_that_look_like_numbers_stay_texts():
    zips = [*CITIES] * 20 + ["-999"] * 6
    frame = pd.DataFrame({"zip": zips, "x": np.arange(126.0)})
    repairer = CellRepairer().fit(frame)
    assert "zip: -999 → (blank)" in [step.words for step in repairer.recipe_.steps]
    found = repairer.transform(frame)["zip"]
    assert found.iloc[:120].tolist() == zips[:120] and found.iloc[120:].isna().all()


@pytest.mark.parametrize("kind", [float, int, "float32", "Int64", "int16"])
def test_a_code_is_known_whatever_the_dtype_of_its_column(fitted, kind):
    new = rows(5, 7, dirty=False).assign(count=[9999, 30, 40, 41, 42])
    found = fitted.transform(new.astype({"count": kind}))["count"]
    assert np.array_equal(found, [np.nan, 30, 40, 41, 42], equal_nan=True)
    assert found.dtype == float
