"""A model as a utility: compiled trees, scikit-learn's, copies for processes."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from cases import mixed_table, number_table, random_table
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from small_games import rounds_of

import cellval
from cellval.errors import InputError
from cellval.games.model_utility import ModelUtility, tree_limits
from cellval.games.montecarlo import Rounds
from cellval.games.tree import Limits
from cellval.table.labels import usual_width
from cellval.table.table import Table


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
def test_a_model_on_mixed_cells_learns_from_the_columns_that_say_something(estimator):
    table = mixed_table(80, 0)
    test = mixed_table(60, 1, "test", like=table)
    h = ModelUtility(estimator, table, test)
    everyone = np.arange(80)
    assert h(everyone, np.array([0, 1, 2])) > 0.85
    assert h(everyone, np.array([1])) > 0.7 > h(everyone, np.array([2]))
    assert h(np.array([], int), np.array([0])) == h(everyone, np.array([], int)) == 0


def test_rows_of_one_class_predict_that_class():
    table = mixed_table(30, 2)
    h = ModelUtility(LogisticRegression(), table, table)
    alike = np.flatnonzero(table.y == 1)[:4]
    assert h(alike, np.array([0])) == pytest.approx(np.mean(table.y == 1))


def test_a_regressor_is_worth_the_mean_closeness_of_what_it_says():
    table = number_table(80, 0)
    test = number_table(60, 1, "test", like=table)
    tree = DecisionTreeRegressor(random_state=0)
    h = ModelUtility(tree, table, test, width=7.0)
    rows, data = np.arange(5, 70), h.data
    said = tree.fit(data.train[rows], data.y[rows]).predict(data.test)
    expected = np.maximum(0, 1 - np.abs(said - test.target) / 7.0).mean()
    assert h(rows, np.arange(3)) == pytest.approx(expected) and not h.compiled
    line = h.line(rows, np.array([0, 1, 2]), np.ones(4, bool))
    assert line.tolist() == [h(rows, np.arange(f)) for f in range(4)]
    assert line[2] > line[1] > 0.4
    copy = pickle.loads(pickle.dumps(ModelUtility(Ridge(), table, test)))
    wide = ModelUtility(Ridge(), table, test, width=usual_width(table.target))
    assert copy(rows, np.arange(3)) == wide(rows, np.arange(3)) > 0.8


def test_few_rows_with_numbers_say_their_label_or_their_median():
    table = number_table(40, 2)
    h = ModelUtility(KNeighborsRegressor(3), table, table, width=20.0)
    for rows, said in (([4], table.target[4]), ([4, 5], table.target[[4, 5]].mean())):
        expected = np.maximum(0, 1 - np.abs(said - table.target) / 20).mean()
        assert h(np.array(rows), np.arange(2)) == pytest.approx(expected)


@pytest.mark.parametrize("estimator", [DecisionTreeRegressor(random_state=0), Ridge()])
@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_labels_as_large_or_small_as_can_be_are_learned(estimator, scale):
    table = number_table(60, 4)
    other = replace(table, target=table.target * scale)
    rows, columns = np.arange(40), np.arange(3)
    expected = ModelUtility(estimator, table, table)(rows, columns)
    found = ModelUtility(estimator, other, other)(rows, columns)
    assert found == pytest.approx(expected, abs=0.02)


def test_labels_are_not_narrowed_with_the_cells():
    table = number_table(60, 4)
    far = replace(table, target=table.target + 1e9)  # float32 knows them by the hundred
    rows, columns = np.arange(40), np.arange(3)
    one, two = (ModelUtility(Ridge(), t, t)(rows, columns) for t in (table, far))
    assert one == pytest.approx(two, rel=1e-3)


def test_models_and_labels_must_speak_of_the_same():
    numbers, classes = number_table(30, 3), mixed_table(30, 3)
    words = "does not predict numbers, which the label 'price' holds; use a regressor"
    with pytest.raises(InputError, match=words):
        ModelUtility(make_pipeline(LogisticRegression()), numbers, numbers)
    words = "does not predict classes, which the label 'y' holds; use a classifier"
    with pytest.raises(InputError, match=words):
        ModelUtility(Ridge(), classes, classes)
    with pytest.raises(InputError, match=r"DecisionTreeRegressor\(\), with brackets"):
        ModelUtility(Ridge, numbers, numbers)


def test_own_scoring_and_baseline():
    table = mixed_table(40, 5)
    h = ModelUtility(
        DecisionTreeClassifier(), table, table, scoring=lambda t, p: 7.0, empty=0.5
    )
    assert h(np.arange(40), np.array([0])) == 7.0
    assert h(np.arange(40), np.array([], int)) == 0.5


KINDS = ["number", "category", "decimal", "category", "decimal"]


@pytest.fixture(scope="module")
def tables():
    made = {"n_classes": 3, "missing": 0.1}
    table = random_table(1, 30, KINDS, **made)
    return table, random_table(2, 40, KINDS, **made, name="test")


@pytest.mark.uncompiled
def test_a_line_holds_the_utilities_of_growing_columns(tables):
    h = ModelUtility(DecisionTreeClassifier(), *tables, empty=0.25)
    rows, order = np.arange(0, 30, 2), np.array([3, 0, 4, 1, 2])
    line = h.line(rows, order, np.ones(6, bool))
    assert line.tolist() == [h(rows, np.sort(order[:f])) for f in range(6)]
    some = np.array([False, True, False, False, True, True])
    np.testing.assert_array_equal(h.line(rows, order, some)[some], line[some])
    nobody = h.line(np.array([], int), order, np.ones(6, bool))
    assert nobody.tolist() == [0.25] * 6


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "entropy"},
        {"max_features": 2},
        {"min_samples_leaf": 0.1},
        {"class_weight": "balanced"},
        {"ccp_alpha": 0.01},
        {"splitter": "random"},
    ],
)
def test_other_trees_are_scikit_learns(options):
    assert tree_limits(DecisionTreeClassifier(**options)) is None


def test_a_subclass_of_the_tree_is_scikit_learns():
    class Own(DecisionTreeClassifier):
        pass

    assert tree_limits(Own()) is None
    assert tree_limits(DecisionTreeClassifier(max_depth=3)) == Limits(3, 2, 1)


def test_a_copy_of_a_utility_needs_no_table(tables):
    for estimator in (DecisionTreeClassifier(), DecisionTreeClassifier(max_features=2)):
        estimator.set_params(random_state=0)
        h = ModelUtility(estimator, *tables)
        packed = pickle.dumps(h)
        copy = pickle.loads(packed)
        rows, columns = np.arange(20), np.array([0, 1, 4])
        assert copy(rows, columns) == h(rows, columns)
        assert copy.table is None and len(packed) < 30_000


def test_own_scoring_sees_the_predictions_of_the_compiled_tree(tables):
    def scoring(truth, said):
        return float(np.mean(truth == said))

    h, own = (
        ModelUtility(DecisionTreeClassifier(), *tables, scoring=s)
        for s in ("accuracy", scoring)
    )
    a, b = (rounds_of(g, 30, 5, 2) for g in (h, own))
    np.testing.assert_array_equal(a.values, b.values)


def test_unknown_classes_of_the_test_are_never_right(tables):
    table, _ = tables
    other = random_table(3, 12, KINDS, n_classes=3, name="test")
    renamed = replace(other, classes=("never", "seen", "before"))
    h = ModelUtility(DecisionTreeClassifier(), table, renamed)
    assert h.line(np.arange(30), np.arange(5), np.ones(6, bool)).tolist() == [0.0] * 6


@pytest.mark.parametrize(
    "estimator",
    [DecisionTreeClassifier(), make_pipeline(StandardScaler(), LogisticRegression())],
)
def test_threads_and_processes_change_no_bit(tables, estimator):
    h = ModelUtility(estimator, *tables)
    options = {"rounds": 2, "truncation": 0.05}
    assert Rounds(h, 4, 3).processes == (not h.compiled)
    alone = rounds_of(h, 4, 3, **options)
    shared = rounds_of(h, 4, 3, **options, n_jobs=2)
    np.testing.assert_array_equal(alone.values, shared.values)
    assert alone.n_evaluations == shared.n_evaluations


def test_other_models_run_on_processes(davis):
    few = Table.from_frame(davis.cells.iloc[:8], label="sex")
    options = {"method": "mc", "model": LogisticRegression(), "test": davis}
    one = cellval.value_cells(few, **options, rounds=3, n_jobs=1)
    two = cellval.value_cells(few, **options, rounds=3, n_jobs=2)
    np.testing.assert_array_equal(one.values, two.values)


def test_a_model_that_needs_more_rows_says_the_commonest_class(davis):
    knn = KNeighborsClassifier(7)
    few = Table.from_frame(davis.cells.iloc[:60], label="sex")
    options = {"method": "mc", "model": knn, "test": davis, "rounds": 1}
    values = cellval.value_cells(few, **options, n_jobs=1)
    assert values.total > 0.8


def test_a_model_that_cannot_learn_at_all_is_named(davis):
    wrong = LogisticRegression(C=-1)
    with pytest.raises(InputError, match=r"C=-1.*cannot learn from this table"):
        cellval.value_cells(davis, method="loo", model=wrong, n_jobs=1)


def test_models_without_a_seed_get_one(davis):
    few = Table.from_frame(davis.cells.iloc[:9], label="sex")
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    options = {"method": "mc", "model": forest, "test": davis, "rounds": 2}
    one, two = (cellval.value_cells(few, **options, n_jobs=1) for _ in range(2))
    np.testing.assert_array_equal(one.values, two.values)
