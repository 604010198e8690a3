"""Rules that a person accepted, looked for in another file."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.rules import ALONE, CLEAR, GROUP
from cellval.recipes.recipe import Recipe
from cellval.recipes.steps import Rule
from cellval.table.columns import Texts
from cellval.table.table import Table, as_table
from cellval.text import content, counted

MOST_KNOWN = 1_000  # lines of a rule that a recipe holds, those of most rows first


@dataclass(frozen=True)
class Broken:
    """A cell that breaks a rule."""

    position: int
    says: str  # what the rule says
    why: str
    # Blank, or hardly any other row of its group holds the same. Where many do, it may
    # be the rule that does not hold in this file.
    is_alone: bool


def broken(recipe: Recipe, table: Table | pd.DataFrame) -> list[Finding]:
    """Findings about rules of the recipe that a table breaks, each surely one."""
    table = as_table(table)
    texts = {str(name): table.cells[name].tolist() for name in table.cells}
    found = []
    for rule in recipe.steps:
        if not isinstance(rule, Rule) or missing(rule, texts):
            continue
        cells = breaks(rule, texts)
        if cells:
            found.append(
                finding(
                    table,
                    "rule",
                    rule.target,
                    [cell.position for cell in cells],
                    [cell.says for cell in cells],
                    about=rule.given,
                    sure=1.0,
                    title=f"{column_name(rule.target)}: {rule.words}",
                    evidence=f"The recipe holds the rule that {rule.words}; "
                    f"{counted(len(cells), 'cell')} of this file "
                    f"break{'s' * (len(cells) == 1)} it.",
                    why=[cell.why for cell in cells],
                )
            )
    return found


def missing(rule: Rule, texts: dict[str, list[str]]) -> list[str]:
    """Columns of a rule that a file does not have."""
    return [name for name in (*rule.given, rule.target) if name not in texts]


def breaks(rule: Rule, texts: dict[str, list[str]]) -> list[Broken]:
    """Cells that hold something else than the recipe knows, or than most others do."""
    given, held = _given(rule, texts), [t.strip() for t in texts[rule.target]]
    known = {tuple(line[:-1]): line[-1] for line in rule.known}
    rows: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, key in enumerate(given):
        if key is not None:
            rows[key].append(i)
    found = []
    for key, own in rows.items():
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
                Broken(i, says, why, not held[i] or same[held[i]] <= few)
                for i in own
                if held[i] != says
            ]
    return sorted(found, key=lambda cell: cell.position)


def known_lines(rule: Rule, texts: dict[str, list[str]]) -> tuple[tuple[str, ...], ...]:
    """What a file says: lines of given texts with what nearly all of them hold."""
    rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
    given, held = _given(rule, texts), texts[rule.target]
    for key, text in zip(given, held, strict=True):
        if key is not None:
            rows[key].append(text.strip())
    lines = [(*key, majority(own)[0]) for key, own in rows.items()]
    first = sorted(lines, key=lambda line: -len(rows[line[:-1]]))
    return tuple(sorted([line for line in first if line[-1]][:MOST_KNOWN]))


def majority(held: Sequence[str]) -> tuple[str, int]:
    """What most of a group hold, and how many; nothing if it is not clear."""
    if len(held) < GROUP:
        return "", 0
    ((text, n),) = Counter(held).most_common(1)
    return (text, n) if n >= CLEAR * len(held) else ("", 0)


def _given(rule: Rule, texts: dict[str, list[str]]) -> list[tuple[str, ...] | None]:
    """What settles each row; None where some of it is missing."""
    columns = []
    for name in rule.given:
        found = Texts.of(pd.Series(texts[name], dtype="str"))
        pairs = zip(found.stripped, found.missing, strict=True)
        known = [None if gone else text for text, gone in pairs]
        columns.append([known[k] for k in found.index.tolist()])
    lines = zip(*columns, strict=True)
    return [None if None in line else line for line in lines]
