"""Values of one row under several contents, against the definition."""

import naive
import numpy as np
import pytest

from cellval.knn.cell_values import Queries, Rows
from cellval.knn.one_row import cells_if_exact, cells_if_sampled, rows_if
from cellval.knn.row_values import make_steps

pytestmark = pytest.mark.uncompiled
K, N, M, TESTS, CONTENTS = 2, 7, 3, 4, 3


WIDTH = 4


@pytest.fixture(params=["classes", "numbers"])
def made(request):
    """Labels of both kinds."""
    return lambda *args, **options: make(*args, **options, labels=request.param)


def make(seed, leave_one_out=False, labels="classes"):
    """The others, then the contents, as kernel arrays; weights without rounding."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 4, (M, N + CONTENTS)).astype(np.float32)
    cells[0, rng.random(N + CONTENTS) < 0.2] = np.nan
    rows = Rows(
        cells,
        np.full(M, 0.5, np.float32),
        np.arange(M) == 1,
        label(rng, N + CONTENTS, labels),
        np.repeat([1, 0], [N, CONTENTS]),
    )
    if leave_one_out:
        at, own = cells[:, :TESTS].T, np.arange(TESTS)
        y = rows.y[:TESTS]
    else:
        at = rng.integers(0, 4, (TESTS, M)).astype(np.float32)
        y, own = label(rng, TESTS, labels), np.full(TESTS, -1)
    once = np.ones(TESTS, np.int64)
    tests = Queries(np.ascontiguousarray(at), y, own, once, np.ones(TESTS))
    return rows, tests


def label(rng, n, labels):
    """Classes, or numbers in units of the width."""
    if labels == "numbers":
        return rng.integers(0, 8, n) / WIDTH
    return rng.integers(0, 2, n).astype(np.int32)


def game_of(rows, tests, t, q, near=0, baseline="zero"):
    """The game of a test point in which the q-th content is the last row."""

    def plain(cells):
        return [None if np.isnan(c) else float(c) for c in cells]

    there = [*range(N), N + q]
    columns = [
        ("category" if rows.is_category[j] else "number", 0.5, plain(rows.cells[j]))
        for j in range(M)
    ]
    columns = [(kind, w, [cells[i] for i in there]) for kind, w, cells in columns]
    own = None if tests.own[t] < 0 else int(tests.own[t])
    labels, own_label = rows.y[there].tolist(), tests.y[t].item()
    width = 1 if isinstance(own_label, float) else None
    at = plain(tests.cells[t])
    return naive.Game(columns, labels, at, own_label, K, baseline, own, near, width)


OPTIONS = [(0, False), (0, True), (3, False), (3, True), (50, False)]


@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize(("near", "chance"), OPTIONS)
def test_row_values_are_those_of_the_row_in_place(made, near, chance, leave_one_out):
    rows, tests = made(0, leave_one_out)
    out = np.empty((TESTS, CONTENTS))
    rows_if(rows, N, tests, near, chance, make_steps(N + 1, K), out)
    baseline = "chance" if chance else "zero"
    for t, q in np.ndindex(TESTS, CONTENTS):
        game = game_of(rows, tests, t, q, near, baseline)
        ref = naive.phi(game, tuple(range(M)))[N] - naive.phi(game, ())[N]
        assert out[t, q] == pytest.approx(float(ref), abs=1e-12)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize(("near", "chance"), OPTIONS)
def test_exact_cells_are_those_of_the_definition(made, near, chance, relative):
    rows, tests = made(1)
    out = np.empty((TESTS, CONTENTS, M))
    fixed = relative, near, chance, make_steps(N + 1, K)
    cells_if_exact(rows, N, tests, *fixed, out)
    ref = np.empty(out.shape)
    baseline = "chance" if chance else "zero"
    for t, q in np.ndindex(TESTS, CONTENTS):
        game = game_of(rows, tests, t, q, near, baseline)
        ref[t, q] = [float(c) for c in naive.cell_values_by_columns(game, M)[N]]
    if relative:  # up to what is the same for all contents
        out, ref = np.diff(out, axis=1), np.diff(ref, axis=1)
    np.testing.assert_allclose(out, ref, rtol=0, atol=1e-12)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("near", [0, 3])
def test_sampled_cells_are_the_mean_over_the_given_orders(made, near, relative):
    rows, tests = made(2, leave_one_out=True)
    rng = np.random.default_rng(3)
    orders = np.array([[rng.permutation(M) for _ in range(2)] for _ in range(TESTS)])
    out = np.empty((TESTS, CONTENTS, M))
    fixed = relative, near, False, make_steps(N + 1, K)
    cells_if_sampled(rows, N, tests, orders, *fixed, out)
    ref = np.empty(out.shape)
    for t, q in np.ndindex(TESTS, CONTENTS):
        game = game_of(rows, tests, t, q, near)
        both = [tuple(o) for o in orders[t].tolist()]
        both += [order[::-1] for order in both]
        ref[t, q] = [float(c) for c in naive.cell_values_by_orders(game, both)[N]]
    if relative:
        out, ref = np.diff(out, axis=1), np.diff(ref, axis=1)
    np.testing.assert_allclose(out, ref, rtol=0, atol=1e-12)


def test_alike_contents_do_not_differ(made):
    rows, tests = made(4)
    rows.cells[:, N:] = rows.cells[:, [N]]
    rows.y[N:] = rows.y[N]
    out = np.empty((TESTS, CONTENTS, M))
    cells_if_exact(rows, N, tests, True, 0, False, make_steps(N + 1, K), out)
    np.testing.assert_array_equal(out[:, 0], out[:, 1])
