"""The command line: `python -m cellval run data.csv --label y`."""

import argparse
import re
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from cellval import __version__
from cellval.cli import app, check, find, recipes, signals, value
from cellval.cli import plan as planning
from cellval.cli import reproduce as experiments
from cellval.cli.files import Kept
from cellval.errors import InputError
from cellval.methods import METHODS
from cellval.project.database import Damaged
from cellval.project.files import why_not
from cellval.project.project import DAMAGED
from cellval.table.columns import KINDS
from cellval.text import harmless
from cellval.values.options import TESTED, RunOptions

DECISIONS = (
    "CSV with row, column, repair (replace, blank, drop row or nothing) and after"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code (2 for something the person can fix)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        print(WHAT)
        return 0
    with signals.heard():
        options = _parser().parse_args(words, argparse.Namespace(words=words))
        try:
            return int(options.command(options))
        except InputError as error:
            in_project = bool(getattr(options, "project", None))
            said = f"cellval: {_in_options(str(error), in_project)}"
            signals.say("\n".join(harmless(line, 2000) for line in said.split("\n")))
            return 2
        except (Damaged, sqlite3.Error) as error:
            signals.say(f"cellval: {_why(error)}")
            return 2
        except MemoryError:
            signals.say(f"cellval: {TOO_LARGE}")
            return 2
        except Kept as kept:
            signals.say(f"\ncellval: {kept}")
            return signals.exit_code()
        except KeyboardInterrupt:
            signals.say(
                "\ncellval: stopped before there was a result. To start again:\n"
                f"  {signals.command(words)}"
            )
            return signals.exit_code()


def _why(error: Damaged | sqlite3.Error) -> str:
    """What is wrong with a project, and what to do."""
    if isinstance(error, sqlite3.Error):
        return f"The project cannot be read. {harmless(why_not(error), 2000)}"
    return harmless(DAMAGED.format(error), 2000)


WHAT = """\
cellval finds the cells of a table that are wrong or hurt a model. Lower is worse.
  cellval app data.csv                   look, decide and repair in the browser
  cellval suspects data.csv --label y    list the cells that are probably wrong, and why
  cellval run data.csv --label y         value every cell, into files
  cellval explain data.csv --row 12      break a row's value into its cells
  cellval repair data.csv --decisions decisions.csv --out repaired.csv
  cellval apply recipe.yaml next.csv --out repaired.csv    the same on the next file
  cellval check data.csv                 does it pass? For pipelines, by the exit code
  cellval report data.csv --out report.html                all findings in one file
More: cellval --help, cellval COMMAND --help, and in Python: import cellval"""

TOO_LARGE = (
    "the memory that this program may use is not enough. Use fewer rows or columns "
    "(--exclude), or allow more memory."
)

# What the library calls its options, and what they are called here.
FLAGS = {option.name: option.metadata["flag"] for option in fields(RunOptions)} | {
    "n_jobs": "--jobs",
    "label": "--label",
    "id_column": "--id",
    "exclude": "--exclude",
    "kinds": "--kind",
    "sheet": "--sheet",
    "header_row": "--header-row",
    "continue_from": "--continue",
    "fail_on": "--fail-on",
}
SENTENCES = {
    "the environment variable CELLVAL_MAX_COLUMNS": "--max-columns",
    "set its kind.": "set its kind with --kind.",
}


def _in_options(message: str, in_project: bool = False) -> str:
    """The message with names of options in place of names of arguments."""
    for words, others in SENTENCES.items():
        if in_project and others == "--max-columns":
            continue  # it is read later, too, where nobody says that
        message = message.replace(words, others)
    for name, option in FLAGS.items():
        message = message.replace(f"{name} is no option", f"{option} is no option")
        # As in "near=5 is not possible" and "no column 'x' (exclude)".
        message = re.sub(rf"(?<![\w'-]){name}=", f"{option} ", message)
        message = message.replace(f" ({name}).", f" ({option}).")
        message = re.sub(rf"^{name}: ", f"{option}: ", message)
    return re.sub(r"(?<=: different )[\w, ]+(?=\. Use)", _settings, message)


def _settings(names: re.Match[str]) -> str:
    return ", ".join(FLAGS.get(name, name) for name in names[0].split(", "))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cellval",
        description="Find the cells of a table that hurt a learning task; lower is "
        "worse",
    )
    version = f"cellval {__version__}"
    parser.add_argument("--version", action="version", version=version)
    parts = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_app(parts)
    run = parts.add_parser("run", help="value every cell and write the results")
    _add_common(run, optional=True)
    run.add_argument("--out", default="cellval_out", help="folder for the results")
    run.add_argument(
        "--project",
        metavar="NAME",
        help="keep file, values and decisions in this project, also for the app; "
        "without a file an old one is valued as it was repaired",
    )
    _add_continue(run)
    run.set_defaults(command=value.run)
    plan = parts.add_parser(
        "plan", help="say what a run would take, here, on a GPU and on a cluster"
    )
    _add_common(plan)
    plan.add_argument(
        "--cores",
        type=int,
        default=64,
        metavar="N",
        help="of the cluster to speak of (default 64)",
    )
    plan.set_defaults(command=planning.plan)
    explain = parts.add_parser("explain", help="break a row's value into its cells")
    _add_common(explain)
    explain.add_argument("--row", type=int, required=True, help="row number, from 1")
    explain.set_defaults(command=value.explain)
    repair = parts.add_parser("repair", help="apply decided repairs to the file")
    _add_table(repair)
    repair.add_argument("--decisions", required=True, help=DECISIONS)
    repair.add_argument(
        "--out", required=True, help="the repaired file, in the format it came in"
    )
    repair.add_argument(
        "--log", help="CSV of what was changed (default: <out>_changes.csv)"
    )
    repair.set_defaults(command=find.repair)
    suspects = parts.add_parser("suspects", help="list cells that may be wrong")
    _add_common(suspects)
    suspects.add_argument(
        "--out", default="suspects.csv", help="CSV of all cells, worst first"
    )
    suspects.add_argument(
        "--top", type=int, help="cells to print (default: the suspects, at most 20)"
    )
    _add_values(suspects).add_argument(
        "--no-values", action="store_true", help="faster: rank by surprise alone"
    )
    suspects.set_defaults(command=find.suspects)
    report = parts.add_parser("report", help="write an HTML file of all findings")
    _add_common(report)
    report.add_argument("--out", required=True, help="the HTML file")
    report.add_argument("--xlsx", help="also write the table as a coloured XLSX file")
    report.add_argument("--decisions", help=DECISIONS)
    report.add_argument(
        "--measure",
        action="store_true",
        help="compare models before and after the repairs",
    )
    _add_values(report)
    report.set_defaults(command=find.report, no_values=False)
    _add_check(parts)
    _add_recipes(parts)
    _add_reproduce(parts)
    return parser


