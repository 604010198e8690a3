"""Small tables on which every way to value cells must equal the definition."""

from cases import make_table, random_table

MIXED = ["number", "category", "decimal"]
# tables, and how many neighbours count
CASES = {
    "mixed kinds": (random_table(0, 5, MIXED), 2),
    "ties everywhere": (random_table(1, 5, ["number"] * 3, levels=2), 2),
    "missing cells": (random_table(2, 5, MIXED, missing=0.3), 3),
    "fewer rows than neighbours": (random_table(3, 4, MIXED), 10),
    "one neighbour": (random_table(4, 5, ["category", "number"]), 1),
    "three classes": (random_table(5, 5, ["number", "category"], n_classes=3), 2),
    "one column": (random_table(6, 6, ["number"]), 2),
    "one class": (random_table(7, 4, MIXED, n_classes=1), 2),
    "one row": (random_table(8, 1, MIXED), 2),
    "two rows": (random_table(9, 2, MIXED), 2),
    "equal rows": (
        make_table([("number", [1, 1, 1, 2]), ("number", [0] * 4)], [0, 0, 1, 1]),
        2,
    ),
    "copies of rows": (
        make_table(
            [("number", [1, 1, 3, 4, 1]), ("category", [0, 0, 1, 1, 0])],
            [0, 0, 1, 1, 0],
        ),
        2,
    ),
    "numbers as labels": (random_table(12, 5, MIXED, numbers=True), 2),
    "numbers, ties": (random_table(13, 6, ["number"] * 2, levels=2, numbers=True), 3),
    "numbers, missing cells": (
        random_table(14, 5, MIXED, missing=0.3, numbers=True),
        3,
    ),
    "numbers, few rows": (random_table(15, 4, MIXED, numbers=True), 10),
    "numbers, one column": (random_table(16, 6, ["number"], numbers=True), 1),
    "numbers, one row": (random_table(17, 1, MIXED, numbers=True), 2),
    "numbers, copies of rows": (
        make_table(
            [("number", [1, 1, 3, 4, 1]), ("category", [0, 0, 1, 1, 0])],
            [0] * 5,
            numbers=[1.5, 1.5, 2.0, 4.0, 1.0],
        ),
        2,
    ),
    "one number for all": (
        make_table([("number", [1, 2, 3, 3])], [0] * 4, numbers=[2.0] * 4),
        2,
    ),
    "constant column": (
        make_table([("number", [5] * 5), ("number", [1, 2, 3, 4, 5])], [0, 1, 0, 1, 1]),
        2,
    ),
    "all-missing column": (
        make_table([("number", [None] * 4), ("category", [0, 1, 0, 1])], [0, 1, 1, 1]),
        2,
    ),
}
