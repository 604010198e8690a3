"""Do standard errors hold while few test points were seen?

python -m benchmarks.errors [--data DIR] [--write]

Adult in the near field: values after some test points beside those after all of them.
Of every hundred cells, some 95 should lie within two standard errors. "Near points" is
how many test points a row was near to, on average: with few of them most rows have seen
none, and would know nothing of how their values vary.
"""

import numpy as np

import cellval
from benchmarks.data import adult
from benchmarks.pages import printed

NEAR = 500
SEEN = (50, 250, 1000, 4000)  # test points, at least


def covered(values: np.ndarray, errors: np.ndarray, truth: np.ndarray) -> float:
    return float((np.abs(values - truth) <= 2 * errors).mean())


def main() -> None:
    with printed("scale", "errors"):
        table, name = adult()
        print(f"{name}, {table.n_rows:,} x {len(table.features)}, near={NEAR}")
        kept: list[cellval.CellValues] = []
        subsets = 2 * len(table.features)  # one pair of orders
        for step in cellval.iter_values(table, near=NEAR, subsets=subsets):
            if step.has_result and len(kept) < len(SEEN):
                values = step.result
                if values.n_test >= SEEN[len(kept)]:
                    kept.append(values)
        truth = step.result
        print("test points  near points  within two standard errors: cells     rows")
        for values in kept:
            near = values.n_test * NEAR / table.n_rows
            cells = covered(values.values, values.stderr, truth.values)
            rows = covered(values.row_values, values.row_stderr, truth.row_values)
            print(f"{values.n_test:11,}{near:13.1f}{cells:34.1%}{rows:9.1%}")


if __name__ == "__main__":
    main()
