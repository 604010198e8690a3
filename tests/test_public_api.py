"""What `import cellval` promises: names, signatures, and to load nothing heavy."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields

import pandas as pd
import pytest
from cases import ROOT, SAMPLES

import cellval
from cellval.values.options import RunOptions

CLASSES = [
    *(
        "BlockValues",
        "CellRepairer",
        "CellValues",
        "Check",
        "Column",
        "Comparison",
        "Finding",
    ),
    "Groups",
    "InputError",
    *(
        "LabelOrCell",
        "Project",
        "Recipe",
        "Repair",
        "RunOptions",
        "Settings",
        "Snapshot",
        "Suggestion",
    ),
    *("Table", "Validation", "WhatIf"),
]
FUNCTIONS = {
    "check": "(source, *, recipe=None, baseline=None, fail_on=1, random_state=0, "
    "n_jobs=None, **reading)",
    "apply_recipe": "(recipe, table)",
    "compare_models": "(before, after, **options)",
    "findings": "(table, values=None, *, rules=(), random_state=0, n_jobs=None)",
    "iter_blocks": "(table, row_groups, column_groups=None, *, model='knn', test=None, "
    "n_neighbors=10, width=None, method='auto', rounds=100, target_stderr=None, "
    "budget=None, random_state=0, executor=None, n_jobs=None)",
    "iter_comparison": "(before, after, *, n_neighbors=10, folds=5, repeats=5, "
    "random_state=0, executor=None)",
    "iter_validation": "(table, *, kind='low density', share=0.02, removal=True, "
    "test_share=0.3, random_state=0, n_jobs=None, executor=None, **options)",
    "iter_values": "(table, *, n_jobs=None, executor=None, continue_from=None, "
    "**options)",
    "label_or_cell": "(table, values, row_number, suggestions, *, test=None, "
    "unit=None)",
    "load": "(path)",
    "open_project": "(name, source=None, *, folder=None, "
    "label=<Guess.LABEL: 'guessed'>, id_column=None, exclude=(), kinds=None, "
    "sheet=None, header_row=None)",
    "projects": "(*, folder=None)",
    "read": "(source, *, label=<Guess.LABEL: 'guessed'>, id_column=None, exclude=(), "
    "kinds=None, like=None, sheet=None, header_row=None, max_bytes=None, "
    "max_columns=None)",
    "read_decisions": "(source, table)",
    "read_recipe": "(source)",
    "repair": "(table, decisions)",
    "repair_file": "(source, decisions, **options)",
    "report": "(table, values=None, *, decisions=None, comparison=None, title='', "
    "random_state=0)",
    "show": "(values, *, table=None, port=None, browser=None)",
    "suggest": "(table, row_number, column, *, random_state=0)",
    "suspect_labels": "(table, *, random_state=0, n_jobs=None)",
    "suspects": "(table, values=None, *, random_state=0, n_jobs=None)",
    "validate": "(table, **options)",
    "value_blocks": "(table, row_groups, column_groups=None, **options)",
    "value_cells": "(table, *, method='knn', model='tree', rounds=None, "
    "n_neighbors=10, test=None, subsets='auto', baseline='zero', scoring='accuracy', "
    "width=None, near=None, row_weights='shapley', column_weights='shapley', "
    "truncation=None, budget=None, target_stderr=None, random_state=0, "
    "backend='cpu', n_jobs=None, "
    "executor=None, continue_from=None)",
    "value_rows": "(table, *, n_neighbors=10, test=None, scoring='accuracy', "
    "width=None, random_state=0, backend='cpu')",
    "what_if": "(table, values, row_number, changes, *, test=None, seconds=0.8)",
}
METHODS = {  # of the two classes that people hold in their hands
    "Table": "class_column day_first decimal feature_names features fingerprint "
    "from_frame groups ids label_column label_kind labelled labels n_duplicates n_rows "
    "position read_texts with_cells",
    "CellValues": "columns explain groups lowest merge position ranks rows save tested "
    "to_frame total typical_stderr",
}


def in_a_fresh_process(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_types(function):
    signature = inspect.signature(function)
    empty = inspect.Parameter.empty
    names = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=names, return_annotation=empty))


def test_the_public_names_are_these():
    assert sorted(cellval.__all__) == cellval.__all__ == sorted([*CLASSES, *FUNCTIONS])
    assert set(cellval.__all__) <= set(dir(cellval))
    for name in CLASSES:
        assert inspect.isclass(getattr(cellval, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_these(name):
    assert without_types(getattr(cellval, name)) == FUNCTIONS[name]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_these(name):
    kind = getattr(cellval, name)
    of_fields = {field.name for field in fields(kind)}
    found = {n for n in vars(kind) if not n.startswith("_")} - of_fields
    assert sorted(found) == METHODS[name].split()


def test_value_cells_has_the_options_of_runs_and_where_to_run_them():
    options = {option.name: option.default for option in fields(RunOptions)}
    options |= dict.fromkeys(("n_jobs", "executor", "continue_from"))
    taken = inspect.signature(cellval.value_cells).parameters
    given = {name: p.default for name, p in taken.items() if name != "table"}
    assert given == options
    assert list(given) == list(options)
    assert all(p.kind is p.KEYWORD_ONLY for n, p in taken.items() if n != "table")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_everything_optional_is_keyword_only_but_what_comes_naturally(name):
    naturally = ("values", "column_groups", "source")
    for parameter in inspect.signature(getattr(cellval, name)).parameters.values():
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            needed = parameter.default is parameter.empty
            assert needed or parameter.name in naturally


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_words_and_an_example(name):
    words = getattr(cellval, name).__doc__
    assert words.split("\n")[0].endswith((".", ":", "`."))
    assert "Examples\n    --------\n    >>> " in words
    assert "cellval." in words.split(">>>", 1)[1] or name in ("read", "read_decisions")


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_has_words_and_an_example(name):
    words = getattr(cellval, name).__doc__
    assert len(words) > 40 and "Examples\n    --------\n    >>> " in words


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n.startswith("iter_")])
def test_what_iterates_yields_snapshots(name):
    returned = inspect.signature(getattr(cellval, name)).return_annotation
    assert returned.__origin__ is Iterator
    assert returned.__args__[0].__origin__ is cellval.Snapshot


def test_a_bare_import_loads_nothing_heavy():
    heavy = ("sklearn", "plotly", "streamlit", "pandas", "numba", "numpy", "scipy")
    code = f"import sys, cellval; print([m for m in {heavy} if m in sys.modules])"
    assert in_a_fresh_process(code).strip() == "[]"


@pytest.mark.parametrize(
    ("names", "loaded"),
    [
        (("read", "Table", "Column", "InputError", "Settings", "RunOptions"), ()),
        (("value_cells", "value_rows", "load", "iter_values"), ("numba",)),
        (("suspects", "suspect_labels", "suggest"), ("numba",)),
        (("what_if", "label_or_cell"), ("numba",)),
        (("repair", "repair_file", "read_decisions"), ()),
    ],
)
def test_neither_models_nor_figures_are_loaded_by_who_does_not_use_them(names, loaded):
    heavy = ("sklearn", "plotly", "streamlit", "numba")
    code = (
        f"import sys, cellval; [getattr(cellval, n) for n in {names}]; "
        f"print(*[m for m in {heavy} if m in sys.modules])"
    )
    assert in_a_fresh_process(code).split() == list(loaded)


def test_names_stay_what_they_are_whatever_was_imported():
    code = """
