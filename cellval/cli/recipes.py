"""Commands of recipes: `recipe` writes one, `apply` repairs the next file with it."""

import argparse
import sys
from pathlib import Path

from cellval.cli import signals
from cellval.cli.files import (
    LONGEST,
    check_outputs,
    printable,
    project_of,
    read_table,
    write,
)
from cellval.errors import InputError
from cellval.export.frames import csv_bytes, safe_frame
from cellval.project.source import Setup, reading_of
from cellval.recipes.applying import Applied, apply_recipe
from cellval.recipes.making import recipe_of
from cellval.recipes.recipe import Recipe, read_recipe
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import (
    changes_frame,
    comes_as_csv,
    place_of,
    repaired_file,
    split,
)
from cellval.repairs.work import Work
from cellval.table.decoding import bytes_of
from cellval.table.table import Table, read
from cellval.text import counted, harmless

MOST_SAID = 20  # steps that fit, and sentences about what does not


def recipe(options: argparse.Namespace) -> int:
    """Write a recipe of what was decided, in a project or in a decisions file."""
    if (options.project is None) == (options.decisions is None):
        raise InputError(
            "Name where the decisions are: a file with its decisions (FILE --decisions "
            "decisions.csv), or a project (--project NAME)."
        )
    out = Path(options.out)
    check_outputs({"--out": out}, (options.csv, options.decisions))
    made = _of_decisions(options) if options.project is None else _of_project(options)
    write("--out", out, made.text.encode())
    for step in made.steps[:MOST_SAID]:
        print(printable(step.words, LONGEST))
    _say_more(len(made.steps))
    for note in made.notes:
        print(harmless(f"note: {note}", LONGEST))
    print(harmless(f"written to {out}: {counted(len(made.steps), 'step')}"))
    return 0


def _of_project(options: argparse.Namespace) -> Recipe:
    project = project_of(options)
    assert project is not None
    table = project.setup.read(project.source)
    return recipe_of(table, project.work, reading=reading_of(project.setup))


def _of_decisions(options: argparse.Namespace) -> Recipe:
    if options.csv is None:
        raise InputError("Name the file that --decisions is about.")
    table, work = read_table(options), Work()
    work.take(*read_decisions(options.decisions, table))
    chosen = Setup(
        table.label or None,
        table.id_column,
        tuple(options.exclude),
        tuple(tuple(pair.rpartition("=")[::2]) for pair in options.kind),
        options.sheet,
        options.header_row,
        has_label=bool(table.label),
    )
    return recipe_of(table, work, reading=reading_of(chosen))


def apply(options: argparse.Namespace) -> int:
    """Exit code 0 if all of the recipe fits, 1 if not; the file is written anyway."""
    found = read_recipe(options.recipe)
    out = Path(options.out)
    log = Path(options.log or out.parent / f"{out.stem}_changes.csv")
    check_outputs({"--out": out, "--log": log}, (options.csv, options.recipe))
    raw, name = bytes_of(options.csv)
    table = _table(options, found)
    if comes_as_csv(table) and out.suffix.lower() != ".csv":
        raise InputError(
            f"{name} cannot be written back, so its sheet becomes a CSV file. Choose "
            "an --out that ends with .csv."
        )
    done = apply_recipe(found, table)
    content = repaired_file(raw, done.repairs, name, **place_of(table))
    changes = changes_frame(table, done.repairs)
    signals.hold()  # both files, or none
    write("--out", out, content)
    write("--log", log, csv_bytes(safe_frame(changes)))
    _say(name, done)
    print(harmless(f"written to {out}; changes are listed in {log}"))
    return 0 if done.fits else 1


def _table(options: argparse.Namespace, found: Recipe) -> Table:
    """The file as texts: what is its label, and what columns are, changes nothing."""
    place = found.reading.place
    place |= {"sheet": options.sheet} if options.sheet else {}
    place |= {"header_row": options.header_row} if options.header_row else {}
    own = {"label": None, "max_columns": options.max_columns}
    table = read(options.csv, **own, **place)
    for note in table.notes:
        print(harmless(f"note: {note}", LONGEST), file=sys.stderr)
    return table


def _say(name: str, done: Applied) -> None:
    texts, drop = split(done.repairs)
    replaced = sum(done.repairs[cell].action == "replace" for cell in texts)
    print(
        f"{harmless(name, 200)}: {counted(replaced, 'cell')} replaced, "
        f"{len(texts) - replaced:,} blanked, {counted(len(drop), 'row')} dropped"
    )
    fitted = [one for one in done.outcomes if one.n_cells]
    for one in fitted[:MOST_SAID]:
        print(f"  {printable(one.step.words, LONGEST)}: {counted(one.n_cells, 'cell')}")
    _say_more(len(fitted))
    if done.misfits:
        print(f"{counted(len(done.misfits), 'thing')} did not fit:")
        for sentence in done.misfits[:MOST_SAID]:
            print(f"  {printable(sentence, LONGEST)}")
        _say_more(len(done.misfits))


def _say_more(n: int) -> None:
    if n > MOST_SAID:
        print(f"  ... and {n - MOST_SAID:,} more")
