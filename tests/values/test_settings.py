"""How values were made, as fields; files of version 0.1 still load."""

import json
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import numpy as np
import pytest
from cases import bits, random_table

import cellval
from cellval.values.settings import DESIGNS, TESTS, Settings, from_0_1
from cellval.values.words import (
    approximation_words,
    design_words,
    error_words,
    method_words,
    model_words,
)
from cellval.values.words import test_words as words_of_tests

OLD = Path(__file__).parent / "version_0_1"
FILES = {
    "exact": {"design": "subsets", "n_draws": 32, "passes": (0,), "weight": 24.0},
    "sampled": {"design": "pairs", "n_draws": 2, "most_draws": 2, "n_neighbors": 3},
    "stopped": {"design": "pairs", "n_draws": 1, "most_draws": 2, "passes": (1, 1)},
    "held_out": {
        "test": "hold-out",
        "test_rows": 7,
        "near": 5,
        "column_weights": "banzhaf",
    },
    "second_table": {
        "test": "table",
        "test_name": "table.csv",
        "test_table": "9b76a2d744d9",
    },
    "merged": {
        "random_state": None,
        "sources": (("leave-one-out 0", 0), ("leave-one-out 0", 1)),
        "weight": 96.0,
    },
    "mc": {
        "method": "mc",
        "model": "tree",
        "design": "rounds",
        "n_draws": 3,
        "rounds": 3,
        "truncation": 0.01,
        "test_rows": 7,
    },
    "oob": {
        "method": "oob",
        "model": "",
        "test": "none",
        "design": "trees",
        "n_draws": 30,
        "middle": 0.5353075396825396,
    },
    "function": {"method": "exact", "model": "function", "test": "function"},
}


def header_of(path):
    with np.load(path) as file:
        return json.loads(file["about"].tobytes())


def old_settings(name):
    return header_of(OLD / f"{name}.npz")["settings"]


@pytest.fixture(scope="module")
def table():
    return cellval.read(OLD / "table.csv", label="y")