import importlib, pkgutil, types, cellval
for module in pkgutil.walk_packages(cellval.__path__, "cellval."):
    if not module.name.startswith(("cellval.ui", "cellval.__main__")):
        importlib.import_module(module.name)
import cellval.repairs.repair, cellval.repairs.decisions
for name in cellval.__all__:
    assert not isinstance(getattr(cellval, name), types.ModuleType), name
assert cellval.repair is cellval.repairs.decisions.repair
"""
    in_a_fresh_process(code)


def test_names_for_type_checkers_are_those_that_are_loaded():
    tree = ast.parse((ROOT / "cellval" / "__init__.py").read_text(encoding="utf-8"))
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        alias.name: node.module for node in checked.body for alias in node.names
    }
    assert imported == cellval._PUBLIC


def test_old_and_unknown_names_are_told():
    with pytest.raises(AttributeError, match=r"since 0\.2 it is cellval\.read"):
        _ = cellval.read_csv
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cellval.nothing


def test_the_package_has_types():
    assert (ROOT / "cellval" / "py.typed").is_file()


# --- frames at the door ---------------------------------------------------------------


@pytest.fixture(scope="module")
def frame():
    """The label of a bare frame is guessed by its name."""
    return pd.read_csv(SAMPLES / "davis.csv").rename(columns={"sex": "label"})


@pytest.fixture(scope="module")
def values(frame):
    return cellval.value_cells(frame)


RECIPE = b"version: 1\nsteps: []"
CALLS = {
    "apply_recipe": lambda f, v: cellval.apply_recipe(cellval.read_recipe(RECIPE), f),
    "value_cells": lambda f, v: cellval.value_cells(f, test=f.head(20)),
    "value_rows": lambda f, v: cellval.value_rows(f, test=f.head(20)),
    "iter_values": lambda f, v: next(cellval.iter_values(f)),
    "value_blocks": lambda f, v: cellval.value_blocks(f, "label", test=f.head(20)),
    "iter_blocks": lambda f, v: next(cellval.iter_blocks(f, "label")),
    "check": lambda f, v: cellval.check(f),
    "findings": lambda f, v: cellval.findings(f, v),
    "suspects": lambda f, v: cellval.suspects(f, v),
    "suspect_labels": lambda f, v: cellval.suspect_labels(f),
    "suggest": lambda f, v: cellval.suggest(f, 12, "height"),
    "what_if": lambda f, v: cellval.what_if(f, v, 12, {"height": "166"}),
    "label_or_cell": lambda f, v: cellval.label_or_cell(f, v, 12, {"height": "166"}),
    "read": lambda f, v: cellval.read(f),
    "read_decisions": lambda f, v: cellval.read_decisions(b"row,column\n2,height\n", f),
    "repair": lambda f, v: cellval.repair(f, {(12, "height"): "166"}),
    "compare_models": lambda f, v: cellval.compare_models(
        f, f.assign(height=f["height"].replace(57, 157)), folds=2, repeats=1
    ),
    "iter_comparison": lambda f, v: next(
        cellval.iter_comparison(f, f.assign(height=f["height"].replace(57, 157)))
    ),
    "validate": lambda f, v: cellval.validate(f, removal=False, share=0.05),
    "iter_validation": lambda f, v: next(cellval.iter_validation(f)),
    "report": lambda f, v: cellval.report(f, v),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_frame_serves_wherever_a_table_does(name, frame, values):
    assert CALLS[name](frame, values) is not None


def test_every_door_was_tried():
    without_a_table = {"load", "open_project", "projects"}
    without_a_table |= {"read_recipe", "repair_file"}
    without_a_table |= {"show"}  # starts a server: tests/test_launch.py
    assert set(CALLS) == set(FUNCTIONS) - without_a_table


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"read"}))
def test_what_is_no_table_gets_a_sentence(name, values):
    class NoFrame:
        def head(self, n):
            return self

        def assign(self, **columns):
            return self

        def __getitem__(self, name):
            return self

        def replace(self, *texts):
            return self

    with pytest.raises(cellval.InputError, match="A table or a DataFrame is needed"):
        CALLS[name](NoFrame(), values)
