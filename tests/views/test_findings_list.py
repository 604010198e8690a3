"""The list of findings; its page is tested in tests/pages."""

import numpy as np
import pytest

import cellval
from cellval.detect.finding import Finding, finding, key_of
from cellval.detect.learning import Taught, cells_of
from cellval.views.findings_list import (
    LINES,
    MOST_CELLS,
    NO_ROW,
    Asked,
    at_place,
    cell_lines,
    found_columns,
    kinds_of,
    lines,
    listed_findings,
    place_of,
    progress,
    sure_words,
)

ALL = Asked()


def question(table, kind, column, rows, after=None, *, sure=0.8, **how):
    how = {"title": f"{column}: {kind}", "evidence": "It is odd.", **how}
    about = (kind, str(rows[0]), how["title"])
    return finding(table, kind, column, rows, after, about=about, sure=sure, **how)


@pytest.fixture(scope="module")
def table():
    """80 rows of two classes."""
    rows = [f"{k % 7},c{k % 5},{'ab'[k % 2]}" for k in range(80)]
    return cellval.read("\n".join(["size,city,y", *rows]).encode(), label="y")


@pytest.fixture
def asked(table):
    """Some findings, most expected errors first."""
    return [
        question(table, "code", "size", range(0, 40, 2), [""] * 20, sure=0.4),
        question(table, "spelling", "city", [1, 3], ["c9", "c9"], sure=0.9),
        question(
            table, "cell", "size", [5], evidence="Rows like it have SEVEN.", sure=0.5
        ),
        question(table, "swap", "size", [7, 7], columns=["size", "city"], sure=0.1),
    ]


def lesson(table, found, decisions=None):
    """As after these decisions, of which nothing is learnt."""
    cells = {
        one: [c in (decisions or {}) for c in cells_of(table, one)] for one in found
    }
    return Taught(
        tuple(one for one in found if not all(cells[one])),
        tuple(one for one in found if all(cells[one])),
        sum(map(sum, cells.values())),
        {},
        None,
        None,
    )


def titles(table, found, wanted=ALL, decisions=None, later=()):
    now = lesson(table, found, decisions)
    return [one.title for one in listed_findings(table, now, wanted, later)]


def test_all_open_ones_come_most_errors_first_or_as_they_teach(table, asked):
    every = ["size: code", "city: spelling", "size: cell", "size: swap"]
    assert titles(table, asked) == every
    teaching = lesson(table, asked).teaching
    assert teaching[0] is asked[0]
    assert titles(table, asked, Asked(by="teaching")) == [o.title for o in teaching]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Asked(kinds=("cell", "swap")), ["size: cell", "size: swap"]),
        (Asked(columns=("city",)), ["city: spelling", "size: swap"]),
        (Asked(classes=("b",)), ["city: spelling", "size: cell", "size: swap"]),
        (Asked(columns=("city",), kinds=("swap",), classes=("b",)), ["size: swap"]),
        (Asked(classes=("a",), kinds=("cell",)), []),
    ],
)
def test_filters_combine(table, asked, wanted, expected):
    assert titles(table, asked, wanted) == expected


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("seven", ["size: cell"]),  # evidence, in any case
        ("SPELL", ["city: spelling"]),
        ("c9", ["city: spelling"]),  # what a cell would hold
        ("c2 swap", ["size: swap"]),  # all words; what a cell holds
        ("c2 seven", []),
        ("  ", ["size: code", "city: spelling", "size: cell", "size: swap"]),
    ],
)
def test_words_are_searched_in_titles_evidence_and_cells(
    table, asked, search, expected
):
    assert titles(table, asked, Asked(search=search)) == expected


def test_what_was_left_for_later_comes_last_in_its_order(table, asked):
    first, second, *_ = asked
    later = [place_of(second), place_of(first)]
    found = titles(table, asked, later=later)
    assert found == ["size: cell", "size: swap", "city: spelling", "size: code"]


