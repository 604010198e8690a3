"""The command line: `python -m cellval run data.csv --label y`."""

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cellval.decoding import bytes_of
from cellval.export import (
    csv_bytes,
    flagged_sentence,
    safe_frame,
    suspects_list,
    write_results,
)
from cellval.formulas import is_formula
from cellval.knn.engine import Snapshot, iter_values
from cellval.progress import shown, spoken_time
from cellval.repair import (
    Repairs,
    changes_frame,
    read_decisions,
    repaired,
    repaired_csv,
    split,
)
from cellval.surprise import iter_surprise
from cellval.suspicion import Suspicion, make_suspicion, suspects_frame
from cellval.table import KINDS, InputError, Table, read_csv
from cellval.values import CellValues, load
from cellval.wording import Unit


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
    "n_neighbors": "--neighbors",
    "random_state": "--seed",
    "target_stderr": "--stderr",
    "budget": "--seconds",
    "n_jobs": "--jobs",
    "baseline": "--baseline",
    "scoring": "--scoring",
    "subsets": "--subsets",
    "near": "--near",
    "test": "--test",
    "label": "--label",
    "id_column": "--id",
    "exclude": "--exclude",
    "kinds": "--kind",
}
SENTENCES = {
    "(test=None)": "(no --test)",
    "the argument max_columns": "--max-columns",
    "the argument max_bytes or the ": "the ",
    "set its kind with kinds": "set its kind with --kind",
}


def _in_options(message: str) -> str:
    """The message with names of options in place of names of arguments."""
    for words, others in SENTENCES.items():
        message = message.replace(words, others)
    for name, option in OPTIONS.items():
        # As in "near=5 is not possible" and "no column 'x' (exclude)".
        message = re.sub(rf"(?<![\w'-]){name}=", f"{option} ", message)
        message = message.replace(f" ({name}).", f" ({option}).")
    return re.sub(r"(?<=: different )[\w, ]+(?=\. Use)", _settings, message)


def _settings(names: re.Match[str]) -> str:
    return ", ".join(OPTIONS.get(name, name) for name in names[0].split(", "))


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
    suspects = commands.add_parser("suspects", help="list cells that may be wrong")
    _add_common(suspects)
    suspects.add_argument(
        "--out", default="suspects.csv", help="CSV of all cells, worst first"
    )
    suspects.add_argument(
        "--top", type=int, help="cells to print (default: flagged ones, at most 20)"
    )
    _add_values(suspects).add_argument(
        "--no-values", action="store_true", help="faster: rank by surprise alone"
    )
    suspects.set_defaults(command=_suspects)
    report = commands.add_parser("report", help="write an HTML file of all findings")
    _add_common(report)
    report.add_argument("--out", required=True, help="the HTML file")
    report.add_argument("--xlsx", help="also write the table as a coloured XLSX file")
    report.add_argument("--decisions", help="CSV with row, column, repair and after")
    report.add_argument(
        "--measure",
        action="store_true",
        help="compare models before and after the repairs",
    )
    _add_values(report)
    report.set_defaults(command=_report, no_values=False)
    return parser


def _add_values(parser: argparse.ArgumentParser) -> Any:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--values",
        metavar="VALUES.NPZ",
        help="take the values of an earlier run instead of valuing the cells",
    )
    return group


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
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="COLUMN=KIND",
        help=f"what a column holds, if the guess is wrong: {', '.join(KINDS)}",
    )
    parser.add_argument(
        "--max-columns",
        type=int,
        default=2000,
        metavar="N",
        help="refuse files with more columns (default 2000)",
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
        kinds=_kinds(options.kind),
        max_columns=options.max_columns,
    )
    for note in table.notes:
        print(f"note: {note}", file=sys.stderr)
    return table


def _kinds(pairs: Sequence[str]) -> dict[str, str]:
    kinds = {}
    for pair in pairs:
        column, sign, kind = pair.rpartition("=")
        if not sign:
            raise InputError(
                f"--kind {pair} is not understood. Write the column, = and its kind, "
                "such as --kind zip=category."
            )
        kinds[column] = kind
    return kinds


