"""Recipes of what was decided: on the same file they do the same, on the next one
what a person would have done again."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.rule import Rule
from cellval.recipes.applying import apply_recipe
from cellval.recipes.making import recipe_of
from cellval.recipes.recipe import read_recipe
from cellval.recipes.steps import Answer, DropRow, Fine, Replace, ReplaceCell
from cellval.repairs.repair import Repair, repaired
from cellval.repairs.work import Work

hypothesis = pytest.importorskip("hypothesis", reason="in requirements.txt")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

RULE = {"given": ["zip"], "target": "city", "title": "zip settles city"}


def table_of(text, **how):
    return cellval.read(text.encode(), label=None, **how)


def blanked(work, cells, kind=""):
    with work.together("blanked", cells, kind=kind):
        for cell in cells:
            work.repair(*cell, Repair("blank"))


# --- one half of a table, and the other -----------------------------------------------

CITIES = {"10": "Berlin", "20": "Hamburg", "53": "Bonn", "80": "München", "90": "Fürth"}
SLIPS = {"Hamburg": "Hambrug", "München": "Munchen"}


def halves(n=400, seed=0):
    """A clean table and the same with errors: codes, slips, cities of other zips."""
    draw = np.random.default_rng(seed)
    zips = draw.choice([*CITIES], n)
    clean = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(n)],
            "zip": zips,
            "city": [CITIES[z] for z in zips],
            "age": draw.integers(20, 80, n).astype(str),
        }
    )
    dirty = clean.copy()
    for k in range(0, n, 8):
        dirty.loc[k, "age"], clean.loc[k, "age"] = "-99", ""
    for k in range(3, n, 10):
        city = clean["city"][k]
        dirty.loc[k, "city"] = SLIPS.get(city, city)
    for k in range(5, n, 40):
        dirty.loc[k, "city"] = "Bonn" if clean["city"][k] != "Bonn" else "Berlin"
    odd = 17  # and one odd cell in the first half
    dirty.loc[odd, "age"] = "610"
    return [
        (clean[rows].reset_index(drop=True), dirty[rows].reset_index(drop=True))
        for rows in (clean.index < n // 2, clean.index >= n // 2)
    ]


def decided_on(clean, dirty, table):
    """What a person says who knows the truth, question by question."""
    work = Work()
    wrong = [
        (row, name)
        for name in dirty
        for row in (1 + np.flatnonzero(dirty[name] != clean[name])).tolist()
    ]
    right = {cell: clean.loc[cell[0] - 1, cell[1]] for cell in wrong}
    held = {cell: dirty.loc[cell[0] - 1, cell[1]] for cell in wrong}
    of_kind = {"code": [], "spelling": [], "rule": [], "": []}
    for cell in wrong:
        kind = "rule" if cell[1] == "city" else ""
        kind = "code" if held[cell] == "-99" else kind
        kind = "spelling" if held[cell] in SLIPS.values() else kind
        of_kind[kind].append(cell)
    for kind, cells in of_kind.items():
        with work.together(kind, cells, kind=kind):
            for cell in cells:
                new = right[cell]
                work.repair(*cell, Repair("replace", new) if new else Repair("blank"))
    work.answer("rule-1", "accepted", RULE)
    return work


def test_a_recipe_made_on_one_half_of_a_table_repairs_the_other():
    (clean, dirty), (other_clean, other_dirty) = halves()
    table = cellval.read(dirty, label=None, id_column="id")
    work = decided_on(clean, dirty, table)
    recipe = recipe_of(table, work)
    assert [type(step) for step in recipe.steps] == [Replace] * 2 + [ReplaceCell, Rule]
    assert recipe.steps[-1].repair
    pytest.importorskip("yaml", reason="in requirements.txt")
    recipe = read_recipe(recipe.text.encode())
    other = cellval.read(other_dirty, label=None, id_column="id")
    n_wrong = int((other_dirty != other_clean).to_numpy().sum())
    done = apply_recipe(recipe, other)
    assert len(done.repairs) == n_wrong > 30
    fixed = repaired(other, done.repairs)
    assert fixed.cells.to_numpy().tolist() == other_clean.to_numpy().tolist()
    (misfit,) = done.misfits  # the one cell that is of the first half alone
    assert misfit.endswith("no row with id p17.")


def test_a_rule_whose_cells_were_not_all_repaired_so_only_asks():
    (clean, dirty), _ = halves()
    table = cellval.read(dirty, label=None, id_column="id")
    work = decided_on(clean, dirty, table)
    cell = next(cell for cell in work.steps[2].cells)
    work.repair(*cell, Repair("replace", "Ulm"))
    recipe = recipe_of(table, work)
    (rule,) = [step for step in recipe.steps if isinstance(step, Rule)]
    assert not rule.repair
    assert set(rule.known) == set(CITIES.items())
    again = apply_recipe(recipe, table)
    assert {c: r.text for c, r in again.repairs.items()} == {
        c: r.text for c, r in work.repairs.items()
    }


# --- by text or by cell ---------------------------------------------------------------

TEXT = "k,w,city\na,7,Bonn\nb,7,Bonn\nc,580,Bomn\nd,60,Ulm\ne,-9,Köln\n"


def steps_of(work, text=TEXT, **how):
    return recipe_of(table_of(text, **how), work).steps


def test_a_text_that_was_always_changed_alike_is_a_text():
    work = Work()
    blanked(work, [(1, "w"), (2, "w")])
    assert steps_of(work) == (Replace("w", (("7", ""),)),)
    work.repair(2, "w", Repair("replace", "70"))
    one, other = steps_of(work, id_column="k")
    assert (one.before, one.after, one.row.id) == ("7", "", "a")
    assert (other.before, other.after, other.row.id) == ("7", "70", "b")


def test_a_single_cell_is_a_text_if_the_question_was_about_the_text():
    for kind, noun in (("code", Replace), ("cell", ReplaceCell), ("", ReplaceCell)):
        work = Work()
        blanked(work, [(5, "w")], kind)
        assert isinstance(steps_of(work)[0], noun), kind


def test_a_slip_of_a_word_is_a_text_and_an_odd_number_is_a_cell():
    work = Work()
    work.repair(3, "city", Repair("replace", "Bonn"))
    work.repair(3, "w", Repair("replace", "58"))
    work.repair(4, "city", Repair("replace", "Bonn"))  # another word, no slip
    text, number, word = steps_of(work, id_column="k")
    assert text == Replace("city", (("Bomn", "Bonn"),))
    assert [type(number), type(word)] == [ReplaceCell, ReplaceCell]


def test_fine_cells_of_a_text_are_fine_as_a_text():
    work = Work()
    for row in (1, 2, 3):
        work.decide(row, "w", "fine")
    texts, cell = steps_of(work, id_column="k")
    assert texts == Fine("w", ("7",))
    assert (cell.texts, cell.row.id) == (("580",), "c")


def test_a_duplicate_row_that_was_dropped_is_dropped_once():
    work, text = Work(), "x,z\n1,p\n2,q\n1,p\n"
    work.repair(3, "", Repair("drop", reason="twice"))
    recipe = recipe_of(table_of(text), work)
    assert recipe.steps == (DropRow(recipe.steps[0].row, "twice"),)
    done = apply_recipe(recipe, table_of("x,z\n1,p\n1,p\n3,r\n"))
    assert list(done.repairs) == [(2, "")]


def test_what_has_no_repair_is_a_note_and_answers_are_kept():
    work = Work()
    work.decide(1, "w", "error")
    work.decide(2, "w", "error")
    work.decide(3, "w", "unsure")
    work.answer("rule-1", "refused", RULE)
    work.answer("order-2", "accepted", {"title": "a before b"})
    recipe = recipe_of(table_of(TEXT), work)
    assert [note.split(" without")[0] for note in recipe.notes] == [
        "2 cells marked as wrong",
        "1 cell marked as unsure",
    ]
    assert recipe.steps == (
        Rule(("zip",), "city", refused=True),
        Answer("order-2", "accepted", "a before b"),
    )


def test_steps_that_were_undone_do_not_say_what_a_cell_answers():
    work = Work()
    blanked(work, [(5, "w")], "code")
    work.undo_step()
    work.repair(5, "w", Repair("blank"))
    assert isinstance(steps_of(work)[0], ReplaceCell)


# --- whatever was decided -------------------------------------------------------------

small = st.sampled_from(["", "x", " x", "y", "12", "word", "words"])
lines = st.lists(st.tuples(small, small, small), min_size=2, max_size=7)
cells = st.tuples(st.integers(1, 7), st.sampled_from("abc"))
repairs = st.dictionaries(cells, small, max_size=6)


@settings(derandomize=True, max_examples=80, deadline=None, database=None)
@given(lines, repairs, st.sets(cells), st.sets(st.integers(1, 7)), st.booleans())
def test_on_the_same_file_a_recipe_does_the_same(rows, repairs, fine, drop, with_ids):
    frame = pd.DataFrame(rows, columns=[*"abc"])
    frame["d"] = (["p", "q"] * len(rows))[: len(rows)]  # a table needs a feature
    if with_ids:
        frame["id"] = [f"r{k}" for k in range(len(rows))]
    table = cellval.read(frame, label=None, id_column="id" if with_ids else None)
    work, n = Work(), len(rows)
    for cell in fine:
        if cell[0] <= n:
            work.decide(*cell, "fine")
    for (row, name), text in repairs.items():
        if row <= n:
            new = Repair("replace", text) if text else Repair("blank")
            work.repair(row, name, new)
    for row in drop:
        if row < n:  # a table needs a row
            work.repair(row, "", Repair("drop"))
    done = apply_recipe(recipe_of(table, work), table)
    assert done.misfits == ()
    before, after = (repaired(table, made) for made in (work.repairs, done.repairs))
    assert before.cells.to_numpy().tolist() == after.cells.to_numpy().tolist()
    assert before.row_numbers.tolist() == after.row_numbers.tolist()
    left = {c for c, d in work.decisions.items() if d == "fine" and c[0] not in drop}
    assert left <= done.fine
