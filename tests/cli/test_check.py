"""The command `check`: exit codes, formats and baselines, as a pipeline has them."""

import json
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pandas as pd
import pytest
from cases import ROOT
from command_line import cellval_process
from findings_of import plain_frame

from cellval.cli.arguments import main


@pytest.fixture
def clean(tmp_path):
    path = tmp_path / "clean.csv"
    plain_frame().to_csv(path, index=False)
    return path


@pytest.fixture
def dirty(tmp_path):
    path = tmp_path / "dirty.csv"
    plain_frame(8421.5).to_csv(path, index=False)
    return path


def check(*arguments):
    return main(["check", *map(str, arguments)])


def test_a_clean_file_passes(clean, capsys):
    assert check(clean) == 0
    assert "clean.csv: no findings" in capsys.readouterr().out


def test_findings_fail_and_say_where(dirty, capsys):
    assert check(dirty) == 1
    said = capsys.readouterr()
    assert "dirty.csv: 1 finding in 1 cell" in said.out
    assert "dirty.csv:22: row 21: " in said.out and "z: 8421.5" in said.out
    assert "The label was not given" not in said.err  # nothing is guessed


def test_so_many_are_too_many(dirty, capsys):
    assert check(dirty, "--fail-on", 2) == 0
    assert "1 finding in 1 cell; fewer than 2, so it passes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fail-on", "0"], "--fail-on 0 is not possible"),
        (["--baseline", "nowhere.json"], "nowhere.json"),
        (["--label", "nothing"], "no column 'nothing' (--label)"),
        (["--out", "no_folder/x.json"], "there is no folder no_folder"),
        (["--write-baseline", "no_folder/x.json"], "Choose another --write-baseline"),
    ],
)
def test_bad_input_is_told(dirty, capsys, arguments, words):
    assert check(dirty, *arguments) == 2
    said = capsys.readouterr()
    assert words in said.err and said.out == ""


def test_a_bad_file_among_good_ones_is_told(tmp_path, clean, capsys):
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    assert check(clean, empty) == 2
    assert "empty.csv" in capsys.readouterr().err
    assert check(tmp_path / "none.csv") == 2


def test_files_that_are_read_are_not_replaced(dirty, tmp_path, capsys):
    known = tmp_path / "known.json"
    assert check(dirty, "--write-baseline", known) == 0
    for options in (
        ["--out", dirty],
        ["--write-baseline", dirty],
        ["--baseline", known, "--out", known],
        ["--write-baseline", known, "--out", known],
    ):
        assert check(dirty, *options) == 2
    assert "8421.5" in dirty.read_text() and "cellval-baseline" in known.read_text()


def test_several_files_fail_if_one_does(clean, dirty, capsys):
    assert check(clean, dirty, "--format", "json") == 1
    whole = json.loads(capsys.readouterr().out)
    assert [file["clean"] for file in whole["files"]] == [True, False]
    assert check(clean, clean) == 0
    assert capsys.readouterr().out.count("clean.csv") == 1


def test_json_is_all_that_is_printed_and_fits_its_schema(dirty, capsys):
    assert check(dirty, "--format", "json") == 1
    whole = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "cellval/export/check.schema.json").read_text())
    jsonschema.validate(whole, schema)
    flagged = [one for one in whole["files"][0]["findings"] if one["flagged"]]
    (cell,) = flagged[0]["cells"]
    assert (cell["row_number"], cell["line"], cell["before"]) == (21, 22, "8421.5")


@pytest.mark.parametrize("format", ["text", "json", "junit", "sarif"])
def test_a_file_gets_what_would_be_printed(dirty, tmp_path, capsys, format):
    out = tmp_path / "result"
    assert check(dirty, "--format", format) == 1
    printed = capsys.readouterr().out
    assert check(dirty, "--format", format, "--out", out) == 1
    assert out.read_text(encoding="utf-8") == printed
    assert f"written to {out}" in capsys.readouterr().out


def test_a_baseline_hides_what_is_known(dirty, tmp_path, capsys):
    known = tmp_path / "known.json"
    assert check(dirty, "--write-baseline", known) == 0
    assert f"1 finding written to {known}, known from now on" in capsys.readouterr().err
    assert check(dirty, "--baseline", known) == 0
    said = capsys.readouterr().out
    assert "no findings" in said and "1 known from the baseline, hidden" in said
    # another error comes, all rows move down by one, and the first one is mended
    lines = dirty.read_text().replace("8421.5", "5.5").splitlines()
    dirty.write_text("\n".join([lines[0], "50.0,-7777.5,no", *lines[1:]]) + "\n")
    assert check(dirty, "--baseline", known) == 1
    said = capsys.readouterr().out
    assert "row 1: " in said and "0 known from the baseline, hidden" in said
    assert "1 finding of the baseline no longer occurs" in said
    # a baseline may be renewed in its place
    assert check(dirty, "--baseline", known, "--write-baseline", known) == 0
    assert "-7777" in known.read_text() and "8421.5" not in known.read_text()
    assert check(dirty, "--baseline", known) == 0


