"""The command `check`: does a file pass? For pipelines, hooks and schedules."""

import argparse
import sys
from pathlib import Path

from cellval.cli import signals
from cellval.cli.files import check_outputs, last_of, read_table, write
from cellval.detect.findings import all_findings
from cellval.detect.surprise import iter_surprise
from cellval.detect.suspicion import make_suspicion
from cellval.export.baseline import baseline_bytes, read_baseline
from cellval.export.check import Check, judged, refuse_below_one
from cellval.export.check_files import all_gone, json_bytes, junit_bytes, sarif_bytes
from cellval.recipes.recipe import Recipe, read_recipe
from cellval.text import counted, harmless
from cellval.values.memory import COMPARED, check_memory

WRITERS = {"json": json_bytes, "junit": junit_bytes, "sarif": sarif_bytes}
FORMATS = ("text", *WRITERS)


def check(options: argparse.Namespace) -> int:
    """0 if all files are clean, 1 if one has findings."""
    refuse_below_one(options.fail_on)
    asked = {"--out": options.out, "--write-baseline": options.write_baseline}
    outputs = {option: Path(path) for option, path in asked.items() if path}
    check_outputs(outputs, (*options.files, options.recipe))
    if options.out:  # but a baseline may be replaced by a new one
        check_outputs({"--out": outputs["--out"]}, (options.baseline,))
    known = None if options.baseline is None else read_baseline(options.baseline)
    recipe = None if options.recipe is None else read_recipe(options.recipe)
    checks = [
        _check(options, file, known, recipe) for file in dict.fromkeys(options.files)
    ]
    signals.hold()  # all files are written, or none
    if options.format == "text":
        content = _text(checks).encode("utf-8", "replace")
    else:
        content = WRITERS[options.format](checks)
    if options.write_baseline:
        found = [finding for one in checks for finding in one.known]
        write("--write-baseline", outputs["--write-baseline"], baseline_bytes(found))
    if options.out:
        write("--out", outputs["--out"], content)
        print(_text(checks), f"written to {harmless(options.out)}", sep="\n")
    else:
        sys.stdout.write(content.decode())
    if options.write_baseline:
        n = len({finding.key for finding in found})
        where = harmless(options.write_baseline)
        signals.say(f"{counted(n, 'finding')} written to {where}, known from now on")
        return 0
    return max(one.exit_code for one in checks)


def _check(
    options: argparse.Namespace,
    file: str,
    known: frozenset[str] | None,
    recipe: Recipe | None,
) -> Check:
    how = {**vars(options), "csv": file, "no_label": options.label is None}
    table = read_table(argparse.Namespace(**how))
    check_memory(table, COMPARED)
    steps = iter_surprise(table, n_jobs=options.jobs)
    surprise, stopped = last_of(steps, f"checking {harmless(table.name, 60)}")
    if stopped:  # half of a check is none
        raise KeyboardInterrupt
    signals.heed()
    found = all_findings(make_suspicion(table, None, surprise))
    chosen = {"recipe": recipe, "known": known, "fail_on": options.fail_on}
    return judged(table, found, Path(file), **chosen)


def _text(checks: list[Check]) -> str:
    lines = [str(one) for one in checks]
    if gone := len(all_gone(checks)):
        no_longer = "no longer occurs" if gone == 1 else "no longer occur"
        lines.append(f"{counted(gone, 'finding')} of the baseline {no_longer}")
    return "\n".join(lines) + "\n"
