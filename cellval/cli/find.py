"""Commands that find and repair wrong cells: `suspects`, `report` and `repair`."""

import argparse
import math
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from cellval.cli import signals
from cellval.cli.files import (
    LONGEST,
    VALUING,
    Deadline,
    Kept,
    check_outputs,
    find_values,
    how_to_go_on,
    last_of,
    n_valued,
    needed,
    printable,
    read_table,
    where_of,
    write,
)
from cellval.detect.grouped import Search
from cellval.detect.placeholders import missing_codes
from cellval.detect.surprise import Surprise, expected_seconds, iter_surprise
from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import Suspicion, make_suspicion
from cellval.errors import InputError
from cellval.export.frames import (
    MOST_LINES,
    csv_bytes,
    safe_frame,
    suspects_list,
    suspects_sentence,
)
from cellval.parallel import await_end, in_thread
from cellval.progress import Snapshot
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import (
    Repairs,
    changes_frame,
    comes_as_csv,
    place_of,
    repaired,
    repaired_file,
    split,
)
from cellval.table.decoding import bytes_of
from cellval.table.formulas import is_formula
from cellval.table.parsing import CsvFormat
from cellval.table.table import Table
from cellval.text import counted, harmless, share
from cellval.values.memory import COMPARED, check_memory
from cellval.values.options import RunOptions
from cellval.values.result import load
from cellval.values.words import Unit

PATIENCE = 2.0  # seconds, with what cannot be interrupted and nobody needs any more
FEWEST_LINES = 2_000  # of a list of some of the cells
# Seconds for each cell that a workbook takes, and that one fold of --measure does.
XLSX, FOLD = 3e-5, 1e-5
# Those that cannot be cut short: to find what is surprising and list it; to make a page
# of it. And for each column, to look for rules, and to see what it says about others:
# so much in short tables, and twice as much in long ones.
LISTING, PAGE, COLUMN, LONG = 1.5e-6, 0.8e-6, 0.015, 10_000
# Shares of --seconds after which values, rules, surprise and suggestions are at their
# end.
OF_VALUES, OF_RULES, OF_SURPRISE, OF_SUGGESTIONS = 0.5, 0.65, 0.8, 1.0


def suspects(options: argparse.Namespace) -> int:
    if options.top is not None and options.top < 0:
        raise InputError(
            f"--top {options.top} is not possible: it must be 0 (print none) or more."
        )
    table = read_table(options)
    out = Path(options.out)
    check_outputs({"--out": out}, (options.csv, options.test, options.values))
    deadline = _deadline(options, table)
    suspicion, how = _suspicion(options, table, deadline)
    k = suspicion.scores.size
    if k > MOST_LINES:  # suggestions for millions of cells would take hours
        k = min(max(suspicion.n_flagged, FEWEST_LINES), MOST_LINES)
    cut_short = False

    def is_over() -> bool:
        nonlocal cut_short
        cut_short = deadline.is_over(OF_SUGGESTIONS)
        return cut_short

    write("--out", out, csv_bytes(suspects_list(suspicion, k, is_over=is_over)))
    print(harmless(f"{table.name}: {suspects_sentence(suspicion)}", LONGEST))
    for code in missing_codes(table):
        print(
            f"{printable(code.text)} in '{printable(code.column)}' "
            f'({counted(code.n_cells, "cell")}) may stand for "missing"'
        )
    top = min(suspicion.n_flagged, 20) if options.top is None else options.top
    if top := min(top, suspicion.scores.size):
        print(f"\nthe {top:,} most suspicious cells, lower is worse:")
        print(_suspects_text(suspicion, top))
    if not suspicion.surprise.is_final:
        print("note: rows were compared with few others; more time tells more")
    if cut_short:
        print("note: only the worst cells have suggestions; more time makes more")
    which = f"the {k:,} worst" if k < suspicion.scores.size else f"all {k:,}"
    print(f"\nwritten to {harmless(out)}: {which} cells, worst first")
    return _ended(how)


def _deadline(
    options: argparse.Namespace, table: Table, after: float = 0.0
) -> Deadline:
    """For these commands, with the seconds that are needed when all was looked for."""
    before, n_columns = 0.0, table.cells.shape[1]
    if table.label and not (options.values or options.no_values):
        before = VALUING * n_valued(table)
    after += LISTING * n_valued(table)
    after += COLUMN * n_columns * (1 + min(1.0, table.n_rows / LONG))
    return Deadline(options, table, before, after)


