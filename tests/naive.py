"""The definitions, in plain Python, from the paper. Imports nothing of cellval.

A *game* here is the KNN utility of one test point:

    columns  list of (kind, weight, cells), kind "number" or "category"; None is missing
    labels   label of each row
    point    its cell in every column
    label    its label

h(S, F) is the expected agreement of its K nearest rows of S, seen through the columns
F, with its label (their sum over K) when rows at the same distance are ordered at
random. Classes agree or not, 1 or 0; numbers by how close they are.
"""

from fractions import Fraction
from itertools import combinations, pairwise
from math import factorial


def distance(columns, row, point, subset):
    total = Fraction(0)
    for j in subset:
        kind, weight, cells = columns[j]
        a, b = cells[row], point[j]
        if a is None or b is None:
            total += (a is None) != (b is None)
        elif kind == "category":
            total += Fraction(weight) if a != b else 0
        else:
            total += Fraction(weight) * (Fraction(a) - Fraction(b)) ** 2
    return total


def coarse(distances, near):
    """Distances with rows beyond the `near` nearest (and their ties) equally far."""
    if not near or near >= len(distances):
        return distances
    reach = sorted(distances.values())[near - 1]
    far = max(distances.values()) + 1
    return {i: d if d <= reach else far for i, d in distances.items()}


def agreement(y, label, width=None):
    """Of two classes, or of two numbers that are at most a width apart."""
    if width is None:
        return int(y == label)
    gap = abs(Fraction(y) - Fraction(label)) / Fraction(width)
    return max(Fraction(0), 1 - gap)


def expected_hits(distances, matches, k):
    """Expected sum of the agreement of the k nearest, ties at random."""
    hits, room = Fraction(0), k
    for d in sorted(set(distances.values())):
        group = [i for i, other in distances.items() if other == d]
        taken = min(room, len(group))
        hits += Fraction(sum(matches[i] for i in group)) * taken / len(group)
        room -= taken
        if room == 0:
            break
    return hits


class Game:
    def __init__(
        self,
        columns,
        labels,
        point,
        label,
        k,
        baseline="zero",
        own=None,
        near=0,
        width=None,
    ):
        self.columns, self.point, self.k = columns, point, k
        self.rows = [i for i in range(len(labels)) if i != own]
        self.matches = [agreement(y, label, width) for y in labels]
        self.baseline, self.near = baseline, near
        self.memory = {}

    def distances(self, subset):
        if subset not in self.memory:
            everyone = {
                i: distance(self.columns, i, self.point, subset) for i in self.rows
            }
            self.memory[subset] = coarse(everyone, self.near)
        return self.memory[subset]

    def h(self, rows, subset):
        if not rows or (not subset and self.baseline == "zero"):
            return Fraction(0)
        distances = self.distances(subset)
        mine = {i: distances[i] for i in rows}
        return expected_hits(mine, self.matches, self.k) / self.k


def subsets(things):
    for size in range(len(things) + 1):
        yield from combinations(things, size)


def weight(size, n):
    return Fraction(factorial(size) * factorial(n - size - 1), factorial(n))


def shapley(value, players):
    """Shapley values of a game `value(tuple of players)`, by definition."""
    known = {s: value(s) for s in subsets(players)}
    n = len(players)
    return {
        p: sum(
            weight(len(s), n) * (known[tuple(sorted((*s, p)))] - known[s])
            for s in subsets([q for q in players if q != p])
        )
        for p in players
    }


def banzhaf_weight(size, n):
    return Fraction(1, 2 ** (n - 1))


def beta_weight(a, b):
    """Beta(a, b) for whole a and b: B(size + b, n - size - 1 + a) / B(a, b)."""

    def B(x, y):
        return Fraction(factorial(x - 1) * factorial(y - 1), factorial(x + y - 1))

    return lambda size, n: B(size + b, n - size - 1 + a) / B(a, b)


