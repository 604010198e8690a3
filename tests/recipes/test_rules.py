"""Accepted rules in another file: by what the recipe knows, or by what most hold."""

import cellval
from cellval.recipes.recipe import Recipe
from cellval.recipes.rules import MOST_KNOWN, breaks, broken, known_lines, majority
from cellval.recipes.steps import Rule

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


def test_who_stands_alone_is_told_from_many():
    texts = {"a": ["x"] * 9, "b": ["1"] * 5 + ["2", "2", "3", ""]}
    alone = [cell.is_alone for cell in breaks(Rule(("a",), "b", (("x", "1"),)), texts)]
    assert alone == [False, False, True, True]


def test_a_rule_of_two_columns():
    lines = ["1,de,Bonn"] * 3 + ["1,fr,Lyon"] * 3 + ["1,fr,Bonn"]
    (found,) = broken(Recipe((Rule(("zip", "land"), "city"),)), table_of(lines))
    assert (found.rows.tolist(), found.after.tolist()) == ([6], ["Lyon"])
    assert found.key != broken(Recipe((Rule(("zip",), "land"),)), table_of(lines))


def test_a_rule_that_holds_or_lacks_a_column_gives_nothing():
    rules = Rule(("zip",), "city"), Rule(("zip",), "mayor"), Rule(("street",), "city")
    assert broken(Recipe(rules), table_of(LINES)) == []


def test_known_lines_are_the_clear_ones():
    texts = {
        "a": ["x"] * 5 + ["y"] * 4 + ["z"] + ["n/a"] * 4,
        "b": ["1"] * 4 + ["2"] + ["1", "1", "2", "2"] + ["3"] + ["4"] * 4,
    }
    assert known_lines(Rule(("a",), "b"), texts) == (("x", "1"),)
    n = MOST_KNOWN + 5
    many = {"a": [str(k) for k in range(n) for _ in range(3)], "b": ["1"] * 3 * n}
    assert len(known_lines(Rule(("a",), "b"), many)) == MOST_KNOWN


def test_a_majority_is_clear_and_of_enough_rows():
    assert majority(["a", "a"]) == ("", 0)
    assert majority(["a", "a", "b"]) == ("a", 2)
    assert majority(["a", "a", "b", "b"]) == ("", 0)
    assert breaks(Rule(("a",), "b"), {"a": ["x"] * 3, "b": ["1", "1", "2"]})[0].says
