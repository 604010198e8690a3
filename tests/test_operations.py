"""What is done is not more than it was: operations are counted, not timed.

`python tests/test_operations.py --write` writes `operations.json` anew, where more work
is meant to be done; less is written, too, so that it stays less.
"""

import json
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from unittest import mock

import pytest

import cellval
from cellval.detect.findings import all_findings
from cellval.detect.neighbours import NeighbourIndex
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.jobs.expected import estimate
from cellval.knn import engine
from cellval.knn.plan import ALL, evaluations
from cellval.project.project import Project
from cellval.project.source import Source
from cellval.repairs import measure
from cellval.values.options import RunOptions

FILE = Path(__file__).with_name("operations.json")
SAMPLES = Path(__file__).parents[1] / "sample_data"
ROWS = 150  # of a sample, at most
MORE = 1.02  # that many times as much is too much


def read(name):
    lines = (SAMPLES / f"{name}.csv").read_bytes().splitlines(keepends=True)
    return cellval.read(b"".join(lines[: ROWS + 1]))


@contextmanager
def counting(place, name, weigh):
    """Counts what calls of a function weigh."""
    counted, function, one_by_one = [0], getattr(place, name), Lock()

    def call(*args, **kwargs):
        with one_by_one:
            counted[0] += weigh(*args, **kwargs)
        return function(*args, **kwargs)

    with mock.patch.object(place, name, call):
        yield counted


def of_item(rows, tests, orders, *rest):
    """Rows x column subsets x test points."""
    m, n = rows.cells.shape
    n_pairs = ALL if orders is None else orders.shape[1]
    return n * evaluations(m, n_pairs) * tests.y.size


def of_values(name):
    with counting(engine, "run_item", of_item) as counted:
        cellval.value_cells(read(name))
    return counted[0]


def of_estimate(name):
    """The Data page does that whenever something is chosen."""
    with counting(engine, "run_item", of_item) as counted:
        estimate(read(name), RunOptions(), timed=True)
    return counted[0]


def of_findings(name):
    """Rows x rows that are compared to find odd cells, for each column asked about."""
    table = read(name)

    def compared(index, cells, rows, *rest):
        return rows.size * index.known.size * len(index.asked)

    with counting(NeighbourIndex, "neighbours", compared) as counted:
        all_findings(make_suspicion(table, None, surprise(table)))
    return counted[0]


def of_measuring():
    """Models that are trained to compare a table before and after a repair."""
    table = read("davis")
    fixed = cellval.repair(table, {(12, "weight"): "57", (12, "height"): "166"})

    with counting(measure, "said_by", lambda *args: 1) as counted:
        cellval.compare_models(table, fixed, repeats=2)
    return counted[0]


def of_deciding():
    """Statements to the project's database, for ten decisions and an undo."""
    said = []
    with tempfile.TemporaryDirectory() as folder:
        source = Source.of("some.csv", b"a,y\n" + b"1,x\n2,z\n" * 9)
        with closing(Project.create(Path(folder), source, None)) as project:
            project._database.set_trace_callback(said.append)
            for row in range(1, 11):
                project.work.decide(row, "a", "error")
            project.work.undo_step()
            project._database.set_trace_callback(None)
    return len(said)


SMALL = ("davis", "breast_cancer", "ugly", "diamonds")
PARTS = (
    {f"values: {name}": (of_values, name) for name in SMALL}
    | {f"findings: {name}": (of_findings, name) for name in SMALL}
    # of many columns, whose whole runs take long; their estimates once did, too
    | {f"estimate: {n}": (of_estimate, n) for n in (*SMALL, "wine", "adult_2000")}
    | {"measuring": (of_measuring,), "deciding": (of_deciding,)}
)


def count(part):
    function, *name = PARTS[part]
    return function(*name)


@pytest.mark.parametrize("part", PARTS)
def test_no_more_is_done_than_was(part):
    known = json.loads(FILE.read_text())[part]
    assert 0 < known / MORE <= count(part) <= known * MORE


if __name__ == "__main__" and "--write" in sys.argv:
    FILE.write_text(json.dumps({part: count(part) for part in PARTS}, indent=1) + "\n")
