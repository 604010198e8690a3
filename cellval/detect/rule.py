"""`Rule`: what columns of a row have to do with each other, found or said by a person.

A rule knows its words, what makes two rules the same question, and what it is as plain
texts and numbers. Which rows of a table break it stands in `breaks.py`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from cellval.text import counted, full, short_name, shortened

# Kinds of rules, with how many given columns each has: at least, at most.
RULES: Mapping[str, tuple[int, int]] = {
    "settles": (1, 9),  # what the given columns hold settles the target
    "order": (1, 1),  # the given column is at most the target
    "multiple": (1, 1),  # target = factor * given + offset
    "sum": (2, 2),  # target = first + second
    "difference": (2, 2),  # target = first - second
    "product": (2, 2),  # target = first * second
    "ratio": (2, 2),  # target = first / second
    "unique": (0, 9),  # no two rows hold the same in all columns
    "domain": (1, 1),  # both columns hold the same texts
}
SIGNS = {"sum": " + ", "difference": " − ", "product": " × ", "ratio": " / "}
ARITHMETIC = ("multiple", *SIGNS)
OF_NUMBERS = ("order", *ARITHMETIC)
SENSE = ("strict", "factor", "offset", "within", "rounded")  # beside kind and columns
LONGEST = 30  # letters of a column's name in a sentence


@dataclass(frozen=True)
class Rule:
    """What columns of a row have to do with each other.

    Attributes
    ----------
    given : tuple of str
        Columns from which the rule starts; how many, `RULES` says.
    target : str
        The column of which it says something.
    known : tuple of tuple of str
        For another file: of "settles" what the given columns hold and then the target,
        of "domain" a text that both columns may hold.
    repair : bool
        Of "settles": cells that break it and stand alone in their group get what it
        says; without it they are only told.
    why : str
    kind : str
        Key of `RULES`.
    strict : bool
        Of "order": below, and not the same either.
    factor, offset : float
        Of "multiple".
    within : float or None
        Of arithmetic: how far the target may be off; None is half of its last digit.
    rounded : bool
        Of arithmetic: all numbers were rounded after reckoning, so that the target may
        be off by what the digits of all of them leave open.
    refused : bool
        A person says that it is none: it is not asked about.
    """

    given: tuple[str, ...]
    target: str
    known: tuple[tuple[str, ...], ...] = ()
    repair: bool = False
    why: str = ""
    kind: str = "settles"
    strict: bool = False
    factor: float = 1.0
    offset: float = 0.0
    within: float | None = None
    rounded: bool = False
    refused: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.given, self.target)

    @property
    def about(self) -> tuple[Any, ...]:
        """The same for rules that ask the same, however they are turned or edited."""
        given, both = frozenset(self.given), frozenset(self.columns)
        match self.kind:
            case "settles":
                return self.kind, given, self.target
            case "order":
                return self.kind, *self.columns
            case "difference" | "ratio":  # t - b = a is a + b = t
                whole, part = self.given
                turned = "sum" if self.kind == "difference" else "product"
                return turned, frozenset({part, self.target}), whole
            case "sum" | "product":
                return self.kind, given, self.target
        return self.kind, both

    def excused_by(self, column: str) -> tuple[str, ...]:
        """Columns of which a cell that a person calls fine excuses its row, where the
        rule is broken in this one: of two numbers out of order either may be meant so.
        """
        return self.columns if self.kind in OF_NUMBERS else (column,)

    @property
    def plain(self) -> "Rule":
        """Without what is added for other files."""
        return replace(self, known=(), repair=False, why="", refused=False)

    @property
    def words(self) -> str:
        """zip settles city; begin ≤ end; total = net + tax."""
        given, target = [*map(_name, self.given)], _name(self.target)
        every = " and ".join(given)
        noun = "text" if self.kind == "domain" else "line"
        known = f" ({counted(len(self.known), noun)} known)" if self.known else ""
        refused = ": no rule" if self.refused else ""
        match self.kind:
            case "settles":
                settle = "settle" if len(given) > 1 else "settles"
                said = f"{every} {settle} {target}{known}"
            case "order":
                said = f"{every} {'<' if self.strict else '≤'} {target}"
            case "unique":
                together = " and ".join((*given, target))
                said = f"{together} {'together are' if given else 'is'} unique"
            case "domain":
                said = f"{every} and {target} hold the same texts{known}"
            case _:
                said = f"{target} = {self.formula}"
                said += f" (± {full(self.within)})" if self.within else ""
                said += " (rounded)" if self.rounded else ""
        return said + refused

    @property
    def formula(self) -> str:
        """Of arithmetic: what the target is."""
        names = [*map(_name, self.given)]
        if self.kind in SIGNS:
            return SIGNS[self.kind].join(names)
        k, d = self.factor, self.offset
        if k == -1 and d:
            return f"{full(d)} − {names[0]}"
        text = names[0] if k == 1 else f"{full(k)} × {names[0]}"
        return text + (f" {'−' if d < 0 else '+'} {full(abs(d))}" if d else "")

    @property
    def told(self) -> dict[str, Any]:
        """As plain texts and numbers: what is not as usual."""
        told: dict[str, Any] = {"given": [*self.given], "target": self.target}
        told |= {} if self.kind == "settles" else {"kind": self.kind}
        return told | self.sense

    @property
    def sense(self) -> dict[str, Any]:
        """What it says of its columns beside its kind, where that is not as usual."""
        usual = Rule((), "")
        pairs = {name: getattr(self, name) for name in SENSE}
        return {name: x for name, x in pairs.items() if x != getattr(usual, name)}


def rule_of(told: Mapping[str, Any]) -> Rule | None:
    """A rule of what `Rule.told` says; None if it is none, whatever it is."""
    given, target = told.get("given"), told.get("target")
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list | tuple) or not target:
        return None
    how = {name: told[name] for name in ("kind", *SENSE) if name in told}
    rule = Rule(tuple(map(str, given)), str(target), **how)
    try:
        return None if fault(rule) else rule
    except TypeError:  # a number that is none
        return None


def fault(rule: Rule) -> str:
    """Why it cannot be a rule, as words; empty if it can."""
    if rule.kind not in RULES:
        return f"'{shortened(str(rule.kind))}' is no rule; choose one of " + ", ".join(
            RULES
        )
    least, most = RULES[rule.kind]
    if not least <= len(rule.given) <= most:
        n = str(least) if least == most else f"{least} to {most}"
        return f"'given' must be {n} column{'s' * (n != '1')} for '{rule.kind}'"
    if len({*rule.columns}) < len(rule.columns) or not all(rule.columns):
        return "'given' and 'target' must be different columns"
    if not math.isfinite(rule.factor) or not rule.factor:
        return "'factor' must be a number that is not 0"
    if not math.isfinite(rule.offset):
        return "'offset' must be a number"
    if rule.within is not None and not 0 <= rule.within < math.inf:
        return "'within' must be a number from 0"
    return ""


def _name(column: str) -> str:
    return short_name(column, LONGEST)