def _suspicion(
    options: argparse.Namespace, table: Table, deadline: Deadline
) -> tuple[Suspicion, str | None]:
    """Values, made or loaded, and surprise. If it was stopped, how to go on."""
    check_memory(table, COMPARED)
    search = Search(table)
    if options.jobs == 1:
        return _found(options, table, deadline, search)
    with _beside(search) as looking:
        return _found(options, table, deadline, search, looking)


def _found(
    options: argparse.Namespace,
    table: Table,
    deadline: Deadline,
    search: Search,
    looking: "Future[None] | None" = None,
) -> tuple[Suspicion, str | None]:
    """The same, when rules are looked for beside it, or are not."""
    values, stopped, file = None, False, Path(options.out)
    file = file.with_name(f"{file.stem}_values.npz")
    how = f"To start again:\n  {signals.command(options.words)}"
    if options.values:
        values = load(options.values)
        if values.settings.table != table.fingerprint:
            raise InputError(
                f"{options.values} holds values of another table than {options.csv}, "
                "or of the same one with another --label, --exclude or --kind. Choose "
                "those of this table, or leave --values out."
            )
    elif table.label and not options.no_values:
        values, stopped = find_values(options, table, deadline, OF_VALUES)
        if stopped:
            values.save(file)
            how = f"Values are in {file}. {how_to_go_on(options, values, file)}"
    try:
        steps = _steps(options, table, deadline, search, looking)
        what = "looking for surprising cells"
        found, early = last_of(steps, what, deadline, OF_SURPRISE)
    except BaseException as error:
        if values is None or options.values:
            raise
        if not stopped:
            values.save(file)
            again = signals.going_on(options.words, "--values", file)
            how = f"Values are finished and in {file}. To go on with them:\n  {again}"
        if not isinstance(error, KeyboardInterrupt):
            signals.say(how)
            raise
        raise Kept(f"stopped before there was a list of suspects. {how}") from None
    if search.is_cut:
        note = "note: not all kinds of rules were looked for; more time finds more"
        print(note, file=sys.stderr)
    return make_suspicion(table, values, found), how if stopped or early else None


@contextmanager
def _beside(search: Search) -> Iterator["Future[None]"]:
    """Look for what breaks rules beside the values, which hardly need Python; who
    leaves before its end does not wait for all of it.
    """
    looking = in_thread(search.look)
    try:
        yield looking
    finally:
        search.is_over = True
        wait((looking,), PATIENCE)


def _steps(
    options: argparse.Namespace,
    table: Table,
    deadline: Deadline,
    search: Search,
    looking: "Future[None] | None",
) -> Generator[Snapshot[Surprise], None, None]:
    # a generator: looking begins when the first step is asked for
    is_over = partial(deadline.is_over, OF_RULES)
    if looking is None:
        search.look(is_over)
    # what went wrong there does so again where it is needed
    if looking is None or not await_end(looking, is_over):
        search.end()
    seed = options.random_state or 0
    # What takes a moment is found as a whole, however few the seconds are.
    in_parts = deadline.seconds < math.inf and expected_seconds(table, timed=False) > 1
    where = where_of(options)
    yield from iter_surprise(table, random_state=seed, **where, in_parts=in_parts)


def _ended(how: str | None) -> int:
    """The exit code; if it was stopped, the person is told how to go on."""
    if how is None:
        return 0
    print(f"\nstopped. {how}")
    return signals.exit_code()


def _suspects_text(suspicion: Suspicion, k: int) -> str:
    """The first suspects as a table for a terminal."""
    frame = suspects_frame(suspicion, k)
    shown = pd.DataFrame({"row": frame["row_number"].map("{:,}".format)})
    if suspicion.table.id_column is not None:
        shown["id"] = frame["id"].map(printable)
    for name in ("column", "content", "suggestion"):
        shown[name] = frame[name].map(printable)
    if suspicion.values is not None:
        sizes = frame["value"].abs().dropna()
        unit = Unit.of(float(sizes.max()) if sizes.size else 0.0)
        pairs = zip(frame["value"], frame["stderr"], strict=True)
        shown["value"] = [unit.with_error(*pair) for pair in pairs]
    shown["suspicion"] = frame["suspicion"].map(share)
    shown["why"] = [printable(why, 120) for why in frame["reason"]]
    widths = {name: max(len(name), *map(len, shown[name])) for name in shown}
    lines = [dict(zip(shown, shown, strict=True)), *shown.to_dict("records")]
    return "\n".join(
        "  ".join(f"{line[name]:{widths[name]}}" for name in shown).rstrip()
        for line in lines
    )


