"""Tables for the finders that look at rows: people with an address, and odd tables."""

import numpy as np
import pandas as pd

import cellval

FIRST = ["John", "Mary", "Anna", "Paul", "Ruth", "Carl"]
LAST = ["Smith", "Brown", "Jones", "Miller", "Weber", "Klein"]
CITIES = {"Boston": "MA", "Chicago": "IL", "Denver": "CO", "Austin": "TX"}


def people(n=200, seed=0):
    """Names, a date, a city with its state, and numbers of different sizes."""
    rng = np.random.default_rng(seed)
    city = rng.choice([*CITIES], n)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    return pd.DataFrame(
        {
            "first": rng.choice(FIRST, n),
            "last": rng.choice(LAST, n),
            "born": days.strftime("%Y-%m-%d"),
            "city": city,
            "state": [CITIES[name] for name in city],
            "lat": rng.uniform(30, 45, n).round(3),
            "lon": rng.uniform(-120, -70, n).round(3),
            "income": rng.integers(20_000, 90_000, n),
        }
    ).astype(str)


def read(frame, **how):
    if len(frame) == 1:  # in which all columns are constant, unless told otherwise
        how = {"kinds": {"lat": "number", "city": "category"}} | how
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def odd_tables():
    """In which no finder finds anything, nor fails."""
    rng = np.random.default_rng(1)
    numbers = pd.DataFrame(rng.normal(size=(80, 6)).round(4), columns=[*"abcdef"])
    texts = people()[["first", "last", "city", "state"]]
    gaps = numbers.assign(a="", b="")
    same = pd.DataFrame({"x": ["1", "2"] * 40, "y": "same", "z": "7"})
    return {
        "one row": people(1),
        "two rows": people(2),
        "one column": numbers[["a"]],
        "numbers": numbers,
        "texts": texts,
        "blank columns": gaps,
        "constant columns": same,
        "huge numbers": numbers.assign(a=numbers["a"] * 1e300, b=1e-300),
        "people": people(),
    }


def cells_of(found):
    return {(int(i), name) for i, name in zip(found.rows, found.columns, strict=True)}


def after_of(found):
    cells = zip(found.rows.tolist(), found.columns, found.after, strict=True)
    return {(i, name): text for i, name, text in cells}
