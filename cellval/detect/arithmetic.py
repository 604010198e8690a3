"""Columns that can be reckoned from others: multiples, sums and products.

Where nearly all rows say that total = price x quantity, up to the printed digits, the
few that say otherwise hold an error. A rule is kept only if it breaks far less often
than with one of its columns shuffled, or with one of its columns taken as the same in
all rows (or else a simpler rule is all there is), if many different numbers follow it,
and if those who break it do not miss it by a hair, as what is only near does.

Which cell of a row is wrong is told by the other rules that hold in the row, by what
the rule would put in its place (which must be a number of that column, and is best a
slip of the fingers away), or else it is the column that the rule settles.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from cellval.detect.digits import Numbers, is_slip_of_digits, numbers_in
from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.readings import UNITS
from cellval.detect.rule import Rule
from cellval.detect.rules import MOST_JUDGED, OF_CHANCE, SURE
from cellval.kept import kept
from cellval.stats import median
from cellval.table.table import Table
from cellval.text import content, counted, full

MOST_COLUMNS = 60  # that are looked at
FIRST = 2_000  # rows, of which those are taken at first that hold most numbers:
TRIED = 200  # rows in which all rules are tried at first,
PROMISING = 0.7  # of which hold where a rule is worth a second look,
FEWEST_TRIED = 8  # and at least so many of them
MOST_TRIED = 300  # rules that get a second look
FEWEST = 25  # rows that a rule is judged from, at least
BROKEN = 0.15  # of them, at most
NOT_MEANT = 0.5  # of rows with zeros break a rule that somebody holds to be true
DIFFERENT = 20  # combinations of numbers that follow it, at least,
ODD_ONES = 0.5  # and of others at most so many times as many
VARIED = 5  # numbers in each column, at least
HAIR = 3.0  # tolerances: who misses by less may be near by nature,
OF_HAIR = 0.5  # and so are at most so many of the exceptions
FINE = 0.02  # of the spread of a column is what a rounded rule may be off, at most
ROUND_OFF = 1e-9  # of the numbers, where reckoning is exact,
PRINTED = 1e-6  # and where they are rounded
SAME = 0.5  # of the exceptions off by the same amount: a rule of their own
OWN_RULE = 0.4  # sure at most, then
UNDECIDED = 0.45  # of the cells are wrong where nothing tells which of a row it is
# How sure a broken rule is, by the share of rows that break it.
SURE_AT = ((0.02, 0.95), (0.05, 0.85), (0.1, 0.6), (1.0, 0.4))
ALL_BUT = 0.99  # of the rows follow a line with plainer numbers,
MOST_PLAIN = 8  # digits that these have, at most
KNOWN = 1e-3  # off at most is a line from the factor between two units that is meant
BEYOND = 0.1  # of its range: so far off may be what a cell should hold
ROUNDED = 0.8  # times as sure, if the rule is not exact


@kept(1)
def arithmetic(table: Table) -> tuple[Finding, ...]:
    """One finding for each rule that a few rows break.

    There is another one for the rows in which any of several cells may be wrong.
    """
    columns = numbers_in(table)[:MOST_COLUMNS]
    rules = _rules(columns, table.n_rows)
    if not any(rule.broken.size for rule in rules):
        return ()
    taken: set[tuple[int, str]] = set()
    found = []
    for rule in sorted(rules, key=lambda rule: (rule.share, len(rule.form.places))):
        cells = _cells(table, columns, rule, rules)
        cells = [cell for cell in cells if (cell.row, cell.name) not in taken]
        taken.update((cell.row, cell.name) for cell in cells)
        for is_decided in (True, False):
            some = [cell for cell in cells if cell.is_decided == is_decided]
            if some:
                found.append(_finding(table, columns, rule, some, is_decided))
    return tuple(found)


# --- what columns may have to do with each other --------------------------------------


@dataclass(frozen=True)
class _Form:
    """How one column, the last of `places`, follows from the others.

    line: t = factor * a + offset; sum: t = a + b; product: t = a * b.
    """

    kind: str
    places: tuple[int, ...]
    factor: float = 1.0
    offset: float = 0.0

    def said(self, x: list[np.ndarray], s: int) -> np.ndarray:
        """What the others say of the s-th column."""
        t = x[-1]
        with np.errstate(all="ignore"):
            if self.kind == "line":
                if s == 1:
                    return x[0] * self.factor + self.offset
                return (t - self.offset) / self.factor
            if s == 2:
                return x[0] + x[1] if self.kind == "sum" else x[0] * x[1]
            return t - x[1 - s] if self.kind == "sum" else t / x[1 - s]

    def weight(self, x: list[np.ndarray], s: int) -> np.ndarray | float:
        """By how much the last column changes with the s-th."""
        if s == len(self.places) - 1 or self.kind == "sum":
            return 1.0
        return abs(self.factor) if self.kind == "line" else np.abs(x[1 - s])

    def tells(self, x: list[np.ndarray]) -> np.ndarray:
        """Rows in which the rule says more than a simpler one."""
        if self.kind == "line":
            return (x[0] != 0) | (x[1] != 0) | (self.offset != 0)
        if self.kind == "sum":
            return (x[0] != 0) & (x[1] != 0)
        trivial = [(part == 0) | (part == 1) for part in x[:2]]
        return ~(trivial[0] | trivial[1])

    def rule(
        self, columns: tuple[Numbers, ...], s: int, is_rounded: bool = False
    ) -> Rule:
        """The same, turned so that it says what the s-th column is."""
        names = [columns[j].name for j in self.places]
        if self.kind == "line":
            k, d = self.factor, self.offset
            if s == 0:  # the other way round
                k, d = 1 / k, -d / k
            line = Rule((names[1 - s],), names[s], kind="multiple", rounded=is_rounded)
            return replace(line, factor=k, offset=d)
        kind, given = self.kind, (names[0], names[1])
        if s < 2:
            kind = {"sum": "difference", "product": "ratio"}[kind]
            given = (names[2], names[1 - s])
        return Rule(given, names[s], kind=kind, rounded=is_rounded)

    @classmethod
    def of(cls, rule: Rule) -> tuple["_Form", int]:
        """A form of the rule's columns, and which of its places the target has."""
        if rule.kind == "multiple":
            return cls("line", (0, 1), rule.factor, rule.offset), 1
        if rule.kind in ("sum", "product"):
            return cls(rule.kind, (0, 1, 2)), 2
        return cls("sum" if rule.kind == "difference" else "product", (2, 1, 0)), 0


