"""The command `plan`: what a run would take, before it is begun."""

import argparse
from dataclasses import replace

from cellval.cli.files import LONGEST, read_table, run_options
from cellval.errors import InputError
from cellval.jobs.expected import GPU, Estimate, estimate
from cellval.knn.backends import no_gpu
from cellval.table.table import Table
from cellval.text import harmless, spoken_bytes, spoken_time
from cellval.values.memory import check_memory, free_memory, needed_memory
from cellval.values.options import RunOptions

MOST_CORES = 1_000_000


def plan(options: argparse.Namespace) -> int:
    """Print what the run would take here, on a GPU, and on a cluster."""
    if not 1 <= options.cores <= MOST_CORES:
        raise InputError(f"--cores must be 1 to {MOST_CORES:,}.")
    table = read_table(options)
    chosen = run_options(options, table)
    said = estimate(table, chosen, timed=True)
    lines = [*_table_lines(table, said), "", *_here_and_there(said, options.cores)]
    if said.outlook is not None and said.cores:
        lines.append(_gpu_line(table, chosen, said))
    for line in lines:
        print(harmless(line, LONGEST))
    check_memory(table)  # a table that does not fit is told, as a run would
    return 0


def _table_lines(table: Table, said: Estimate) -> list[str]:
    rows, columns = table.n_rows, len(table.feature_names)
    free = free_memory()
    free_words = "" if free is None else f"; {spoken_bytes(free)} are free here"
    return [
        f"{table.name}: {rows:,} rows x {columns:,} columns, {rows * columns:,} cells",
        *said.words,
        f"memory about {spoken_bytes(needed_memory(table))}{free_words}",
    ]


def _here_and_there(said: Estimate, cores: int) -> list[str]:
    """Seconds on this machine, and on a cluster."""
    where = f"{said.cores} cores" if said.cores else "its GPU"
    lines = [f"on this machine, {where}: about {_time(said.seconds)}"]
    if said.outlook is not None and said.cores:
        on = _time(said.on_cores(cores))
        lines.append(f"on a cluster of {cores:,} cores like these: about {on}")
    return lines


def _gpu_line(table: Table, options: RunOptions, said: Estimate) -> str:
    """Seconds on the GPU that is here, or on one that was measured."""
    if no_gpu():
        on = _time(said.on_h200)
        return f"on {GPU} (none is here): about {on}, from what was measured on one"
    on_gpu = estimate(table, replace(options, backend="cuda"), timed=True)
    return f"on the GPU of this machine: about {_time(on_gpu.seconds)}"


def _time(seconds: float) -> str:
    return "a second" if seconds < 1.5 else spoken_time(seconds)
