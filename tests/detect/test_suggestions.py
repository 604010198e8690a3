import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect import suggestions
from cellval.detect.misspelt import misspelt
from cellval.detect.suggestions import BLANK, best_texts, suggest, suggest_many
from cellval.detect.surprise import surprise
from cellval.table.table import read


def people(n=240, seed=0):
    """Height in cm, weight in kg, reported weight, temperature: all go together."""
    draw = np.random.default_rng(seed)
    male = draw.integers(0, 2, n)
    height = 165 + 13 * male + draw.normal(0, 6, n)
    weight = 0.9 * (height - 165) + 62 + draw.normal(0, 5, n)
    return pd.DataFrame(
        {
            "height": height.round(1),
            "weight": weight.round(1),
            "reported": (weight + draw.normal(0, 1, n)).round(1),
            "below_zero": (-20 - 0.1 * weight + draw.normal(0, 0.3, n)).round(1),
            "sex": np.where(male, "M", "F"),
        }
    )


def suggested(column, error, row=17, frame=None, delimiter=",", decimal="."):
    """What is suggested for one cell with an error, written as CSV."""
    frame = people() if frame is None else frame
    frame = frame.astype(object)
    frame.loc[row, column] = error(frame.loc[row, column])
    text = frame.map(lambda cell: str(cell).replace(".", decimal))
    raw = text.to_csv(index=False, sep=delimiter).encode()
    table = read(raw, label="sex")
    return suggest(table, surprise(table), row, column)


def right(column, row=17):
    return people().loc[row, column]


def test_a_shifted_decimal_point_is_put_right():
    best = suggested("weight", lambda x: round(x * 10, 1))[0]
    assert float(best.text) == right("weight")
    assert best.why == "The decimal point 1 place further left."


def test_decimal_commas_are_kept():
    best = suggested(
        "weight",
        lambda x: f"{x / 100:.3f}".replace(".", ","),
        delimiter=";",
        decimal=",",
    )[0]
    assert best.text == str(right("weight")).replace(".", ",")
    assert "2 places further right" in best.why


def test_swapped_digits_are_put_right():
    frame = people()
    row = next(i for i in frame.index if str(frame.loc[i, "height"])[:2] == "17")
    own = str(frame.loc[row, "height"])
    options = suggested("height", lambda x: own[0] + own[2] + own[1] + own[3:], row)
    by_why = {option.why: option.text for option in options}
    if own[1] != own[2] and abs(float(own[0] + own[2] + own[1] + own[3:]) - 170) > 25:
        assert own in by_why.values()
    options = suggested("height", lambda x: "7" + "1" + own[2:], row)
    assert options[0].text == own and options[0].why == "The digits 71 swapped."


def test_a_missing_sign_is_put_right():
    best = suggested("below_zero", lambda x: -x)[0]
    assert float(best.text) == right("below_zero") and best.why == "The other sign."


def test_another_unit_is_put_right():
    best = suggested("weight", lambda x: round(x / 0.45359237, 1))[0]
    assert float(best.text) == pytest.approx(right("weight"), abs=0.2)
    assert "lb turned into kg" in best.why


def test_words_around_a_number_are_taken_off():
    options = suggested("weight", lambda x: f"ca. {x}")
    assert options[0].text == str(right("weight"))


def test_a_swap_with_another_column_changes_both_cells():
    frame = people()
    a, b = frame.loc[17, "height"], frame.loc[17, "weight"]
    frame.loc[17, ["height", "weight"]] = [b, a]
    table = cellval.Table.from_frame(frame, label="sex")
    found = surprise(table)
    for column, other, text in (("height", "weight", a), ("weight", "height", b)):
        best = suggest(table, found, 17, column)[0]
        assert best.text == str(text) and best.why.startswith(f"Swapped with '{other}'")
        assert best.also == ((other, str(b if other == "weight" else a)),)


def test_the_neighbours_middle_is_always_offered_in_the_files_own_words():
    last = suggested("weight", lambda x: 199.9)[-1]
    assert last.text in set(people()["weight"].astype(str))
    assert "rows most like this one" in last.why
    assert abs(float(last.text) - right("weight")) < 12


def test_an_ordinary_cell_gets_no_slips():
    options = suggested("weight", lambda x: x)
    assert len(options) <= 1


def test_the_cell_itself_is_never_suggested_and_nothing_twice():
    for error in (lambda x: x * 10, lambda x: 199.9, lambda x: "ca. 70"):
        options = suggested("weight", error)
        texts = [option.text for option in options]
        assert len(set(texts)) == len(texts)
        assert str(error(right("weight"))) not in texts


def test_a_code_for_missing_is_to_be_blanked():
    frame = people()
    frame.loc[frame.index % 5 == 0, "weight"] = 0.0
    table = cellval.Table.from_frame(frame, label="sex")
    best, *more = suggest(table, surprise(table), 5, "weight")
    assert best.text == "" and 'may stand for "missing"' in best.why and more
    found = surprise(table)
    texts = best_texts(table, found, np.array([5, 6]), np.array([1, 1]))
    assert texts[0] == BLANK


