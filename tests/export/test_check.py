"""`check`: what counts, what is known, and where cells are."""

import io

import pandas as pd
import pytest
from cases import SAMPLES, message_of
from findings_of import NOTES, a_check, a_finding, notes_table, plain_frame

import cellval
from cellval.export.baseline import baseline_bytes
from cellval.export.check import file_name, judged
from cellval.recipes.recipe import read_recipe

UNSURE = {"sure": 0.4, "about": ("1",), "title": "size: 1", "rows": (0,)}


def test_only_flagged_findings_count(tmp_path):
    found = a_check(tmp_path, {}, UNSURE)
    assert (found.n_flagged, found.n_unsure, len(found.findings)) == (1, 1, 2)
    assert not found.is_clean and found.exit_code == 1
    unsure = a_check(tmp_path, UNSURE)
    assert unsure.is_clean and unsure.exit_code == 0


@pytest.mark.parametrize(("fail_on", "is_clean"), [(1, False), (2, False), (3, True)])
def test_so_many_are_too_many(tmp_path, fail_on, is_clean):
    other = {"about": ("4",), "rows": (3,)}
    assert a_check(tmp_path, {}, other, fail_on=fail_on).is_clean is is_clean


def test_known_findings_are_hidden_and_those_that_are_gone_are_told(tmp_path):
    before = a_check(tmp_path, {}, UNSURE)
    assert [one.title for one in before.known] == ["size: 999"]
    key = before.findings[0].key
    after = a_check(tmp_path, {}, UNSURE, known={key, "cell-gone"})
    assert [one.key for one in after.hidden] == [key]
    assert after.gone == ("cell-gone",)
    assert after.is_clean and after.n_unsure == 1
    assert [one.key for one in after.known] == [key]


def test_what_is_known_and_no_longer_sure_is_not_gone(tmp_path):
    key = a_check(tmp_path).findings[0].key
    found = a_check(tmp_path, {"sure": 0.1}, known={key})
    assert (len(found.hidden), found.gone, len(found.known)) == (1, (), 1)


def test_lines_are_those_on_which_cells_begin(tmp_path):
    columns = ("name", "note", "size")
    cells = [(row, name) for row in range(4) for name in columns]
    change = {"rows": [row for row, _ in cells], "columns": [name for _, name in cells]}
    found = a_check(tmp_path, change)
    (one,) = found.findings
    lines = [found.line(one, k) for k in range(len(cells))]
    assert lines == [2, 2, 2, 3, 3, 4, 6, 7, 7, 8, 8, 8]


def test_a_compressed_file_and_a_frame_have_no_lines(tmp_path):
    import gzip

    table, path = notes_table(tmp_path, gzip.compress(NOTES), "notes.csv.gz")
    assert judged(table, [a_finding(table)], path).lines == {}
    assert judged(table, [a_finding(table)]).lines == {}


