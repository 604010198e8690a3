"""The command line: `python -m cellval run data.csv --label y`."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cellval.decoding import bytes_of
from cellval.export import csv_bytes, safe_frame, write_results
from cellval.formulas import is_formula
from cellval.knn.engine import Snapshot, iter_values
from cellval.progress import shown
from cellval.repair import (
    Repairs,
    changes_frame,
    read_decisions,
    repaired_csv,
    split,
)
from cellval.table import InputError, Table, read_csv
from cellval.values import CellValues, load


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code (2 for something the person can fix)."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except InputError as error:
        print(f"cellval: {_in_options(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ncellval: stopped before there was a result.", file=sys.stderr)
        return 130


# What the library calls its options, and what they are called here.
OPTIONS = {
    "n_neighbors=": "--neighbors ",
    "random_state=": "--seed ",
    "target_stderr=": "--stderr ",
    "budget=": "--seconds ",
    "n_jobs=": "--jobs ",
    "baseline=": "--baseline ",
    "scoring=": "--scoring ",
    "subsets=": "--subsets ",
    "near=": "--near ",
    "(test=None)": "(no --test)",
    "test=": "--test ",
}


def _in_options(message: str) -> str:
    for name, option in OPTIONS.items():
        message = message.replace(name, option)
    return message


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cellval",
        description="Find the cells of a CSV that hurt a learning task; lower is worse",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="value every cell and write the results")
    _add_common(run)
    run.add_argument("--out", default="cellval_out", help="folder for the results")
    run.add_argument(
        "--continue",
        dest="continue_from",
        metavar="VALUES.NPZ",
        help="go on where an earlier run with the same settings stopped",
    )
    run.set_defaults(command=_run)
    explain = commands.add_parser("explain", help="break a row's value into its cells")
    _add_common(explain)
    explain.add_argument("--row", type=int, required=True, help="row number, from 1")
    explain.set_defaults(command=_explain)
    repair = commands.add_parser("repair", help="apply decided repairs to the CSV")
    _add_table(repair)
    repair.add_argument(
        "--decisions", required=True, help="CSV with row, column, repair and after"
    )
    repair.add_argument("--out", required=True, help="the repaired CSV")
    repair.add_argument(
        "--log", help="CSV of what was changed (default: <out>_changes.csv)"
    )
    repair.set_defaults(command=_repair)
    return parser


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("csv", help="the table")
    parser.add_argument("--label", help="column to predict (default: guessed)")
    parser.add_argument("--id", dest="id_column", help="column that names the rows")
    parser.add_argument(
        "--exclude",
        nargs="+",
        default=(),
        metavar="COLUMN",
        help="columns to leave out",
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    _add_table(parser)
    parser.add_argument(
        "--test",
        help="a second CSV, or a share of the rows, 0.3 (default: leave-one-out)",
    )
    parser.add_argument("--neighbors", type=int, default=10, help="K (default 10)")
    parser.add_argument(
        "--subsets", default="auto", help="auto, all, or how many (default auto)"
    )
    parser.add_argument("--baseline", default="zero", help="zero or chance")
    parser.add_argument("--scoring", default="accuracy", help="accuracy or balanced")
    parser.add_argument(
        "--near", type=int, help="approximate: order only the nearest NEAR rows"
    )
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--stderr", type=float, help="stop at this standard error")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, help="threads (default: one per core)")


def _table(options: argparse.Namespace) -> Table:
    table = read_csv(
        options.csv,
        label=options.label,
        id_column=options.id_column,
        exclude=options.exclude,
    )
    for note in table.notes:
        print(f"note: {note}", file=sys.stderr)
    return table


def _test(options: argparse.Namespace, table: Table) -> Table | float | None:
    if options.test is None:
        return None
    try:
        return float(options.test)
    except ValueError:
        test = read_csv(options.test, like=table)
    for note in test.notes:
        print(f"note on the test table: {note}", file=sys.stderr)
    return test


def _values(
    options: argparse.Namespace, table: Table, continue_from: CellValues | None = None
) -> tuple[CellValues, bool]:
    """Run until done, or until Ctrl-C, which keeps what there is."""
    subsets = options.subsets
    with suppress(ValueError):
        subsets = int(subsets)
    snapshots = shown(
        iter_values(
            table,
            n_neighbors=options.neighbors,
            test=_test(options, table),
            subsets=subsets,
            baseline=options.baseline,
            scoring=options.scoring,
            near=options.near,
            budget=options.seconds,
            target_stderr=options.stderr,
            random_state=options.seed,
            n_jobs=options.jobs,
            continue_from=continue_from,
        )
    )
    last: Snapshot | None = None
    stopped = False
    try:
        for snapshot in snapshots:
            last = snapshot
    except KeyboardInterrupt:
        stopped = True
        snapshots.close()  # type: ignore[attr-defined]
        if last is None or last.n_test == 0:
            raise
        print("\nstopped; keeping what there is", file=sys.stderr)
    assert last is not None
    return last.values, stopped


def _run(options: argparse.Namespace) -> int:
    table = _table(options)
    folder = _out_folder(options)
    earlier = load(options.continue_from) if options.continue_from else None
    values, stopped = _values(options, table, earlier)
    write_results(values, table, folder)
    score = values.total
    print(f"{table.name}: {table.n_rows} rows x {len(table.feature_names)} columns")
    print(f"design: {values.settings['design']}, {values.n_test:,} test points")
    if values.settings["approximation"]:
        print(f"approximation: {values.settings['approximation']}")
    print(f"all cells sum to {score:.4f} ({_meaning(values)})")
    print(f"\nlowest cells (below zero: the cell hurts), of {values.values.size:,}:")
    print(_text_table(values.lowest(10).drop(columns="index")))
    print(f"\nwritten to {folder}: values.csv, lowest.csv, values.npz")
    return 130 if stopped else 0


def _out_folder(options: argparse.Namespace) -> Path:
    """The folder for the results, which must not replace what is read."""
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror}. Choose another --out."
        ) from error
    for name in ("values.csv", "lowest.csv"):
        for read in filter(None, (options.csv, options.test)):
            path = folder / name
            if path.exists() and Path(read).exists() and path.samefile(read):
                raise InputError(
                    f"The results would replace {read}, which is read. Choose another "
                    "--out."
                )
    return folder


def _meaning(values: CellValues) -> str:
    score = {"accuracy": "accuracy", "balanced": "balanced accuracy"}
    what = f"{score[values.settings['scoring']]} of the KNN surrogate"
    return what if values.settings["baseline"] == "zero" else f"{what} above chance"


def _explain(options: argparse.Namespace) -> int:
    table = _table(options)
    table.position(options.row)  # before the work, not after
    values, stopped = _values(options, table)
    print(_explanation(values, options.row))
    return 130 if stopped else 0


def _explanation(values: CellValues, row: int) -> str:
    """Contributions as a bar table that sums to the row's value."""
    parts = values.explain(row)
    i = values.position(row)
    total, stderr = values.row_values[i], values.row_stderr[i]
    if not np.isfinite(total):
        return f"row {row} was held out for testing and has no value"
    width = 24
    largest = max(parts["value"].abs().max(), 1e-300)
    lines = [f"row {row} (id {values.ids[i]}, {values.labels[i]})", ""]
    names = max(len(str(c)) for c in [*parts["column"], "row's value"])
    texts = [_short(c) for c in parts["cell"]]
    shown_width = max([len(t) for t in texts] + [4])
    head = f"{'column':{names}}  {'cell':{shown_width}}  {'value':>10}  {'+-':>8}"
    lines.append(head)
    for part, text in zip(parts.itertuples(), texts, strict=True):
        bar = round(width / 2 * abs(part.value) / largest)
        picture = (
            " " * (width // 2 - bar) + "#" * bar + "|"
            if part.value < 0
            else " " * (width // 2) + "|" + "#" * bar
        )
        lines.append(
            f"{part.column:{names}}  {text:{shown_width}}  {part.value:+10.6f}  "
            f"{part.stderr:8.2g}  {picture}".rstrip()
        )
    label = "row's value"
    lines.append(f"{label:{names}}  {'':{shown_width}}  {total:+10.6f}  {stderr:8.2g}")
    return "\n".join(lines)


def _repair(options: argparse.Namespace) -> int:
    table = _table(options)
    out = Path(options.out)
    log = Path(options.log or out.parent / f"{out.stem}_changes.csv")
    _, repairs = read_decisions(options.decisions, table)
    _check_outputs(options, out, log)
    raw, name = bytes_of(options.csv)
    content = repaired_csv(raw, repairs, name)
    changes = changes_frame(table, repairs)
    _write("--out", out, content)
    _write("--log", log, csv_bytes(safe_frame(changes)))
    texts, drop = split(repairs)
    replaced = sum(repairs[cell].action == "replace" for cell in texts)
    print(
        f"{name}: {_counted(replaced, 'cell')} replaced, {len(texts) - replaced:,} "
        f"blanked, {_counted(len(drop), 'row')} dropped"
    )
    if not repairs:
        print(f"{options.decisions} holds no repairs, so {out} is a copy")
    if note := _formula_note(table, repairs):
        print(f"note: {note}")
    print(f"written to {out}; changes are listed in {log}")
    return 0


def _check_outputs(options: argparse.Namespace, out: Path, log: Path) -> None:
    """What is read must not be replaced, and the folders must be there."""
    for option, path in (("--out", out), ("--log", log)):
        why = ""
        for read in (options.csv, options.decisions):
            with suppress(OSError):  # there is no such file yet
                if path.samefile(read):
                    why = f"that would replace {read}, which is read"
        if not os.path.isdir(path.parent):
            why = f"there is no folder {path.parent}"
        elif os.path.isdir(path):
            why = "it is a folder, not a file"
        if why:
            raise InputError(f"Cannot write to {path}: {why}. Choose another {option}.")
    if out.resolve() == log.resolve():
        raise InputError(f"--out and --log are both {out}. Choose another --log.")


def _write(option: str, path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(
            f"Cannot write to {path}: {error.strerror}. Choose another {option}."
        ) from error


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _formula_note(table: Table, repairs: Repairs) -> str:
    """A warning about formulas in cells that stay as they are; empty if none."""
    texts, drop = split(repairs)
    gone, rows = set(drop), table.row_numbers.tolist()
    found = [
        (row, name)
        for name in table.cells
        for row, text in zip(rows, table.cells[name].tolist(), strict=True)
        if is_formula(text) and row not in gone and (row, name) not in texts
    ]
    if not found:
        return ""
    row, name = min(found)
    n = len(found)
    return (
        f"{_counted(n, 'untouched cell')} look{'s' * (n == 1)} like a formula (first "
        f"row {row:,}, '{_short(name)}') and {'was' if n == 1 else 'were'} kept as "
        "written; a spreadsheet may run such cells"
    )


def _short(text: Any, width: int = 24) -> str:
    text = str(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _text_table(frame: pd.DataFrame) -> str:
    shown = frame.copy()
    shown["cell"] = shown["cell"].map(_short)
    return shown.to_string(index=False, float_format=lambda x: f"{x:.6f}")
