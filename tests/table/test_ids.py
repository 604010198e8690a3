"""Ids and free texts: which occur twice, which are written unlike the others."""

import pytest
from cases import one_column


def notes_on(cells, **options):
    table, column = one_column(cells, name="code", **options)
    assert not column.feature
    return [note for note in table.notes if note.startswith("'code': ")]


CODES = [f"AB-{i}" for i in range(950, 1050)]  # one digit more from 1000 on


def test_codes_that_differ_and_look_alike_need_no_note():
    assert notes_on(CODES) == []
    assert notes_on([str(i) for i in range(950, 1050)]) == []


def test_ids_that_occur_twice_are_named_with_their_rows():
    cells = [*CODES[:-4], "AB-950", " AB-950", "AB-960", ""]
    (note,) = notes_on(cells, id_column="code")
    assert note == (
        "'code': 2 ids occur more than once: 'AB-950' in rows 1, 97 and 98, 'AB-960' "
        "in rows 11 and 99."
    )


def test_an_id_of_many_rows_is_no_finding():
    assert notes_on(CODES[:25] * 4, id_column="code") == []


@pytest.mark.parametrize("odd", ["AB1000", "ab-1000", "AB-1000x", "A-1000", "1000"])
def test_a_code_unlike_the_others_is_named(odd):
    cells = [*CODES[:-1], odd]
    (note,) = notes_on(cells)
    assert note == (
        "'code': 1 cell is written unlike the others (such as 'AB-950'): row 100 "
        f"'{odd}'."
    )


def test_digits_count_where_zeros_fill_them_up():
    cells = [f"{i:04}" for i in range(950, 1050)]
    cells[3], cells[8] = "953", "09580"
    (note,) = notes_on(cells, id_column="code")
    assert note == (
        "'code': 2 cells are written unlike the others (such as '0950'): row 4 '953', "
        "row 9 '09580'."
    )


def test_names_may_look_as_they_like():
    letters = "abcdefghij"
    names = [f"{a}{b}".title() for a in letters for b in letters]
    assert notes_on([*names[:-1], "Mc Aa"], id_column="code") == []


def test_nothing_is_said_about_a_column_that_was_excluded():
    assert notes_on([*CODES[:-1], CODES[0]], exclude=["code"]) == []


def test_long_texts_and_many_findings_are_cut():
    cells = [*CODES, *CODES[:5], "A" * 500]
    notes = notes_on(cells, id_column="code")
    assert "and 2 more" in notes[0] and all(len(note) < 400 for note in notes)