def _add_app(parts: Any) -> None:
    parser = parts.add_parser("app", help="open the app in the browser")
    parser.add_argument(
        "csv", metavar="FILE", nargs="?", help="open it at once: a table, or a project"
    )
    parser.add_argument(
        "--port", type=_port, help="(default: the first free one from 8501)"
    )
    parser.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        help="only say at which address it is",
    )
    parser.set_defaults(command=app.app)


def _port(text: str) -> int:
    if not (text.isdecimal() and 0 < int(text) < 2**16):
        raise argparse.ArgumentTypeError(f"{text!r} is no port, such as 8501")
    return int(text)


def _add_check(parts: Any) -> None:
    parser = parts.add_parser(
        "check",
        help="say whether files pass: for pipelines and hooks",
        description="Exit code 0: clean, 1: findings, 2: bad input. Cells are "
        "compared, not valued; there is no label unless --label names one.",
    )
    _add_table(parser, several=True)
    parser.add_argument("--recipe", help="rules that the files must keep (YAML)")
    parser.add_argument(
        "--baseline", metavar="JSON", help="known findings, which are hidden"
    )
    parser.add_argument(
        "--write-baseline",
        metavar="JSON",
        help="write the present findings as known ones, and exit with 0",
    )
    parser.add_argument(
        "--fail-on",
        type=int,
        default=1,
        metavar="N",
        help="so many findings in a file are too many (default 1)",
    )
    parser.add_argument(
        "--format", choices=check.FORMATS, default="text", help="(default text)"
    )
    parser.add_argument("--out", help="write it to this file instead of printing it")
    parser.add_argument("--jobs", type=int, help="threads (default: one per core)")
    parser.set_defaults(command=check.check)


