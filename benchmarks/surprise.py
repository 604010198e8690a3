"""Surprise on Adult, 32,561 x 14: seconds to the first and the last answer, memory.

python -m benchmarks.surprise [--data DIR] [--rows N] [--write]
"""

import argparse
import time

from benchmarks.adult_passes import peak_megabytes
from benchmarks.data import adult
from benchmarks.pages import printed
from cellval.detect.surprise import iter_surprise


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    options, _ = parser.parse_known_args()
    small, _ = adult(5000)
    for _ in iter_surprise(small):  # compiled before the clock starts
        pass
    table, name = adult(options.rows)
    print(f"{name}: {table.n_rows:,} x {len(table.features)}")
    started, known = time.perf_counter(), None
    for step in iter_surprise(table):
        if step.has_result and step.result is not known:
            seconds, known = time.perf_counter() - started, step.result
            print(f"answer from all cells after {seconds:.1f} s")
    print(f"peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    with printed("speed", "surprise"):
        main()
