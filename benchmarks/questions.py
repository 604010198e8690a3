"""Errors that others made: python -m benchmarks.questions --data DIR [--write]

Dirty tables of third parties with the truth (DIR/dirty/NAME/dirty.csv and errors.csv:
row from 0, column, dirty, clean). Prints what is flagged before a person has answered
anything: how much of it is wrong, F1 over all cells, F1 of the best cut of the ranking,
and how many of the likely suggestions for wrong cells are exactly what was true. With
--write, into results/questions.md.
"""

import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import cellval
from benchmarks.data import data_folder
from benchmarks.pages import printed
from cellval.detect.surprise import surprise
from cellval.detect.suspects import suspects_frame
from cellval.detect.suspicion import make_suspicion


class Dirty(NamedTuple):
    name: str
    label: str | None
    left_out: tuple[str, ...]
    kinds: dict[str, str]


TABLES = (
    Dirty("raha_hospital", None, ("index",), {}),
    Dirty("raha_beers", None, ("index", "id"), {}),
    Dirty("rein_nasa", "sound_pressure_level", (), {"sound_pressure_level": "number"}),
    Dirty("reported_heights", "sex", ("time_stamp",), {}),
)


def read(folder: Path, dirty: Dirty) -> tuple[cellval.Table, dict]:
    texts = {"dtype": str, "keep_default_na": False}
    frame = pd.read_csv(folder / "dirty.csv", **texts).drop(columns=[*dirty.left_out])
    wrong = pd.read_csv(folder / "errors.csv", **texts)
    lines = zip(wrong["row"].astype(int), wrong["column"], wrong["clean"], strict=True)
    truth = {(i, name): text.strip() for i, name, text in lines if name in frame}
    table = cellval.Table.from_frame(frame, label=dirty.label, kinds=dirty.kinds)
    return table, truth


def measure(table: cellval.Table, truth: dict) -> str:
    began = time.monotonic()
    values = cellval.value_cells(table, budget=20) if table.label else None
    suspicion = make_suspicion(table, values, surprise(table))
    took = time.monotonic() - began
    is_wrong = np.zeros(suspicion.ranks.shape, bool)
    for i, name in truth:
        if name in table.feature_names:
            is_wrong[i, table.feature_names.index(name)] = True
    hits = np.cumsum(is_wrong.ravel()[suspicion.order])
    f1 = 2 * hits / (np.arange(1, hits.size + 1) + len(truth))
    n = suspicion.n_flagged
    flagged = suspects_frame(suspicion, n) if n else pd.DataFrame()
    likely = [
        (text.strip() == truth[i, name])
        for i, name, text in flagged[["position", "column", "suggestion"]].to_numpy()
        if text and (i, name) in truth
    ]
    return (
        f"{len(truth):8,}{n:9,}{hits[n - 1] / n:8.2f}{f1[n - 1]:7.3f}{f1.max():10.3f}"
        f"{sum(likely):7,} of {len(likely):5,}{took:7.0f} s"
    )


def main() -> None:
    data = data_folder()
    if data is None:
        sys.exit("The tables are in no package: give --data DIR, with a folder dirty.")
    print(
        f"{'':18}{'wrong':>8}{'flagged':>9}{'right':>8}{'F1':>7}{'best cut':>10}"
        f"{'true suggestions':>17}{'took':>8}"
    )
    for dirty in TABLES:
        folder = data / "dirty" / dirty.name
        print(f"{dirty.name:18}{measure(*read(folder, dirty))}", flush=True)


if __name__ == "__main__":
    with printed("questions", "questions"):
        main()
