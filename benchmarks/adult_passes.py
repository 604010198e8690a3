"""Adult, 32,561 x 14, leave-one-out, near=500: time, memory and agreement of two seeds.

    python -m benchmarks.adult_passes [--data DIR] [--rows N] [--near H] [--write]

For 1, 2 and 4 passes (reversed pairs of column orders per test point), two runs with
different seeds: seconds of a run on all cores, correlation of the values, and how much
their lowest 0.5 % of cells overlap.
"""

import argparse
import resource
import sys
import time

import numpy as np

import cellval
from benchmarks.data import adult
from benchmarks.pages import printed


def peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 if sys.platform.startswith("linux") else 1024**2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    parser.add_argument("--near", type=int, default=500)
    options, _ = parser.parse_known_args()
    table, name = adult(options.rows)
    m = len(table.features)
    print(f"{name}: {table.n_rows:,} x {m}, near={options.near}")
    print("passes  seconds  peak MB  correlation  overlap of the lowest 0.5 %")
    values: list = [None, None]
    spent = [0.0, 0.0]
    for passes in (1, 2, 4):
        for seed in (0, 1):
            started = time.perf_counter()
            values[seed] = cellval.value_cells(
                table,
                near=options.near,
                subsets=2 * m * passes,
                random_state=seed,
                continue_from=values[seed],
            )
            spent[seed] += time.perf_counter() - started
        a, b = (v.values.ravel() for v in values)
        k = round(0.005 * a.size)
        lowest = [set(np.argsort(x)[:k]) for x in (a, b)]
        overlap = len(lowest[0] & lowest[1]) / k
        r = np.corrcoef(a, b)[0, 1]
        row = f"{passes:6}{np.mean(spent):9.1f}{peak_megabytes():9.0f}{r:13.3f}"
        print(f"{row}{overlap:15.1%}", flush=True)


if __name__ == "__main__":
    with printed("speed", "adult_passes"):
        main()
