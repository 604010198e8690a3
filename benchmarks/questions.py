"""Errors that others made: python -m benchmarks.questions --data DIR [--write]

Dirty tables of third parties with the truth (DIR/dirty/NAME/dirty.csv and errors.csv:
row from 0, column, dirty, clean). A reviewer who knows the truth answers the first
question of the list, again and again: wrong, fine, or only these (of findings with more
than 50 cells, what holds for most of them). Printed are F1 over all cells after 0, 5,
10, 20 and 50 answers, where a cell that was decided counts as decided and all others as
flagged or not; how many flagged cells are wrong before any answer; and how many of the
proposed texts for wrong cells are exactly what was true. With --write, into
results/questions.md.
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
from cellval.detect.learning import Taught, cells_of, taught
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion

ANSWERS = (0, 5, 10, 20, 50)
MOST_TICKED = 50  # cells that a person looks through one by one


class Dirty(NamedTuple):
    name: str
    label: str | None
    left_out: tuple[str, ...]
    kinds: dict[str, str]
    blanks: bool = True  # do blank cells count as wrong where the truth says so?


TABLES = (
    Dirty("raha_hospital", None, ("index",), {}),
    Dirty("raha_beers", None, ("index", "id"), {}),
    Dirty("rein_nasa", "sound_pressure_level", (), {"sound_pressure_level": "number"}),
    Dirty("reported_heights", "sex", ("time_stamp",), {}),
    Dirty("rein_smartfactory", "labels", (), {}, blanks=False),
)


def read(folder: Path, dirty: Dirty) -> tuple[cellval.Table, dict]:
    texts = {"dtype": str, "keep_default_na": False}
    frame = pd.read_csv(folder / "dirty.csv", **texts).drop(columns=[*dirty.left_out])
    wrong = pd.read_csv(folder / "errors.csv", **texts)
    names = ["row", "column", "dirty", "clean"]
    truth = {
        (int(i) + 1, name): clean.strip()
        for i, name, old, clean in wrong[names].to_numpy().tolist()
        if name in frame and (dirty.blanks or old.strip())
    }
    table = cellval.Table.from_frame(frame, label=dirty.label, kinds=dirty.kinds)
    return table, truth


def flagged(table: cellval.Table, now: Taught, decisions: dict) -> set:
    """Cells that count as wrong: flagged and undecided, or decided so."""
    suspicion = now.suspicion
    rows, columns = np.nonzero(suspicion.ranks <= suspicion.n_flagged)
    names = np.array(table.feature_names, object)[columns]
    cells = set(zip(table.row_numbers[rows].tolist(), names.tolist(), strict=True))
    for one in now.findings:  # those of columns that are no features
        if one.is_flagged:
            cells.update(cells_of(table, one))
    cells -= {cell for cell, decision in decisions.items() if decision == "fine"}
    return cells | {cell for cell, said in decisions.items() if said == "error"}


def answer(table: cellval.Table, now: Taught, truth: dict, decisions: dict) -> None:
    """What the reviewer says to the first question."""
    cells = cells_of(table, now.findings[0])
    wrong = [cell in truth for cell in cells]
    if len(cells) > MOST_TICKED:
        wrong = [sum(wrong) > len(cells) / 2] * len(cells)
    for cell, is_wrong in zip(cells, wrong, strict=True):
        decisions[cell] = "error" if is_wrong else "fine"


def f1(found: set, truth: dict) -> float:
    return 2 * len(found & truth.keys()) / max(1, len(found) + len(truth))


def measure(table: cellval.Table, truth: dict, blanks: bool) -> str:
    began = time.monotonic()
    values = cellval.value_cells(table, budget=20) if table.label else None
    suspicion = make_suspicion(table, values, surprise(table))
    decisions: dict = {}
    now = taught(suspicion, decisions)
    took, slowest = time.monotonic() - began, 0.0
    first, asked = flagged(table, now, decisions), now.findings
    if not blanks:  # they are wrong, but nobody counts them
        cells = {name: table.cells[name].str.strip().tolist() for name in table.cells}
        first = {(row, name) for row, name in first if cells[name][row - 1]}
    texts = {
        cell: text.strip()
        for one in reversed(asked)
        for cell, text in zip(cells_of(table, one), one.after, strict=True)
        if text is not None and cell in truth
    }
    right = sum(truth[cell] == text for cell, text in texts.items())
    scores = []
    for n in range(max(ANSWERS) + 1):
        if n in ANSWERS:
            scores.append(f1(flagged(table, now, decisions), truth))
        if now.findings:
            answer(table, now, truth, decisions)
            began = time.monotonic()
            now = taught(suspicion, decisions)
            slowest = max(slowest, time.monotonic() - began)
    hits = len(first & truth.keys())
    return (
        f"{len(truth):8,}{len(first):9,}{len(first) - hits:7,}"
        + "".join(f"{score:7.3f}" for score in scores)
        + f"{right:8,} of {len(texts):5,}{len(asked):7,}{took:6.0f} s{slowest:6.2f} s"
    )


def main() -> None:
    data = data_folder()
    if data is None:
        sys.exit("The tables are in no package: give --data DIR, with a folder dirty.")
    answers = "".join(f"{n:>7}" for n in ANSWERS)
    print(f"{'':42}F1 after so many answers")
    print(
        f"{'':18}{'wrong':>8}{'flagged':>9}{'false':>7}{answers}{'true texts':>17}"
        f"{'asked':>7}{'took':>8}{'answer':>8}"
    )
    for dirty in TABLES:
        folder = data / "dirty" / dirty.name
        print(
            f"{dirty.name:18}{measure(*read(folder, dirty), dirty.blanks)}", flush=True
        )


if __name__ == "__main__":
    with printed("questions", "questions"):
        main()
