"""A million rows: python -m benchmarks.million [--rows N] [--write]

A table of 1,000,000 x 20 (numbers, counts, categories, a date; seeded) is made in a
temporary folder. Printed are the memory that reading it takes, the time to the first
map of values and to the first ranking by suspicion, and for each page the seconds to
make what it shows and the megabytes that it sends; all without a browser. The limits
are those of the app: 2 s, 2 MB, and 0.5 s for a click. With --write, into
results/million.md.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

import cellval
from benchmarks.pages import printed
from benchmarks.reading import measured
from cellval.detect.readings import writings
from cellval.detect.surprise import iter_surprise
from cellval.detect.suspicion import make_suspicion
from cellval.export.frames import n_listed, suspects_list, write_results
from cellval.figures.columns import column_bars
from cellval.figures.corner_map import corner_plot
from cellval.jobs.background import SHOWN, _prepare
from cellval.jobs.expected import estimate
from cellval.ui.heatmap.view import WINDOW, cells_figure, overview_figure
from cellval.values.options import RunOptions
from cellval.views.cell_detail import cell_detail
from cellval.views.column_facts import column_facts
from cellval.views.corners import corner_counts, drawn_cells
from cellval.views.inspection_list import Wanted, inspection, prepare_list, wanted_cells
from cellval.views.order import row_order
from cellval.views.rankings import outlines
from cellval.views.table_view import table_view
from cellval.views.value_view import value_view

ROWS = 1_000_000
NEAR = 500  # what the app proposes for large tables
CLICKS = 5


def make(path: Path, n: int, seed: int = 0) -> None:
    """20 columns, of which some tell the label; a cell in ten thousand is wrong."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    cities = np.array(["Lisbon", "Oslo", "Quito", "Kyoto", "Perth"])
    columns = {f"x{j}": rng.normal(50 + 2 * (j % 3) * y, 10) for j in range(10)}
    for column in columns.values():
        column[rng.random(n) < 1e-4] *= 10
    columns = {name: column.round(3) for name, column in columns.items()}
    columns |= {f"precise{j}": rng.normal(0.3 * j * y) for j in range(3)}
    columns |= {f"count{j}": rng.integers(0, 1000, n) for j in range(3)}
    columns |= {f"city{j}": cities[rng.integers(0, 5, n)] for j in range(3)}
    columns["day"] = np.datetime64("2020-01-01") + rng.integers(0, 2000, n)
    columns["y"] = np.array(["no", "yes"])[y]
    with path.open("wb") as file:
        file.write((",".join(columns) + "\n").encode())
        plain = csv.WriteOptions(include_header=False, quoting_style="none")
        csv.write_csv(pa.table(columns), file, plain)


class Timed:
    """Seconds of a block, and those that cores were busy with it."""

    def __enter__(self):
        self.began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *fault):
        self.seconds = time.perf_counter() - self.began[0]
        self.busy = time.process_time() - self.began[1]

    def __str__(self):
        return f"{self.seconds:.1f} s ({self.busy:.1f} s of cores)"


def line(what: str, took: Timed, megabytes: float | None = None, limit=2.0) -> None:
    size = "" if megabytes is None else f"{megabytes:9.2f} MB"
    beyond = "  !" if took.seconds > limit or (megabytes or 0) > 2 else ""
    times = f"{took.seconds:9.2f} s{took.busy:9.2f} s of cores"
    print(f"  {what:30}{times}{size:12}{beyond}", flush=True)


def reading(path: Path) -> None:
    found = measured("cellval.read(path, label='y')", path)
    size = path.stat().st_size / 1e6
    print(f"file of {size:,.0f} MB")
    print(
        f"reading: {found['seconds']:.1f} s, peak {found['mb']:,.0f} MB beyond the "
        f"imports, {found['mb'] / size:.1f} times the file",
        flush=True,
    )


def first_map(table):
    """Values of the first snapshot that has some."""
    with Timed() as all_of_it:
        steps = cellval.iter_values(table, near=NEAR)
        values = next(step.result for step in steps if step.has_result)
        _prepare(value_view(values), *SHOWN)
    steps.close()
    print(f"first map of values: {all_of_it}, {values.tested}")
    return values


