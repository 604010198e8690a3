"""Compile or load the kernels before somebody waits for them."""

import threading
from typing import Any

import pandas as pd

from cellval.detect.surprise import surprise
from cellval.jobs.background import report
from cellval.knn.engine import WARM_UP_COLUMNS, WARM_UPS
from cellval.table.table import Table
from cellval.valuation import iter_values
from cellval.values.result import CellValues
from cellval.views.table_view import nearest
from cellval.whatif.questions import what_if

_warming = threading.Lock()
_warm: threading.Thread | None = None


def warm_up() -> threading.Thread:
    """Compile or load the kernels in a thread, once per process."""
    global _warm
    with _warming:
        if _warm is None:
            _warm = threading.Thread(target=_compile_all, name="warm-up", daemon=True)
            _warm.start()
        return _warm


def is_warm() -> bool:
    """Are all kernels compiled or loaded, so that nobody waits for them?"""
    return _warm is not None and not _warm.is_alive()


def _compile_all() -> None:
    """Small tables of classes first: whoever tries a sample waits for them only."""
    try:
        for kind in ("category", "number"):
            _compile(kind)
    except Exception:  # the first run will say what is wrong
        report("warming up failed")


def _compile(kind: str) -> None:
    """All that is asked of a table whose label is classes, or a number."""
    for n_rows, options in WARM_UPS:
        cells = [i % 5 for i in range(n_rows)]
        frame = pd.DataFrame({f"x{j}": cells for j in range(WARM_UP_COLUMNS)})
        frame["y"] = [i % 2 for i in range(n_rows)]
        table = Table.from_frame(frame, label="y", kinds={"y": kind})
        test = Table.from_frame(frame.head(2), like=table)
        exact, *sampled = options
        _values(table, test, **exact)
        surprise(table)  # what comes after the values of a small table
        for chosen in sampled:
            _values(table, test, **chosen)
    nearest(table, 0, 2)
    values = _values(table, test, near=2)  # all subsets with a near field, too
    for work in (1.0, 0.0):  # exact, sampled
        what_if(table, values, 1, {"x0": "3"}, test=test, seconds=work)


def _values(table: Table, test: Table, **options: Any) -> CellValues:
    *_, last = iter_values(table, test=test, n_neighbors=1, n_jobs=1, **options)
    return last.result
