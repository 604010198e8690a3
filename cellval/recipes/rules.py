"""Rules that a person accepted or refused, held against another file."""

from collections.abc import Sequence

from cellval.detect import breaks
from cellval.detect.finding import Finding
from cellval.recipes.recipe import Recipe
from cellval.recipes.steps import Answer
from cellval.table.table import Table


def broken(recipe: Recipe, table: Table) -> list[Finding]:
    """Findings about accepted rules that a table breaks, each surely one."""
    return breaks.broken(recipe.rules, table, "The recipe holds")


def unchecked(recipe: Recipe, table: Table) -> list[str]:
    """A sentence for each accepted rule that this table cannot be held against."""
    accepted = [rule for rule in recipe.rules if not rule.refused]
    pairs = [(rule, breaks.misfit(rule, table)) for rule in accepted]
    return [f"{rule.words}: {why}." for rule, why in pairs if why]


def unanswered(recipe: Recipe, found: Sequence[Finding]) -> list[Finding]:
    """Findings about nothing that the recipe has an answer to: neither a question nor a
    rule that was refused, nor a rule that it checks itself.
    """
    refused = {
        step.key
        for step in recipe.steps
        if isinstance(step, Answer) and step.answer == "refused"
    }
    left = [one for one in found if one.key not in refused]
    return breaks.about_others(left, recipe.rules)
