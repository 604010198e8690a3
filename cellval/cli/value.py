"""Commands that value a table: `run` and `explain`, and what all commands share."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.export.frames import write_results
from cellval.methods import METHODS
from cellval.progress import shown
from cellval.table.table import Table, read_csv
from cellval.valuation import iter_values
from cellval.values.result import CellValues, load

Step = TypeVar("Step")


def run(options: argparse.Namespace) -> int:
    table = read_table(options)
    folder = _out_folder(options)
    earlier = load(options.continue_from) if options.continue_from else None
    values, stopped = find_values(options, table, earlier)
    write_results(values, table, folder)
    score = values.total
    print(f"{table.name}: {table.n_rows} rows x {len(table.feature_names)} columns")
    tested = f", {values.tested}" if values.tested else ""
    print(f"design: {values.settings['design']}{tested}")
    if values.settings["approximation"]:
        print(f"approximation: {values.settings['approximation']}")
    if values.sums_to_score:
        print(f"all cells sum to {score:.4f} ({_meaning(values)})")
    else:
        print(METHODS[values.settings.get("by", "knn")].means)
    hurts = " (below zero: the cell hurts)" if values.additive else ""
    print(f"\nlowest cells{hurts}, of {values.values.size:,}:")
    print(text_table(values.lowest(10).drop(columns="index")))
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
    what = f"{score[values.settings['scoring']]} of the {values.model}"
    return what if values.settings["baseline"] == "zero" else f"{what} above chance"


def explain(options: argparse.Namespace) -> int:
    table = read_table(options)
    table.position(options.row)  # before the work, not after
    values, stopped = find_values(options, table)
    print(_explanation(values, options.row))
    return 130 if stopped else 0


def _explanation(values: CellValues, row: int) -> str:
    """Contributions as a bar table that sums to the row's value."""
    parts = values.explain(row)
    i = values.position(row)
    total, stderr = values.row_values[i], values.row_stderr[i]
    if not np.isfinite(total):
        held_out = "hold-out" in str(values.settings["test"])
        why = "was held out for testing" if held_out else "was not reached by the run"
        return f"row {row} {why} and has no value"
    width = 24
    largest = max(parts["value"].abs().max(), 1e-300)
    lines = [f"row {row} (id {values.ids[i]}, {values.labels[i]})", ""]
    names = max(len(str(c)) for c in [*parts["column"], "row's value"])
    texts = [short(c) for c in parts["cell"]]
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


def read_table(options: argparse.Namespace) -> Table:
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


def find_values(
    options: argparse.Namespace, table: Table, continue_from: CellValues | None = None
) -> tuple[CellValues, bool]:
    """Run until done, or until Ctrl-C, which keeps what there is."""
    subsets = options.subsets
    with suppress(ValueError, TypeError):
        subsets = int(subsets)
    chosen = {
        "n_neighbors": options.neighbors,
        "baseline": options.baseline,
        "scoring": options.scoring,
        "model": options.model,
        "rounds": options.rounds,
        "row_weights": options.row_weights,
        "column_weights": options.column_weights,
        "truncation": options.truncation,
        "subsets": subsets,
        "near": options.near,
        "continue_from": continue_from,
        "test": _test(options, table),
        "budget": options.seconds,
        "target_stderr": options.stderr,
        "n_jobs": options.jobs,
    }
    snapshots = iter_values(
        table,
        method=options.method,
        random_state=options.seed,
        **{name: value for name, value in chosen.items() if value is not None},
    )
    last, stopped = last_of(shown(snapshots))
    return last.values, stopped


def last_of(steps: Iterator[Step]) -> tuple[Step, bool]:
    """The last step, and whether Ctrl-C came before the end and what there is is kept.

    Steps without anything to keep (no test point yet) do not count.
    """
    last: Step | None = None
    stopped = False
    try:
        for last in steps:  # noqa: B007 - the last one is the result
            pass
    except KeyboardInterrupt:
        stopped = True
        steps.close()  # type: ignore[attr-defined]
        if last is None or not getattr(last, "has_values", True):
            raise
        print("\nstopped; keeping what there is", file=sys.stderr)
    assert last is not None
    return last, stopped


def check_outputs(outputs: Mapping[str, Path], read: Sequence[str | None]) -> None:
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


def write(option: str, path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(
            f"Cannot write to {path}: {error.strerror}. Choose another {option}."
        ) from error


def short(text: Any, width: int = 24) -> str:
    text = "".join(c if c.isprintable() else " " for c in str(text))
    return text if len(text) <= width else text[: width - 1] + "…"


def text_table(frame: pd.DataFrame) -> str:
    shown = frame.copy()
    shown["cell"] = shown["cell"].map(short)
    return shown.to_string(index=False, float_format=lambda x: f"{x:.6f}")
