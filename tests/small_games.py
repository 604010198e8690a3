"""Small games, and groups of their players."""

import numpy as np
import pandas as pd

import cellval
from cellval.games.blocks import BlockGame
from cellval.games.exact import AllSubsets, values_of
from cellval.games.groups import ROUNDS, Groups
from cellval.games.montecarlo import Rounds
from cellval.parallel import Budget, drive
from cellval.table.table import Table
from cellval.weights import shapley


class Random:
    """A game with random utilities, nothing without rows or columns."""

    def __init__(self, seed, n, m, dummy_row=None, twins=()):
        self.table = np.random.default_rng(seed).normal(size=(2**n, 2**m))
        self.dummy_row, self.twins = dummy_row, twins

    def __call__(self, rows, columns):
        if len(rows) == 0 or len(columns) == 0:
            return 0.0
        rows = [r for r in rows if r != self.dummy_row]
        if not rows:
            return 0.0
        if self.twins and len(set(rows) & set(self.twins)) == 1:
            rows = [self.twins[0] if r in self.twins else r for r in rows]
        index = sum(1 << int(r) for r in rows), sum(1 << int(c) for c in columns)
        return float(self.table[index])


class Twins:
    """Of 5 x 4 players; row 0 and row 1 are alike, and column 0 is worth nothing."""

    n_rows, n_columns = 5, 4

    def __init__(self, seed):
        draw = np.random.default_rng(seed)
        self.worth = draw.normal(size=(2**self.n_rows, 2**self.n_columns))
        self.worth[0], self.worth[:, 0] = 0, 0

    def __call__(self, rows, columns):
        rows, columns = set(map(int, rows)), set(map(int, columns)) - {0}
        if 1 in rows and 0 not in rows:
            rows = rows - {1} | {0}
        s, f = (sum(1 << k for k in players) for players in (rows, columns))
        return float(self.worth[s, f])

    @classmethod
    def table(cls):
        """Of as many rows and columns."""
        draw = np.random.default_rng(0)
        names = [f"x{j}" for j in range(cls.n_columns)]
        cells = {name: draw.normal(size=cls.n_rows).round(3) for name in names}
        return Table.from_frame(pd.DataFrame({**cells, "y": list("ababa")}), label="y")


class Additive:
    """A game in which every cell adds its own number."""

    def __init__(self, n, m, seed=0):
        self.cells = np.random.default_rng(seed).normal(size=(n, m))

    def __call__(self, rows, columns):
        return float(self.cells[np.ix_(rows, columns)].sum())


class Crowded(Additive):
    """The same with a bound: the more there is, the less a cell adds."""

    def __call__(self, rows, columns):
        if len(rows) == 0 or len(columns) == 0:
            return 0.0
        return float(np.tanh(np.abs(self.cells[np.ix_(rows, columns)]).sum() / 4))


class Hidden:
    """A utility that is not known to be KNN's; with its guess, or without."""

    def __init__(self, h, with_guess=True):
        self.h = h
        if with_guess:
            self.guess = h.guess

    def __call__(self, rows, columns):
        return self.h(rows, columns)


def groups(*of):
    return Groups(tuple("abcdefghijklmnopqrstuvwxyz"[: max(of) + 1]), np.array(of))


ROWS, COLUMNS = groups(0, 1, 1, 0, 2, 1), groups(1, 0, 0, 1)


def last(snapshots):
    """The result at the end."""
    *_, snapshot = snapshots
    return snapshot.result


def exact_values(h, n, m, *weights):
    """Of all pairs of subsets, with weights of rows and of columns."""
    return values_of(last(drive(AllSubsets(h, n, m))), *weights)


def rounds_of(h, n, m, rounds=100, target=None, **options):
    """The estimate of some random orders."""
    where = {k: options.pop(k) for k in ("n_jobs", "executor") if k in options}
    options.setdefault("weights", (shapley, shapley))
    run = Rounds(h, n, m, rounds, **options)
    return last(drive(run, budget=Budget(stderr=target), **where))


def blocks_of(h, rows, columns, *, method="auto", rounds=ROUNDS, **options):
    """The values of all blocks of a game."""
    game = BlockGame.of(h, rows, columns, method=method, rounds=rounds)
    return last(game.play(**options))


def by_function(method, table, h, **options):
    """Cell values of a table by a utility of one's own."""
    if method == "mc":
        options["rounds"] = 300
    return cellval.value_cells(table, method=method, model=h, **options)