def _exact(columns: tuple[Numbers, ...], form: _Form, x: list, s: int) -> np.ndarray:
    """How far the s-th column may be off, if it is reckoned from printed numbers."""
    step = columns[form.places[s]].step
    return step / 2 * (1 + 1e-6) + ROUND_OFF * _largest(x)


def _rounded(columns: tuple[Numbers, ...], form: _Form, x: list, s: int) -> np.ndarray:
    """The same, if all numbers were rounded after reckoning."""
    off = PRINTED * _largest(x)
    for other, j in enumerate(form.places):
        off = off + columns[j].step / 2 * form.weight(x, other)
    with np.errstate(all="ignore"):
        return off / form.weight(x, s) * (1 + 1e-6)


def _largest(x: list[np.ndarray]) -> np.ndarray:
    largest = np.abs(x[0])
    for part in x[1:]:
        largest = np.maximum(largest, np.abs(part))
    return largest


# --- which of them hold ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rule:
    form: _Form
    settled: int  # which of its columns
    exact: tuple[bool, ...]  # may each of its columns be reckoned to the last digit?
    n_rows: int  # that were judged
    n_exceptions: int  # among them
    broken: np.ndarray  # positions of the rows of the whole table
    holds: np.ndarray  # bool, of each row of the whole table

    @property
    def share(self) -> float:
        return self.n_exceptions / self.n_rows


