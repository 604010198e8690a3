"""Where a cell stands in its column and in its class."""

import pandas as pd
import pytest
from cases import make_table

import cellval
from cellval.table import describe as places


def test_the_place_of_a_number_overall_and_in_its_class(davis):
    everyone, same = places.place(davis, davis.position(12), "weight")
    assert everyone.who == "all rows"
    assert same.who == "class F"
    assert everyone.below == pytest.approx(199 / 200)
    assert everyone.above == 0
    assert same.n == int((davis.y == davis.classes.index("F")).sum())
    assert same.usual == "47 to 70"


def test_the_place_of_a_category_and_of_a_missing_cell():
    table = make_table([("category", [0, 0, 1, None, None])], [0, 0, 0, 1, 1])
    everyone, same = places.place(table, 0, "c0")
    assert everyone.same == pytest.approx(2 / 3)
    assert same.usual == "a 67 %, b 33 %"
    none = places.place(table, 3, "c0")[1]
    assert (none.n, none.same, none.usual) == (0, 0.0, "no cells")


def test_the_spread_of_a_column_marks_the_cell():
    table = make_table([("number", [1, 2, 3, 4, 1000, None])], [0] * 5 + [1])
    spread = places.spread(table, 4, "c0")
    assert spread.outside
    assert spread.edges[-1] < 1000  # one absurd cell does not flatten the rest
    assert spread.overall.sum() == pytest.approx(80)
    assert places.spread(table, 5, "c0").at is None
    assert not places.spread(table, 0, "c0").outside


def test_the_spread_of_categories_contains_the_cell_however_rare():
    cells = [k % 8 for k in range(80)]
    table = make_table([("category", cells)], [0, 1] * 40)
    frame = pd.DataFrame({"x": [f"t{k % 9}" for k in range(90)] + ["rare"], "y": 1})
    frame.loc[:40, "y"] = 2
    other = cellval.Table.from_frame(frame, label="y", kinds={"x": "category"})
    spread = places.spread(other, 90, "x")
    assert spread.labels[int(spread.at)] == "rare"
    assert len(spread.labels) == 8
    assert places.spread(table, 3, "c0").labels[3] == "d"


def test_usual_ranges_are_those_of_every_column_within_every_class(davis):
    found = places.usual_ranges(davis)
    assert set(found) == {(name, c) for name in davis.feature_names for c in "FM"}
    men = davis.y == davis.classes.index("M")
    assert found["height", "M"] == places.usual_range(davis.features[1], men)
    assert found["height", "M"] == "168 to 189"
    assert places.usual_ranges(davis) is found  # kept with the table


def test_numbers_are_written_as_a_person_writes_them():
    table = cellval.read(
        b"n,day,y\n1.5,2024-01-31,a\n2.5,2024-02-01,b\n9,2024-02-03,a\n", label="y"
    )
    number, day = table.features
    assert places.number_text(number, 1234.5) == "1,234.5"
    assert places.number_text(number, 12345678.9) == "12,345,679"
    assert places.number_text(day, day.numbers[0]) == "2024-01-31"


def test_a_small_spread_is_a_histogram_or_the_commonest_categories():
    table = make_table(
        [
            ("number", [*range(98), 10_000, None]),
            ("category", [0] * 20 + [1] * 60 + [2] * 20),
        ],
        [0, 1] * 50,
    )
    numbers, words = places.small_spreads(table).values()
    assert len(numbers) == 12
    assert min(numbers[:2]) > 0  # the far outlier does not squeeze the others
    assert words == [60, 20, 20]
    assert places.small_spreads(table) is places.small_spreads(table)


def test_a_small_spread_needs_no_more_than_some_rows(monkeypatch):
    table = make_table([("number", range(90))], [0, 1] * 45)
    monkeypatch.setattr("cellval.table.describe.ENOUGH_ROWS", 30)
    (shares,) = places.small_spreads(table).values()
    assert sum(shares) == pytest.approx(100, abs=1)
