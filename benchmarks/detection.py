"""How well planted errors are found: suspicion beside its parts and other detectors.

    python -m benchmarks.detection [--seeds 3] [--only wine ...] [--write]

Plants six kinds of error into 2 % of the cells of four tables, and a code for
"missing" into 5, 20 and 45 % of each column of numbers. Prints ROC AUC and precision
at the number planted, means over seeds, and whether the targets are met. With --write,
into results/detection.md.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

import cellval
from benchmarks.data import SAMPLES
from benchmarks.pages import printed
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.table.encoding import encode
from cellval.validation.planting import KINDS, Planted, plant

CODE_SHARES = (0.05, 0.2, 0.45)
SINGLE = ("value", "class-wise |z|", "neighbour residual", "isolation forest")
SIGNALS = (*SINGLE, "suspicion")
RIGHT = 0.85  # of what is flagged should be wrong


def tables() -> Iterator[tuple[str, pd.DataFrame, str]]:
    yield "wine", load_wine(as_frame=True).frame, "target"
    yield "diagnostic", load_breast_cancer(as_frame=True).frame, "target"
    cells = pd.read_csv(SAMPLES / "breast_cancer.csv", na_values="?").dropna()
    cells = cells.drop(columns="sample_code_number").reset_index(drop=True)
    yield "original", cells, "class"
    yield "adult", pd.read_csv(SAMPLES / "adult_2000.csv"), "income"


def read(frame: pd.DataFrame, label: str, like: pd.DataFrame) -> cellval.Table:
    """The kinds of the clean frame: an error must not change what a column is."""
    kinds = {
        str(name): "number" if pd.api.types.is_numeric_dtype(like[name]) else "category"
        for name in like.columns.drop(label)
    }
    return cellval.Table.from_frame(frame, label=label, kinds=kinds)


def spread(x: np.ndarray) -> float:
    low, high = np.nanpercentile(x, [25, 75])
    return float((high - low) / 1.35 or np.nanstd(x) or 1.0)


def rarity(table: cellval.Table) -> np.ndarray:
    """Class-wise |z|; for categories, the rareness within the class."""
    score = np.zeros((table.n_rows, len(table.features)))
    for j, column in enumerate(table.features):
        for label in np.unique(table.y):
            own = table.y == label
            if column.numbers is not None:
                x = column.numbers[own]
                score[own, j] = np.abs(x - np.nanmedian(x)) / spread(x)
            else:
                codes = column.codes[own]
                share = np.bincount(codes + 1, minlength=2) / codes.size
                score[own, j] = 3.0 * (1.0 - share[codes + 1])
    return np.nan_to_num(score)


def neighbour_residual(table: cellval.Table, k: int = 10) -> np.ndarray:
    """A cell against the median (or share) among the k rows nearest in the other
    columns and the label, all columns alike; scaled by the spread of residuals in the
    column and among the neighbours.
    """
    encoded = encode(table)
    n, m = table.n_rows, len(table.features)
    parts = np.zeros((m, n, n), np.float32)
    for j in range(m):
        x = encoded.cells[j]
        gap = np.abs(x[:, None] - x[None])
        far = (gap > 0) if encoded.is_category[j] else gap**2
        both = np.isnan(x)[:, None] & np.isnan(x)[None]
        parts[j] = np.where(np.isnan(gap), 1.0 - both, encoded.weight[j] * far)
    total = parts.sum(axis=0) + 2.0 * (table.y[:, None] != table.y[None])
    np.fill_diagonal(total, np.inf)
    score = np.zeros((n, m))
    for j, column in enumerate(table.features):
        near = np.argpartition(total - parts[j], k, axis=1)[:, :k]
        if column.numbers is None:
            score[:, j] = 3.0 * np.mean(column.codes[near] != column.codes[:, None], 1)
            continue
        cells = column.numbers[near]
        with np.errstate(invalid="ignore"):
            middle = np.nanmedian(cells, axis=1)
            local = 1.48 * np.nanmedian(np.abs(cells - middle[:, None]), axis=1)
        gap = np.abs(column.numbers - middle)
        usual = 1.48 * np.nanmedian(gap) or np.nanstd(gap) or 1.0
        score[:, j] = gap / np.hypot(usual, local)
    return np.nan_to_num(score)


def isolation(table: cellval.Table) -> np.ndarray:
    score = np.zeros((table.n_rows, len(table.features)))
    for j, column in enumerate(table.features):
        x = column.codes.astype(float) if column.numbers is None else column.numbers
        x = np.nan_to_num(x, nan=np.nanmedian(x))[:, None]
        forest = IsolationForest(n_estimators=100, random_state=0).fit(x)
        score[:, j] = -forest.score_samples(x)
    return score


def signals(table: cellval.Table) -> dict[str, np.ndarray]:
    """Scores of every cell; higher is more suspicious."""
    # Four reversed pairs of column orders a test point, or all subsets if few.
    m = len(table.features)
    values = cellval.value_cells(table, subsets="auto" if m < 10 else 8 * m)
    suspicion = make_suspicion(table, values, surprise(table))
    return {
        "value": -values.ranks(within_class=True),
        "class-wise |z|": rarity(table),
        "neighbour residual": neighbour_residual(table),
        "isolation forest": isolation(table),
        "suspicion": -suspicion.ranks,
        "flagged": suspicion.ranks <= suspicion.n_flagged,
    }


def precision(wrong: np.ndarray, score: np.ndarray) -> float:
    """Share of wrong cells among as many as were planted."""
    worst = np.argsort(-score.ravel(), kind="stable")[: wrong.sum()]
    return float(wrong.ravel()[worst].mean())


def best_cuts(wrong: np.ndarray, score: np.ndarray) -> tuple[int, int]:
    """Wrong cells above two cuts that only who knows the truth could take: the one with
    the best F1, and the last one above which `RIGHT` of the cells are wrong.
    """
    order = np.argsort(-score.ravel(), kind="stable")
    hits, n = np.cumsum(wrong.ravel()[order]), np.arange(1, wrong.size + 1)
    right = np.flatnonzero(hits >= RIGHT * n)
    best = hits[np.argmax(2.0 * hits / (n + wrong.sum()))]
    return int(best), int(hits[right[-1]]) if right.size else 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--write", action="store_true", help="results/detection.md")
    options = parser.parse_args()
    auc: dict = defaultdict(list)
    exact: dict = defaultdict(list)
    alarms: dict = defaultdict(list)
    chosen = [t for t in tables() if not options.only or t[0] in options.only]
    for name, clean, label in chosen:
        started = time.perf_counter()
        features = clean.columns.drop(label)
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            for kind in KINDS:
                planted = plant(clean, label, kind, random_state=seed)
                table = read(planted.frame, label, clean)
                used = [features.get_loc(c) for c in table.feature_names]
                wrong = planted.wrong[:, used]
                found = signals(table)
                flagged = found.pop("flagged")
                hits = (flagged & wrong).sum()
                cuts = best_cuts(wrong, found["suspicion"])
                alarms[name].append((flagged.sum(), hits, *cuts))
                for signal, score in found.items():
                    auc[name, kind, signal].append(
                        roc_auc_score(wrong.ravel(), score.ravel())
                    )
                    exact[name, kind, signal].append(precision(wrong, score))
        report(name, clean, auc, exact)
        print(flags(*np.sum(alarms[name], axis=0)))
        print(f"{time.perf_counter() - started:.0f} s\n", file=sys.stderr)
        print(flush=True)
    print(f"all tables, {flags(*np.sum([*chain(*alarms.values())], axis=0))}")
    print(
        "missing codes: AUC of suspicion in their columns (mean over columns, lowest)"
    )
    for name, clean, label in chosen:
        codes(name, clean, label, options)
    verdicts([name for name, _, _ in chosen], auc)


def flags(n: int, hits: int, best: int, right: int) -> str:
    return (
        f"flagged by default: {n:,} cells, {hits / max(n, 1):.0%} of them wrong. Who "
        f"knew the truth\nand flagged {RIGHT:.0%} right would find {right:,}, of which "
        f"are found {hits / max(right, 1):.2f}; the cut of best F1 finds {best:,}"
    )


def report(name: str, clean: pd.DataFrame, auc: dict, exact: dict) -> None:
    n, m = clean.shape
    print(f"{name}: {n:,} x {m - 1}; ROC AUC (precision at the number planted)")
    print(f"{'':22}" + "".join(f"{signal:>20}" for signal in SIGNALS))
    lines = {kind: [kind] for kind in KINDS} | {"mean": list(KINDS)}
    for title, kinds in lines.items():
        row = ""
        for signal in SIGNALS:
            area = np.mean([auc[name, kind, signal] for kind in kinds])
            share = np.mean([exact[name, kind, signal] for kind in kinds])
            row += f"{f'{area:.3f} ({share:.2f})':>20}"
        print(f"{title:22}{row}")


CODES = (0, -1, -9, 99, -99, 999, -999, 9999, 99999, 10**6, 10**7, 10**9)


def plant_code(frame: pd.DataFrame, label: str, share: float, seed: int) -> Planted:
    """Put a number outside the column's bulk into a share of its only feature.

    The code is the one people would take: the first of `CODES` that lies at least three
    standard deviations outside the middle nine tenths of the column.
    """
    name = frame.columns.drop(label)[0]
    cells = frame[name].reset_index(drop=True).astype(float)
    low, high = cells.quantile([0.05, 0.95])
    margin = 3.0 * float(cells.std())
    code = next(c for c in CODES if c < low - margin or c > high + margin)
    draw = np.random.default_rng([seed, 100])
    chosen = draw.choice(len(cells), round(share * len(cells)), replace=False)
    planted = frame.reset_index(drop=True).copy()
    planted[name] = cells
    planted.loc[chosen, name] = float(code)
    return Planted(planted, (planted[name] != cells).to_numpy()[:, None])


def codes(
    name: str, clean: pd.DataFrame, label: str, options: argparse.Namespace
) -> None:
    """A whole column of codes at once: one column in every table in turn."""
    features = [
        c for c in clean.columns.drop(label) if pd.api.types.is_numeric_dtype(clean[c])
    ]
    for share in CODE_SHARES:
        areas = []
        for k, column in enumerate(features):
            seed = options.first_seed + k
            planted = plant_code(clean[[column, label]], label, share, seed)
            frame = clean.copy()
            frame[column] = planted.frame[column]
            table = read(frame, label, clean)
            if column not in table.feature_names:
                continue
            suspicion = make_suspicion(table, None, surprise(table))
            own = suspicion.scores[:, table.feature_names.index(column)]
            areas.append(roc_auc_score(planted.wrong[:, 0], -own))
        print(f"{name:12} {share:4.0%}  {np.mean(areas):.3f}  {np.min(areas):.3f}")


def verdicts(names: list[str], auc: dict) -> None:
    def mean(name: str, signal: str) -> float:
        return float(np.mean([auc[name, kind, signal] for kind in KINDS]))

    def worst(name: str, signal: str) -> float:
        return min(float(np.mean(auc[name, kind, signal])) for kind in KINDS)

    def across(signal: str) -> float:
        kind = "swap across classes"
        return float(np.mean([np.mean(auc[name, kind, signal]) for name in names]))

    print("\ntargets")
    for name in names:
        best = max(mean(name, signal) for signal in SINGLE)
        gap = mean(name, "suspicion") - best
        print(f"{name:12} mean against the best single signal {gap:+.3f} (>= -0.015)")
        best = max(worst(name, signal) for signal in SINGLE)
        gap = worst(name, "suspicion") - best
        print(f"{name:12} worst kind against the best single signal {gap:+.3f} (>= 0)")
    over = {s: float(np.mean([mean(name, s) for name in names])) for s in SIGNALS}
    print("mean over tables  " + ", ".join(f"{s} {x:.3f}" for s, x in over.items()))
    print("across classes    " + ", ".join(f"{s} {across(s):.3f}" for s in SIGNALS))


if __name__ == "__main__":
    with printed("detection", "detection"):
        main()