def _rules(columns: tuple[Numbers, ...], n_rows: int) -> list[_Rule]:
    """All that hold but for a few rows, those with fewer columns first."""
    varied = [j for j, column in enumerate(columns) if _is_varied(column.x)]
    if len(varied) < 2 or n_rows < FEWEST:
        return []
    draw = np.random.default_rng([1, n_rows])
    judged = np.arange(n_rows)
    if n_rows > MOST_JUDGED:
        judged = np.sort(draw.choice(n_rows, MOST_JUDGED, replace=False))
    few = judged[:FIRST] if n_rows <= FIRST else draw.permutation(judged)[:FIRST]
    x = np.array([columns[j].x[few] for j in varied])
    told = np.sum(~np.isnan(x) & (x != 0), axis=0)
    x = x[:, np.argsort(-told, kind="stable")[:TRIED]]
    rules: list[_Rule] = []
    lines = [*_lines(columns, varied, x)]
    for form in lines:
        rule = _judged(columns, form, judged, draw)
        if rule is not None:
            rules.append(rule)
    together = {frozenset(rule.form.places) for rule in rules}
    promising = [*_sums(columns, varied, x), *_products(columns, varied, x)]
    promising.sort(key=lambda pair: -pair[0])
    for _, form in promising[:MOST_TRIED]:
        if any(frozenset(two) in together for two in combinations(form.places, 2)):
            continue  # it follows from a simpler one
        rule = _judged(columns, form, judged, draw)
        if rule is not None:
            rules.append(rule)
    return rules


def _is_varied(x: np.ndarray) -> bool:
    known = x[~np.isnan(x)]
    return known.size >= FEWEST and np.unique(known[:MOST_JUDGED]).size >= VARIED


def _lines(
    columns: tuple[Numbers, ...], varied: list[int], x: np.ndarray
) -> Iterator[_Form]:
    """Pairs of columns of numbers with a straight line through most of the rows."""
    plain = [k for k, j in enumerate(varied) if columns[j].word == "number"]
    step = np.array([columns[j].step for j in varied])[:, None]
    for at, a in enumerate(plain[:-1]):
        others = plain[at + 1 :]
        order = np.argsort(x[a], kind="stable")
        order = order[: int(np.sum(~np.isnan(x[a])))]
        half = order.size // 2
        if half < FEWEST_TRIED:
            continue
        low, high = order[:half], order[-half:]
        t = x[others]
        with np.errstate(all="ignore"):
            slopes = (t[:, high] - t[:, low]) / (x[a, high] - x[a, low])
            slopes[~np.isfinite(slopes)] = np.nan
            k = median(slopes)[:, None]
            rest = t - k * x[a]
            d = median(np.where(np.isfinite(rest), rest, np.nan))[:, None]
            off = 2 * (step[others] + np.abs(k) * step[a]) + PRINTED * np.abs(t)
            known = ~np.isnan(rest) & ((x[a] != 0) | (t != 0))
            right = known & (np.abs(rest - d) <= off)
        n, n_right = known.sum(axis=1), right.sum(axis=1)
        for row in np.flatnonzero(
            (n_right >= np.maximum(FEWEST_TRIED, PROMISING * n)) & (k[:, 0] != 0)
        ):
            pair = varied[a], varied[others[row]]
            yield _Form("line", pair, float(k[row, 0]), float(d[row, 0]))


def _sums(
    columns: tuple[Numbers, ...], varied: list[int], x: np.ndarray
) -> Iterator[tuple[float, _Form]]:
    """How often they hold, and sums of two columns."""
    step = np.array([columns[j].step for j in varied])
    words = [columns[j].word for j in varied]
    a, b = np.triu_indices(len(varied), 1)
    with np.errstate(all="ignore"):
        sums, tells = x[a] + x[b], (x[a] != 0) & (x[b] != 0)
    off = (step[a] + step[b])[:, None] / 2 + PRINTED * np.abs(sums)
    for t in range(len(varied)):
        fits = _may_add(words, t)
        which = np.flatnonzero((a != t) & (b != t) & fits[a, b])
        near = off[which] + step[t] / 2
        for share, k in _promising(sums[which], x[t], near, tells[which]):
            yield (
                share,
                _Form("sum", (varied[a[which[k]]], varied[b[which[k]]], varied[t])),
            )