def _test(options: argparse.Namespace, table: Table) -> Table | float | None:
    if options.test is None:
        return None
    try:
        return float(options.test)
    except ValueError:
        test = read_csv(options.test, like=table, max_columns=options.max_columns)
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


def _suspects(options: argparse.Namespace) -> int:
    if options.top is not None and options.top < 0:
        raise InputError(
            f"--top {options.top} is not possible: it must be 0 (print none) or more."
        )
    table = _table(options)
    out = Path(options.out)
    _check_outputs({"--out": out}, (options.csv, options.test, options.values))
    about, stopped = _suspicion(options, table)
    _write("--out", out, csv_bytes(suspects_list(about)))
    print(f"{table.name}: {flagged_sentence(about)}")
    for code in about.surprise.placeholders:
        print(
            f"{code.text} in '{_short(code.column)}' ({_counted(code.n_cells, 'cell')})"
            ' may stand for "missing"'
        )
    top = min(about.n_flagged, 20) if options.top is None else options.top
    if top := min(top, about.suspicion.size):
        print(f"\nthe {top:,} most suspicious, lower is worse:")
        print(_suspects_text(about, top))
    print(f"\nwritten to {out}: all {about.suspicion.size:,} cells, worst first")
    return 130 if stopped else 0


def _suspicion(options: argparse.Namespace, table: Table) -> tuple[Suspicion, bool]:
    """Values, made or loaded, and surprise; Ctrl-C keeps what there is."""
    values, stopped = None, False
    if options.values:
        values = load(options.values)
        if values.settings.get("table") != table.fingerprint:
            raise InputError(
                f"{options.values} holds values of another table than {options.csv}, "
                "or of the same one with another --label, --exclude or --kind. Choose "
                "those of this table, or leave --values out."
            )
    elif not options.no_values:
        values, stopped = _values(options, table)
    steps = iter_surprise(table, random_state=options.seed, n_jobs=options.jobs)
    found, early = _last(steps, lambda step: "looking for surprising cells")
    return make_suspicion(table, values, found), stopped or early


def _last(steps: Iterator[Any], what: Callable[[Any], str]) -> tuple[Any, bool]:
    """The last step, and whether Ctrl-C came before the end; says how far it is."""
    terminal = sys.stderr.isatty()
    last, told, stopped = None, -9.0, False
    try:
        for last in steps:
            now = time.monotonic()
            if now - told >= (0.2 if terminal else 5.0) or last.done >= 1:
                text = f"{what(last)}: {last.done:4.0%}"
                sys.stderr.write(f"\r{text:40}" if terminal else f"{text}\n")
                sys.stderr.flush()
                told = now
    except KeyboardInterrupt:
        if last is None:
            raise
        stopped = True
        steps.close()  # type: ignore[attr-defined]
    if terminal:
        print(file=sys.stderr)
    if stopped:
        print("stopped; keeping what there is", file=sys.stderr)
    return last, stopped


def _suspects_text(about: Suspicion, k: int) -> str:
    """The first suspects as a table for a terminal."""
    frame = suspects_frame(about, k)
    shown = pd.DataFrame({"row": frame["row"].map("{:,}".format)})
    if about.table.id_column is not None:
        shown["id"] = frame["id"].map(_short)
    for name in ("column", "content", "suggestion"):
        shown[name] = frame[name].map(_short)
    if about.values is not None:
        unit = Unit.of(float(np.nanmax(np.abs(frame["value"]), initial=0.0)))
        pairs = zip(frame["value"], frame["stderr"], strict=True)
        shown["value"] = [unit.with_error(*pair) for pair in pairs]
    shown["suspicion"] = frame["suspicion"].map("{:.2g}".format)
    shown["why"] = [_short(why, 120) for why in frame["reason"]]
    widths = {name: max(len(name), *map(len, shown[name])) for name in shown}
    lines = [dict(zip(shown, shown, strict=True)), *shown.to_dict("records")]
    return "\n".join(
        "  ".join(f"{line[name]:{widths[name]}}" for name in shown).rstrip()
        for line in lines
    )