def first_ranking(table, values):
    with Timed() as searched:
        steps = iter_surprise(table, n_jobs=1)
        found = next(step.result for step in steps if step.has_result)
    steps.close()
    with Timed() as ranked:
        writings(table)
        _prepare(table_view(table), "encoded")
        suspicion = make_suspicion(table, values, found)
        _prepare(suspicion, "ranks", "n_flagged", "corner")
    with Timed() as looked:
        prepare_list(table, values, suspicion)
    print(f"first search for surprising cells: {searched}")
    print(f"ranking by suspicion: {ranked}")
    print(f"suggestions for {suspicion.n_flagged:,} suspects: {looked}", flush=True)
    return suspicion


def size_of(figure) -> float:
    return len(figure.to_json()) / 1e6


def pages(table, values, suspicion) -> None:
    """What each page makes of results, some of which the run has prepared."""
    view = value_view(values)
    print("pages: first drawing, and what is sent")
    with Timed() as drawn:
        found = outlines(values, suspicion, "suspicion", None)
        order = row_order(table, values, "suspicion", ranks=suspicion.ranks)
        window = order[:WINDOW]
        columns = 0, len(values.column_names)
        figure = cells_figure(
            view,
            suspicion,
            window.tobytes(),
            columns,
            found.cells.tobytes(),
            None,
            False,
        )
        whole = overview_figure(view, suspicion, order.tobytes(), (0, WINDOW), 600)
    line("Heatmap", drawn, size_of(figure) + size_of(whole))
    with Timed() as drawn:
        listed = inspection(
            table, values, suspicion, Wanted(), decisions={}, repairs={}
        ).frame
    line("Inspection list, cells", drawn, len(listed.to_json()) / 1e6)
    with Timed() as drawn:
        keep = wanted_cells(table, values, suspicion, Wanted())
        drawn_ones = drawn_cells(suspicion, keep)
        map_of = corner_plot(suspicion, drawn_ones, corner_counts(suspicion, keep))
    line("Inspection list, map", drawn, size_of(map_of))
    with Timed() as drawn:
        facts = column_facts(values, table, suspicion)
        bars = column_bars(view, np.arange(len(values.column_names)), facts)
    line("Columns", drawn, size_of(bars))
    for k, at in enumerate(suspicion.order[:CLICKS]):
        i, j = divmod(int(at), len(values.column_names))
        with Timed() as clicked:
            cell_detail(values, table, suspicion, i, values.column_names[j])
        line(f"click {k + 1} on a cell", clicked, limit=0.5)


def exports(table, values, suspicion, folder: Path) -> None:
    """Files are made when they are asked for, behind a spinner."""
    print("export")
    with Timed() as written:
        write_results(values, table, folder)
    total = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    print(f"  values.csv, lowest.csv, values.npz  {written}, {total:,.0f} MB")
    with Timed() as written:
        suspects_list(suspicion, n_listed(suspicion, 5000))
    print(f"  list of suspects                    {written}", flush=True)


def main() -> None:
    n = int(sys.argv[sys.argv.index("--rows") + 1]) if "--rows" in sys.argv else ROWS
    with tempfile.TemporaryDirectory() as made, printed("million", "million"):
        path = Path(made) / "million.csv"
        make(path, n)
        print(f"{n:,} rows x 20 columns", end=", ")
        reading(path)
        table = cellval.read(path, label="y")
        with Timed() as asked:
            said = estimate(table, RunOptions(near=NEAR), timed=True)
        print(f"estimate on the Data page: {asked}")
        print("\n".join(f"  {words}" for words in said.words))
        print(f"  the whole run: {said.seconds:.0f} s foretold on {said.cores} cores")
        values = first_map(table)
        suspicion = first_ranking(table, values)
        pages(table, values, suspicion)
        folder = Path(made) / "out"
        folder.mkdir()
        exports(table, values, suspicion, folder)


if __name__ == "__main__":
    main()
