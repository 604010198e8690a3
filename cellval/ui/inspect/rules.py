"""Rules: keep, refuse or edit that of a finding; and the list of those kept."""

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from cellval.detect.breaks import misfit
from cellval.detect.digits import numbers_in
from cellval.detect.finding import Finding
from cellval.detect.rule import ARITHMETIC, OF_NUMBERS, RULES, Rule, fault
from cellval.text import counted
from cellval.ui import tables
from cellval.ui.parts import then_page
from cellval.ui.session import Session, Shown
from cellval.ui.text import plain
from cellval.ui.widgets import lasting, one_of
from cellval.views import kept_rules
from cellval.views.kept_rules import answer_rule, said_of, support

SENSES = {
    "multiple": "a multiple",
    "sum": "a sum",
    "difference": "a difference",
    "product": "a product",
    "ratio": "a ratio",
}
ORDERS = {"at most": "at most (≤)", "below": "below (<)"}
# What the columns of a rule are called, the target last; others have two parts.
TITLES = {
    "settles": ("Given columns", "Settled column"),
    "order": ("Lower column", "Higher column"),
    "multiple": ("Given column", "Result"),
    "domain": ("First column", "Second column"),
}
PARTS = ("First part", "Second part", "Result")
FEW_LINES = 6  # a longer list scrolls


def draw_rule(shown: Shown, one: Finding) -> None:
    """The rule of a finding in words, what is said of it, and what can be said."""
    rule = one.rule
    if rule is None:
        return
    session = shown.session
    said = said_of(session.file.rules, rule)
    words = {"accepted": "You kept it.", "refused": "You refused it."}
    st.markdown(f"**Rule** {plain(rule.words)}")
    st.caption(f"{plain(support(shown.table, rule))} {words.get(said, '')}")
    with st.container(horizontal=True, gap="xsmall"):
        _say(session, one, "Keep the rule", "accepted", rule, said)
        _say(session, one, "Refuse the rule", "refused", rule, said)
    with st.expander("Edit the rule", icon=":material/edit:"):
        _edit(shown, one, rule)


HELP = {
    "accepted": "It goes into the recipe, and is checked in the next file. Its cells "
    "stay open until you answer. It can be undone.",
    "refused": "It is no rule: it is not asked about again, here and, with the recipe, "
    "in the next file. Nothing is decided on its cells. It can be undone.",
}


def _say(
    session: Session, one: Finding, words: str, answer: str, rule: Rule, said: str
) -> None:
    st.button(
        words,
        key=f"rule {answer}",
        disabled=said == answer,
        on_click=partial(then_page, session, _answer, session, one.key, answer, rule),
        help=HELP[answer],
        width="stretch",
    )


def _answer(session: Session, key: str, answer: str | None, rule: Rule) -> None:
    answer_rule(session.file, key, answer, rule)
    if answer == "refused":  # the next question opens
        session.selection.finding = None


# --- editing --------------------------------------------------------------------------


def _edit(shown: Shown, one: Finding, rule: Rule) -> None:
    """Its columns and its sense; how many rows break that is said before it is kept."""
    new = _edited(shown, one, rule)
    if not fault(new):
        st.markdown(plain(new.words))
    st.caption(plain(support(shown.table, new)))
    session = shown.session
    st.button(
        "Keep the edited rule",
        key="rule edited",
        type="primary",
        disabled=new == rule or bool(fault(new) or misfit(new, shown.table)),
        on_click=partial(
            then_page, session, _answer, session, one.key, "accepted", new
        ),
        help="It stands in place of the one that was found, and asks about all cells "
        "that break it.",
        width="stretch",
    )


