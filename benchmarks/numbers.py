"""Labels that are numbers: python -m benchmarks.numbers [part ...] [--write]

Parts: detection (planted errors beside the same table with its label cut into three
classes, and slips of the label itself), yardstick (rank correlation with values under
negative squared error, by definition, on small tables), speed (closeness beside classes
on one core). With --write, into results/numbers.md.
"""

import sys
import time
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import roc_auc_score

import cellval
from benchmarks.data import SAMPLES
from benchmarks.pages import printed
from cellval.detect.labels import label_surprise
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.validation.planting import KINDS, plant, slip_labels

PARTS = ("detection", "yardstick", "speed")
SEEDS = 3


def tables():
    """Numbers to learn, in tables without known errors."""
    wine = load_wine(as_frame=True).frame.drop(columns="target")
    yield "wine", wine, "alcohol"
    diabetes = load_diabetes(as_frame=True, scaled=False).frame
    yield "diabetes", diabetes, "target"
    diamonds = pd.read_csv(SAMPLES / "diamonds.csv")
    sizes = diamonds[["x", "y", "z"]]
    fine = ~((sizes == 0) | (sizes > 20)).any(axis=1)
    yield "diamonds", diamonds[fine].reset_index(drop=True), "price"


def read(frame, label, like, kind):
    """The kinds of the clean frame: an error must not change what a column is."""
    numeric = pd.api.types.is_numeric_dtype
    kinds = {c: "number" if numeric(like[c]) else "category" for c in like}
    kinds[label] = kind
    return cellval.Table.from_frame(frame, label=label, kinds=kinds)


def area(table, wrong):
    """AUC of suspicion for the cells that are wrong."""
    m = len(table.features)
    values = cellval.value_cells(table, subsets=8 * m)
    ranks = make_suspicion(table, values, surprise(table)).ranks
    return roc_auc_score(wrong.ravel(), -ranks.ravel())


def detection():
    print("AUC of suspicion, 2 % of the cells wrong, mean over seeds")
    print(f"{'':12}{'':22}{'as numbers':>12}{'three classes':>15}")
    for name, clean, label in tables():
        thirds = pd.qcut(clean[label].rank(method="first"), 3, labels=["a", "b", "c"])
        means = []
        for kind in KINDS:
            found = []
            for seed in range(SEEDS):
                cut = clean.assign(**{label: thirds.astype(str)})
                planted = plant(cut, label, kind, random_state=seed)
                back = planted.frame.assign(**{label: clean[label]})
                numbers = read(back, label, clean, "number")
                classes = read(planted.frame, label, clean, "category")
                used = clean.columns.drop(label).get_indexer(numbers.feature_names)
                wrong = planted.wrong[:, used]
                found.append((area(numbers, wrong), area(classes, wrong)))
            means.append(np.mean(found, axis=0))
            print(f"{name:12}{kind:22}{means[-1][0]:12.3f}{means[-1][1]:15.3f}")
        ours, theirs = np.mean(means, axis=0)
        note = "at least as good" if ours >= theirs else "worse !"
        print(f"{name:12}{'mean':22}{ours:12.3f}{theirs:15.3f}  {note}")
    print("\nslips of the label by factor ten, AUC of its own suspicion (>= 0.90)")
    for name, clean, label in tables():
        areas = []
        for seed in range(SEEDS):
            slipped, wrong = slip_labels(clean, label, random_state=seed)
            table = read(slipped, label, clean, "number")
            areas.append(roc_auc_score(wrong, -label_surprise(table)))
        print(f"{name:12}{np.mean(areas):8.3f}{'' if np.mean(areas) >= 0.9 else ' !'}")


def row_values(labels, order, at, k, utility):
    """Shapley values of the rows of a KNN regression, by definition."""
    n = len(labels)
    worth = {}
    for size in range(n + 1):
        for rows in combinations(range(n), size):
            near = [i for i in order if i in rows][:k]
            worth[rows] = utility(labels[near], at, k)
    values = np.zeros(n)
    for i in range(n):
        for rows, before in worth.items():
            if i not in rows:
                w = factorial(len(rows)) * factorial(n - len(rows) - 1) / factorial(n)
                values[i] += w * (worth[tuple(sorted((*rows, i)))] - before)
    return values


def yardstick(n=9, n_tests=6, k=3, n_tables=20):
    """How far closeness and negative squared error (Jia et al., 2019) agree."""

    def squared(near, at, k):
        return -((near.sum() / k - at) ** 2)

    def closeness(near, at, k):
        return np.maximum(0, 1 - np.abs(near - at) / width).sum() / k

    found, clean = [], []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(n + n_tests, 2)), np.empty(n + n_tests)
        y[:] = x @ [2.0, 1.0] + rng.normal(size=y.size) * 0.5
        for wrong in (False, True):
            labels = y[:n].copy()
            if wrong:
                labels[0] *= 10.0
            width = cellval.table.labels.usual_width(labels)
            sums = {squared: np.zeros(n), closeness: np.zeros(n)}
            for t in range(n, n + n_tests):
                order = np.argsort(((x[:n] - x[t]) ** 2).sum(axis=1))
                for utility in sums:
                    sums[utility] += row_values(labels, order, y[t], k, utility)
            both = spearmanr(sums[squared], sums[closeness]).statistic
            (found if wrong else clean).append(both)
    print(
        f"rank correlation of row values, closeness against negative squared error, "
        f"{n_tables} tables of {n} rows, K = {k}, by definition"
    )
    for words, some in (("clean", clean), ("one label times ten", found)):
        low, middle, high = np.quantile(some, [0.1, 0.5, 0.9])
        print(f"{words:24} median {middle:.2f}, nine in ten {low:.2f} to {high:.2f}")


def speed():
    """The same table with its label as numbers and as classes, one core."""
    adult = pd.read_csv(SAMPLES / "adult_2000.csv")
    designs = {
        "600 x 8, all subsets": (600, 8, {"subsets": "all"}),
        "2,000 x 13, sampled": (2000, 13, {"subsets": 26}),
        "2,000 x 13, near field": (2000, 13, {"subsets": 26, "near": 300}),
    }
    print(f"{'':26}{'classes':>10}{'numbers':>10}{'ratio':>8}   (wanted: 1.4)")
    for words, (n, m, how) in designs.items():
        frame = adult.drop(columns=["income", "age"]).iloc[:n, :m]
        ages = adult["age"][:n]
        runs = {
            "category": frame.assign(label=np.where(ages > 37, "old", "young")),
            "number": frame.assign(label=ages),
        }
        best = {kind: np.inf for kind in runs}
        for turn in range(4):  # the first compiles
            for kind, data in runs.items():
                table = cellval.Table.from_frame(
                    data, label="label", kinds={"label": kind}
                )
                started = time.process_time()
                cellval.value_cells(table, n_jobs=1, **how)
                took = time.process_time() - started
                best[kind] = min(best[kind], took) if turn else np.inf
        a, b = best.values()
        print(f"{words:26}{a:9.2f} s{b:8.2f} s{b / a:8.2f}")


def main():
    chosen = [part for part in PARTS if part in sys.argv[1:]] or PARTS
    for part in chosen:
        with printed("numbers", f"numbers {part}"):
            globals()[part]()


if __name__ == "__main__":
    main()
