"""Rules of a recipe in another file: accepted ones must hold, refused ones rest."""

import cellval
from cellval.detect.finding import finding
from cellval.detect.rule import Rule
from cellval.recipes.recipe import Recipe
from cellval.recipes.rules import broken, unanswered, unchecked
from cellval.recipes.steps import Answer

CITIES = {"10": "Berlin", "20": "Hamburg", "53": "Bonn"}


def table_of(lines):
    text = "zip,land,city\n" + "\n".join(lines)
    return cellval.read(text.encode(), label=None)


LINES = [f"{z},de,{city}" for z, city in CITIES.items() for _ in range(4)]


def test_what_most_hold_is_what_a_rule_says_of_keys_it_does_not_know():
    table = table_of([*LINES, "53,de,Berlin", "10,de,", "77,de,Bonn", ",de,Bonn"])
    (found,) = broken(Recipe((Rule(("zip",), "city"),)), table)
    assert found.rows.tolist() == [12, 13]  # neither a lone key nor a missing one
    assert found.after.tolist() == ["Bonn", "Berlin"]
    assert (found.kind, found.column, found.sure) == ("rule", "city", 1.0)
    assert found.reason(0) == "Where zip is 53, 4 of 5 rows have 'Bonn'."
    assert "2 cells of this file break it" in found.evidence


def test_what_the_recipe_knows_holds_against_a_majority():
    table = table_of(["10,de,Bonn"] * 5 + ["99,de,Ulm"])
    rule = Rule(("zip",), "city", (("10", "Berlin"),))
    (found,) = broken(Recipe((rule,)), table)
    assert found.rows.tolist() == [0, 1, 2, 3, 4]
    assert set(found.after) == {"Berlin"}
    assert "the recipe knows 'Berlin'" in found.reason(0)


def test_a_rule_of_two_columns():
    lines = ["1,de,Bonn"] * 3 + ["1,fr,Lyon"] * 3 + ["1,fr,Bonn"]
    (found,) = broken(Recipe((Rule(("zip", "land"), "city"),)), table_of(lines))
    assert (found.rows.tolist(), found.after.tolist()) == ([6], ["Lyon"])
    assert found.key != broken(Recipe((Rule(("zip",), "land"),)), table_of(lines))


def test_a_rule_that_holds_or_lacks_a_column_gives_nothing():
    rules = Rule(("zip",), "city"), Rule(("zip",), "mayor"), Rule(("street",), "city")
    recipe, table = Recipe(rules), table_of(LINES)
    assert broken(recipe, table) == []
    assert unchecked(recipe, table) == [
        "zip settles mayor: column 'mayor' is not in this file.",
        "street settles city: column 'street' is not in this file.",
    ]


def test_a_refused_rule_asks_nothing_and_silences_its_questions():
    table = table_of([*LINES, "53,de,Berlin"])
    rule = Rule(("zip",), "city")
    assert broken(Recipe((rule,)), table)
    refused = Recipe(
        (Rule(("zip",), "city", refused=True), Rule((), "x", refused=True))
    )
    assert broken(refused, table) == [] == unchecked(refused, table)

    def asked(text, **how):
        words = {"about": (text,), "sure": 0.9, "title": text, "evidence": "e"}
        return finding(table, "rule", "city", [12], **words, **how)

    other = Rule(("land",), "city")
    found = [asked("a"), asked("b", rule=rule), asked("c", rule=other)]
    assert [one.title for one in unanswered(refused, found)] == ["a", "c"]
    answer = Recipe((Answer(found[0].key, "refused"),))
    assert [one.title for one in unanswered(answer, found)] == ["b", "c"]
