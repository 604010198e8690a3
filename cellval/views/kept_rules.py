"""Rules that a person accepted, edited or refused, and what they do to questions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from cellval.detect.breaks import Broken, breaks, finding_of, misfit
from cellval.detect.finding import Finding
from cellval.detect.findings import in_order
from cellval.detect.learning import Decisions, Taught, cells_of
from cellval.detect.rule import Rule, fault, rule_of
from cellval.kept import kept
from cellval.repairs.work import Verdict, Work
from cellval.table.table import Table
from cellval.text import counted


class KeptRule(NamedTuple):
    """A rule with what a person says of it."""

    key: str  # of the finding that was answered
    answer: str  # accepted or refused
    rule: Rule


def kept_rules(rules: Mapping[str, Verdict]) -> list[KeptRule]:
    found = [(key, said.answer, rule_of(said.finding)) for key, said in rules.items()]
    return [KeptRule(key, said, rule) for key, said, rule in found if rule is not None]


def answer_rule(work: Work, key: str, answer: str | None, rule: Rule) -> None:
    """Accept or refuse a rule, as found or as edited; None forgets it. It is a step.

    Two findings may ask about one rule: what was said last holds.
    """
    others = [one for one in kept_rules(work.rules) if one.rule.about == rule.about]
    same = [one.key for one in others if one.key != key]
    told = {**rule.told, "title": rule.words}
    work.answer(key, answer, told, instead=same)


def said_of(rules: Mapping[str, Verdict], rule: Rule) -> str:
    """Whether a rule was accepted or refused; empty if neither."""
    said = [one.answer for one in kept_rules(rules) if one.rule.about == rule.about]
    return said[-1] if said else ""


@kept(32)
def broken_cells(table: Table, rule: Rule) -> tuple[Broken, ...]:
    """Cells that break it; asked for again on every click."""
    return tuple(breaks(rule, table))


def support(table: Table, rule: Rule) -> str:
    """How many rows break a rule, or why that cannot be told, as a sentence."""
    if why := fault(rule) or misfit(rule, table):
        return f"{why[:1].upper()}{why[1:]}."
    n = len({cell.position for cell in broken_cells(table, rule)})
    return f"{n:,} of {counted(table.n_rows, 'row')} break{'s' * (n == 1)} it."


def lines(table: Table, rules: list[KeptRule]) -> pd.DataFrame:
    """A line for each: rule, answer, and what it does in this table."""
    accepted = [one.answer == "accepted" for one in rules]
    frame = {
        "rule": [one.rule.words for one in rules],
        "answer": ["kept" if is_kept else "refused" for is_kept in accepted],
        "in this file": [
            support(table, one.rule) if is_kept else "Not asked about."
            for one, is_kept in zip(rules, accepted, strict=True)
        ],
    }
    return pd.DataFrame(frame)


def with_rules(
    table: Table, taught: Taught, rules: Mapping[str, Verdict], decisions: Decisions
) -> Taught:
    """Questions without those about refused rules, and with those of edited ones.

    A refused rule is answered, also where other cells break it. In place of a rule that
    was edited stands the edited one with all cells that break it.
    """
    said = kept_rules(rules)
    if not said:
        return taught
    refused = {one.rule.about for one in said if one.answer == "refused"}
    every = {one.key: one for one in (*taught.findings, *taught.answered)}
    asked = {one.rule.about for one in every.values() if one.rule}
    new: list[Finding] = []
    edited: set[object] = set()  # keys of findings, and what edited rules are about
    for key, answer, rule in said:
        was = every.get(key)
        is_as_found = rule.about in asked if was is None else was.rule == rule
        if answer == "refused" or is_as_found:
            continue
        edited |= {key, rule.about}
        found = finding_of(rule, table, "You keep")
        new += [] if found is None else [replace(found, key=key)]

    def stands(one: Finding) -> bool:
        return one.key not in edited and not (one.rule and one.rule.about in edited)

    answered = [one for one in taught.answered if stands(one)]
    open_: list[Finding] = []
    for one in (*filter(stands, taught.findings), *new):
        is_refused = one.rule is not None and one.rule.about in refused
        is_decided = all(cell in decisions for cell in cells_of(table, one))
        (answered if is_refused or is_decided else open_).append(one)
    in_turn = in_order(open_) if new else tuple(open_)
    return replace(taught, findings=in_turn, answered=tuple(answered))
