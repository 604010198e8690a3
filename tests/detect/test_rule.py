"""Rules in words, as plain texts, and which of them are the same question."""

import json

import pytest

from cellval.detect.rule import RULES, Rule, fault, rule_of

EVERY = {
    "zip and land settle city": Rule(("zip", "land"), "city"),
    "begin ≤ end": Rule(("begin",), "end", kind="order"),
    "begin < end": Rule(("begin",), "end", kind="order", strict=True),
    "cm = 2.54 × inch": Rule(("inch",), "cm", kind="multiple", factor=2.54),
    "f = 1.8 × c + 32": Rule(("c",), "f", kind="multiple", factor=1.8, offset=32.0),
    "dry = 100 − wet": Rule(("wet",), "dry", kind="multiple", factor=-1, offset=100),
    "total = net + tax": Rule(("net", "tax"), "total", kind="sum"),
    "net = total − tax (± 0.5)": Rule(
        ("total", "tax"), "net", kind="difference", within=0.5
    ),
    "total = net + tax (rounded)": Rule(
        ("net", "tax"), "total", kind="sum", rounded=True
    ),
    "sales = price × n": Rule(("price", "n"), "sales", kind="product"),
    "price = sales / n": Rule(("sales", "n"), "price", kind="ratio"),
    "patient is unique": Rule((), "patient", kind="unique"),
    "shop and day together are unique": Rule(("shop",), "day", kind="unique"),
    "home and away hold the same texts": Rule(("home",), "away", kind="domain"),
}


@pytest.mark.parametrize("words", EVERY)
def test_every_rule_has_words_and_comes_back_from_plain_texts(words):
    rule = EVERY[words]
    assert rule.words == words and fault(rule) == ""
    assert rule_of(json.loads(json.dumps(rule.told))) == rule


def test_all_kinds_are_in_these_tests():
    assert {rule.kind for rule in EVERY.values()} == set(RULES)


def test_rules_that_are_turned_or_edited_ask_the_same():
    about = {words: rule.about for words, rule in EVERY.items()}
    assert about["total = net + tax"] == about["net = total − tax (± 0.5)"]
    assert about["sales = price × n"] == about["price = sales / n"]
    assert about["begin ≤ end"] == about["begin < end"]
    assert Rule(("cm",), "inch", kind="multiple").about == about["cm = 2.54 × inch"]
    assert Rule(("away",), "home", kind="domain").about in about.values()
    assert len(set(about.values())) == len(EVERY) - 4
    assert Rule(("end",), "begin", kind="order").about not in about.values()
    assert Rule(("city",), "zip").about != Rule(("zip",), "city").about
    # total + tax = net is another sum
    assert Rule(("total", "tax"), "net", kind="sum").about not in about.values()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Rule((), "a"), "1 to 9 columns"),
        (Rule(("a",), "a"), "different columns"),
        (Rule(("a",), "", kind="order"), "different columns"),
        (Rule(("a", "b"), "c", kind="order"), "1 column for 'order'"),
        (Rule(("a",), "b", kind="magic"), "'magic' is no rule"),
        (Rule(("a",), "b", kind="multiple", factor=0.0), "not 0"),
        (Rule(("a",), "b", kind="multiple", offset=float("inf")), "'offset'"),
        (Rule(("a", "c"), "b", kind="sum", within=-1.0), "'within'"),
    ],
)
def test_what_can_be_no_rule_is_told(rule, said):
    assert said in fault(rule)
    assert rule_of(rule.told) is None


def test_what_tells_no_rule_is_none():
    assert rule_of({"title": "a rule"}) is None
    assert rule_of({"given": 3, "target": "b"}) is None
    assert rule_of({"given": ["a"], "target": "b", "kind": ["order"]}) is None
    assert rule_of({"given": ["a"], "target": "b", "factor": "2"}) is None
    assert rule_of({"given": "a", "target": "b"}) == Rule(("a",), "b")


def test_of_numbers_any_cell_of_the_row_may_be_fine():
    assert EVERY["begin ≤ end"].excused_by("end") == ("begin", "end")
    assert EVERY["zip and land settle city"].excused_by("city") == ("city",)