def _add_recipes(parts: Any) -> None:
    recipe = parts.add_parser(
        "recipe", help="write what was decided as a recipe for the next file"
    )
    _add_table(recipe, optional=True)
    recipe.add_argument("--decisions", help=f"{DECISIONS}, about FILE")
    recipe.add_argument("--project", metavar="NAME", help="take what it holds instead")
    recipe.add_argument("--out", required=True, help="the recipe, a YAML file")
    recipe.set_defaults(command=recipes.recipe)
    apply = parts.add_parser("apply", help="repair a file as a recipe says")
    apply.add_argument("recipe", metavar="RECIPE", help="a YAML file of `recipe`")
    apply.add_argument("csv", metavar="FILE", help="the file to repair")
    apply.add_argument(
        "--out", required=True, help="the repaired file, in the format it came in"
    )
    apply.add_argument(
        "--log", help="CSV of what was changed (default: <out>_changes.csv)"
    )
    _add_place(apply)
    apply.set_defaults(command=recipes.apply)


def _add_reproduce(parts: Any) -> None:
    reproduce = parts.add_parser(
        "reproduce",
        help="repeat the paper's experiments beside its numbers",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"experiments:\n{experiments.names_text()}",
    )
    reproduce.add_argument("name", metavar="NAME", help="an experiment, or all")
    reproduce.add_argument(
        "--data",
        metavar="DIR",
        help="folder of the larger tables, such as adult/train.csv (default: the "
        "environment's CELLVAL_DATA, else OpenML)",
    )
    reproduce.add_argument(
        "--published",
        metavar="FOLDER",
        help="files of the paper's own code (*.data, *.values), to be compared with",
    )
    reproduce.add_argument(
        "--quick", action="store_true", help="seconds: small, on sample data only"
    )
    reproduce.add_argument(
        "--out",
        default="cellval_results",
        metavar="FOLDER",
        help="folder for numbers and figures (default cellval_results)",
    )
    reproduce.set_defaults(command=experiments.reproduce)


def _add_continue(parser: Any) -> None:
    parser.add_argument(
        "--continue",
        dest="continue_from",
        metavar="VALUES.NPZ",
        help="go on where an earlier run with the same settings stopped",
    )


def _add_values(parser: argparse.ArgumentParser) -> Any:
    group = parser.add_mutually_exclusive_group()
    _add_continue(group)
    group.add_argument(
        "--values",
        metavar="VALUES.NPZ",
        help="take the values of an earlier run instead of valuing the cells",
    )
    return group


def _add_table(
    parser: argparse.ArgumentParser, *, optional: bool = False, several: bool = False
) -> None:
    parser.add_argument(
        "files" if several else "csv",
        metavar="FILE",
        nargs="+" if several else "?" if optional else None,
        help="the table: CSV, Parquet, Arrow, Excel or JSON lines, also compressed",
    )
    label = parser.add_mutually_exclusive_group()
    default = "none" if several else "guessed"
    label.add_argument(
        "--label", help=f"column to predict, classes or numbers (default: {default})"
    )
    label.add_argument(
        "--no-label",
        action="store_true",
        help="the table has no label: cells are compared, not valued",
    )
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
    _add_place(parser)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sheet", help="sheet of a workbook (default: guessed)")
    parser.add_argument(
        "--header-row",
        type=int,
        metavar="N",
        help="row of the sheet with the column names (default: guessed)",
    )
    parser.add_argument(
        "--max-columns",
        type=int,
        metavar="N",
        help="refuse files with more columns (default 2000)",
    )


def _add_common(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    _add_table(parser, optional=optional)
    for option in fields(RunOptions):
        methods, means = option.metadata["of"], option.metadata["means"]
        if len(methods) < len(TESTED):
            means = f"of {', '.join(methods)}: {means}"
        choices = list(METHODS) if option.name == "method" else None
        parser.add_argument(
            option.metadata["flag"],
            dest=option.name,
            type=option.metadata["kind"],
            choices=choices,
            metavar=None if choices else option.name.upper(),
            help=means,
        )
    parser.add_argument("--jobs", type=int, help="threads (default: one per core)")
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="compute on the cluster whose scheduler is there, tcp://host:8786",
    )