def report(options: argparse.Namespace) -> int:
    from cellval.export.report import report_html  # plotly takes a second to import
    from cellval.export.xlsx import check_openpyxl, xlsx_bytes

    if options.measure and not options.decisions:
        raise InputError(
            "--measure compares models before and after repairs, but there are none. "
            "Name a file with repairs: --decisions decisions.csv."
        )
    if options.measure:
        from cellval.repairs.measure import iter_comparison  # scikit-learn, likewise
    table = read_table(options)
    outputs, after = {"--out": Path(options.out)}, PAGE * n_valued(table)
    if options.xlsx:
        check_openpyxl()
        after += needed(options, "--xlsx", XLSX * table.cells.size)
        outputs["--xlsx"] = Path(options.xlsx)
    if options.measure:  # two folds are the fewest that tell anything
        after += needed(options, "--measure", 2 * FOLD * table.cells.size)
    deadline = _deadline(options, table, after)
    read = (options.csv, options.test, options.values, options.decisions)
    check_outputs(outputs, read)
    known: dict[str, Any] = {}
    if options.decisions:
        known["decisions"], known["repairs"] = read_decisions(options.decisions, table)
    if options.measure:
        chosen: dict[str, Any] = {"random_state": options.random_state or 0}
        chosen["executor"] = where_of(options)["executor"]
        chosen["n_neighbors"] = options.n_neighbors or RunOptions.n_neighbors
        measuring = iter_comparison(table, repaired(table, known["repairs"]), **chosen)
        first = next(measuring)  # what cannot be measured is told before the work
    suspicion, how = _suspicion(options, table, deadline)
    comparison = None
    if options.measure:
        steps, what = chain([first], measuring), "measuring models"
        comparison, early = last_of(steps, what, deadline)
        if early and how is None:
            how = f"To start again:\n  {signals.command(options.words)}"
    content = report_html(suspicion, **known, comparison=comparison)
    write("--out", outputs["--out"], content)
    print(harmless(f"{table.name}: {suspects_sentence(suspicion)}", LONGEST))
    if comparison is not None:
        for model in comparison.models:
            print(harmless(f"{model}: {comparison.verdict(model)}", LONGEST))
        was_cut = options.budget is not None or how is not None
        if was_cut and comparison.measured < 1:
            print("note: not all folds were measured; more time measures more")
    if options.xlsx:
        write("--xlsx", outputs["--xlsx"], xlsx_bytes(suspicion, **known))
    print(f"written to {', '.join(map(harmless, outputs.values()))}")
    return _ended(how)


def repair(options: argparse.Namespace) -> int:
    options.no_label = options.label is None  # which one it would be does not matter
    table = read_table(options)
    out = Path(options.out)
    log = Path(options.log or out.parent / f"{out.stem}_changes.csv")
    _, repairs = read_decisions(options.decisions, table)
    read = (options.csv, options.decisions)
    check_outputs({"--out": out, "--log": log}, read)
    raw, name = bytes_of(options.csv)
    if comes_as_csv(table) and out.suffix.lower() != ".csv":
        raise InputError(
            f"{name} cannot be written back, so its sheet becomes a CSV file. Choose "
            "an --out that ends with .csv."
        )
    content = repaired_file(raw, repairs, name, **place_of(table))
    changes = changes_frame(table, repairs)
    signals.hold()  # both files, or none
    write("--out", out, content)
    write("--log", log, csv_bytes(safe_frame(changes)))
    texts, drop = split(repairs)
    replaced = sum(repairs[cell].action == "replace" for cell in texts)
    print(
        f"{harmless(name, 200)}: {counted(replaced, 'cell')} replaced, "
        f"{len(texts) - replaced:,} blanked, {counted(len(drop), 'row')} dropped"
    )
    if not repairs:
        print(harmless(f"{options.decisions} holds no repairs, so {out} is a copy"))
    is_csv = isinstance(table.format, CsvFormat) or comes_as_csv(table)
    if is_csv and (note := _formula_note(table, repairs)):
        print(f"note: {note}")
    print(harmless(f"written to {out}; changes are listed in {log}"))
    return 0


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
        f"{counted(n, 'untouched cell')} look{'s' * (n == 1)} like a formula (first "
        f"row {row:,}, '{printable(name)}') and {'was' if n == 1 else 'were'} kept as "
        "written; a spreadsheet may run such cells"
    )
