"""Scripts of what was done: run beside the file, they do the same."""

import ast
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from cases import ROOT, survey_workbook

import cellval
from cellval.recipes.making import recipe_of
from cellval.recipes.steps import Reading
from cellval.repairs.repair import Repair, place_of, repaired_file, repaired_name
from cellval.repairs.work import Work
from cellval.views import script as module
from cellval.views.answers import all_fine, all_wrong, give
from cellval.views.script import script

pytest.importorskip("yaml", reason="in requirements.txt")
NASTY = '"""\nimport os; os.remove("x")\n\\\u202e\x85\rz'


def run(text, folder):
    """A script beside a file, as somebody who got both would run it."""
    (folder / "repeat.py").write_text(text, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "repeat.py"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answered(table):
    """Every likely finding accepted, the others called fine, and a row dropped."""
    work = Work()
    for one in cellval.findings(table):
        if one.is_flagged:
            give(work, all_wrong(table, one, work.decisions, work.repairs))
        elif one.kind != "cell":
            give(work, all_fine(table, one, work.decisions))
    work.repair(7, "", Repair("drop", "", "nobody knows what it is"))
    return work


@pytest.mark.parametrize(
    ("name", "reading", "options"),
    [
        ("davis.csv", Reading(label="sex"), {"n_neighbors": 5}),
        (
            "ugly.csv",  # Latin-1, semicolons, decimal commas, rows without a label
            Reading(
                label="grade",
                id_column="lot_no",
                exclude=("remark",),
                kinds=(("blemishes", "category"),),
            ),
            {"near": 40, "random_state": 3, "test": 0.25},
        ),
    ],
)
def test_values_and_the_repaired_file_are_the_same(tmp_path, name, reading, options):
    raw = (ROOT / "sample_data" / name).read_bytes()
    (tmp_path / name).write_bytes(raw)
    table = cellval.read(tmp_path / name, **reading.options([*reading.columns]))
    work = answered(table)
    assert len(work.repairs) > 2
    recipe = recipe_of(table, work, reading=reading)
    chosen = cellval.RunOptions(**options)
    run(script(table, recipe, work.repairs, chosen), tmp_path)
    wanted = repaired_file(raw, work.repairs, name, **place_of(table))
    assert (tmp_path / repaired_name(table)).read_bytes() == wanted != raw
    found = cellval.load(tmp_path / f"{table.name[:-4]}-values.npz")
    values = cellval.value_cells(table, **options)
    assert np.array_equal(found.values, values.values, equal_nan=True)
    assert np.array_equal(found.stderr, values.stderr, equal_nan=True)
    assert found.settings == values.settings


def test_a_workbook_is_read_and_written_at_its_sheet(tmp_path):
    pytest.importorskip("openpyxl", reason="in requirements.txt")
    raw = survey_workbook()
    (tmp_path / "survey.xlsx").write_bytes(raw)
    table = cellval.read(tmp_path / "survey.xlsx", label=None)
    work, name = Work(), table.feature_names[0]
    work.repair(2, name, Repair("blank"))
    reading = Reading(has_label=False, sheet=table.format.sheet)
    text = script(table, recipe_of(table, work, reading=reading), work.repairs)
    assert "value_cells" not in text
    run(text, tmp_path)
    fixed = (tmp_path / "survey_repaired.xlsx").read_bytes()
    assert fixed == repaired_file(raw, work.repairs, "x.xlsx", **place_of(table))
    assert cellval.read(fixed, label=None).cells[name].iloc[1] == ""


def test_a_second_file_measuring_and_the_repaired_table_are_in_it(tmp_path):
    rows = (ROOT / "sample_data" / "davis.csv").read_text().splitlines(True)
    (tmp_path / "train.csv").write_text("".join(rows[:121]))
    (tmp_path / "test.csv").write_text("".join(rows[:1] + rows[121:]))
    table = cellval.read(tmp_path / "train.csv", label="sex")
    work = Work()
    work.repair(12, "height", Repair("replace", "166"))
    test = cellval.read(tmp_path / "test.csv", like=table)
    options = cellval.RunOptions(test=test, n_neighbors=4, budget=1e6)
    more = {"test_file": "test.csv", "of_repaired": True, "measured": True}
    text = script(table, recipe_of(table, work), work.repairs, options, **more)
    assert "ends by the clock" in text and "n_neighbors=4)" in text
    printed = run(text, tmp_path)
    found = cellval.load(tmp_path / "train-values.npz")
    values = cellval.value_cells(table, test=test, n_neighbors=4)
    assert np.array_equal(found.values, values.values)
    fixed = cellval.repair(table, work.repairs)
    after = cellval.value_cells(
        fixed, test=cellval.read(tmp_path / "test.csv", like=fixed), n_neighbors=4
    )
    assert after.lowest(10).to_string() in printed and "verdict" in printed


@pytest.mark.parametrize("lacks", ["an exact recipe", "YAML"])
def test_where_no_recipe_does_the_same_each_cell_is_named(lacks, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_bytes(b"x,y\n1,a\n2,b\n30,b\n4,a\n")
    table = cellval.read(tmp_path / "t.csv", label="y")
    repairs = {
        (3, "x"): Repair("replace", '3"'),
        (1, "x"): Repair("blank"),
        (2, ""): Repair("drop"),
    }
    work = Work()
    work.take({}, repairs)
    if lacks == "YAML":
        monkeypatch.setitem(sys.modules, "yaml", None)
    else:
        monkeypatch.setattr(module, "_is_exact", lambda *what: False)
    text = script(table, recipe_of(table, work), repairs)
    assert "RECIPE" not in text
    run(text, tmp_path)
    assert (tmp_path / "t_repaired.csv").read_bytes() == b'x,y\n,a\n"3""",b\n4,a\n'


def test_a_recipe_that_does_something_else_is_seen(davis):
    work = Work()
    work.repair(12, "height", Repair("replace", "166"))
    recipe = recipe_of(davis, work)
    assert module._is_exact(davis, recipe, work.repairs)
    assert not module._is_exact(davis, recipe, {})


def test_nothing_of_a_file_is_run(tmp_path):
    frame = {"<x>'\"": ["1", "2", NASTY, "4", "5"], NASTY: [*"ababa"]}
    table = cellval.Table.from_frame(
        pd.DataFrame(frame), label=NASTY, name=f"{NASTY}.csv"
    )
    work = Work()
    work.repair(3, "<x>'\"", Repair("replace", NASTY * 2, NASTY))
    reading = Reading(label=NASTY, exclude=(NASTY,), kinds=((NASTY, "category"),))
    text = script(
        table,
        recipe_of(table, work, reading=reading),
        work.repairs,
        cellval.RunOptions(),
        test_file=NASTY,
    )
    tree = ast.parse(text)
    used = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    used |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert "value_cells" in used and not used & {"os", "remove"}
    assert "\u202e" not in text
    texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    assert NASTY in texts and f"{NASTY}.csv" in texts
    (recipe,) = [t for t in texts if isinstance(t, str) and "version: 1" in t]
    assert cellval.read_recipe(recipe.encode()).steps == recipe_of(table, work).steps


def test_with_nothing_done_it_only_reads_and_values(davis):
    text = script(davis, recipe_of(davis, Work()), {}, cellval.RunOptions())
    code = [x for x in text.splitlines() if x and not x.startswith(("#", "import"))]
    assert code[1:] == [
        'table = cellval.read(FILE, label="sex")',
        "values = cellval.value_cells(table)",
        'values.save("davis-values.npz")',
        "print(values.lowest(10).to_string())",
    ]
