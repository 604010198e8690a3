"""Cells that copies of their row confirm.

Errors are made one by one: a slip in one of four rows that were the same leaves three
that still are. So where rows that agree in everything else agree in this cell, too, it
is not odd, however rare what it holds: a short state of a machine that was recorded
several times. Where every row stands there three times, copies say nothing: whoever
copied the rows copied their errors as well.
"""

import numpy as np
import pandas as pd

from cellval.kept import kept
from cellval.table.table import Table, texts_of

FEWEST = 3  # times a row is there: a file that was appended to itself has each twice


@kept(1)
def confirmed(table: Table) -> np.ndarray:
    """Does each cell hold what at least half of the rows that are the same in all other
    columns hold, and are these at least `FEWEST` times as many as usual? Of shape
    (n_rows, n_columns).

    A row is known by the sum of a random number for each of its texts, so that it is
    known without one of its columns, too.
    """
    draw = np.random.default_rng(0)
    names = [*table.feature_names, *([table.label] if table.label else [])]
    marks = np.zeros((len(names), table.n_rows), np.uint64)
    for mark, name in zip(marks, names, strict=True):
        texts = texts_of(table)[name]
        number = draw.integers(0, 2**63, len(texts.arrow), np.uint64)
        mark[:] = number[texts.index]
    whole = marks.sum(axis=0, dtype=np.uint64)
    alike = _how_many(whole)
    rows = np.flatnonzero(alike >= FEWEST * _usual(whole))
    answer = np.zeros((table.n_rows, len(table.feature_names)), bool)
    for j in range(answer.shape[1] if rows.size else 0):
        answer[rows, j] = 2 * alike[rows] >= _how_many(whole - marks[j])[rows]
    return answer


def _how_many(marks: np.ndarray) -> np.ndarray:
    """How many rows have the same mark, of each row."""
    codes, found = pd.factorize(marks)
    return np.asarray(np.bincount(codes, minlength=len(found))[codes])


def _usual(marks: np.ndarray) -> float:
    """How many rows that follow each other are usually the same."""
    begins = np.flatnonzero(np.append(True, marks[1:] != marks[:-1]))
    return float(np.median(np.diff(np.append(begins, marks.size))))