def test_no_file_of_version_0_1_is_forgotten():
    assert {path.stem for path in OLD.glob("*.npz")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_files_of_version_0_1_load_with_their_fields(name, table):
    values = cellval.load(OLD / f"{name}.npz")
    settings = values.settings
    for field, expected in FILES[name].items():
        assert getattr(settings, field) == expected, field
    if name != "function":
        assert settings.table == table.fingerprint
        assert values.column_names == table.feature_names
        assert values.cells.equals(table.cells[list(table.feature_names)])
    assert np.isfinite(values.values).any()
    assert len(repr(values)) < 300


@pytest.mark.parametrize("name", FILES)
def test_sentences_about_files_of_version_0_1_are_what_they_said(name):
    settings, old = cellval.load(OLD / f"{name}.npz").settings, old_settings(name)
    assert method_words(settings) == old["method"]
    assert design_words(settings) == old["design"]
    assert approximation_words(settings) == old["approximation"]
    assert words_of_tests(settings) == old["test"]
    assert model_words(settings) == old.get("model", "KNN model")
    assert error_words(settings) == old.get("errors", "")
    assert settings.additive == old.get("additive", True)
    assert settings.is_approximate == bool(old["approximation"])
    assert settings.is_exact == ("exact" in old["design"])


@pytest.mark.parametrize("name", FILES)
def test_files_of_version_0_1_can_be_saved_as_today(name, tmp_path):
    values = cellval.load(OLD / f"{name}.npz")
    values.save(tmp_path / "v.npz")
    again = cellval.load(tmp_path / "v.npz")
    assert again.settings == values.settings
    assert bits(again) == bits(values)


def test_a_run_that_version_0_1_left_goes_on_to_the_values_of_one_go(table):
    options = {"n_neighbors": 3, "subsets": 20}
    whole = cellval.value_cells(table, **options)
    part = cellval.load(OLD / "stopped.npz")
    assert bits(part) != bits(whole)
    # to rounding: 0.1 added up in another order
    rest = cellval.value_cells(table, continue_from=part, **options)
    np.testing.assert_allclose(rest.values, whole.values, rtol=0, atol=1e-12)
    done = cellval.load(OLD / "sampled.npz")
    np.testing.assert_allclose(done.values, whole.values, rtol=0, atol=1e-12)
    more = cellval.value_cells(table, n_neighbors=3, continue_from=done)
    assert more.settings.passes == (1, 1, 2)


def test_values_of_version_0_1_are_merged_with_those_of_today(table):
    old = cellval.load(OLD / "sampled.npz")
    new = cellval.value_cells(table, n_neighbors=3, subsets=20, random_state=5)
    both = old.merge(new)
    np.testing.assert_allclose(both.values, (old.values + new.values) / 2)
    with pytest.raises(cellval.InputError, match="same draws"):
        old.merge(cellval.value_cells(table, n_neighbors=3, subsets=20))
    merged = cellval.load(OLD / "merged.npz")
    with pytest.raises(cellval.InputError, match="same draws"):
        merged.merge(cellval.value_cells(table, subsets=20, random_state=1))
    with pytest.raises(cellval.InputError, match="cannot be continued"):
        cellval.value_cells(table, subsets=20, continue_from=merged)


def test_values_of_before_there_were_weights_are_shapley_s():
    old = old_settings("sampled")
    del old["column_weights"]
    assert from_0_1(old) == from_0_1(old_settings("sampled"))


def test_a_stopped_first_pass_says_how_many_test_points_it_saw():
    old = old_settings("sampled") | {
        "design": "1 random order of the columns and the reverse, fresh for every test "
        "point, 1,200 of 32,561 test points"
    }
    settings = from_0_1(old)
    assert (settings.n_seen, settings.n_tests) == (1200, 32561)
    assert (settings.n_draws, settings.most_draws) == (1, 1)
    assert design_words(settings) == old["design"]


def rewritten(path, target, **changes):
    header = json.dumps(header_of(path) | changes).encode()
    with np.load(path) as file:
        np.savez(target, **{**file, "about": np.frombuffer(header, np.uint8)})
    return target


def test_files_of_a_format_to_come_are_refused_with_a_sentence(tmp_path):
    file = rewritten(OLD / "exact.npz", tmp_path / "f.npz", format=9)
    with pytest.raises(cellval.InputError, match="this one reads 1, 2"):
        cellval.load(file)


def test_files_of_an_unknown_method_are_refused_with_a_sentence(tmp_path):
    old = old_settings("mc") | {"by": "owen"}
    file = rewritten(OLD / "mc.npz", tmp_path / "f.npz", settings=old)
    with pytest.raises(cellval.InputError, match="Values by 'owen' are not known"):
        cellval.load(file)


def test_settings_without_meaning_are_no_cell_values(tmp_path):
    values = cellval.value_cells(random_table(0, 10, ["number"]))
    values.save(tmp_path / "v.npz")
    settings = values.settings.to_dict() | {"design": "guesses"}
    file = rewritten(tmp_path / "v.npz", tmp_path / "f.npz", settings=settings)
    with pytest.raises(cellval.InputError, match="does not hold cell values"):
        cellval.load(file)
    for name in ("method", "test", "design"):
        with pytest.raises(ValueError, match=name):
            replace(values.settings, **{name: "another"})


def test_settings_survive_a_file_field_by_field():
    values = cellval.load(OLD / "merged.npz")
    text = json.dumps(values.settings.to_dict())
    again = Settings.from_dict(json.loads(text))
    for field in fields(Settings):
        ours, theirs = (getattr(s, field.name) for s in (again, values.settings))
        assert ours == theirs and type(ours) is type(theirs), field.name
    assert hash(again) == hash(values.settings)


def test_settings_do_not_change():
    with pytest.raises(FrozenInstanceError):
        Settings().method = "mc"


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("test", TESTS)
def test_what_fields_say_together(test, design):
    settings = Settings(method="mc", test=test, design=design)
    assert settings.is_exact == (design == "subsets")
    assert settings.sums_to_score and settings.additive
    assert not replace(settings, row_weights="banzhaf").sums_to_score
    assert not replace(settings, method="oob").sums_to_score
    assert not settings.is_approximate
    assert replace(settings, near=5).is_approximate
    assert replace(settings, truncation=0.1).is_approximate


def test_runs_on_other_test_points_or_draws_have_another_source():
    held = Settings(test="hold-out", test_rows=5, random_state=1)
    others = [
        replace(held, test_rows=6),
        replace(held, random_state=2),
        Settings(test="table", test_table="ab", random_state=1),
        Settings(random_state=1),
    ]
    assert len({s.source for s in (held, *others)}) == 5
