"""Which cells of a table break a rule, whatever the rule was found in."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cellval.detect.arithmetic import reckoned
from cellval.detect.digits import Numbers, numbers_in
from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.rule import ARITHMETIC, OF_NUMBERS, Rule
from cellval.detect.rules import ALONE, CLEAR, GROUP
from cellval.detect.shared_domains import nearest
from cellval.table.columns import Texts
from cellval.table.table import Table
from cellval.text import content, counted, full, listed

MOST_KNOWN = 1_000  # lines of a rule that a recipe holds, those of most rows first
MOST_COMPARED = 100_000  # pairs of texts, or columns have nothing in common
MOST_WRITTEN = 500  # cells of a rule for which it is written what they should hold
MOST_NAMED = 3  # other rows in a sentence

Cells = Mapping[str, list[str]]  # what columns hold, by name


@dataclass(frozen=True)
class Broken:
    """A cell that breaks a rule."""

    position: int
    column: str
    says: str | None  # what the rule says; None where it does not say a text
    why: str
    # Of what settles a column: blank, or hardly any other row of its group holds the
    # same. Where many do, it may be the rule that does not hold in this file.
    is_alone: bool = False


def misfit(rule: Rule, table: Table) -> str:
    """Why a table cannot be held against a rule, as words; empty if it can."""
    lost = [name for name in rule.columns if name not in table.cells]
    if lost:
        return f"column {listed(lost)} is not in this file"
    if rule.kind not in OF_NUMBERS:
        return ""
    numbers = {column.name: column for column in numbers_in(table)}
    others = [name for name in rule.columns if name not in numbers]
    if others:
        return f"column {listed(others)} holds neither numbers nor dates in this file"
    words = {numbers[name].word for name in rule.columns}
    if rule.kind == "order" and len(words) > 1:
        return f"a {' and a '.join(sorted(words))} cannot be compared"
    return ""


def breaks(rule: Rule, table: Table, texts: Cells | None = None) -> list[Broken]:
    """Cells that break a rule, in the order of their rows.

    `texts` are what columns hold by now, if that is not what the table says.
    """
    if misfit(rule, table):
        return []
    now = {name: (texts or {}).get(name) for name in rule.columns}
    held: Cells = {
        name: table.cells[name].tolist() if own is None else own
        for name, own in now.items()
    }
    if rule.kind in OF_NUMBERS:
        numbers = {column.name: column for column in numbers_in(table)}
        columns = tuple(_read_again(table, numbers[n], now[n]) for n in rule.columns)
        by_numbers = _reckoned if rule.kind in ARITHMETIC else _out_of_order
        return by_numbers(rule, table, columns, held)
    by_texts = {"settles": _unsettled, "unique": _repeated, "domain": _strangers}
    found = by_texts[rule.kind](rule, table, held)
    return sorted(found, key=lambda cell: cell.position)


def finding_of(rule: Rule, table: Table, who: str) -> Finding | None:
    """One finding about all cells of a table that break a rule, which `who` holds to be
    true; None if there are none.
    """
    cells = breaks(rule, table)
    if not cells:
        return None
    names = rule.given if rule.kind == "settles" else (rule.kind, *rule.columns)
    return finding(
        table,
        "key" if rule.kind == "unique" else "rule",
        rule.target,
        [cell.position for cell in cells],
        [cell.says for cell in cells],
        columns=[cell.column for cell in cells],
        about=names,
        sure=1.0,
        title=f"{column_name(rule.target)}: {rule.words}"
        if rule.kind == "settles"
        else rule.words,
        evidence=f"{who} the rule that {rule.words}; {counted(len(cells), 'cell')} of "
        f"this file break{'s' * (len(cells) == 1)} it.",
        why=[cell.why for cell in cells],
        rule=rule.plain,
        is_open=True,
    )


def broken(rules: Iterable[Rule], table: Table, who: str) -> list[Finding]:
    """Findings about rules that were not refused and that a table breaks."""
    found = [finding_of(rule, table, who) for rule in rules if not rule.refused]
    return [one for one in found if one is not None]


def about_others(found: Iterable[Finding], rules: Iterable[Rule]) -> list[Finding]:
    """Findings that are about none of these rules, however they are turned."""
    about = {rule.about for rule in rules}
    return [one for one in found if one.rule is None or one.rule.about not in about]


# --- what some columns settle ---------------------------------------------------------


def _unsettled(rule: Rule, table: Table, texts: Cells) -> list[Broken]:
    """Cells that hold something else than the rule knows, or than most others do."""
    held = [text.strip() for text in texts[rule.target]]
    known = {tuple(line[:-1]): line[-1] for line in rule.known}
    found = []
    for key, own in _groups(rule.given, texts).items():
        where = " and ".join(
            f"{column_name(name)} is {content(text, 30)}"
            for name, text in zip(rule.given, key, strict=True)
        )
        if key in known:
            says, who = known[key], "the recipe knows"
        else:
            says, n = majority([held[i] for i in own])
            who = f"{n:,} of {len(own):,} rows have"
        if says:
            why = f"Where {where}, {who} '{content(says, 30)}'."
            same = Counter(held[i] for i in own)
            few = max(1, ALONE * len(own))
            found += [
                Broken(i, rule.target, says, why, not held[i] or same[held[i]] <= few)
                for i in own
                if held[i] != says
            ]
    return found


def known_lines(rule: Rule, texts: Cells) -> tuple[tuple[str, ...], ...]:
    """What a file says for the next one: lines of given texts with what nearly all of
    them hold; of columns with the same texts, these texts.
    """
    if rule.kind == "domain":
        counts = [Counter(_present(texts[name])) for name in rule.columns]
        both = sorted(counts[0].keys() & counts[1].keys(), key=lambda t: -counts[0][t])
        return tuple((text,) for text in sorted(both[:MOST_KNOWN]))
    if rule.kind != "settles":
        return ()
    held = [text.strip() for text in texts[rule.target]]
    rows = _groups(rule.given, texts)
    lines = [(*key, majority([held[i] for i in own])[0]) for key, own in rows.items()]
    first = sorted(lines, key=lambda line: -len(rows[line[:-1]]))
    return tuple(sorted([line for line in first if line[-1]][:MOST_KNOWN]))


def majority(held: Sequence[str]) -> tuple[str, int]:
    """What most of a group hold, and how many; nothing if it is not clear."""
    if len(held) < GROUP:
        return "", 0
    ((text, n),) = Counter(held).most_common(1)
    return (text, n) if n >= CLEAR * len(held) else ("", 0)


def _groups(
    names: Sequence[str], texts: Cells
) -> Mapping[tuple[str, ...], Sequence[int]]:
    """Rows that hold the same in some columns; none where something is missing."""
    lines = zip(*(_known(texts[name]) for name in names), strict=True)
    rows: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, line in enumerate(lines):
        if None not in line:
            rows[line].append(i)
    return rows


def _known(texts: list[str]) -> list[str | None]:
    """What cells hold; None where it is missing."""
    found = Texts.of(pd.Series(texts, dtype="str"))
    pairs = zip(found.stripped, found.missing, strict=True)
    known = [None if gone else text for text, gone in pairs]
    return [known[k] for k in found.index.tolist()]


def _present(texts: list[str]) -> list[str]:
    return [text for text in _known(texts) if text is not None]


# --- other rules of texts -------------------------------------------------------------


def _repeated(rule: Rule, table: Table, texts: Cells) -> list[Broken]:
    """Rows that hold in all columns what another one holds."""
    found = []
    for key, rows in _groups(rule.columns, texts).items():
        if len(rows) < 2:
            continue
        first = [f"{table.row_numbers[i]:,}" for i in rows[: MOST_NAMED + 1]]
        more = len(rows) - 1 - MOST_NAMED
        also = f" and {more:,} more" if more > 0 else ""
        for k, i in enumerate(rows):
            others = [*first[:k], *first[k + 1 :]]
            named = ", ".join(others[:MOST_NAMED])
            why = f"{content(', '.join(key), 30)} also stands in row {named}{also}."
            found.append(Broken(i, rule.target, None, why))
    return found


def _strangers(rule: Rule, table: Table, texts: Cells) -> list[Broken]:
    """Texts that only one of both columns holds, and that are not known to the rule."""
    known = {line[0] for line in rule.known}
    cells = {name: _known(texts[name]) for name in rule.columns}
    found = []
    for name, other in (rule.columns, rule.columns[::-1]):
        words = known | {text for text in cells[other] if text is not None}
        strange = {text for text in cells[name] if text is not None} - words
        meant: dict[str, str | None] = dict.fromkeys(strange)
        if len(strange) * len(words) <= MOST_COMPARED:
            meant = {text: nearest(text, words) for text in strange}
        for i, text in enumerate(cells[name]):
            if text is None or text in words:
                continue
            never = f"{column_name(other)} never is {content(text, 30)}"
            found.append(Broken(i, name, meant[text], f"{never}."))
    return found


# --- rules of numbers -----------------------------------------------------------------


def _read_again(table: Table, column: Numbers, texts: list[str] | None) -> Numbers:
    """The numbers of a column that holds other texts by now."""
    if texts is None:
        return column
    x = table.read_texts(column.name, texts).numbers
    assert x is not None
    return replace(column, x=x)


def _out_of_order(
    rule: Rule, table: Table, columns: tuple[Numbers, ...], texts: Cells
) -> list[Broken]:
    low, high = columns
    with np.errstate(invalid="ignore"):
        wrong = low.x >= high.x if rule.strict else low.x > high.x
    held = [texts[column.name] for column in columns]
    return [
        Broken(
            i,
            high.name,
            None,
            f"{column_name(low.name)} is {content(held[0][i].strip(), 30)}, "
            f"{column_name(high.name)} is {content(held[1][i].strip(), 30)}.",
        )
        for i in np.flatnonzero(wrong).tolist()
    ]


def _reckoned(
    rule: Rule, table: Table, columns: tuple[Numbers, ...], texts: Cells
) -> list[Broken]:
    rows, said = reckoned(rule, columns)
    target, found = columns[-1], []
    for k, i in enumerate(rows.tolist()):
        own, number = texts[rule.target][i].strip(), float(said[i])
        says = None
        if not rule.rounded and k < MOST_WRITTEN:  # else digits are rounded away
            says = target.text(table, number, own)
        meant = full(number) if says is None else says
        why = (
            f"{rule.formula} is {meant} in this row, {column_name(rule.target)} is "
            f"{content(own, 30)}."
        )
        found.append(Broken(i, rule.target, says, why))
    return found
