"""Checks as files for machines: JSON of our own, JUnit XML and SARIF 2.1.0.

All are ASCII: whatever cells hold is escaped, and every stream can carry it.
"""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from cellval import __version__
from cellval.detect.finding import KINDS, Finding
from cellval.export.check import Check
from cellval.text import content, counted, harmless

FORMAT, VERSION = "cellval-check", 1  # `check.schema.json` says what it holds
SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_PLACES = 100  # of a finding in SARIF and JUnit; viewers show no more
SURE_DIGITS = 4


def all_gone(checks: Sequence[Check]) -> list[str]:
    """Keys of the baseline that occur in no file."""
    return sorted(set.intersection(*(set(one.gone) for one in checks)))


# --- JSON -----------------------------------------------------------------------------


def json_bytes(checks: Sequence[Check]) -> bytes:
    """All findings of some files, also the less sure, with all their cells."""
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "cellval": __version__,
        "clean": all(one.is_clean for one in checks),
        "fail_on": checks[0].fail_on,
        "gone": all_gone(checks),
        "files": [_file(one) for one in checks],
    }
    return json.dumps(whole, indent=1).encode() + b"\n"


def _file(checked: Check) -> dict[str, Any]:
    return {
        "file": checked.file,
        "n_rows": checked.table.n_rows,
        "n_columns": checked.table.cells.shape[1],
        "clean": checked.is_clean,
        "n_flagged": checked.n_flagged,
        "n_unsure": checked.n_unsure,
        "n_hidden": len(checked.hidden),
        "findings": [_finding(checked, one) for one in checked.findings],
        "hidden": sorted({one.key for one in checked.hidden}),
    }


def _finding(checked: Check, one: Finding) -> dict[str, Any]:
    before = one.before(checked.table)
    return {
        "key": one.key,
        "kind": one.kind,
        "column": one.column,
        "title": one.title,
        "evidence": one.evidence,
        "sure": round(float(one.sure), SURE_DIGITS),
        "flagged": bool(one.is_flagged),
        "n_cells": one.n_cells,
        "cells": [
            {
                "row_number": checked.row_number(one, k),
                "column": str(one.columns[k]),
                "line": checked.line(one, k),
                "before": before[k],
                "after": one.after[k],
            }
            for k in range(one.n_cells)
        ],
    }


# --- JUnit ----------------------------------------------------------------------------


def junit_bytes(checks: Sequence[Check]) -> bytes:
    """A suite for each file; a test for each finding that counts.

    A kind without findings is a test that passed, so that there is always one. Findings
    that are too few to fail are skipped tests, which fail no build.
    """
    root = Xml.Element("testsuites", name="cellval check")
    for checked in checks:
        root.append(_suite(checked))
    Xml.indent(root, " ")
    return bytes(Xml.tostring(root, "us-ascii", xml_declaration=True)) + b"\n"


def _suite(checked: Check) -> Xml.Element:
    suite = Xml.Element("testsuite", name=harmless(checked.file))
    for kind, word in KINDS.items():
        own = [one for one in checked.flagged if one.kind == kind]
        for one in own:
            case = _case(suite, kind, f"{word}: {one.title} ({one.key})")
            outcome = Xml.SubElement(
                case,
                "skipped" if checked.is_clean else "failure",
                type=kind,
                message=harmless(one.evidence),
            )
            outcome.text = "\n".join(map(harmless, _places(checked, one)))
        if not own:
            _case(suite, kind, word)
    n, is_clean = checked.n_flagged, checked.is_clean
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(0 if is_clean else n))
    suite.set("errors", "0")
    suite.set("skipped", str(n if is_clean else 0))
    return suite


def _case(suite: Xml.Element, kind: str, name: str) -> Xml.Element:
    classname = f"cellval.{kind}"
    return Xml.SubElement(suite, "testcase", classname=classname, name=harmless(name))


def _places(checked: Check, one: Finding) -> list[str]:
    """A line for each of its cells: where it is, and before and after."""
    before = one.before(checked.table)
    lines = []
    for k in range(min(one.n_cells, MOST_PLACES)):
        line = checked.line(one, k)
        place = f"{checked.file}:{line}" if line else checked.file
        change = content(before[k])
        if one.after[k] is not None:
            change += f" → {content(one.after[k])}"
        row = checked.row_number(one, k)
        lines.append(f"{place}: row {row:,}, {content(one.columns[k])}: {change}")
    if (more := one.n_cells - MOST_PLACES) > 0:
        lines.append(f"and {counted(more, 'more cell')}")
    return lines


# --- SARIF ----------------------------------------------------------------------------


def sarif_bytes(checks: Sequence[Check]) -> bytes:
    """One run over some files; a result for each finding that counts."""
    rules = [
        {
            "id": kind,
            "name": _pascal(word),
            "shortDescription": {"text": word},
            "defaultConfiguration": {"level": "warning"},
        }
        for kind, word in KINDS.items()
    ]
    files = [*dict.fromkeys(one.file for one in checks)]
    driver = {"name": "cellval", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],  # as lines of a CSV are counted
        "artifacts": [
            {"location": {"uri": quote(file)}, "roles": ["analysisTarget"]}
            for file in files
        ],
        "results": [
            _result(checked, files.index(checked.file), one)
            for checked in checks
            for one in checked.flagged
        ],
        "properties": {
            "hidden": sum(len(one.hidden) for one in checks),
            "gone": len(all_gone(checks)),
            "unsure": sum(one.n_unsure for one in checks),
        },
    }
    whole = {"$schema": SARIF, "version": "2.1.0", "runs": [run]}
    return json.dumps(whole, indent=1).encode() + b"\n"


def _pascal(words: str) -> str:
    """As names of rules are written: NearDuplicateRows."""
    return "".join(word.capitalize() for word in words.replace("-", " ").split())


def _result(checked: Check, index: int, one: Finding) -> dict[str, Any]:
    action = one.action(checked.table)
    said = f"{one.title}{': ' * bool(action)}{action}. {one.evidence}"
    result: dict[str, Any] = {
        "ruleId": one.kind,
        "ruleIndex": [*KINDS].index(one.kind),
        "level": "warning",
        "message": {"text": _literal(harmless(said))},
        "locations": [
            _location(checked, index, one, k)
            for k in range(min(one.n_cells, MOST_PLACES))
        ],
        "partialFingerprints": {"cellvalKey/v1": one.key},
        "rank": round(100 * float(one.sure), SURE_DIGITS),
        "properties": {"cells": one.n_cells},
    }
    if checked.has_baseline:
        result["baselineState"] = "new"
    return result


def _location(checked: Check, index: int, one: Finding, k: int) -> dict[str, Any]:
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": quote(checked.file), "index": index}
    }
    if line := checked.line(one, k):
        physical["region"] = {"startLine": line}
    column = harmless(one.columns[k])
    name = f"row {checked.row_number(one, k)}, {column}"
    logical = {"name": column, "fullyQualifiedName": name}
    return {"physicalLocation": physical, "logicalLocations": [logical]}


def _literal(text: str) -> str:
    """Viewers make a link of [words](address) and put arguments in place of {0}, and a
    cell may hold both. Single braces are doubled, as SARIF 2.1.0 wants it (3.11.5).
    """
    return text.replace("](", "] (").replace("{", "{{").replace("}", "}}")
