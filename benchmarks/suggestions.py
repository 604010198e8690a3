"""How often the first suggestion for a wrong cell is right, wrong or absent.

    python -m benchmarks.suggestions [--data DIR] [--seeds 3] [--only beers ...]

Tables of others with their truth (DIR/dirty, see `--data`), and errors planted into
four clean tables: numbers ten times too large, two digits swapped, another sign, blanks
and letters in texts. Of the wrong cells, and of the right ones that are flagged: what a
person gets who takes the suggestion that is marked as likely, without looking.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import cellval
from benchmarks.data import data_folder
from benchmarks.detection import read, tables
from benchmarks.pages import printed
from cellval.detect.suggestions import suggest_many
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion

# Label, and columns left out; a table without a label gets one by tossing a coin.
DIRTY = {
    "raha_hospital": ("", ("index",)),
    "raha_beers": ("", ("index", "id")),
    "rein_nasa": ("", ()),
    "reported_heights": ("sex", ("time_stamp",)),
}
NO_LABEL = "no label"


class Case(NamedTuple):
    """A table with errors: what should stand in the cells, by position and column."""

    name: str
    table: cellval.Table
    truth: dict[tuple[int, str], str]


def dirty_cases(folder: Path) -> Iterator[Case]:
    for name, (label, left_out) in DIRTY.items():
        frame, clean = (
            pd.read_csv(folder / name / f"{part}.csv", dtype=str, keep_default_na=False)
            for part in ("dirty", "clean")
        )
        clean.columns = frame.columns
        wrong = pd.read_csv(
            folder / name / "errors.csv", dtype=str, keep_default_na=False
        )
        truth = {
            (int(line.row), str(frame.columns[k])): str(line.clean)
            for line in wrong.itertuples()
            for k in [_place(frame.columns, str(line.column))]
        }
        frame = frame.drop(columns=list(left_out))
        if not label:
            frame[NO_LABEL] = np.random.default_rng(0).choice(["a", "b"], len(frame))
        table = cellval.Table.from_frame(
            frame, label=label or NO_LABEL, name=f"{name}.csv"
        )
        yield Case(name, table, truth)


def _place(names: pd.Index, name: str) -> int:
    def plain(text: object) -> str:
        return str(text).casefold().replace("-", "_").replace(" ", "_")

    return [plain(other) for other in names].index(plain(name))


def planted_cases(seeds: int) -> Iterator[Case]:
    for name, clean, label in tables():
        for seed in range(seeds):
            yield _slips(name, clean, label, np.random.default_rng([seed, 11]))


def _slips(
    name: str, clean: pd.DataFrame, label: str, draw: np.random.Generator
) -> Case:
    """One slip of the fingers in 2 % of the cells."""
    frame = clean.astype(object)
    features = [str(column) for column in clean.columns.drop(label)]
    cells = draw.choice(frame.size, round(0.02 * frame.size), replace=False)
    truth = {}
    for i, k in zip(*np.divmod(cells, len(features)), strict=True):
        if i >= len(frame):
            continue
        column = features[k]
        own = str(clean[column].iloc[i])
        is_number = pd.api.types.is_numeric_dtype(clean[column])
        new = _slip_in_number(own, draw) if is_number else _slip_in_text(own, draw)
        if new != own and own not in ("", "?", "nan"):
            frame.loc[frame.index[i], column] = new
            truth[int(i), column] = own
    return Case(name, read(frame.astype(str), label, clean), truth)


def _slip_in_number(own: str, draw: np.random.Generator) -> str:
    kind = draw.integers(4)
    if kind == 0:
        return str(round(float(own) * 10, 6)) if "." in own else f"{own}0"
    if kind == 1 and len(own) > 1:
        at = int(draw.integers(len(own) - 1))
        pair = own[at + 1] + own[at]
        return own if "." in pair else own[:at] + pair + own[at + 2 :]
    return f"-{own}" if kind == 2 else f"{own}%"


def _slip_in_text(own: str, draw: np.random.Generator) -> str:
    at = int(draw.integers(len(own)))
    kind = draw.integers(3)
    if kind == 0:
        return own[:at] + "x" + own[at + 1 :]
    return own[:at] + own[at + 1 :] if kind == 1 else own.upper()


def alike(a: str, b: str) -> bool:
    if a.strip() == b.strip():
        return True
    try:
        return abs(float(a) - float(b)) <= 1e-6
    except ValueError:
        return False


def count(case: Case) -> tuple[Counter[str], Counter[str]]:
    """What likely suggestions do to wrong cells, and to right ones that are flagged."""
    table = case.table
    found = surprise(table)
    suspicion = make_suspicion(table, None, found)
    flagged = {
        divmod(int(at), len(table.features))
        for at in suspicion.order[: suspicion.n_flagged]
    }
    names = table.feature_names
    wrong = [(i, names.index(name)) for i, name in case.truth if name in names]
    fine = sorted(flagged - set(wrong))
    outcomes: list[Counter[str]] = []
    for cells in (wrong, fine):
        counts: Counter[str] = Counter()
        for (i, j), options in zip(
            cells, suggest_many(table, found, cells), strict=True
        ):
            likely = options[0] if options else None
            if likely is None or not likely.is_likely:
                counts["absent"] += 1
                continue
            truth = case.truth.get((i, names[j]), table.cells[names[j]].iloc[i])
            counts["right" if alike(likely.text, truth) else "wrong"] += 1
        outcomes.append(counts)
    return outcomes[0], outcomes[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    folder = data_folder()
    cases = list(planted_cases(options.seeds))
    if folder and (folder / "dirty").exists():
        cases = [*dirty_cases(folder / "dirty"), *cases]
    else:
        print("no folder with dirty tables (--data): planted slips only")
    total: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for case in cases:
        if options.only and not any(part in case.name for part in options.only):
            continue
        wrong, fine = count(case)
        old = total.get(case.name, (Counter(), Counter()))
        total[case.name] = old[0] + wrong, old[1] + fine
    print(
        f"{'':18}{'wrong cells':>12}{'right':>8}{'wrong':>8}{'absent':>8}{'ratio':>8}"
        f"{'   flagged, not wrong':22}{'a change is likely':>20}"
    )
    for name, (wrong, fine) in total.items():
        ratio = wrong["right"] / max(wrong["wrong"], 1)
        print(
            f"{name:18}{wrong.total():12,}{wrong['right']:8,}{wrong['wrong']:8,}"
            f"{wrong['absent']:8,}{ratio:8.1f}{fine.total():22,}{fine['wrong']:20,}"
        )


if __name__ == "__main__":
    with printed("detection", "suggestions"):
        main()
