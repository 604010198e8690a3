"""Small tables for the tests, with the naive games that belong to them."""

import naive
import numpy as np
import pandas as pd

from cellval.table.columns import Column
from cellval.table.encoding import encode
from cellval.table.table import Table

NO_ARRAYS = np.zeros(0)


def column(name, kind, cells):
    """A feature column from numbers, or codes of categories; None is missing."""
    missing = np.array([c is None for c in cells])
    if kind == "number":
        numbers = np.array([np.nan if c is None else c for c in cells], float)
        return Column(name, kind, "", missing, numbers=numbers)
    codes = np.array([-1 if c is None else c for c in cells], np.int32)
    categories = tuple("abcdefgh")
    return Column(name, kind, "", missing, codes=codes, categories=categories)


def make_table(columns, y, name="table", classes=("no", "yes", "maybe")):
    """A Table without the checks of read: one row or one class are allowed."""
    y = np.array(y, np.int32)
    made = tuple(
        column(f"c{j}", kind, cells) for j, (kind, cells) in enumerate(columns)
    )
    text = {
        f"c{j}": ["" if c is None else str(c) for c in cells]
        for j, (_, cells) in enumerate(columns)
    }
    text["label"] = [classes[k] for k in y]
    return Table(
        name=name,
        cells=pd.DataFrame(text, dtype=str),
        columns=made,
        label="label",
        classes=classes,
        y=y,
        row_numbers=np.arange(1, y.size + 1),
        id_column=None,
        notes=(),
        format=None,
    )


def random_columns(rng, n, kinds, levels=3, missing=0.0):
    columns = []
    for kind in kinds:
        cells = [int(v) for v in rng.integers(0, levels, n)]
        if kind == "decimal":
            kind, cells = "number", [round(float(v), 1) for v in rng.normal(size=n)]
        columns.append((kind, [None if rng.random() < missing else c for c in cells]))
    return columns


def random_table(seed, n, kinds, n_classes=2, levels=3, missing=0.0, name="table"):
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, n, kinds, levels, missing)
    return make_table(columns, rng.integers(0, n_classes, n), name)


def naive_games(table, k, test=None, baseline="zero", near=0):
    """One naive game per test point, on the distances that `encode` defines."""
    train, seen = encode(table), encode(test or table, like=table)
    kinds = ["category" if c else "number" for c in train.is_category]

    def plain(cells):
        return [None if np.isnan(c) else float(c) for c in cells]

    columns = [
        (kind, float(w), plain(cells))
        for kind, w, cells in zip(kinds, train.weight, train.cells, strict=True)
    ]
    return [
        naive.Game(
            columns,
            train.y.tolist(),
            plain(seen.cells[:, t]),
            seen.y[t] if seen.y[t] >= 0 else "unseen",
            k,
            baseline,
            own=t if test is None else None,
            near=near,
        )
        for t in range(seen.y.size)
    ]


def naive_values(table, k, test=None, baseline="zero", weights=None, near=0):
    games = naive_games(table, k, test, baseline, near)
    shape = (table.n_rows, len(table.features))
    return np.array(naive.cell_values(games, *shape, weights)).reshape(shape)
