"""Surprise on Adult, 32,561 x 14: seconds to the first and the last answer, memory.

python -m benchmarks.surprise [--data DIR] [--rows N]
"""

import argparse
import resource
import sys
import time

from benchmarks.data import adult
from cellval.detect.surprise import iter_surprise

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int)
options, _ = parser.parse_known_args()

small, _ = adult(5000)
for _ in iter_surprise(small):  # compiled before the clock starts
    pass
table, name = adult(options.rows)
print(f"{name}: {table.n_rows:,} x {len(table.features)}")
started, known = time.perf_counter(), None
for found in iter_surprise(table):
    if known is None or found.surprise is not known:
        print(f"answer from all cells after {time.perf_counter() - started:.1f} s")
        known = found.surprise
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
peak /= 1024 if sys.platform.startswith("linux") else 1024**2
print(f"peak memory {peak:.0f} MB")