def _may_add(words: list[str], t: int) -> np.ndarray:
    """Which pairs may add up: numbers, times, or a date and days."""
    own = np.array(words)
    same = (own[:, None] == words[t]) & (own[None, :] == words[t])
    if words[t] != "date":
        return same
    days = (own[:, None] == "date") & (own[None, :] == "number")
    return days | days.T


def _products(
    columns: tuple[Numbers, ...], varied: list[int], x: np.ndarray
) -> Iterator[tuple[float, _Form]]:
    """How often they hold, and products of two columns."""
    plain = [k for k, j in enumerate(varied) if columns[j].word == "number"]
    step = np.array([columns[j].step for j in varied])
    a, b = np.array([*combinations(plain, 2)], np.int64).reshape(-1, 2).T
    with np.errstate(all="ignore"):
        products = x[a] * x[b]
        tells = ~((x[a] == 0) | (x[a] == 1) | (x[b] == 0) | (x[b] == 1))
        off = step[a][:, None] * np.abs(x[b]) + step[b][:, None] * np.abs(x[a])
        off = off / 2 + PRINTED * np.abs(products)
    for t in plain:
        which = np.flatnonzero((a != t) & (b != t))
        near = off[which] + step[t] / 2
        for share, k in _promising(products[which], x[t], near, tells[which]):
            places = varied[a[which[k]]], varied[b[which[k]]], varied[t]
            yield share, _Form("product", places)


def _promising(
    said: np.ndarray, t: np.ndarray, off: np.ndarray, tells: np.ndarray
) -> Iterator[tuple[float, int]]:
    with np.errstate(all="ignore"):
        gap = np.abs(said - t)
        known = np.isfinite(gap) & tells
        right = (known & (gap <= off)).sum(axis=1)
    n = known.sum(axis=1)
    for k in np.flatnonzero(right >= np.maximum(FEWEST_TRIED, PROMISING * n)).tolist():
        yield float(right[k] / n[k]), k


def _judged(
    columns: tuple[Numbers, ...],
    form: _Form,
    judged: np.ndarray,
    draw: np.random.Generator,
) -> _Rule | None:
    """The rule with its exceptions, if it is one."""
    x = [columns[j].x[judged] for j in form.places]
    known = ~np.any(np.isnan(x), axis=0)
    x = [part[known] for part in x]
    if form.kind == "line":
        refined = _refined(columns, form, x)
        if refined is None:
            return None
        form = refined
    tells = form.tells(x)
    x = [part[tells] for part in x]
    n = int(tells.sum())
    if n < FEWEST:
        return None
    exact = tuple(
        _n_off(form, x, s, _exact(columns, form, x, s)) <= BROKEN * n
        for s in range(len(x))
    )
    slack = _exact if any(exact) else _rounded
    settled = _settled(columns, form, x, exact)
    off = slack(columns, form, x, settled)
    if slack is _rounded and np.median(off) > FINE * _spread(x[settled]):
        return None
    right = _right(form, x, settled, off)
    broken = n - int(right.sum())
    if broken > BROKEN * n or not _is_more_than_chance(form, x, settled, off, draw):
        return None
    if not _are_different(x, right):
        return None
    with np.errstate(all="ignore"):
        miss = np.abs(form.said(x, settled) - x[settled])[~right]
        hair = int(np.sum(miss <= HAIR * off[~right]))
    if broken and hair > max(1, OF_HAIR * broken):
        return None
    return _with_rows(columns, form, settled, exact, slack, n, broken)