def test_a_bad_baseline_is_told_before_the_work(dirty, tmp_path, capsys):
    known = tmp_path / "known.json"
    known.write_text("{}")
    assert check(dirty, "--baseline", known) == 2
    said = capsys.readouterr().err
    assert "known.json is no baseline file of cellval" in said
    assert "checking" not in said


def test_reading_options_are_taken(dirty, capsys):
    assert check(dirty, "--label", "y", "--exclude", "z") == 0
    assert "no findings" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "code"), [("clean", 0), ("dirty", 1), ("none", 2)])
def test_a_process_ends_with_its_code(name, code, tmp_path, clean, dirty):
    process = cellval_process(
        *("check", tmp_path / f"{name}.csv", "--format", "junit"), cwd=tmp_path
    )
    out, err = process.communicate()
    assert process.returncode == code, err
    if code < 2:
        suites = ElementTree.fromstring(out)
        assert suites[0].get("name") == f"{name}.csv"
        assert suites[0].get("failures") == str(code)


def test_the_hook_runs_this_command():
    yaml = pytest.importorskip("yaml")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"] == "cellval check"
    assert hook["language"] == "python"


RULES = """\
version: 1
steps:
- {do: rule, kind: order, given: [least], target: most}
- {do: rule, kind: sum, given: [least, way], target: most}
- {do: rule, kind: unique, target: name}
- {do: rule, kind: domain, given: [source], target: goal}
- {do: rule, given: [source], target: land}
"""


@pytest.fixture
def trips(tmp_path):
    """A table in which the rules above hold, or are broken in a row each."""

    def written(*wrong):
        draw, n = np.random.default_rng(0), 120
        at = draw.integers(0, 3, (n, 2))
        towns = np.array(["Bonn", "Bremen", "Ulm"])
        frame = pd.DataFrame({"name": [f"T{k:03}" for k in range(n)]})
        frame["least"] = draw.uniform(10, 20, n).round(1)
        frame["way"] = draw.uniform(1, 9, n).round(1)
        frame["most"] = (frame["least"] + frame["way"]).round(1)
        frame["source"], frame["goal"] = towns[at[:, 0]], towns[at[:, 1]]
        frame["land"] = np.array(["West", "North", "South"])[at[:, 0]]
        for row, name, text in wrong:
            frame[name] = frame[name].astype(object)
            frame.loc[row - 1, name] = text
        path = tmp_path / "trips.csv"
        frame.to_csv(path, index=False)
        return path

    return written


WRONG = (
    (11, "most", 1.5),
    (12, "name", "T000"),
    (13, "goal", "Bremn"),
    (14, "land", "East"),
)


def test_accepted_rules_of_every_kind_are_checked_in_the_next_file(
    trips, tmp_path, capsys
):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(RULES)
    assert check(trips(), "--recipe", recipe) == 0
    out = tmp_path / "found.json"
    json_too = ("--recipe", recipe, "--format", "json", "--out", out)
    assert check(trips(*WRONG), *json_too) == 1
    (file,) = json.loads(out.read_text())["files"]
    found = {one["title"]: one["cells"] for one in file["findings"]}
    places = {
        title: [(cell["row_number"], cell["column"]) for cell in cells]
        for title, cells in found.items()
    }
    assert places["least ≤ most"] == [(11, "most")]
    assert places["most = least + way"] == [(11, "most")]
    assert places["name is unique"] == [(1, "name"), (12, "name")]
    assert places["source and goal hold the same texts"] == [(13, "goal")]
    assert places["land: source settles land"] == [(14, "land")]
    (stranger,) = found["source and goal hold the same texts"]
    assert (stranger["before"], stranger["after"]) == ("Bremn", "Bremen")


def test_refused_rules_are_silent_and_lost_columns_are_said(trips, tmp_path, capsys):
    recipe = tmp_path / "recipe.yaml"
    refused = RULES.replace("}", ", refused: yes}")
    recipe.write_text(refused + "- {do: rule, kind: unique, target: number}\n")
    check(trips(*WRONG), "--recipe", recipe)
    said = capsys.readouterr().out
    for words in ("least ≤ most", "most = least", "is unique", "hold the same"):
        assert f": {words}" not in said
    assert "not checked: number is unique: column 'number' is not in this file" in said


def test_a_recipe_that_cannot_be_read_is_told_before_anything_is_looked_for(
    clean, tmp_path, monkeypatch, capsys
):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("steps: []\n")
    monkeypatch.setattr("cellval.cli.check.iter_surprise", None)
    assert check(clean, "--recipe", recipe) == 2
    assert "'version' is missing" in capsys.readouterr().err