def test_a_file_is_named_from_where_the_check_runs(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    wanted = "data/a b.csv"
    assert file_name(tmp_path / "data" / "a b.csv") == wanted
    assert file_name(tmp_path / "data" / ".." / "data" / "a b.csv") == wanted
    assert file_name(tmp_path / "\udcff.csv") == "\N{REPLACEMENT CHARACTER}.csv"
    monkeypatch.chdir(tmp_path / "data")
    assert file_name(tmp_path / "elsewhere.csv") == "elsewhere.csv"


def test_the_text_says_where_and_how_many(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    change = {"rows": (2, 3), "after": ("", "")}
    said = str(a_check(tmp_path, change, UNSURE, known={"cell-gone"}))
    first, place, suggested, why = said.split("\n")
    assert first == (
        "notes.csv: 1 finding in 2 cells; 1 less sure, not counted; 0 known from the "
        "baseline, hidden"
    )
    assert place == "notes.csv:7: row 3 and 1 more cell: Code for missing: size: 999"
    assert suggested == "    suggested: 999 → (blank); 4 → (blank)"
    assert why == "    Odd."


def test_the_text_is_harmless_and_not_endless(tmp_path):
    changes = [
        {"about": (str(k),), "title": "a\x1b[2J\nb" * 99, "evidence": "\x07" * 999}
        for k in range(60)
    ]
    lines = str(a_check(tmp_path, *changes)).split("\n")
    assert len(lines) == 1 + 2 * 50 + 1
    assert lines[-1] == "and 10 more findings"
    assert all(line.isprintable() and len(line) <= 300 for line in lines)


def test_no_findings_are_said(tmp_path):
    table, path = notes_table(tmp_path)
    found = judged(table, [], path)
    assert found.is_clean and str(found).endswith("notes.csv: no findings")


def towns(tmp_path, *last):
    rows = [["8001", "Zürich"], ["3011", "Bern"], ["1201", "Genève"]] * 4 + [*last]
    path = tmp_path / "towns.csv"
    lines = [",".join([*row, str(k)]) for k, row in enumerate(rows)]
    path.write_text("\n".join(["zip,town,n", *lines]), "utf-8")
    return cellval.read(path, label=None), path


RULE = "version: 1\nsteps:\n- {do: rule, given: [zip], target: town}\n"


def test_rules_of_a_recipe_come_first_and_once(tmp_path):
    table, path = towns(tmp_path, ["8001", "Bern"])
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(RULE)
    rule = judged(table, [], path, recipe=recipe).findings[0]
    assert rule.rows.tolist() == [12] and rule.after.tolist() == ["Zürich"]
    other = a_finding(table, column="n", about=("4",), sure=0.6)
    found = judged(table, [rule, other], path, recipe=read_recipe(recipe))
    assert [one.key for one in found.findings] == [rule.key, other.key]
    assert found.n_flagged == 2 and not found.is_clean


def test_what_a_recipe_calls_fine_or_refused_is_not_asked(tmp_path):
    table, path = towns(tmp_path, ["8001", "Bern"])
    one, other = (a_finding(table, column="n", about=(text,)) for text in "45")
    recipe = tmp_path / "recipe.yaml"
    text = table.cells["n"].iat[int(one.rows[0])]
    recipe.write_text(
        f"version: 1\nsteps:\n- {{do: answer, key: {other.key}, answer: refused}}\n"
    )
    found = judged(table, [one, other], path, recipe=recipe).findings
    assert [left.key for left in found] == [one.key]
    recipe.write_text(
        f"version: 1\nsteps:\n- {{do: fine, column: n, texts: ['{text}']}}\n"
    )
    assert judged(table, [one], path, recipe=recipe).findings == ()


def test_a_recipe_that_is_not_there_is_said(tmp_path):
    said = message_of(cellval.check, SAMPLES / "davis.csv", recipe=tmp_path / "none")
    assert "none" in said


# --- the door -------------------------------------------------------------------------


def test_files_bytes_tables_and_frames_are_checked_alike(tmp_path):
    frame = plain_frame(8421.5)
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    raw = path.read_bytes()
    checks = [
        cellval.check(source)
        for source in (path, str(path), raw, io.BytesIO(raw), frame)
    ]
    checks.append(cellval.check(cellval.read(path, label=None)))
    keys = [tuple(one.key for one in found.flagged) for found in checks]
    assert keys[0] and len(set(keys)) == 1
    assert {(20, "z")} <= {
        (int(one.rows[0]), one.columns[0]) for one in checks[0].flagged
    }
    assert checks[0].lines[21, "z"] == 22


def test_a_baseline_makes_it_pass_wherever_the_rows_stand(tmp_path):
    frame = plain_frame(8421.5)
    found = cellval.check(frame)
    known = tmp_path / "baseline.json"
    known.write_bytes(baseline_bytes(found.known))
    turned = frame.iloc[::-1].reset_index(drop=True)
    again = cellval.check(turned, baseline=known)
    assert again.is_clean and len(again.hidden) >= 1


def test_reading_options_are_those_of_read(tmp_path):
    path = tmp_path / "data.csv"
    plain_frame(8421.5).to_csv(path, index=False)
    found = cellval.check(path, label="y", exclude=["z"])
    assert found.table.label == "y"
    assert all("z" not in one.columns for one in found.findings)
    table = cellval.read(path)
    assert "read already, so exclude" in message_of(cellval.check, table, exclude=["z"])


@pytest.mark.parametrize("fail_on", [0, -1, 1.5, True])
def test_a_limit_that_no_file_could_keep_is_refused(fail_on):
    frame = pd.DataFrame({"x": [1, 2, 3]})
    assert "fail_on=" in message_of(cellval.check, frame, fail_on=fail_on)


def test_cells_that_a_recipe_calls_fine_break_no_rule(tmp_path):
    table, path = towns(tmp_path, ["8001", "Bern"], ["8001", "Basel"])
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(RULE + "- {do: fine, column: town, texts: [Basel]}\n")
    (rule,) = judged(table, [], path, recipe=recipe).findings
    assert rule.rows.tolist() == [12]


def test_a_fine_cell_excuses_its_row_from_an_order_and_lost_columns_are_told(tmp_path):
    path = tmp_path / "spans.csv"
    path.write_text("low,high,k\n1,2,a\n9,3,b\n4,5,a\n8,7,b\n")
    table = cellval.read(path, label=None)
    recipe = tmp_path / "recipe.yaml"
    rule = "{do: rule, kind: order, given: [low], target: high}"
    lost = "{do: rule, kind: unique, target: name}"
    recipe.write_text(f"version: 1\nsteps:\n- {rule}\n- {lost}\n")
    found = judged(table, [], path, recipe=recipe)
    assert found.findings[0].rows.tolist() == [1, 3]
    assert found.unchecked == ("name is unique: column 'name' is not in this file.",)
    assert str(found).endswith(f"not checked: {found.unchecked[0]}")
    fine = "{do: fine, column: low, texts: ['9']}"
    recipe.write_text(f"version: 1\nsteps:\n- {rule}\n- {fine}\n")
    found = judged(table, [], path, recipe=recipe)
    assert found.findings[0].rows.tolist() == [3] and found.unchecked == ()