def _report(options: argparse.Namespace) -> int:
    from cellval.report import report_html  # plotly takes a second to import
    from cellval.xlsx import check_openpyxl, xlsx_bytes

    if options.measure and not options.decisions:
        raise InputError(
            "--measure compares models before and after repairs, but there are none. "
            "Name a file with repairs: --decisions decisions.csv."
        )
    table = _table(options)
    outputs = {"--out": Path(options.out)}
    if options.xlsx:
        check_openpyxl()
        outputs["--xlsx"] = Path(options.xlsx)
    read = (options.csv, options.test, options.values, options.decisions)
    _check_outputs(outputs, read)
    known: dict[str, Any] = {}
    if options.decisions:
        known["decisions"], known["repairs"] = read_decisions(options.decisions, table)
    measuring = None
    if options.measure:
        measuring = _scores(options, table, known["repairs"])
        first = next(measuring)  # what cannot be measured is told before the work
    about, stopped = _suspicion(options, table)
    comparison = None
    if measuring is not None:
        steps = (step for part in ((first,), measuring) for step in part)
        comparison, early = _last(steps, _scores_line)
        stopped |= early
    content = report_html(about, **known, comparison=comparison)
    _write("--out", outputs["--out"], content)
    print(f"{table.name}: {flagged_sentence(about)}")
    if comparison is not None:
        for model in comparison.models:
            print(f"{model}: {comparison.verdict(model)}")
    if options.xlsx:
        _write("--xlsx", outputs["--xlsx"], xlsx_bytes(about, **known))
    print(f"written to {', '.join(map(str, outputs.values()))}")
    return 130 if stopped else 0


def _scores(options: argparse.Namespace, table: Table, repairs: Repairs) -> Any:
    from cellval.remeasure import iter_scores  # scikit-learn's models, likewise

    after = repaired(table, repairs)
    how = {"n_neighbors": options.neighbors, "random_state": options.seed}
    return iter_scores(table, after, **how)


def _scores_line(step: Any) -> str:
    left = "" if np.isnan(step.seconds_left) else spoken_time(step.seconds_left)
    return "measuring models" + (f", {left} left" if left else "")


def _repair(options: argparse.Namespace) -> int:
    table = _table(options)
    out = Path(options.out)
    log = Path(options.log or out.parent / f"{out.stem}_changes.csv")
    _, repairs = read_decisions(options.decisions, table)
    read = (options.csv, options.decisions)
    _check_outputs({"--out": out, "--log": log}, read)
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


def _check_outputs(outputs: Mapping[str, Path], read: Sequence[str | None]) -> None:
    """What is read must not be replaced, and the folders must be there."""
    for option, path in outputs.items():
        why = ""
        for source in filter(None, read):
            with suppress(OSError):  # there is no such file yet
                if path.samefile(source):
                    why = f"that would replace {source}, which is read"
        if not os.path.isdir(path.parent):
            why = f"there is no folder {path.parent}"
        elif os.path.isdir(path):
            why = "it is a folder, not a file"
        if why:
            raise InputError(f"Cannot write to {path}: {why}. Choose another {option}.")
    paths = {path.resolve() for path in outputs.values()}
    if len(paths) < len(outputs):
        names = list(outputs)
        raise InputError(
            f"{' and '.join(names)} are both {outputs[names[0]]}. Choose another "
            f"{names[-1]}."
        )


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
    text = "".join(c if c.isprintable() else " " for c in str(text))
    return text if len(text) <= width else text[: width - 1] + "…"


def _text_table(frame: pd.DataFrame) -> str:
    shown = frame.copy()
    shown["cell"] = shown["cell"].map(_short)
    return shown.to_string(index=False, float_format=lambda x: f"{x:.6f}")
