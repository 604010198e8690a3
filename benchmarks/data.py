"""Where benchmarks find their tables."""

import argparse
import os
from pathlib import Path

import numpy as np

import cellval

SAMPLES = Path(__file__).parents[1] / "sample_data"


def data_folder() -> Path | None:
    """`--data DIR` or CELLVAL_DATA: a folder with adult/train.csv and the like."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("CELLVAL_DATA"))
    folder = parser.parse_known_args()[0].data
    return Path(folder) if folder else None


def breast_cancer() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The paper's 241 x 9 training rows and 242 test rows: integers 1..10."""
    table = cellval.read(SAMPLES / "breast_cancer.csv", label="class")
    cells = np.stack([c.numbers for c in table.features], axis=1)
    complete = np.flatnonzero(~np.isnan(cells).any(axis=1))
    chosen = np.random.default_rng(0).permutation(complete)[:483]
    train, test = chosen[:241], chosen[241:]
    return cells[train], table.y[train], cells[test], table.y[test]


def adult(n_rows: int | None = None) -> tuple[cellval.Table, str]:
    """Adult's training rows and where they come from.

    Without the original file, the sample's rows are drawn with repeats and numbers are
    jittered: good for speed, not for quality.
    """
    folder = data_folder()
    if folder and (folder / "adult" / "train.csv").exists():
        import pandas as pd

        path = folder / "adult" / "train.csv"
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, nrows=n_rows)
        return cellval.Table.from_frame(frame, label="income"), "Adult"
    try:
        from sklearn.datasets import fetch_openml

        frame = fetch_openml("adult", version=2, as_frame=True, parser="auto").frame
        frame = frame.iloc[: n_rows or 32561]
        return cellval.Table.from_frame(frame, label="class"), "Adult (OpenML)"
    except Exception as error:  # no network: say so and go on with the sample
        print(f"no --data folder and OpenML is out of reach ({type(error).__name__}): ")
        print("using rows drawn from sample_data/adult_2000.csv")
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.read_csv(SAMPLES / "adult_2000.csv")
    frame = frame.iloc[rng.integers(0, len(frame), n_rows or 32561)]
    for name in ("age", "fnlwgt", "hours_per_week"):
        frame[name] = frame[name] + rng.integers(-3, 4, len(frame))
    frame = frame.reset_index(drop=True)
    return cellval.Table.from_frame(frame, label="income"), "resampled Adult"