def test_a_wrong_category_gets_what_its_neighbours_have():
    frame = people()
    frame["size"] = np.where(frame["height"] > 172, "tall", "short")
    row = int(frame["height"].idxmax())
    frame.loc[row, "size"] = "short"
    table = cellval.Table.from_frame(frame, label="sex")
    assert suggest(table, surprise(table), row, "size")[0].text == "tall"


def test_dates_with_swapped_digits_are_put_right():
    table = read("sample_data/ugly.csv")
    best = suggest(table, surprise(table), table.position(70), "harvested")[0]
    assert best.text == "15.09.2023"


def test_missing_neighbours_leave_nothing_to_suggest():
    raw = b"x,y\n1,a\n,b\n,a\n,b\n"
    table = read(raw, label="y", kinds={"x": "number"})
    assert suggest(table, surprise(table), 0, "x") == ()


# --- misspelt categories --------------------------------------------------------------


def slips(*words):
    cells = ["Berlin"] * 60 + ["München"] * 40 + ["Type 1"] * 40 + ["Köln"] * 40
    cells += words
    frame = pd.DataFrame({"x": cells, "y": np.resize(["a", "b"], len(cells))})
    table = cellval.Table.from_frame(frame, label="y", kinds={"x": "category"})
    (column,) = table.features
    names = column.categories
    return {names[slip]: names[meant] for slip, meant in misspelt(column).items()}


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("berlin", "Berlin"),
        ("BERLIN.", "Berlin"),
        ("Belrin", "Berlin"),
        ("Berin", "Berlin"),
        ("Berlinn", "Berlin"),
        ("Bärlin", "Berlin"),
        ("Munchen", "München"),
        ("Könl", "Köln"),
    ],
)
def test_one_slip_is_recognised(slip, meant):
    assert slips(slip) == {slip: meant}


@pytest.mark.parametrize("word", ["Paris", "Type 2", "Be", "Berlikum", "Kölm", "Kön"])
def test_other_words_are_left_alone(word):
    assert slips(word) == {}


def test_what_is_written_more_often_is_meant():
    assert slips("Berlina", "Berlina", "Berlina") == {}


def test_a_cell_may_hold_a_novel():
    assert slips("Berlin " * 10_000) == {}


def test_whole_numbers_stay_whole():
    frame = people().assign(weight=lambda f: f["weight"].round().astype(int))
    options = suggested("weight", lambda x: 10 * x + 3, frame=frame)
    assert options and not any("." in option.text for option in options)


@pytest.mark.parametrize(
    "text",
    ["1e308", "-1e308", "9" * 33, "1 2 " * 5000],
    ids=["infinite if shifted", "negative", "33 digits", "a long text"],
)
def test_absurd_numbers_do_no_harm(text):
    options = suggested("height", lambda _: text)
    assert options and all(len(option.text) < 40 for option in options)


def test_numbers_with_many_decimals_have_no_units_too_long_to_write():
    frame = people().assign(share=np.random.default_rng(1).random(240))
    frame["share"] = frame["share"].map("{:.16f}".format)
    assert suggested("share", lambda _: "12345678901234", frame=frame)


def test_categories_are_compared_once_for_each_column(monkeypatch):
    asked = []
    monkeypatch.setattr(suggestions, "misspelt", lambda c: asked.append(c.name) or {})
    frame = people().assign(city=["Berlin", "Bonn"] * 120)
    table = cellval.Table.from_frame(frame, label="sex")
    suggest_many(table, surprise(table), [(i, j) for i in range(5) for j in (0, 4)])
    assert sorted(asked) == ["city", "height"]


def test_codes_for_missing_leave_the_detail_to_others(monkeypatch):
    frame = people().astype(object)
    frame.loc[20:60, "height"] = 999
    frame.loc[17, "weight"] *= 10
    table = cellval.Table.from_frame(frame, label="sex")
    found = surprise(table)
    assert [code.n_cells for code in found.placeholders] == [41]
    monkeypatch.setattr(suggestions, "MOST_DETAILED", 1)
    rows, columns = np.append(np.arange(20, 61), 17), np.append(np.zeros(41, int), 1)
    *codes, other = best_texts(table, found, rows, columns)
    assert codes == [BLANK] * 41
    assert other == str(right("weight"))


def test_suggestions_of_a_long_list_are_written_as_in_the_file(monkeypatch):
    monkeypatch.setattr(suggestions, "MOST_DETAILED", 0)
    frame = people()
    frame.loc[17, ["height", "weight"]] = [1500.5, 900.5]
    text = frame.map(lambda cell: str(cell).replace(".", ","))
    text["weight"] += " kg"
    table = read(text.to_csv(index=False, sep=";").encode(), label="sex")
    found = best_texts(table, surprise(table), np.array([17, 17]), np.array([0, 1]))
    for name, suggestion in zip(["height", "weight"], found, strict=True):
        number = table.read_texts(name, [suggestion]).numbers[0]
        assert abs(number - right(name)) < 20
