"""What notebooks show: small, plain, escaped, and readable on light and dark pages."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from cases import number_table, values_of

import cellval
from cellval.detect.findings import Findings
from cellval.export import notebook
from cellval.export.notebook import html_of
from cellval.figures.palette import HELD_OUT, rgb_at
from cellval.repairs.comparison import Comparison
from cellval.values.result import unvalued

ATTACK = "<script>alert('1')</script>"
LARGEST = 100_000  # characters
PLAIN = {"div", "p", "b", "br", "span", "table", "thead", "tbody", "tr", "th", "td"}


class Tags(HTMLParser):
    """Elements and attributes of a piece of HTML; all that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.names, self.attributes, self.texts, self.open = set(), set(), [], []
        self.styles, self.hovers = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.styles += [text for name, text in attrs if name == "style"]
        self.hovers += [text for name, text in attrs if name == "title"]
        self.open += [tag] * (tag != "br")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def davis():
    return cellval.read("sample_data/davis.csv", label="sex")


@pytest.fixture(scope="module")
def values(davis):
    return cellval.value_cells(davis, n_neighbors=5)


@pytest.fixture(scope="module")
def nasty():
    """Names, ids, classes and cells that would like to be run, and are long."""
    n, long = 120, "long " * 200
    frame = pd.DataFrame({"id": [f"<i>{k}</i>{long}" for k in range(n)]})
    for j in range(20):
        frame[f"{j}<b>{ATTACK}{long}"] = [f"{ATTACK}{k % 5}{long}" for k in range(n)]
    frame["y"] = [("<u>p" if k % 2 else "q") for k in range(n)]
    return cellval.Table.from_frame(frame, label="y", id_column="id", name=ATTACK)


def compared(**more):
    accuracy = np.array([[[0.8, 0.82], [0.79, 0.83]]])
    how = (accuracy, np.add(accuracy, [[0.05, 0.04], [0.06, 0.05]]), 0.25, 3, 1, 197)
    return Comparison((ATTACK,), *how, "<b>F", 0.56, note=ATTACK, **more)


@pytest.fixture(scope="module")
def everything(nasty):
    table = nasty
    shape = (table.n_rows, len(table.features))
    grid = np.linspace(-0.4, 0.4, int(np.prod(shape))).reshape(shape)
    found = cellval.findings(table)
    return {
        "table": table,
        "values": values_of(table, grid),
        "findings": found,
        "check": cellval.check(table),
        "comparison": compared(),
    }


@pytest.mark.parametrize("name", ["table", "values", "findings", "check", "comparison"])
def test_nothing_of_a_table_is_run_and_nothing_is_asked_from_elsewhere(
    everything, name
):
    shown = everything[name]._repr_html_()
    tags = Tags(shown)
    assert tags.names <= PLAIN
    assert tags.attributes <= {"style", "scope", "title"}
    assert "url(" not in shown and "http" not in shown
    assert len(shown) < LARGEST


def test_a_table_shows_its_first_rows_and_what_its_columns_are(davis):
    text = Tags(html_of(davis)).text
    assert "Table 'davis.csv': 200 rows x 5 columns" in text
    assert "sex label, category" in text and "repwt number; 17 missing" in text
    assert "Shown are the first 8 of 200 rows." in text
    assert "number (4)" not in text  # heads say so


def test_of_a_wide_table_it_is_said_how_many_columns_are_left_out(nasty):
    text = Tags(html_of(nasty)).text
    assert "and 15 of 22 columns" in text and "category (20)" in text


def test_cells_that_count_as_missing_are_faint():
    table = cellval.read(b"x,y\n1,a\nn/a,b\n3,b\n4,a\n", label="y")
    faint = re.findall(rf"{notebook.FAINT}[^>]*>([^<]*)<", html_of(table))
    assert faint == ["n/a"]


def test_values_show_rows_with_the_lowest_cells_their_errors_and_the_legend(values):
    tags = Tags(html_of(values))
    for words in (
        "percentage points of accuracy. Lower is worse; below 0 it hurts.",
        "the 20 of 200 rows with the lowest cells, worst first",
        "orange lowers the accuracy of the model, blue raises it",
        "2D-Shapley-KNN; 5 neighbours; all 16 column subsets (exact)",
        "Typical standard error",
    ):
        assert words in tags.text
    first = values.lowest(1).iloc[0]
    row = re.search(r"<tr><th scope=\"row\"[^>]*>(\d+)<", html_of(values))[1]
    assert row == str(first.row_number)
    assert sum(" ± " in text for text in tags.hovers) == 80  # 20 rows of 4 columns
    assert tags.hovers[0].endswith("pp")


