"""What fits a column: numbers by their range, texts by who else holds them."""

import numpy as np
import pytest
from row_cases import odd_tables, people, read

from cellval.detect.domains import (
    FITS,
    MAY_FIT,
    ODD,
    STRANGE,
    UNKNOWN,
    domains,
    fits_of,
    own_fits,
    shape,
)


def fits(column, *texts):
    table = read(people())
    place = [*table.cells].index(column)
    return fits_of(domains(table)[place], texts).tolist()


def test_numbers_fit_within_their_range():
    assert fits("lat", "40.5", "-99", "Boston", "") == [FITS, ODD, STRANGE, UNKNOWN]


def test_texts_fit_where_others_hold_them():
    assert fits("city", "Boston", "Madrid", "MA", "40.5") == [
        FITS,
        ODD,
        STRANGE,
        STRANGE,
    ]


def test_other_texts_fit_by_their_shape():
    dates = fits("born", "1999-12-31", "Boston", "31.12.1999")
    assert dates == [FITS, STRANGE, STRANGE]


def test_words_say_little_by_their_shape():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice([*"abcdefgh"], 8)) for _ in range(200)]
    table = read(people().assign(remark=words))
    found = fits_of(domains(table)[-1], ["whatever", "12", "a@b.c"])
    assert found.tolist() == [MAY_FIT, STRANGE, STRANGE]


def test_a_cell_does_not_vouch_for_itself():
    frame = people()
    frame.loc[3, "state"] = "Smith"
    own = own_fits(read(frame))
    place = [*frame].index("state")
    assert own[3, place] < 0 and (own[:, place] < 0).sum() == 1


def test_a_text_is_known_if_enough_others_hold_it():
    frame = people(40)
    frame.loc[:2, "state"] = "NV"
    table, place = read(frame), [*frame].index("state")
    assert fits_of(domains(table)[place], ["NV"]).tolist() == [FITS]
    assert (own_fits(table)[:3, place] == ODD).all()


def test_a_constant_column_fits_itself():
    frame = people().assign(country="US")
    assert (own_fits(read(frame))[:, -1] == FITS).all()


def test_some_wrong_numbers_do_not_widen_the_range():
    frame = people()
    frame.loc[:5, "lat"] = "-100.5"
    table = read(frame)
    place = [*frame].index("lat")
    assert (own_fits(table)[:6, place] == ODD).all()
    beyond = domains(table)[place].is_beyond(np.arange(7))
    assert beyond.tolist() == [True] * 6 + [False]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("2020-01-31", "9-9-9"),
        ("NY", "A"),
        ("Boston", "a"),
        ("New York City", "a a"),
        ("12.5 oz.", "9.9 a"),
        ("", ""),
        ("x" * 500, "a"),
    ],
)
def test_shapes(text, seen):
    assert shape(text) == seen


@pytest.mark.parametrize("name", odd_tables())
def test_any_table_has_domains(name):
    table = read(odd_tables()[name])
    assert own_fits(table).shape == table.cells.shape