def cell_values_of(h, n_rows, n_columns, row_weight=weight, column_weight=weight):
    """psi of any 2D game h(rows, columns), by the representation theorem."""
    rows, columns = list(range(n_rows)), list(range(n_columns))
    known = {(s, f): h(s, f) for s in subsets(rows) for f in subsets(columns)}
    psi = [[Fraction(0)] * n_columns for _ in rows]
    for i in rows:
        for j in columns:
            for s in subsets([r for r in rows if r != i]):
                for f in subsets([c for c in columns if c != j]):
                    si, fj = tuple(sorted((*s, i))), tuple(sorted((*f, j)))
                    gain = known[si, fj] + known[s, f] - known[si, f] - known[s, fj]
                    gain *= row_weight(len(s), n_rows) * column_weight(
                        len(f), n_columns
                    )
                    psi[i][j] += gain
    return psi


def cell_values(games, n_rows, n_columns, weights=None):
    """Mean over test points of each one's psi; a left-out row gets 0 from its own."""
    weights = weights or [1] * len(games)
    total = [[Fraction(0)] * n_columns for _ in range(n_rows)]
    for game, w in zip(games, weights, strict=True):
        rows = game.rows

        def h(s, f, game=game, rows=rows):
            return game.h(tuple(rows[i] for i in s), f)

        for i, cells in zip(rows, cell_values_of(h, len(rows), n_columns), strict=True):
            for j, value in enumerate(cells):
                total[i][j] += Fraction(w) * value
    return [[float(value / len(games)) for value in row] for row in total]


def row_values(distances, matches, k):
    """1D values with ties averaged, from the closed form, one group after another.

    `distances` maps rows to distances. Checked against `shapley` in the tests; it
    reaches sizes that the definition does not.
    """

    def g(p):
        return Fraction(1, max(p, k))

    def w(p):
        return Fraction(0) if p <= k else Fraction(1, p * (p - 1))

    values, tail, b = {}, Fraction(0), len(distances)
    for d in sorted(set(distances.values()), reverse=True):
        group = [i for i, other in distances.items() if other == d]
        size, hits = len(group), sum(Fraction(matches[i]) for i in group)
        a = b - size
        positions = range(a + 1, b + 1)
        gain = sum(map(g, positions)) / size
        later = sum(sum(w(q) for q in range(p + 1, b + 1)) for p in positions) / size
        for i in group:
            others = hits - matches[i]
            taken = later * others / (size - 1) if size > 1 else 0
            values[i] = matches[i] * gain - taken - tail
        tail += hits / size * sum(map(w, positions))
        b = a
    return values


def phi(game, subset):
    if not subset and game.baseline == "zero":
        return dict.fromkeys(game.rows, Fraction(0))
    return row_values(game.distances(tuple(sorted(subset))), game.matches, game.k)


def cell_values_by_columns(game, n_columns):
    """psi of one test point from row values: the m-player game with a vector payoff."""
    columns = list(range(n_columns))
    known = {f: phi(game, f) for f in subsets(columns)}
    return {
        i: [
            sum(
                weight(len(f), n_columns)
                * (known[tuple(sorted((*f, j)))][i] - known[f][i])
                for f in subsets([c for c in columns if c != j])
            )
            for j in columns
        ]
        for i in game.rows
    }


def cell_values_by_orders(game, orders):
    """psi of one test point averaged over the given orders of the columns."""
    total = {i: [Fraction(0)] * len(orders[0]) for i in game.rows}
    for order in orders:
        before = phi(game, ())
        for p, j in enumerate(order):
            after = phi(game, order[: p + 1])
            for i in game.rows:
                total[i][j] += (after[i] - before[i]) / len(orders)
            before = after
    return total


def cell_values_with_ends(game, orders):
    """The same with first and last positions averaged over all columns, rest spread."""
    m = len(orders[0])
    columns = range(m)
    empty, whole = phi(game, ()), phi(game, tuple(columns))
    total = {i: [Fraction(0)] * m for i in game.rows}
    for j in columns:
        first = phi(game, (j,))
        last = phi(game, tuple(c for c in columns if c != j))
        for i in game.rows:
            total[i][j] += (first[i] - empty[i] + whole[i] - last[i]) / m
    for order in orders:
        before = phi(game, order[:1])
        for p in range(1, m - 1):
            after = phi(game, order[: p + 1])
            for i in game.rows:
                total[i][order[p]] += (after[i] - before[i]) / len(orders)
            before = after
    for i in game.rows:
        rest = whole[i] - empty[i] - sum(total[i])
        total[i] = [value + rest / m for value in total[i]]
    return total


