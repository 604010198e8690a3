"""Values by other models: python -m benchmarks.games [part ...] [--data DIR] [--write]

Parts: mc, workers, oob; with --write, into results/games.md. The plain scripts evaluate
a random sample of the same rounds, in turns with ours, so that whatever else runs on
the machine slows down both.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cellval
from benchmarks.data import SAMPLES, adult
from benchmarks.pages import printed
from cellval.games.model_utility import ModelUtility
from cellval.games.montecarlo import Rounds, utilities
from cellval.games.oob import OutOfBag
from cellval.parallel import ONE_THREAD, drive

PARTS = ("mc", "workers", "oob")
N = 500  # rows to train on, and as many to test
TURNS, PLAIN_PER_TURN = 4, 60  # evaluations of the plain scripts, each


def census(n=N):
    """Training and test table of n rows each, and where they come from."""
    table, name = adult(2 * n)
    kinds = {column.name: column.kind for column in table.columns}
    train = cellval.Table.from_frame(
        table.cells.iloc[:n], label=table.label, kinds=kinds
    )
    frame = table.cells.iloc[n:].reset_index(drop=True)
    return train, cellval.Table.from_frame(frame, like=train), name


def as_frame(table):
    """The features as a user would have them, and the labels."""
    columns = {
        c.name: table.cells[c.name] if c.numbers is None else c.numbers
        for c in table.features
    }
    return pd.DataFrame(columns), table.cells[table.label]


def encode_each_time(train, test):
    """A script that copies, slices and encodes the frames for every evaluation."""
    (X, y), (Z, truth) = as_frame(train), as_frame(test)

    def h(rows, columns):
        names = X.columns[columns]
        seen = pd.get_dummies(X.iloc[rows][names].copy())
        asked = pd.get_dummies(Z[names].copy())
        asked = asked.reindex(columns=seen.columns, fill_value=0)
        tree = DecisionTreeClassifier(random_state=0).fit(seen, y.iloc[rows])
        return tree.score(asked, truth)

    return h


def encode_once(train, test):
    """A better one, that encodes once and slices the encoded frames."""
    (X, y), (Z, truth) = as_frame(train), as_frame(test)
    both = pd.get_dummies(pd.concat([X, Z]))
    encoded, encoded_test = both.iloc[: len(X)], both.iloc[len(X) :]
    own = [[c] if c in both else [d for d in both if d.startswith(f"{c}_")] for c in X]
    # education_num is no category of education
    own = [of if len(of) == 1 else [d for d in of if d not in X] for of in own]

    def h(rows, columns):
        names = [d for j in columns for d in own[j]]
        seen = encoded.iloc[rows][names].copy()
        tree = DecisionTreeClassifier(random_state=0).fit(seen, y.iloc[rows])
        return tree.score(encoded_test[names], truth)

    return h


def prefixes(r, n, m, size):
    """A random sample of the prefixes in round r."""
    draw = np.random.default_rng((0, r))
    rows, columns = draw.permutation(n), draw.permutation(m)
    pick = np.random.default_rng(r)
    for _ in range(size):
        s, f = pick.integers(1, n + 1), pick.integers(1, m + 1)
        yield np.sort(rows[:s]), np.sort(columns[:f])


def timed(call):
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


def played(computation, **options):
    """What a computation finds in the end."""
    *_, last = drive(computation, **options)
    return last.result


def two_workers(processes):
    """Started before the clock: threads, or processes for models that hold the GIL."""
    if not processes:
        return ThreadPoolExecutor(2)
    from joblib.externals import loky

    return loky.ProcessPoolExecutor(2, env=ONE_THREAD)


def mc():
    train, test, name = census()
    n, m = train.n_rows, len(train.features)
    h = ModelUtility(DecisionTreeClassifier(random_state=0), train, test)
    utilities(h, (3, 2), (0, 0), 0, 12)  # compiles
    scripts = {
        "plain script, encodes in every evaluation": encode_each_time(train, test),
        "plain script, encodes once, slices": encode_once(train, test),
    }
    took, found = {key: [] for key in ("ours", *scripts)}, {key: [] for key in scripts}
    whole = 0, (n + 1) * (m + 1)
    for r in range(TURNS):
        seconds, _ = timed(lambda r=r: utilities(h, (n, m), (0, r), *whole))
        took["ours"].append(seconds / (n * m))
        asked = list(prefixes(r, n, m, PLAIN_PER_TURN))
        for key, script in scripts.items():
            seconds, said = timed(lambda s=script, a=asked: [s(*p) for p in a])
            took[key].append(seconds / len(asked))
            found[key] += [u - h(*p) for u, p in zip(said, asked, strict=True)]
    print(f"\n2D-Shapley-MC, {name}, {n} x {m}, {test.n_rows} test rows, decision tree")
    print(f"{'':44}{'ms each':>10}{'round, s':>10}{'times':>8}{'difference':>12}")
    ours = np.mean(took["ours"])
    print(f"{'cellval, one worker':44}{1e3 * ours:10.3f}{n * m * ours:10.2f}{1:8}")
    for key in scripts:
        each = np.mean(took[key])
        ratio, off = each / ours, np.mean(found[key])
        line = f"{key:44}{1e3 * each:10.3f}{n * m * each:10.2f}{ratio:8.1f}"
        print(f"{line}{off:+12.4f}")
    print(f"{TURNS * PLAIN_PER_TURN} evaluations of each plain script, a random sample")
    print("of the same rounds; the difference is their mean utility minus ours.")


def workers():
    print(
        f"\nTwo workers against one, 4 rounds{'one, s':>16}{'two, s':>10}{'times':>8}"
    )
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    for words, model, n in [
        ("tree, 500 rows (threads)", DecisionTreeClassifier(), N),
        ("logistic, 25 rows (processes)", logistic, 25),
    ]:
        train, test, _ = census(n)
        h = ModelUtility(model, train, test)
        shape = train.n_rows, len(train.features)
        with two_workers(processes=model is logistic) as pool:
            played(Rounds(h, *shape, rounds=2), executor=pool, n_jobs=2)  # starts them
            one, two = [], []
            for _ in range(3):
                rounds = Rounds(h, *shape, rounds=4)
                seconds, alone = timed(lambda r=rounds: played(r))
                one.append(seconds)
                rounds = Rounds(h, *shape, rounds=4)
                seconds, shared = timed(
                    lambda r=rounds, p=pool: played(r, executor=p, n_jobs=2)
                )
                two.append(seconds)
                assert (alone.values == shared.values).all()
        ratio = min(one) / min(two)
        print(f"{words:32}{min(one):16.2f}{min(two):10.2f}{ratio:8.2f}")


def oob():
    table = cellval.read(SAMPLES / "adult_2000.csv", label="income")
    played(OutOfBag(table, n_trees=2))  # compiles
    seconds, alone = timed(lambda: played(OutOfBag(table, n_trees=1000)))
    shape = f"{table.n_rows:,} x {len(table.features)}"
    print(f"\n2D-OOB, {alone.n_draws:,} trees, {shape}, one worker: {seconds:.1f} s")
    with two_workers(processes=False) as pool:
        trees = OutOfBag(table, n_trees=1000)
        seconds, shared = timed(lambda: played(trees, executor=pool, n_jobs=2))
    assert np.array_equal(alone.values, shared.values, equal_nan=True)
    print(f"two workers: {seconds:.1f} s")


if __name__ == "__main__":
    asked = [a for a in sys.argv[1:] if a in PARTS] or PARTS
    for part in asked:
        with printed("games", f"games {part}"):
            globals()[part]()
