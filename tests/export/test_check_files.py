"""Files of checks for machines, against their schemas and with hostile cells."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
from cases import ROOT
from findings_of import a_check, a_finding, notes_table

from cellval.detect.finding import KINDS
from cellval.export.check import judged
from cellval.export.check_files import (
    MOST_PLACES,
    all_gone,
    json_bytes,
    junit_bytes,
    sarif_bytes,
)

OURS = json.loads((ROOT / "cellval/export/check.schema.json").read_text())
SARIF = json.loads((Path(__file__).parent / "sarif.schema.json").read_text())
JUNIT = xmlschema.XMLSchema(str(Path(__file__).parent / "junit.xsd"))
BASELINE = json.loads((ROOT / "cellval/export/baseline.schema.json").read_text())
HOSTILE = [
    "\x1b[2J\x07\x0b",
    "]]><x/>&amp;<!--",
    "\"quotes\" 'and' \\ {0} [a](http://x)",
    "a\r\nb\nc\td\u2028e",
    "\u202eturned\ufeff\ufffe\U0010ffff",
    "é 漢字 😀",
    " ",
]
UNSURE = {"sure": 0.4, "about": ("1",), "rows": (0,)}


def of_json(*checks):
    whole = json.loads(json_bytes(checks))
    jsonschema.validate(whole, OURS)
    return whole


def of_junit(*checks):
    raw = junit_bytes(checks)
    JUNIT.validate(raw.decode())
    return ElementTree.fromstring(raw)


def of_sarif(*checks):
    whole = json.loads(sarif_bytes(checks))
    jsonschema.validate(whole, SARIF)
    (run,) = whole["runs"]
    return run


def hostile_check(tmp_path):
    """Everything that cells, columns and names of files may hold, in one check."""
    import pandas as pd

    name = "a&b <c> é.csv"
    columns = {f"<{k}\x1b]]>": HOSTILE for k in range(2)} | {"n": range(len(HOSTILE))}
    raw = pd.DataFrame(columns).to_csv(index=False, quoting=2).encode()
    table, path = notes_table(tmp_path, raw, name)
    column = str(table.cells.columns[0])
    found = [
        a_finding(
            table, [i], [text], column=column, about=(text,), title=text, evidence=text
        )
        for i, text in enumerate(HOSTILE)
    ]
    return judged(table, found, path)


def test_the_schemas_are_schemas():
    for schema in (OURS, SARIF, BASELINE):
        jsonschema.Draft202012Validator.check_schema(schema)


def test_schemas_know_all_kinds():
    assert OURS["$defs"]["finding"]["properties"]["kind"]["enum"] == [*KINDS]
    of_baseline = BASELINE["properties"]["findings"]["items"]["properties"]
    assert of_baseline["kind"]["enum"] == [*KINDS]


def test_schemas_refuse_what_is_wrong(tmp_path):
    whole = of_json(a_check(tmp_path))
    whole["files"][0]["findings"][0]["cells"][0]["row_number"] = 0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(whole, OURS)
    run = of_sarif(a_check(tmp_path))
    run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] = {
        "uri": "/notes.csv"
    }
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"version": "2.1.0", "runs": [run]}, SARIF)
    raw = junit_bytes([a_check(tmp_path)]).replace(b"testcase", b"case")
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        JUNIT.validate(raw.decode())


def test_json_has_every_finding_and_cell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    change = {"rows": (2, 3, 3), "columns": ("size", "size", "note")}
    known = {"cell-gone"}
    found = a_check(tmp_path, {**change, "after": ("", None, "x")}, UNSURE, known=known)
    whole = of_json(found)
    assert whole["clean"] is False and whole["gone"] == ["cell-gone"]
    (file,) = whole["files"]
    assert file["file"] == "notes.csv"
    counts = [file[f"n_{name}"] for name in ("rows", "columns", "flagged", "unsure")]
    assert counts == [4, 3, 1, 1]
    first, second = file["findings"]
    assert (first["flagged"], second["flagged"]) == (True, False)
    assert first["key"] == found.findings[0].key
    assert [tuple(cell.values()) for cell in first["cells"]] == [
        (3, "size", 7, "999", ""),
        (4, "size", 8, "4", None),
        (4, "note", 8, "", "x"),
    ]


def test_cells_without_a_line_have_null(tmp_path):
    table, _ = notes_table(tmp_path)
    whole = of_json(judged(table, [a_finding(table)]))
    assert whole["files"][0]["findings"][0]["cells"][0]["line"] is None
    run = of_sarif(judged(table, [a_finding(table)]))
    (place,) = run["results"][0]["locations"]
    assert "region" not in place["physicalLocation"]


def test_hidden_findings_are_counted_and_not_listed(tmp_path):
    key = a_check(tmp_path).findings[0].key
    found = a_check(tmp_path, known={key})
    (file,) = of_json(found)["files"]
    assert (file["n_hidden"], file["hidden"], file["findings"]) == (1, [key], [])
    assert of_junit(found)[0].get("failures") == "0"
    run = of_sarif(found)
    assert run["results"] == [] and run["properties"]["hidden"] == 1


def test_gone_is_what_occurs_in_no_file(tmp_path):
    key = a_check(tmp_path).findings[0].key
    known = {key, "cell-gone"}
    table, path = notes_table(tmp_path)
    checks = [a_check(tmp_path, known=known), judged(table, [], path, known=known)]
    assert checks[1].gone == ("cell-gone", key)
    assert all_gone(checks) == of_json(*checks)["gone"] == ["cell-gone"]


def test_junit_has_a_suite_a_file_and_a_test_a_finding(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = a_check(tmp_path, {"after": ("",)}, UNSURE)
    clean = judged(found.table, [], tmp_path / "clean.csv")
    suites = of_junit(found, clean)
    assert [suite.get("name") for suite in suites] == ["notes.csv", "clean.csv"]
    assert [suite.get("failures") for suite in suites] == ["1", "0"]
    # a kind without findings is a test that passed
    assert [suite.get("tests") for suite in suites] == [str(len(KINDS))] * 2
    (failure,) = suites.iter("failure")
    assert failure.attrib == {"type": "code", "message": "Odd."}
    assert failure.text == "notes.csv:7: row 3, size: 999 → (blank)"
    (case,) = [case for case in suites.iter("testcase") if len(case)]
    assert case.get("classname") == "cellval.code"
    assert case.get("name").startswith("Code for missing: size: 999 (code-")


def test_too_few_findings_fail_no_build(tmp_path):
    (suite,) = of_junit(a_check(tmp_path, fail_on=2))
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    assert len([*suite.iter("skipped")]) == 1 and not [*suite.iter("failure")]


def test_sarif_has_rules_results_and_places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = a_check(tmp_path, {"rows": (2, 3), "after": ("", "")}, UNSURE)
    run = of_sarif(found)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [*KINDS]
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "code"
    assert result["level"] == "warning"
    said = "size: 999: 999 → (blank); 4 → (blank). Odd."
    assert result["message"]["text"] == said
    places = [place["physicalLocation"] for place in result["locations"]]
    assert [place["region"]["startLine"] for place in places] == [7, 8]
    assert places[0]["artifactLocation"] == {"uri": "notes.csv", "index": 0}
    assert result["partialFingerprints"] == {"cellvalKey/v1": found.findings[0].key}
    assert "baselineState" not in result


def test_a_result_is_new_beside_a_baseline(tmp_path):
    (result,) = of_sarif(a_check(tmp_path, known=()))["results"]
    assert result["baselineState"] == "new"


def test_no_machine_path_is_told(tmp_path):
    checks = [a_check(tmp_path)]
    for writer in (json_bytes, junit_bytes, sarif_bytes):
        assert str(tmp_path).encode() not in writer(checks)


def test_files_elsewhere_that_share_a_name_are_one_artifact(tmp_path):
    run = of_sarif(a_check(tmp_path), a_check(tmp_path))
    assert len(run["artifacts"]) == 1 and len(run["results"]) == 2


def test_hostile_texts_are_told_as_they_are_in_json_and_harmlessly_elsewhere(tmp_path):
    found = hostile_check(tmp_path)
    (file,) = of_json(found)["files"]
    before = [one["cells"][0]["before"] for one in file["findings"]]
    assert before == found.table.cells.iloc[:, 0].tolist()
    assert [one["title"] for one in file["findings"]] == HOSTILE
    assert [one["cells"][0]["after"] for one in file["findings"]] == HOSTILE
    failures = [*of_junit(found).iter("failure")]
    assert len(failures) == len(HOSTILE)
    assert "]]><x/>&amp;<!--" in failures[1].text
    assert "␛[2J" in failures[0].text
    results = of_sarif(found)["results"]
    assert "␛[2J" in results[0]["message"]["text"]
    said = results[2]["message"]["text"]
    assert "](" not in said
    assert "{{0}}" in said and "{0}" not in said.replace("{{", "").replace("}}", "")
    place = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "a%26b%20%3Cc%3E%20%C3%A9.csv"
    for writer in (json_bytes, junit_bytes, sarif_bytes):
        raw = writer([found])
        assert raw.isascii() and not set(raw) & set(range(10))


def test_thousands_of_cells_are_cut_where_nobody_looks_at_them(tmp_path):
    n = MOST_PLACES + 20
    raw = "".join(["x,y\n", *(f"{k},{k % 7}\n" for k in range(n))]).encode()
    table, path = notes_table(tmp_path, raw)
    found = judged(table, [a_finding(table, range(n), column="x")], path)
    assert len(of_json(found)["files"][0]["findings"][0]["cells"]) == n
    (result,) = of_sarif(found)["results"]
    assert len(result["locations"]) == MOST_PLACES
    (failure,) = of_junit(found).iter("failure")
    assert failure.text.endswith("and 20 more cells")
