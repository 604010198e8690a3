"""Surprise and findings on Adult, 32,561 x 14: seconds to the first and last, memory.

python -m benchmarks.surprise [--data DIR] [--rows N] [--write]
"""

import argparse
import time
from contextlib import closing
from dataclasses import replace

from benchmarks.adult_passes import peak_megabytes
from benchmarks.data import adult
from benchmarks.pages import printed
from cellval.detect.learning import taught
from cellval.detect.surprise import Surprise, iter_surprise
from cellval.detect.suspicion import make_suspicion
from cellval.table.table import Table


def asked(table: Table, found: Surprise) -> int:
    """How many findings there are before a person has answered."""
    return len(taught(make_suspicion(table, None, found), {}).findings)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    options, _ = parser.parse_known_args()
    small, _ = adult(5000)
    for step in iter_surprise(small):  # compiled before the clock starts
        if step.has_result:
            asked(small, step.result)
    table, name = adult(options.rows)
    print(f"{name}: {table.n_rows:,} x {len(table.features)}")
    for words, in_parts in (("first, by columns and classes", True), ("all", False)):
        started = time.perf_counter()
        with closing(iter_surprise(table, in_parts=in_parts)) as steps:
            for step in steps:
                if in_parts and step.has_result:
                    break
        seconds = time.perf_counter() - started
        print(f"{words}: every cell judged after {seconds:.1f} s", end=", ")
        n = asked(table, step.result)
        print(f"{n:,} findings after {time.perf_counter() - started:.1f} s")
        table = replace(table)  # that nothing of it is known yet
    print(f"peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    with printed("speed", "surprise"):
        main()