def _edited(shown: Shown, one: Finding, rule: Rule) -> Rule:
    session = shown.session

    def name(widget: str) -> str:
        # Another sheet has other columns, and another kind other widgets.
        return f"rule {session.setups} {one.key} {rule.kind} {widget}"

    def key(widget: str, default: Any) -> dict[str, Any]:
        return lasting(session, name(widget), default)

    def choice(widget: str, options: Any, default: str) -> dict[str, Any]:
        return one_of(session, name(widget), options, default)

    if rule.kind in ARITHMETIC:
        kinds = {kind: SENSES[kind] for kind in ARITHMETIC}
        kind = st.selectbox("Sense", **choice("kind", kinds, rule.kind))
        rule = rule if kind == rule.kind else Rule(rule.given, rule.target, kind=kind)
    rule = replace(rule, **_columns(shown, rule, key, choice))
    if rule.kind == "order":
        now = "below" if rule.strict else "at most"
        sense = st.selectbox("Sense", **choice("strict", ORDERS, now))
        rule = replace(rule, strict=sense == "below")
    if rule.kind == "multiple":
        factor = st.number_input("Factor", **key("factor", rule.factor), format="%g")
        offset = st.number_input("Plus", **key("offset", rule.offset), format="%g")
        rule = replace(rule, factor=float(factor), offset=float(offset))
    if rule.kind in ARITHMETIC:
        may_be_empty = key("within", None)
        st.session_state.setdefault(may_be_empty["key"], rule.within)
        within = st.number_input(
            "May be off by",
            **may_be_empty,
            min_value=0.0,
            format="%g",
            placeholder="half of the last digit",
        )
        rounded = st.toggle(
            "All numbers are rounded",
            **key("rounded", rule.rounded),
            disabled=within is not None,
            help="May be off by what the digits of all its numbers leave open.",
        )
        within = None if within is None else float(within)
        rule = replace(rule, within=within, rounded=rounded and within is None)
    return rule


def _columns(shown: Shown, rule: Rule, key: Any, choice: Any) -> dict[str, Any]:
    """Its given columns and its target."""
    names = [str(name) for name in shown.table.cells]
    if rule.kind in OF_NUMBERS:
        names = [column.name for column in numbers_in(shown.table)]
    least, most = RULES[rule.kind]
    if rule.kind == "unique":
        chosen = st.multiselect(
            "Columns that name a row", names, **key("columns", [*rule.columns])
        )
        return {"given": tuple(chosen[:-1]), "target": "".join(chosen[-1:])}
    *titles, last = TITLES.get(rule.kind, PARTS)
    if least < most:
        given = st.multiselect(titles[0], names, **key("given", [*rule.given]))
    else:
        now = [*rule.given, *(n for n in names if n not in rule.columns), *names]
        given = [
            st.selectbox(title, **choice(f"given {k}", names, now[k]))
            for k, title in enumerate(titles)
        ]
    target = st.selectbox(last, **choice("target", names, rule.target))
    return {"given": tuple(given), "target": str(target)}


# --- the list -------------------------------------------------------------------------


def draw_kept(shown: Shown) -> None:
    """All rules that were kept or refused; one that is ticked can be removed."""
    session = shown.session
    rules = kept_rules.kept_rules(session.file.rules)
    if not rules:
        return
    n = sum(one.answer == "accepted" for one in rules)
    with st.expander(f"{counted(n, 'rule')} kept, {len(rules) - n:,} refused"):
        drawn = tables.draw(
            kept_rules.lines(shown.table, rules),
            "Rules that were kept or refused",
            {
                "rule": tables.text(width="medium", help="What it says."),
                "answer": tables.text(width=70, help="What you said of it."),
            },
            few=FEW_LINES,
            key=session.widget_key("kept rules", *(one.key for one in rules)),
            on_select="rerun",
            selection_mode="single-row",
        )
        ticked = [k for k in drawn["selection"]["rows"] if k < len(rules)]
        chosen = rules[ticked[0]] if ticked else None
        forget = (chosen.key, None, chosen.rule) if chosen else ()
        st.button(
            "Remove the ticked rule",
            icon=":material/playlist_remove:",
            disabled=chosen is None,
            on_click=partial(then_page, session, _answer, session, *forget),
            help="As if nothing had been said of it. What was decided on its cells "
            "stays. It can be undone under History on the Repair page.",
        )