def test_answered_ones_are_apart(table, asked):
    decisions = {(2, "city"): "error", (4, "city"): "fine"}
    assert "city: spelling" not in titles(table, asked, decisions=decisions)
    assert titles(table, asked, Asked("answered"), decisions) == ["city: spelling"]
    frame = lines(table, asked[1:2], decisions)
    assert frame["answer"].tolist() == ["1 wrong, 1 fine"]


def test_progress_counts_questions_cells_and_likely_ones_left(table, asked):
    assert progress(lesson(table, asked)) == (
        "0 questions answered, 0 cells settled; 4 open, of which 2 are about likely "
        "errors."
    )
    decisions = {(2, "city"): "error", (4, "city"): "fine", (1, "size"): "fine"}
    words = progress(lesson(table, asked, decisions))
    assert words == (
        "1 question answered, 3 cells settled; 3 open, of which 1 is about a likely "
        "error."
    )
    decisions[6, "size"] = "fine"
    words = progress(lesson(table, asked, decisions))
    assert words.endswith("; 2 open, none about a likely error.")
    assert progress(lesson(table, [])).endswith("; none is open.")


def test_a_line_says_what_is_asked_and_proposed(table, asked):
    frame = lines(table, lesson(table, asked).findings[1:], {})
    assert frame.loc[0].to_dict() == {
        "kind": "Spelling",
        "column": "city",
        "title": "city: spelling",
        "n_cells": 2,
        "how_sure": "very likely",
        "action": "c1 → c9; and 1 more",
        "answer": "",
        "sure": 0.9,
        "expected_errors": 1.8,
    }
    assert frame["how_sure"].tolist() == ["very likely", "likely", "hardly"]
    assert frame["column"].tolist()[-1] == "size, city"


def test_what_can_be_chosen_is_what_is_there(table, asked):
    found = lesson(table, asked).findings
    assert kinds_of(found) == {
        "cell": "Odd cell (1)",
        "code": "Code for missing (1)",
        "spelling": "Spelling (1)",
        "swap": "Swapped columns (1)",
    }
    assert found_columns(table, found) == ["size", "city"]


def test_the_first_cells_are_shown_before_and_after(table):
    one = question(table, "code", "size", range(80), ["", None] * 40)
    frame = cell_lines(table, one, np.arange(3, 80), {(4, "size"): "error"})
    assert len(frame) == MOST_CELLS
    assert frame.loc[0].to_dict() == {
        "position": 3,
        "row_number": 4,
        "id": "4",
        "column": "size",
        "before": "3",
        "after": "",
        "decision": "wrong",
        "why": "It is odd.",
    }
    assert frame["after"].tolist()[1] == "(blank)"


def test_a_finding_is_found_again_also_among_twins(table):
    twins = [question(table, "cell", "size", [k], title="t") for k in (1, 8)]
    twins = [Finding(**{**vars(one), "key": key_of("cell", "t")}) for one in twins]
    assert [at_place(twins, place_of(one)) for one in twins] == twins
    assert at_place(twins, (twins[0].key, NO_ROW)) is twins[0]
    assert at_place(twins, ("cell-gone", 1)) is at_place(twins, None) is None


def test_words_say_how_sure():
    sure = (1.0, 0.9, 0.89, 0.5, 0.49, 0.2, 0.19, 0.0)
    assert [sure_words(x) for x in sure] == [
        *("very likely", "very likely", "likely", "likely"),
        *("perhaps", "perhaps", "hardly", "hardly"),
    ]


def test_ten_thousand_findings_are_filtered_and_only_a_page_is_written(table):
    some = [
        question(table, "cell", "size", [k % 80], title=f"n{k}") for k in range(10_000)
    ]
    now = lesson(table, some)
    wanted = Asked(search="n999", columns=("size",))
    assert len(listed_findings(table, now, wanted)) == 11
    every = listed_findings(table, now, Asked(classes=("a",)))
    assert len(every) == 5_000
    assert len(lines(table, every[:LINES], {})) == LINES