def _with_rows(
    columns: tuple[Numbers, ...],
    form: _Form,
    settled: int,
    exact: tuple[bool, ...],
    slack: Callable[..., np.ndarray],
    n: int,
    broken: int,
) -> _Rule:
    x = [columns[j].x for j in form.places]
    with np.errstate(all="ignore"):
        right = _right(form, x, settled, slack(columns, form, x, settled))
    holds = ~np.any(np.isnan(x), axis=0) & form.tells(x) & right
    wrong = np.flatnonzero(_wrong(form, x, right))
    return _Rule(form, settled, exact, n, broken, wrong, holds)


def _wrong(
    form: _Form, x: list[np.ndarray], right: np.ndarray, most: float = BROKEN
) -> np.ndarray:
    """Rows that break a rule; of rows with zeros and ones at most such a share does."""
    known, tells = ~np.any(np.isnan(x), axis=0), form.tells(x)
    wrong = known & ~right
    # Where a number is 0 it may not be known: then the rule is not meant for the row.
    beside = known & ~tells
    if np.sum(wrong & beside) > most * np.sum(beside):
        wrong &= tells
    return np.asarray(wrong)


def reckoned(rule: Rule, columns: tuple[Numbers, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Positions of rows that break a rule, and what each row's target should be.

    `columns` are those of the rule, in its order.
    """
    form, s = _Form.of(rule)
    x = [columns[j].x for j in form.places]
    with np.errstate(all="ignore"):
        said = form.said(x, s)
        off = (_rounded if rule.rounded else _exact)(columns, form, x, s)
        if rule.within is not None:
            off = rule.within * (1 + 1e-6) + ROUND_OFF * _largest(x)
        wrong = _wrong(form, x, _right(form, x, s, off), NOT_MEANT)
    return np.flatnonzero(wrong & np.isfinite(said)), said


def _right(form: _Form, x: list[np.ndarray], s: int, off: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(form.said(x, s) - x[s]) <= off)


def _n_off(form: _Form, x: list[np.ndarray], s: int, off: np.ndarray) -> int:
    return int(np.sum(~_right(form, x, s, off)))


def _spread(x: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        low, high = np.percentile(x, [10, 90])
        return float(high - low)


def _settled(
    columns: tuple[Numbers, ...],
    form: _Form,
    x: list[np.ndarray],
    exact: tuple[bool, ...],
) -> int:
    """The column that the rule says most finely; of equals the last one of the file."""

    def order(s: int) -> tuple[bool, float, int]:
        with np.errstate(all="ignore"):
            off = columns[form.places[s]].step * np.median(form.weight(x, s))
        return not exact[s], float(f"{off:.6g}"), -form.places[s]

    return min(range(len(x)), key=order)


def _is_more_than_chance(
    form: _Form,
    x: list[np.ndarray],
    s: int,
    off: np.ndarray,
    draw: np.random.Generator,
) -> bool:
    """Far fewer exceptions than with a column shuffled, or the same in all rows."""
    broken = _n_off(form, x, s, off)
    for k, part in enumerate(x):
        shuffled = draw.permutation(part)
        same = np.full_like(part, np.median(part))
        for other in (shuffled, same):
            chance = _n_off(form, [*x[:k], other, *x[k + 1 :]], s, off)
            if broken > OF_CHANCE * chance or chance - broken < SURE * np.sqrt(chance):
                return False
    return True


def _are_different(x: list[np.ndarray], right: np.ndarray) -> bool:
    """Do many different numbers follow it? A machine at rest tells but one thing."""
    rows = np.column_stack(x)
    if any(np.unique(part[right]).size < VARIED for part in x):
        return False
    n_right = len(np.unique(rows[right], axis=0))
    n_wrong = len(np.unique(rows[~right], axis=0))
    return n_right >= DIFFERENT and n_wrong <= ODD_ONES * n_right


def _refined(
    columns: tuple[Numbers, ...], form: _Form, x: list[np.ndarray]
) -> _Form | None:
    """The line through most rows, with the plainest numbers that say the same."""
    for times in (4.0, 1.0, 1.0):
        near = _right(form, x, 1, times * _rounded(columns, form, x, 1))
        if near.sum() < FEWEST:
            return None
        fitted = _fitted(x[0][near], x[1][near])
        if fitted is None:
            return None
        form = replace(form, factor=fitted[0], offset=fitted[1])
    few = [part[near][:: max(1, int(near.sum()) // TRIED)] for part in x]

    def n_right(form: _Form) -> np.ndarray:
        ways = (_exact, _rounded)
        off = [way(columns, form, few, 1) for way in ways]
        return np.array([np.sum(_right(form, few, 1, part)) for part in off])

    enough = n_right(form) * ALL_BUT
    for factor, offset in _plainer(form, few):
        plainer = replace(form, factor=factor, offset=offset)
        if np.all(n_right(plainer) >= enough):
            return plainer
    return form


def _fitted(a: np.ndarray, t: np.ndarray) -> tuple[float, float] | None:
    """Factor and offset of the line through all of them."""
    with np.errstate(all="ignore"):
        middle, level = np.mean(a), np.mean(t)
        gap = a - middle
        factor = np.sum(gap * (t - level)) / np.sum(gap**2)
        offset = level - factor * middle
    if not (np.isfinite(factor) and np.isfinite(offset) and factor):
        return None
    return float(factor), float(offset)


def _plainer(form: _Form, x: list[np.ndarray]) -> Iterable[tuple[float, float]]:
    """Factors and offsets with few digits near those of a line, plainest first."""
    factors = {float(f"{form.factor:.{n}g}"): n for n in range(MOST_PLAIN, 0, -1)}
    for n in range(MOST_PLAIN, 0, -1):
        rounded = 1 / float(f"{1 / form.factor:.{n}g}")
        factors[rounded] = min(n, factors.get(rounded, n))
    for *_, known in UNITS:
        for factor in (known, 1 / known):
            if abs(form.factor / factor - 1) < KNOWN:
                factors[factor] = 0
    found: dict[tuple[float, float], int] = {}
    for factor, n in factors.items():
        with np.errstate(all="ignore"):
            offset = float(np.median(x[1] - factor * x[0]))
        if not np.isfinite(offset):
            continue
        found[factor, 0.0] = n
        for m in range(MOST_PLAIN, 0, -1):
            found[factor, float(f"{offset:.{m}g}")] = n + m
    return sorted(found, key=lambda pair: found[pair])


# --- which cells are wrong ------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    row: int
    name: str
    after: str | None
    why: str
    is_decided: bool


def _cells(
    table: Table, columns: tuple[Numbers, ...], rule: _Rule, rules: list[_Rule]
) -> list[_Cell]:
    """The cell that is most likely wrong of each row that breaks the rule."""
    form, rows = rule.form, rule.broken
    x = [columns[j].x[rows] for j in form.places]
    said = [form.said(x, s) for s in range(len(x))]
    may = np.array([_fits(columns, rule, s, part) for s, part in enumerate(said)])
    odd = np.array([_is_beyond(columns[j], rule) for j in form.places])
    votes = np.zeros(may.shape, np.int64)
    for other in rules:
        if other is rule:
            continue
        for s, j in enumerate(form.places):
            if j in other.form.places:
                may[s] &= ~other.holds[rows]
                votes[s] += np.isin(rows, other.broken)
    cells = []
    for k, i in enumerate(rows.tolist()):
        left = np.flatnonzero(may[:, k]).tolist()
        most = max((votes[s, k] for s in left), default=0)
        left = [s for s in left if votes[s, k] == most]
        beyond = [s for s in left if odd[s, k]]
        left = beyond if len(beyond) == 1 else left
        if len(left) > 1:
            slips = [
                s for s in left if _is_slip(table, columns, form, s, i, said[s][k])
            ]
            left = slips if len(slips) == 1 else left
        s = rule.settled if rule.settled in left or not left else left[-1]
        own = columns[form.places[s]]
        text = table.cells[own.name].iat[i].strip()
        after = own.text(table, float(said[s][k]), text) if rule.exact[s] else None
        meant = after if after is not None else full(float(said[s][k]))
        why = (
            f"{form.rule(columns, s).formula} is {meant} in this row, "
            f"{column_name(own.name)} is {content(text, 30)}."
        )
        cells.append(
            _Cell(i, own.name, after if may[s, k] else None, why, len(left) == 1)
        )
    return cells


def _fits(
    columns: tuple[Numbers, ...], rule: _Rule, s: int, said: np.ndarray
) -> np.ndarray:
    """May the s-th column hold what the rule says, by its range and its steps?"""
    good = np.flatnonzero(rule.holds)[:MOST_JUDGED]
    x = [columns[j].x[good] for j in rule.form.places]
    step = columns[rule.form.places[s]].step
    with np.errstate(all="ignore"):
        low, high = x[s].min(), x[s].max()
        beyond = BEYOND * (high - low)
        among = (said >= low - beyond) & (said <= high + beyond)
        if np.mean(_is_whole(rule.form.said(x, s) / step)) < ALL_BUT:
            return among  # it is rounded in other rows, too
        return among & _is_whole(said / step)


def _is_beyond(column: Numbers, rule: _Rule) -> np.ndarray:
    """Of each row that breaks it: is the number outside those of the others?"""
    good, own = column.x[rule.holds], column.x[rule.broken]
    return np.asarray((own < good.min()) | (own > good.max()))


def _is_whole(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(x - np.round(x)) <= 1e-6 + ROUND_OFF * np.abs(x))


def _is_slip(
    table: Table,
    columns: tuple[Numbers, ...],
    form: _Form,
    s: int,
    i: int,
    said: float,
) -> bool:
    column = columns[form.places[s]]
    own = table.cells[column.name].iat[i].strip()
    meant = column.text(table, said, own)
    return meant is not None and is_slip_of_digits(own, meant)


def _finding(
    table: Table,
    columns: tuple[Numbers, ...],
    rule: _Rule,
    cells: list[_Cell],
    is_decided: bool,
) -> Finding:
    names = [columns[j].name for j in rule.form.places]
    settled, right = names[rule.settled], rule.n_rows - rule.n_exceptions
    said = rule.form.rule(columns, rule.settled, not any(rule.exact))
    words = f"{column_name(settled)} = {said.formula}"
    return finding(
        table,
        "rule",
        settled,
        [cell.row for cell in cells],
        [cell.after for cell in cells],
        columns=[cell.name for cell in cells],
        about=(rule.form.kind, *names, "" if is_decided else "open"),
        sure=_sure(columns, rule) * (1 if is_decided else UNDECIDED),
        title=words if is_decided else f"{words}: one of these cells",
        evidence=f"{words} in {right:,} of {counted(rule.n_rows, 'row')}.",
        why=[cell.why for cell in cells],
        rule=said,
        is_open=not is_decided,
    )


def _sure(columns: tuple[Numbers, ...], rule: _Rule) -> float:
    sure = next(sure for share, sure in SURE_AT if rule.share <= share)
    x = [columns[j].x[rule.broken] for j in rule.form.places]
    with np.errstate(all="ignore"):
        miss = rule.form.said(x, rule.settled) - x[rule.settled]
        ratio = rule.form.said(x, rule.settled) / x[rule.settled]
        ratio = ratio[np.mod(np.log10(np.abs(ratio)), 1) != 0]  # the mark elsewhere
    for off in (miss, ratio):
        _, times = np.unique(np.round(off[np.isfinite(off)], 6), return_counts=True)
        if times.max(initial=0) > max(2, SAME * rule.broken.size):
            sure = min(sure, OWN_RULE)
    if not any(rule.exact):
        sure *= ROUNDED
    return sure
