"""Rules that a person accepted or refused, held against another file."""

from collections.abc import Sequence

from cellval.detect.breaks import finding_of, misfit
from cellval.detect.finding import Finding
from cellval.detect.rule import Rule
from cellval.recipes.recipe import Recipe
from cellval.recipes.steps import Answer
from cellval.table.table import Table


def rules_of(recipe: Recipe) -> list[Rule]:
    return [step for step in recipe.steps if isinstance(step, Rule)]


def broken(recipe: Recipe, table: Table) -> list[Finding]:
    """Findings about accepted rules that a table breaks, each surely one."""
    accepted = [rule for rule in rules_of(recipe) if not rule.refused]
    found = [finding_of(rule, table, "The recipe holds") for rule in accepted]
    return [one for one in found if one is not None]


def unchecked(recipe: Recipe, table: Table) -> list[str]:
    """A sentence for each accepted rule that this table cannot be held against."""
    rules = [(rule, misfit(rule, table)) for rule in rules_of(recipe)]
    return [f"{rule.words}: {why}." for rule, why in rules if why and not rule.refused]


def unanswered(recipe: Recipe, found: Sequence[Finding]) -> list[Finding]:
    """Findings about nothing that the recipe has an answer to: neither a question nor a
    rule that was refused, nor a rule that it checks itself.
    """
    refused = {
        step.key
        for step in recipe.steps
        if isinstance(step, Answer) and step.answer == "refused"
    }
    rules = {rule.about for rule in rules_of(recipe)}
    return [
        one
        for one in found
        if one.key not in refused and (one.rule is None or one.rule.about not in rules)
    ]
