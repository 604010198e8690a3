"""The command that repeats the paper's experiments: `reproduce`."""

import argparse
import os
import time
from importlib import import_module
from pathlib import Path

from cellval.cli import signals
from cellval.cli.files import make_folder, unwritable
from cellval.errors import InputError
from cellval.experiments import EXPERIMENTS, PUBLISHED
from cellval.text import spoken_time
from cellval.whole_files import write_whole

BESIDE = "the values of the paper's own code beside ours (needs --published)"
QUICK = "Quick version, small and on sample data only: it shows how, not how well."


def names_text() -> str:
    """The experiments, one line each."""
    named = EXPERIMENTS | {PUBLISHED: BESIDE}
    width = max(map(len, named))
    return "\n".join(f"  {name:{width}}  {what}" for name, what in named.items())


def reproduce(options: argparse.Namespace) -> int:
    names = list(EXPERIMENTS) if options.name == "all" else [options.name]
    if options.published and options.name == "all":
        names.append(PUBLISHED)
    if names[0] not in (*EXPERIMENTS, PUBLISHED):
        raise InputError(
            f"There is no experiment '{options.name}'. These can be reproduced, one by "
            f"one or as 'all':\n{names_text()}"
        )
    if names[0] == PUBLISHED and not options.published:
        raise InputError(
            "Where are the files of the paper's own code? Give their folder: "
            f"{PUBLISHED} --published FOLDER."
        )
    data, out = _data_folder(options), make_folder(options)
    from cellval.experiments.result import as_text, write  # plotly: takes a second

    if options.quick:
        print(QUICK)
    for k, name in enumerate(names):
        print(f"{name}: {EXPERIMENTS.get(name, BESIDE)}", flush=True)
        started = time.monotonic()
        try:
            signals.heed()
            run = import_module(f"cellval.experiments.{name}").run
            made = (
                run(Path(options.published))
                if name == PUBLISHED
                else run(None if options.quick else data, options.quick)
            )
        except KeyboardInterrupt:
            done = f" {', '.join(names[:k])} {'is' if k == 1 else 'are'} in {out}."
            print(f"\nstopped; {name} is not finished.{done if k else ''}")
            print(f"To go on:\n{_commands(options, names[k:])}")
            return signals.exit_code()
        signals.hold()
        print(f"\n{as_text(made.numbers)}\n")
        try:
            files = write(made, out, quick=options.quick)
        except OSError as error:
            raise unwritable(out, error) from error
        print(f"written to {', '.join(map(str, files))}", end="")
        print(f" ({spoken_time(time.monotonic() - started)})\n", flush=True)
    if options.name == "all" and not options.quick:
        from cellval.experiments.page import paper_page

        write_whole(out / "paper.md", paper_page(out).encode())
        print(f"All of it on one page: {out / 'paper.md'}")
    return 0


def _commands(options: argparse.Namespace, names: list[str]) -> str:
    """What to type for each of these experiments."""
    return "\n".join(
        "  "
        + signals.command([name if w == options.name else w for w in options.words])
        for name in names
    )


def _data_folder(options: argparse.Namespace) -> Path | None:
    """The folder of the larger tables, from --data or CELLVAL_DATA."""
    given = options.data or os.environ.get("CELLVAL_DATA")
    if not given:
        return None
    if not os.path.isdir(given) and not options.quick:
        source = "--data" if options.data else "CELLVAL_DATA"
        raise InputError(
            f"There is no folder {given}. Name the one with adult/train.csv and the "
            f"like ({source}), or use --quick."
        )
    return Path(given)
