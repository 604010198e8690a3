"""Commands that value a table: `run` and `explain`."""

import argparse
import os
from contextlib import closing, nullcontext
from pathlib import Path

import numpy as np
import pandas as pd

from cellval.cli import signals
from cellval.cli.files import (
    LONGEST,
    VALUING,
    WRITING,
    Deadline,
    find_values,
    how_to_go_on,
    make_folder,
    n_valued,
    printable,
    project_of,
    read_table,
)
from cellval.errors import InputError
from cellval.export.frames import MOST_LINES, write_results
from cellval.methods import about
from cellval.project.project import Project
from cellval.text import harmless
from cellval.values.result import CellValues
from cellval.values.words import (
    approximation_words,
    design_words,
    reached_words,
)


def run(options: argparse.Namespace) -> int:
    project = project_of(options)
    with closing(project) if project is not None else nullcontext():
        return _run(options, project)


def _run(options: argparse.Namespace, project: Project | None) -> int:
    table = read_table(options, project)
    folder = _out_folder(options)
    n_cells = n_valued(table)
    deadline = Deadline(options, table, VALUING * n_cells, WRITING * n_cells)
    values, stopped = find_values(options, table, deadline, project=project)
    write_results(values, table, folder)
    settings = values.settings
    name = harmless(table.name, 200)
    print(f"{name}: {table.n_rows} rows x {len(table.feature_names)} columns")
    tested = f", {values.tested}" if values.tested else ""
    print(harmless(f"design: {design_words(settings)}{tested}", LONGEST))
    if settings.is_approximate:
        print(f"approximation: {approximation_words(settings)}")
    if settings.sums_to_score:
        print(f"all cells sum to {values.total:.4f} ({reached_words(values.settings)})")
    else:
        print(about(settings.method).means)
    hurts = " (below zero: the cell hurts)" if settings.additive else ""
    print(f"\nlowest cells{hurts}, of {values.values.size:,}:")
    print(_text_table(values.lowest(10).drop(columns="position")))
    print(f"\nwritten to {harmless(folder)}: values.csv, lowest.csv, values.npz")
    if values.values.size > MOST_LINES:
        print(f"lowest.csv holds the lowest {MOST_LINES:,} cells, values.csv all")
    lost = project.trouble if project is not None else ""
    if project is not None:
        kept = f"kept in the project {harmless(project.name, 100)}"
        if lost:
            signals.say(f"cellval: not {kept}: {lost}")
        else:
            print(kept)
    if options.csv and table.label:
        words = ["suspects", options.csv, "--label", table.label]
        words += ["--values", str(folder / "values.npz")]
        print("\nwhich cells may be wrong, why, and what to write instead:")
        print(harmless(f"  {signals.command(words)}", LONGEST))
    if not stopped:
        was_drawn = settings.n_seen < settings.n_tests and options.budget is None
        if was_drawn and project is None:  # of a project the app goes on
            more = how_to_go_on(options, values, folder / "values.npz")
            print(f"\nnot all test points were drawn. {more}")
        return 2 if lost else 0
    if project is not None:
        how = "start again" if lost else "go on from here"
        print(f"\nstopped. To {how}:\n  {signals.command(options.words)}")
        return signals.exit_code()
    print(f"\nstopped. {how_to_go_on(options, values, folder / 'values.npz')}")
    return signals.exit_code()


def _out_folder(options: argparse.Namespace) -> Path:
    """The folder for the results, which must not replace what is read."""
    folder = make_folder(options)
    for name in ("values.csv", "lowest.csv"):
        for source in filter(None, (options.csv, options.test)):
            path = folder / name
            if path.exists() and os.path.exists(source) and path.samefile(source):
                raise InputError(
                    f"The results would replace {source}, which is read. Choose "
                    "another --out."
                )
    return folder


def explain(options: argparse.Namespace) -> int:
    table = read_table(options)
    if table.y[table.position(options.row)] < 0:  # before the work, not after
        raise InputError(
            f"Row {options.row:,} has no label, so it has no value. Choose another one."
        )
    deadline = Deadline(options, table, VALUING * n_valued(table), 0)
    values, stopped = find_values(options, table, deadline)
    print(_explanation(values, options.row))
    if not stopped:
        return 0
    print(f"\nstopped. To start again:\n  {signals.command(options.words)}")
    return signals.exit_code()


def _explanation(values: CellValues, row_number: int) -> str:
    """Contributions as a bar table that sums to the row's value."""
    parts = values.explain(row_number)
    i = values.position(row_number)
    total, stderr = values.row_values[i], values.row_stderr[i]
    if not np.isfinite(total):
        held_out = values.settings.test == "hold-out"
        why = "was held out for testing" if held_out else "was not reached by the run"
        return f"row {row_number} {why} and has no value"
    largest = max(parts["value"].abs().max(), 1e-300)
    label, texts = "row's value", [printable(c) for c in parts["cell"]]
    columns = [harmless(c, 40) for c in parts["column"]]
    names = max(len(c) for c in [*columns, label])
    cells = max(len(text) for text in [*texts, "cell"])
    who = f"id {harmless(values.ids[i], 100)}, {harmless(values.labels[i], 100)}"
    lines = [f"row {row_number} ({who})", ""]
    lines.append(f"{'column':{names}}  {'cell':{cells}}  {'value':>10}  {'+-':>8}")
    for part, name, text in zip(parts.itertuples(), columns, texts, strict=True):
        bar = "#" * round(12 * abs(part.value) / largest)
        picture = f"{bar:>12}|" if part.value < 0 else f"{'':12}|{bar}"
        lines.append(
            f"{name:{names}}  {text:{cells}}  {part.value:+10.6f}  "
            f"{part.stderr:8.6f}  {picture}".rstrip()
        )
    lines.append(f"{label:{names}}  {'':{cells}}  {total:+10.6f}  {stderr:8.6f}")
    return "\n".join(lines)


def _text_table(frame: pd.DataFrame) -> str:
    shown = frame.rename(columns={"row_number": "row"})
    for name in ("id", "label", "column", "cell"):
        shown[name] = [harmless(text, 40) for text in shown[name]]
    shown["cell"] = shown["cell"].map(printable)
    return shown.to_string(index=False, float_format=lambda x: f"{x:.6f}")
