"""All questions about a table, those that would settle most errors first."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cellval.detect.breaks import about_others, broken
from cellval.detect.doubtful import doubtful_labels
from cellval.detect.finding import (
    Finding,
    column_name,
    finding,
    row_name,
)
from cellval.detect.formats import plain_reading, unit_of
from cellval.detect.grouped import grouped
from cellval.detect.readings import as_decimal
from cellval.detect.rule import Rule
from cellval.detect.suggestions import MOST_DETAILED, ODD, best_suggestions
from cellval.detect.surprise import surprise
from cellval.detect.suspects import reasons
from cellval.detect.suspicion import (
    FALSE_ALARMS,
    Suspicion,
    check_values,
    make_suspicion,
)
from cellval.errors import require
from cellval.in_notebooks import InNotebooks
from cellval.kept import kept
from cellval.table.table import Table, as_table
from cellval.text import content
from cellval.values.result import CellValues

LIKELY, POSSIBLE = 0.8, 0.45  # how sure: an odd cell that is flagged; the next ones
FEW_LOOKED_AT = 20  # cells with a likely suggestion: fewer tell nothing of the others
MOST_LOOKED_AT = 200  # cells of a finding that are suggested for one by one
ALIKE = 0.7  # of the numbers with a unit are best as they are: so are all
NEARLY_ALL = 0.9  # of these have their plain reading: so have all
CONFIRMED = ("code", "spelling", "format")  # kinds that flagged cells can confirm
MOST_CELLS = 300  # odd cells by themselves that are asked about, beyond the flagged


class Findings(InNotebooks, tuple[Finding, ...]):
    """Questions about a table: a tuple that knows what it is about."""

    table: Table

    @classmethod
    def of(cls, table: Table, found: Iterable[Finding]) -> "Findings":
        made = cls(found)
        made.table = table
        return made


def findings(
    table: Table | pd.DataFrame,
    values: CellValues | None = None,
    *,
    rules: Iterable[Rule] = (),
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Findings:
    """Questions about cells that may be wrong, those that settle most first.

    Parameters
    ----------
    table : Table or DataFrame
    values : CellValues, optional
        Of the same table; without it, cells are judged by surprise alone.
    rules : iterable of Rule
        What a person said of rules, such as `Recipe.rules`: all cells that break one
        that was accepted are asked about, and none for one that was refused.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> first = cellval.findings(table)[0]
    >>> first.n_cells, first.action(table)
    (2, '166 → 57; 57 → 166')
    """
    table = as_table(table)
    check_values(table, values)
    told = [*rules] if isinstance(rules, Iterable) else [rules]
    are_rules = all(isinstance(rule, Rule) for rule in told)
    require("rules", rules, are_rules, "a list of rules, such as those of a Recipe")
    found = surprise(table, random_state=random_state, n_jobs=n_jobs)
    asked = all_findings(make_suspicion(table, values, found))
    if told:
        kept_too = broken(told, table, "You keep")
        asked = in_order([*kept_too, *about_others(asked, told)])
    return Findings.of(table, asked)


@kept(1)
def all_findings(suspicion: Suspicion) -> tuple[Finding, ...]:
    """Those of whole columns, and odd cells that none of them has."""
    asked = _confirmed(suspicion, grouped(suspicion.table))
    return in_order(
        [
            *_with_actions(suspicion, _once(asked)),
            *_odd_cells(suspicion, asked),
            *doubtful_labels(suspicion),
        ]
    )


def _confirmed(suspicion: Suspicion, found: Sequence[Finding]) -> list[Finding]:
    """Doubtful questions are likely ones where most of their cells are flagged anyhow:
    one question is better than one for each cell.
    """
    table = suspicion.table
    places = {name: j for j, name in enumerate(table.feature_names)}
    flagged = np.zeros(suspicion.scores.shape, bool)
    if suspicion.n_flagged:
        flagged.reshape(-1)[suspicion.first(suspicion.n_flagged)] = True

    def is_likely(one: Finding) -> bool:
        if one.is_flagged or one.kind not in CONFIRMED:
            return False
        hits = [name in places and flagged[i, places[name]] for i, name in one.cells]
        return bool(np.mean(hits) > 0.5)

    return [replace(one, sure=LIKELY) if is_likely(one) else one for one in found]


def _once(found: list[Finding]) -> list[Finding]:
    """Without the cells that a surer finding has: one question is enough."""
    settled: set[tuple[int, str]] = set()
    left = []
    for one in sorted(found, key=lambda one: (-one.sure, -one.n_cells)):
        new = np.array([cell not in settled for cell in one.cells], bool)
        if new.any():
            left.append(one if new.all() else one.part(new))
        if one.is_flagged:
            settled.update(one.cells)
    return left


def _with_actions(suspicion: Suspicion, found: list[Finding]) -> list[Finding]:
    """Cells that their finder has no text for take their likely suggestion.

    Of a finding with many cells some are looked at closely; if another reading of the
    text was the answer for nearly all of them, so it is for all.
    """
    table = suspicion.table
    places = {name: j for j, name in enumerate(table.feature_names)}
    open_ = [
        (at, k, int(one.rows[k]), places[one.columns[k]])
        for at, one in enumerate(found)
        if one.is_flagged
        for k in np.flatnonzero([text is None for text in one.after])[:MOST_LOOKED_AT]
        if one.columns[k] in places
    ][:MOST_DETAILED]
    if not open_:
        return found
    rows, columns = np.array([[i, j] for _, _, i, j in open_]).T
    best = best_suggestions(table, suspicion.surprise, rows, columns)
    texts: dict[int, dict[int, str]] = {}
    for (at, k, _, _), suggestion in zip(open_, best, strict=True):
        if suggestion is not None and not suggestion.also:
            texts.setdefault(at, {})[k] = suggestion.text
    return [
        _acted(table, one, texts[at]) if at in texts else one
        for at, one in enumerate(found)
    ]


def _acted(table: Table, one: Finding, texts: dict[int, str]) -> Finding:
    after = one.after.copy()
    for k, text in texts.items():
        after[k] = text
    if one.kind == "format":
        _convert_alike(table, one, after)
    left = [k for k, text in enumerate(after) if text is None]
    if one.kind == "format" and len(texts) >= FEW_LOOKED_AT:
        held = one.before(table)
        read = {k: plain_reading(table, one.column, held[k]) for k in (*texts, *left)}
        agreed = sum(read[k] == text for k, text in texts.items())
        if agreed >= NEARLY_ALL * len(texts):
            for k, new in read.items():
                after[k] = after[k] if new is None else new
    return replace(one, after=after)


def _convert_alike(table: Table, one: Finding, after: np.ndarray) -> None:
    """Numbers with a unit are all taken as they are, or all left to the person: what
    would fit best for each would be another conversion each time.
    """
    parts = [unit_of(text) for text in one.before(table)]
    for unit in {unit for _, unit in parts if unit}:
        own = [k for k, part in enumerate(parts) if part[1] == unit]
        told = [k for k in own if after[k] is not None]
        same = sum(_is_number(table, after[k], parts[k][0]) for k in told)
        as_it_is = told and same >= ALIKE * len(told)
        for k in own:
            after[k] = parts[k][0] if as_it_is else None


def _is_number(table: Table, text: str, number: str) -> bool:
    return as_decimal(text, table.decimal) == as_decimal(number, table.decimal)


def in_order(found: list[Finding]) -> tuple[Finding, ...]:
    """Most expected errors per question first; equals as they came."""
    return tuple(sorted(found, key=lambda one: -one.expected_errors))


def sure_of_cells(suspicion: Suspicion) -> Callable[[tuple[int, int]], float]:
    """How sure one may be of a cell that only its suspicion speaks of.

    Those that the rule flags are as the rule promises, others less and less.
    """
    scores = suspicion.scores
    n = suspicion.n_flagged
    last = float(np.partition(scores, n - 1, axis=None)[n - 1]) if n else 0.0
    edge = max(last, FALSE_ALARMS / (math.e * scores.size))

    def sure(cell: tuple[int, int]) -> float:
        score = float(scores[cell])
        if score <= last:
            return LIKELY
        return float(POSSIBLE * min(1.0, edge / score) ** 0.25)

    return sure


def _odd_cells(suspicion: Suspicion, asked: Sequence[Finding]) -> list[Finding]:
    """One for each odd cell, or two that were swapped, that is not asked about yet."""
    table = suspicion.table
    places = {name: j for j, name in enumerate(table.feature_names)}
    sure, doubtful = (np.zeros(suspicion.scores.shape, bool) for _ in range(2))
    for one in asked:
        taken = sure if one.is_flagged else doubtful
        for i, name in one.cells:
            if name in places:
                taken[i, places[name]] = True
    k = min(suspicion.n_flagged + MOST_CELLS, suspicion.scores.size)
    first = suspicion.first(k)
    rows, columns = np.unravel_index(first, suspicion.scores.shape)
    odd = (suspicion.surprise.surprise[rows, columns] < ODD) & ~sure[rows, columns]
    # What the rule flags is flagged, also where a doubtful question is about it.
    odd &= ~doubtful[rows, columns] | (np.arange(k) < suspicion.n_flagged)
    rows, columns = rows[odd], columns[odd]
    best = best_suggestions(table, suspicion.surprise, rows, columns)
    why = reasons(suspicion, rows, columns)
    names, sure_of = table.feature_names, sure_of_cells(suspicion)
    found: list[Finding] = []
    seen: set[tuple[int, int]] = set()
    for at, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        if (i, j) in seen:
            continue
        name, suggestion = names[j], best[at]
        text = table.cells[name].iat[i].strip()
        cells = [(name, suggestion.text if suggestion else None)]
        if suggestion:
            cells += suggestion.also
            seen.update((i, names.index(other)) for other, _ in suggestion.also)
        found.append(
            finding(
                table,
                "swap" if len(cells) > 1 else "cell",
                name,
                [i] * len(cells),
                [after for _, after in cells],
                columns=[other for other, _ in cells],
                about=(text, row_name(table, i)),
                sure=sure_of((i, j)),
                title=f"{column_name(name)}: {content(text, 30)}",
                evidence=why[at],
            )
        )
    return found