# --- suspicion ------------------------------------------------------------------------


def nearest(columns, kinds, weights, importance, row, order, k, farthest=16):
    """The k rows nearest to a row; of equally near ones, those first in `order`.

    columns   cells of each column, None for missing
    kinds     "number" or "category" for each
    importance  of each column; 0 leaves it out
    """

    def apart(j, other):
        a, b = columns[j][row], columns[j][other]
        if a is None or b is None:
            return Fraction((a is None) != (b is None))
        if kinds[j] == "category":
            return Fraction(weights[j]) if a != b else Fraction(0)
        return min(
            Fraction(weights[j]) * (Fraction(a) - Fraction(b)) ** 2, Fraction(farthest)
        )

    def total(other):
        parts = range(len(columns))
        return sum(
            (Fraction(importance[j]) * apart(j, other) for j in parts if importance[j]),
            Fraction(0),
        )

    others = [i for i in order if i != row]
    return sorted(others, key=total)[:k]


def middle(numbers):
    """The median of those that are not None; None if there are none."""
    known = sorted(x for x in numbers if x is not None)
    if not known:
        return None
    half = len(known) // 2
    if len(known) % 2:
        return known[half]
    return (known[half - 1] + known[half]) / 2


def category_tail(own, near, column, in_class):
    """How probable a category at most as common as `own` is among the neighbours, with
    the row's class as one neighbour more (and the whole column as one cell more of it).
    """
    near, column, in_class = (
        [c for c in cells if c is not None] for cells in (near, column, in_class)
    )
    if own is None or not near:
        return None

    def likely(c):
        everyone = Fraction(column.count(c), len(column))
        share = (in_class.count(c) + everyone) / (len(in_class) + 1)
        return (near.count(c) + share) / (len(near) + 1)

    return sum(likely(c) for c in set(column) if likely(c) <= likely(own))


def n_to_flag(suspicion, false_alarms, e):
    """Benjamini and Hochberg: the largest k whose k-th lowest is low enough."""
    ordered = sorted(suspicion)
    n, best = len(ordered), 0
    for k, s in enumerate(ordered, 1):
        if e * s <= false_alarms * k / n:
            best = k
    return best


def tree_predictions(
    rows, labels, points, max_depth=None, min_split=2, min_leaf=1, apart=1e-7
):
    """What a decision tree (CART, Gini) trained on `rows` says of each of `points`.

    Rows are lists of numbers, a label each. A node is split where the impurity of its
    two sides is least; of equally good splits the first column, then the lowest cut.
    Cuts are halfway between neighbouring numbers, if these are `apart`. A leaf says its
    commonest label, the lowest of equally common ones.
    """

    def purity(side):
        counts = [side.count(label) for label in set(side)]
        return sum(count * count for count in counts) / len(side)

    def best_split(inside):
        best, found = None, None
        for j in range(len(rows[0])):
            numbers = sorted(rows[i][j] for i in inside)
            for a, b in pairwise(numbers):
                if not b > a + apart:
                    continue
                cut = (a + b) / 2
                left = [i for i in inside if rows[i][j] <= cut]
                right = [i for i in inside if rows[i][j] > cut]
                if min(len(left), len(right)) < min_leaf:
                    continue
                gain = purity([labels[i] for i in left])
                gain += purity([labels[i] for i in right])
                if best is None or gain > best:
                    best, found = gain, (j, cut, left, right)
        return found

    def say(inside, asked, depth, said):
        own = [labels[i] for i in inside]
        end = len(set(own)) == 1 or len(own) < min_split or depth == max_depth
        split = None if end else best_split(inside)
        if split is None:
            for p in asked:
                said[p] = max(sorted(set(own)), key=own.count)
            return said
        j, cut, left, right = split
        say(left, [p for p in asked if points[p][j] <= cut], depth + 1, said)
        say(right, [p for p in asked if points[p][j] > cut], depth + 1, said)
        return said

    said = say(range(len(rows)), range(len(points)), 0, {})
    return [said[p] for p in range(len(points))]
