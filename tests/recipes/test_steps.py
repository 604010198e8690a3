"""Steps in words, and how a file is read."""

from cellval.detect.rule import Rule
from cellval.recipes.rows import RowName
from cellval.recipes.steps import Answer, DropRow, Fine, Reading, ReplaceCell
from cellval.table.labels import GUESS

ROW = RowName(id="17", id_column="k")


def test_steps_say_what_they_do():
    steps = [
        ReplaceCell(ROW, "weight", "580", "58"),
        DropRow(ROW),
        Fine("weight", ("0", "1")),
        Rule(("zip", "land"), "city", (("1", "de", "Bonn"),)),
        Answer("rule-1", "refused", "zip settles city"),
    ]
    assert [step.words for step in steps] == [
        "weight of the row with k 17: 580 → 58",
        "the row with k 17 is dropped",
        "weight: 0, 1 is fine",
        "zip and land settle city (1 line known)",
        "zip settles city: refused",
    ]


def test_a_file_is_read_with_what_of_the_options_it_has():
    kinds = (("zip", "category"), ("gone", "number"))
    reading = Reading("y", True, "k", ("a", "b"), kinds, "", 3)
    assert reading.columns == ("y", "k", "a", "b", "zip", "gone")
    assert reading.options(["y", "a", "zip"]) == {
        "label": "y",
        "id_column": None,
        "exclude": ("a",),
        "kinds": {"zip": "category"},
        "sheet": None,
        "header_row": 3,
    }
    assert reading.options(["a"])["label"] is GUESS
    assert Reading(has_label=False).options([])["label"] is None
