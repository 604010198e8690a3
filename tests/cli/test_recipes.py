"""Commands of recipes: `recipe` and `apply`, their files and exit codes."""

import pandas as pd
import pytest

import cellval
from cellval.cli.arguments import main
from cellval.cli.recipes import MOST_SAID
from cellval.project.source import Setup, reading_of
from cellval.recipes.steps import Reading
from cellval.repairs.repair import Repair

pytest.importorskip("yaml", reason="in requirements.txt")

FIRST = b"id;w;y\r\n1;n/a;a\r\n2;580;b\r\n3;60 ;b\r\n4;n/a;a"
NEXT = b'id;y;w\r\n9;b;"n/a"\r\n2;b;580\r\n8;a; n/a\r\n7;a;1'
DECISIONS = (
    "row,column,decision,repair,after,reason\n1,w,,blank,,code\n4,w,,blank,,code\n"
    "2,w,,replace,58,slip\n3,w,fine,,,\n"
)


def call(*arguments):
    return main([*map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    (tmp_path / "first.csv").write_bytes(FIRST)
    (tmp_path / "next.csv").write_bytes(NEXT)
    (tmp_path / "decisions.csv").write_text(DECISIONS)
    return tmp_path


def make(files, *arguments):
    how = ["--decisions", files / "decisions.csv", "--id", "id", "--label", "y"]
    out = ["--out", files / "recipe.yaml"]
    return call("recipe", files / "first.csv", *how, *out, *arguments)


def apply(files, *arguments):
    recipe, out = files / "recipe.yaml", files / "fixed.csv"
    return call("apply", recipe, files / "next.csv", "--out", out, *arguments)


def test_a_recipe_of_decisions_repairs_the_next_file_byte_for_byte(files, capsys):
    assert make(files, "--kind", "w=number") == 0
    assert "w: n/a → (blank)" in capsys.readouterr().out
    found = cellval.read_recipe(files / "recipe.yaml")
    kinds = (("w", "number"),)
    assert found.reading == Reading(label="y", id_column="id", kinds=kinds)
    assert apply(files) == 0
    fixed = b'id;y;w\r\n9;b;""\r\n2;b;58\r\n8;a;\r\n7;a;1'
    assert (files / "fixed.csv").read_bytes() == fixed
    shown = capsys.readouterr().out
    assert "next.csv: 1 cell replaced, 2 blanked, 0 rows dropped" in shown
    assert "w: n/a → (blank): 2 cells" in shown
    assert "did not fit" not in shown
    log = pd.read_csv(files / "fixed_changes.csv", dtype=str, keep_default_na=False)
    assert sorted(log["reason"]) == ["code", "code", "slip"]


def test_what_does_not_fit_is_told_and_the_file_written_anyway(files, capsys):
    assert make(files) == 0
    (files / "next.csv").write_bytes(NEXT.replace(b"2;b;580", b"5;b;580"))
    assert apply(files, "--log", files / "log.csv") == 1
    assert b"5;b;580" in (files / "fixed.csv").read_bytes()
    shown = capsys.readouterr().out
    assert "1 thing did not fit:" in shown
    assert "w of the row with id 2: 580 → 58: no row with id 2." in shown
    assert (files / "log.csv").exists()


def test_many_sentences_are_counted(files, capsys):
    steps = "".join(
        f"- {{do: replace, column: c{k}, texts: {{a: b}}}}\n" for k in range(25)
    )
    (files / "recipe.yaml").write_text(f"version: 1\nsteps:\n{steps}")
    assert apply(files) == 1
    shown = capsys.readouterr().out
    assert "25 things did not fit:" in shown
    assert f"... and {25 - MOST_SAID} more" in shown


def test_bad_input_is_2_and_writes_nothing(files, capsys):
    (files / "recipe.yaml").write_text("version: 7\nsteps: []")
    assert apply(files) == 2
    assert "version 7 is not known" in capsys.readouterr().err
    assert not (files / "fixed.csv").exists()
    assert make(files, "--out", files / "first.csv") == 2
    assert call("recipe", files / "first.csv", "--out", files / "r.yaml") == 2
    assert "a project (--project NAME)" in capsys.readouterr().err
    lone = ["--decisions", files / "decisions.csv", "--out", files / "r.yaml"]
    assert call("recipe", *lone) == 2
    assert "Name the file that --decisions is about" in capsys.readouterr().err
    assert make(files) == 0
    assert call("apply", files / "recipe.yaml", files / "no.csv", *lone[2:]) == 2
    out = ["--out", files / "recipe.yaml"]
    assert call("apply", files / "recipe.yaml", files / "next.csv", *out) == 2
    assert "that would replace" in capsys.readouterr().err


def test_a_recipe_of_a_project(files, capsys, monkeypatch):
    monkeypatch.setenv("CELLVAL_HOME", str(files / "home"))
    project = cellval.open_project(
        "weights", files / "first.csv", label="y", id_column="id"
    )
    project.work.repair(2, "w", Repair("replace", "58"))
    with project.work.together("codes", [(1, "w"), (4, "w")], kind="code"):
        for row in (1, 4):
            project.work.repair(row, "w", Repair("blank"))
    project.close()
    out = files / "recipe.yaml"
    assert call("recipe", "--project", "weights", "--out", out) == 0
    assert "2 steps" in capsys.readouterr().out
    assert apply(files) == 0
    assert b"2;b;58\r\n" in (files / "fixed.csv").read_bytes()
    assert call("recipe", "--project", "nobody", "--out", out) == 2


def test_how_a_project_is_read_is_how_its_recipe_reads():
    kinds = (("w", "number"),)
    setup = Setup("y", "id", ("a",), kinds, "Sheet", 3, has_label=False)
    assert reading_of(setup) == Reading("y", False, "id", ("a",), kinds, "Sheet", 3)
    assert reading_of(Setup()) == Reading()