def test_the_lowest_cell_is_the_darkest_orange_and_the_highest_blue(davis):
    few = cellval.read(b"x,z,y\n1,5,a\n2,6,b\n3,7,b\n4,8,a\n", label="y")
    grid = [[-0.4, 0.0], [0.1, 0.1], [0.2, 0.1], [0.4, -0.1]]
    shown = html_of(values_of(few, grid))
    painted = dict(re.findall(r"background-color:(#\w+)[^>]*>(\d)<", shown))
    painted = {text: colour for colour, text in painted.items()}
    assert painted["1"] == "#" + bytes(rgb_at(0.0)).hex()
    assert painted["4"] == "#" + bytes(rgb_at(1.0)).hex()
    assert painted["5"] == "#" + bytes(rgb_at(0.5)).hex()


def test_an_approximation_is_named(davis):
    near = cellval.value_cells(davis, n_neighbors=5, near=50)
    assert "near field: rows beyond the 50 nearest" in Tags(html_of(near)).text


def test_rows_without_values_are_grey_and_that_is_said(davis, values):
    grid = np.full((200, 4), 0.001)
    assert "Grey cells" not in html_of(values)
    grid[:190] = np.nan
    shown = html_of(values_of(davis, grid))
    assert "Grey cells have no value" in shown and HELD_OUT in shown


def test_without_a_label_there_are_no_values_to_show():
    bare = cellval.read("sample_data/davis.csv", label=None)
    assert "no cell has a value" in html_of(unvalued(bare))


def test_values_that_are_no_parts_of_a_score_have_other_words(davis):
    random = cellval.value_cells(davis, method="random")
    text = Tags(html_of(random)).text
    assert "Lower is worse." in text and "below 0" not in text


def test_values_of_numbers_are_of_closeness():
    table = number_table(30, 0)
    grid = np.full((30, len(table.features)), 0.01)
    text = Tags(html_of(values_of(table, grid, width=3.0, scoring="closeness"))).text
    assert "percentage points of closeness" in text


def contrast(a, b):
    def bright(code):
        parts = [int(code[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        r, g, b = (
            x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((bright(a), bright(b)))
    return (high + 0.05) / (low + 0.05)


def test_letters_are_seen_on_every_colour():
    colours = [notebook._hex(at) for at in np.linspace(0, 1, 201)]
    for colour in [*colours, HELD_OUT]:
        style = notebook._painted(colour)
        assert contrast(colour, style.rpartition(":")[2]) >= 4.5


def test_colours_of_texts_that_stand_on_the_page_are_the_pages_own(davis, values):
    for shown in (davis, values, cellval.findings(davis), compared()):
        styles = Tags(html_of(shown)).styles
        inked = [s for s in styles if re.search(r"(^|;)color:", s)]
        assert all("background-color" in style for style in inked)


def test_findings_are_a_tuple_that_knows_its_table(davis):
    found = cellval.findings(davis)
    assert isinstance(found, Findings) and found.table is davis
    assert found == tuple(found)
    text = Tags(html_of(found)).text
    assert "likely, those that settle most errors first" in text
    assert "Swapped columns" in text and "166 → 57" in text and "12" in text


def test_of_many_findings_the_first_are_listed(davis):
    found = cellval.findings(davis)
    many = Findings.of(davis, [*found] * 60)
    shown = html_of(many)
    assert f"The first 20 of {len(many):,}." in shown
    assert shown.count("<tr>") == 21


def test_no_findings_are_said_to_be_none(davis):
    text = Tags(html_of(Findings.of(davis, ()))).text
    assert text == "0 findings : nothing odd was found."


def test_a_check_says_whether_it_passed():
    found = cellval.check("sample_data/davis.csv")
    assert "Not passed" in html_of(found)
    assert f"{found.n_flagged} finding" in html_of(found)
    passed = cellval.check("sample_data/davis.csv", fail_on=99)
    assert Tags(html_of(passed)).text.startswith("Passed")


def test_a_comparison_shows_each_model_with_its_verdict():
    text = Tags(html_of(compared())).text
    assert "Tested accuracy before and after" in text
    assert "Better by" in text and "95 % interval" in text
    assert "of which 1 dropped" in text and "For reference" in text


def test_what_is_not_known_is_not_shown():
    with pytest.raises(TypeError, match="notebooks show no int"):
        html_of(3)
