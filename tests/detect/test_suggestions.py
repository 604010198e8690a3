"""What a suspicious cell should have been."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect import suggestions as module
from cellval.detect.suggestions import (
    BLANK,
    best_suggestions,
    suggest_many,
    suggested_text,
    suggestions,
)
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
    return suggestions(table, surprise(table), row, column)


def right(column, row=17):
    return people().loc[row, column]


def test_a_shifted_decimal_point_is_put_right():
    best = suggested("weight", lambda x: round(x * 10, 1))[0]
    assert float(best.text) == right("weight")
    assert best.why == "The decimal point 1 place further left."


@pytest.mark.parametrize("unit", ["", " g/l"])
def test_a_decimal_comma_or_a_unit_among_plain_numbers_is_left_out(unit):
    own = right("weight")
    best = suggested("weight", lambda x: str(x).replace(".", ",") + unit)[0]
    assert best.text == str(own) and best.is_likely


def test_a_decimal_comma_that_would_not_fit_may_mean_something_else():
    frame = people()
    frame.loc[[3, 4, 5], "height"] = [5.5, 5.6, 6.1]  # feet
    best = suggested("height", lambda x: "5,8", frame=frame)[0]
    assert best.text != "5.8" or not best.is_likely


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
        best = suggestions(table, found, 17, column)[0]
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
    best, *more = suggestions(table, surprise(table), 5, "weight")
    assert best.text == "" and 'may stand for "missing"' in best.why and more
    found = surprise(table)
    texts = [
        *map(
            suggested_text,
            best_suggestions(table, found, np.array([5, 6]), np.array([1, 1])),
        )
    ]
    assert texts[0] == BLANK


def test_a_wrong_category_gets_what_its_neighbours_have():
    frame = people()
    frame["size"] = np.where(frame["height"] > 172, "tall", "short")
    row = int(frame["height"].idxmax())
    frame.loc[row, "size"] = "short"
    table = cellval.Table.from_frame(frame, label="sex")
    assert suggestions(table, surprise(table), row, "size")[0].text == "tall"


def test_dates_with_swapped_digits_are_put_right():
    table = read("sample_data/ugly.csv")
    best = suggestions(table, surprise(table), table.position(70), "harvested")[0]
    assert best.text == "15.09.2023"


def test_missing_neighbours_leave_nothing_to_suggest():
    raw = b"x,y\n1,a\n,b\n,a\n,b\n"
    table = read(raw, label="y", kinds={"x": "number"})
    assert suggestions(table, surprise(table), 0, "x") == ()


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
    monkeypatch.setattr(module, "misspelt", lambda c: asked.append(c.name) or {})
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
    monkeypatch.setattr(module, "MOST_DETAILED", 1)
    rows, columns = np.append(np.arange(20, 61), 17), np.append(np.zeros(41, int), 1)
    *codes, other = [
        *map(suggested_text, best_suggestions(table, found, rows, columns))
    ]
    assert codes == [BLANK] * 41
    assert other == str(right("weight"))


def test_a_list_holds_what_is_clearly_best_and_nothing_else():
    frame = people().astype(object)
    frame.loc[17, "weight"] = round(right("weight") * 10, 1)
    frame.loc[30, "height"] = 143.7  # too small, and nothing explains it
    table = read(frame.to_csv(index=False).encode(), label="sex")
    found = surprise(table)
    rows, columns = np.array([17, 30]), np.array([1, 0])
    texts = [*map(suggested_text, best_suggestions(table, found, rows, columns))]
    assert [float(texts[0]), texts[1]] == [right("weight"), ""]
    shifted, small = suggest_many(table, found, [(17, 1), (30, 0)])
    assert shifted[0].is_likely and not any(o.is_likely for o in shifted[1:])
    assert small and not any(option.is_likely for option in small)


def test_two_slips_that_fit_as_well_leave_the_choice_to_a_person():
    options = [
        module.Suggestion("12", "", fit=0.8),
        module.Suggestion("21", "", fit=0.5),
    ]
    assert not any(o.is_likely for o in module._clearest(options, ()))
    assert module._clearest(options[:1], ())[0].is_likely
    # in a column of few numbers it must be one of them
    assert not module._clearest(options[:1], ("13", "14"))[0].is_likely


def test_another_reading_comes_before_slips_of_the_fingers():
    best = suggested("weight", lambda x: f"{x}%")[0]
    assert float(best.text) == right("weight") and best.is_likely
    assert best.why == "A plain number, as in the other cells."


def test_another_unit_is_an_idea_unless_the_cell_names_it():
    assert not suggested("height", lambda x: round(x / 2.54, 1))[0].is_likely
    named = suggested("height", lambda x: f"{x / 2.54:.2f} in")[0]
    assert abs(float(named.text) - right("height")) < 0.2 and named.is_likely


def test_what_neighbours_have_is_likely_only_for_a_text_like_theirs():
    draw = np.random.default_rng(3)
    town = np.repeat(["Birmingham", "Montgomery", "Huntsville"], 60)
    code = np.repeat([35, 36, 37], 60) * 1000 + draw.permutation(180)
    rest = {"code": code, "y": np.tile(["a", "b"], 90)}
    for wrong, likely in (("Bxrmxnghxm", True), ("Paris", False)):
        frame = pd.DataFrame({"town": town, **rest}).astype(object)
        frame.loc[4, "town"] = wrong
        table = read(frame.to_csv(index=False).encode(), label="y")
        best = suggestions(table, surprise(table), 4, "town")[0]
        assert (best.text, best.is_likely) == ("Birmingham", likely)


def test_words_that_differ_alike_are_no_slips():
    codes = [f"{state}_code-{k}" for k in range(6) for state in ["al"] * 40 + ["ak"]]
    frame = pd.DataFrame({"code": codes, "x": range(len(codes))})
    frame["y"] = ["ab"[k % 2] for k in range(len(codes))]
    kinds = {"code": "category"}
    table = read(frame.to_csv(index=False).encode(), label="y", kinds=kinds)
    best = suggestions(table, surprise(table), 40, "code")[0]
    assert best.text == "al_code-0" and not best.is_likely


def test_a_swap_is_likely_only_if_both_cells_are_odd():
    draw = np.random.default_rng(5)
    a, b = draw.normal(50, 1, 200).round(1), draw.normal(55, 8, 200).round(1)
    frame = pd.DataFrame({"a": a, "b": b, "y": np.tile(["u", "v"], 100)})
    frame.loc[3, ["a", "b"]] = [60.0, 50.3]  # b could hold both, and a the other
    frame.loc[9, "a"] = 61.0
    table = cellval.Table.from_frame(frame, label="y")
    found = surprise(table)
    swaps = [o for o in suggestions(table, found, 3, "a") if o.also]
    assert swaps and not any(option.is_likely for option in swaps)
    swapped = people()
    swapped.loc[17, ["height", "weight"]] = [right("weight"), right("height")]
    table = cellval.Table.from_frame(swapped, label="sex")
    assert suggestions(table, surprise(table), 17, "height")[0].is_likely


def test_the_best_of_a_cell_is_looked_for_once(monkeypatch):
    frame = people().astype(object)
    frame.loc[[17, 40], "weight"] *= 10
    table = read(frame.to_csv(index=False).encode(), label="sex")
    found, look, asked = surprise(table), suggest_many, []
    monkeypatch.setattr(
        module, "suggest_many", lambda *given: asked.append(given[2]) or look(*given)
    )
    first = best_suggestions(table, found, np.array([17]), np.array([1]))
    both = best_suggestions(table, found, np.array([40, 17]), np.array([1, 1]))
    assert both[1] is first[0] is not None and both[0] is not None
    assert asked == [[(17, 1)], [(40, 1)]]


def test_suggestions_end_when_time_is_over(monkeypatch):
    frame = people().astype(object)
    frame.loc[[17, 40], "weight"] *= 10
    table = read(frame.to_csv(index=False).encode(), label="sex")
    found, cells = surprise(table), [(17, 1), (30, 0), (40, 1)]
    whole = suggest_many(table, found, cells)
    monkeypatch.setattr(module, "AT_ONCE", 2)
    assert suggest_many(table, found, cells) == whole
    assert suggest_many(table, found, cells, lambda: True) == whole[:2]
    monkeypatch.setattr(module, "AT_ONCE", 1)
    rows, columns = np.array(cells).T
    best = best_suggestions(table, found, rows, columns, lambda: True)
    assert best[0] is not None and best[2] is None
    assert best_suggestions(table, found, rows, columns)[2] is not None
