"""The list of findings: questions, answers, what comes next."""

import pytest
from helpers import (
    box,
    button,
    click,
    drawn,
    goto,
    link_of,
    open_app,
    pick,
    restarted,
    running,
    session_of,
    settled,
    shown,
    text_of,
    tick,
)

from cellval.detect.finding import finding
from cellval.detect.learning import Taught, cells_of
from cellval.detect.rule import Rule
from cellval.repairs.repair import Repair
from cellval.ui import session as sessions
from cellval.views.findings_list import LINES
from cellval.views.kept_rules import kept_rules, support


def question(table, kind, column, rows, after=None, **how):
    how = {"sure": 0.8, "title": f"{column} {kind}", "evidence": "It is odd.", **how}
    about = (kind, how["title"])
    return finding(table, kind, column, rows, after, about=about, **how)


def planted(table):
    return [
        question(table, "code", "height", range(60), [""] * 60),
        question(table, "spelling", "weight", [3, 4, 5], ["70", "71", None], sure=0.6),
        question(table, "cell", "repht", [20], sure=0.3),
    ]


@pytest.fixture
def asked(davis, monkeypatch):
    """A finished run with three questions, and a place to change them."""
    every = planted(davis.table)
    moved = {}

    def lesson(suspicion, decisions):
        table = suspicion.table
        said = {one: [c in decisions for c in cells_of(table, one)] for one in every}
        left = tuple(one for one in every if not all(said[one]))
        done = tuple(one for one in every if all(said[one]))
        n = sum(map(sum, said.values()))
        return Taught(left, done, n, moved, suspicion, suspicion)

    monkeypatch.setattr(sessions, "taught", lesson)
    davis.every, davis.moved = every, moved
    return davis


def list_of(app):
    return next(table.value for table in app.dataframe if "title" in table.value)


def cells_at(app):
    """Which of the tables on the page holds the cells of the open finding."""
    return next(k for k, t in enumerate(app.dataframe) if "before" in t.value)


def heading(app):
    found = [m.value for m in app.markdown if m.value.startswith("#####")]
    return found[0].removeprefix("##### ")


def decided(app):
    return session_of(app).file.decisions


def made(app):
    return session_of(app).file.repairs


# --- the list -------------------------------------------------------------------------


def test_findings_come_first_and_cells_and_map_are_a_click_away(davis):
    app = shown("inspect", davis)
    assert box(app, "What to look at").value == "Findings"
    assert list_of(app)["title"][0] == "weight and height swapped in 1 row"
    pick(app, "What to look at", "Cells")
    assert "2 suspects" in text_of(app)
    goto(goto(app, "heatmap"), "inspect")
    assert box(app, "What to look at").value == "Cells"  # it is remembered
    pick(app, "What to look at", "Map")
    assert "Every point is a cell" in text_of(app)


def test_a_line_says_kind_cells_how_sure_and_what_is_proposed(asked):
    app = shown("inspect", asked)
    frame = list_of(app)
    assert frame["kind"].tolist() == ["Code for missing", "Spelling", "Odd cell"]
    assert frame["n_cells"].tolist() == [60, 3, 1]
    assert frame["how_sure"].tolist() == ["likely", "likely", "perhaps"]
    assert frame["action"].tolist()[1:] == ["68 → 70; and 1 more", ""]
    seen = list(app.dataframe[0].proto.column_order)
    assert "sure" not in seen and "answer" not in seen
    assert "0 questions answered, 0 cells settled; 3 open, of which 2 are" in text_of(
        app
    )


def test_filters_and_search_combine_and_open_the_first_that_fits(asked):
    app = shown("inspect", asked)
    pick(app, "Kinds", ["spelling", "cell"])
    assert list_of(app)["title"].tolist() == ["weight spelling", "repht cell"]
    assert heading(app) == "weight spelling"
    pick(app, "Columns", ["repht"])
    assert heading(app) == "repht cell"
    pick(app, "Search", "spelling")
    assert "No finding fits these filters." in text_of(app)
    assert "No question is open" in text_of(app)


def test_only_a_page_of_lines_is_sent(asked):
    table = asked.table
    asked.every[:] = [
        question(table, "cell", "height", [k % 200], title=f"n{k}") for k in range(250)
    ]
    app = shown("inspect", asked)
    assert len(list_of(app)) == LINES
    assert "1 to 100 of 250 questions." in text_of(app)
    assert "Question 1 of 250 in the list" in text_of(app)
    pick(app, "Search", "n24")
    assert len(list_of(app)) == 11


def test_before_surprise_is_known_the_page_says_that_questions_come(davis):
    app = shown("inspect", running(davis.table))
    assert "Questions come as soon as cells were compared" in text_of(app)
    pick(app, "What to look at", "Cells")
    assert "goes by value until it is" in text_of(app)


# --- answers --------------------------------------------------------------------------


def test_what_a_person_knows_is_typed_into_the_question(asked):
    app = shown("inspect", asked)
    assert "What should stand there" not in {t.label for t in app.text_input}  # of many
    pick(app, "Kinds", ["cell"])
    click(app, "Write it")
    assert "Type what should stand there first" in text_of(app) and not made(app)
    box(app, "What should stand there").set_value("tall")
    click(app, "Write it")
    assert "cannot be read as a number" in text_of(app)
    assert made(app)[21, "repht"] == Repair("replace", "tall", "Typed by hand.")
    assert decided(app)[21, "repht"] == "error"


def test_wrong_repairs_all_cells_and_the_next_question_opens(asked):
    app = click(shown("inspect", asked), "Wrong: repair so")
    assert len(made(app)) == 60
    assert {new.action for new in made(app).values()} == {"blank"}
    assert set(decided(app).values()) == {"error"}
    assert heading(app) == "weight spelling"
    assert "1 question answered, 60 cells settled; 2 open" in text_of(app)
    assert "60 cells repaired: height code." in text_of(app)
    click(app, "Wrong: repair so")
    assert len(made(app)) == 62 and len(decided(app)) == 63
    assert "2 cells repaired, 1 cell marked as wrong" in text_of(app)
    click(app, "Fine")
    assert decided(app)[21, "repht"] == "fine"
    assert "Every question is answered." in text_of(app)


def test_one_undo_takes_an_answer_back_and_opens_its_question(asked):
    app = click(shown("inspect", asked), "All fine")
    click(app, "Undo all 60")
    assert decided(app) == {}
    assert heading(app) == "height code"
    assert "0 questions answered" in text_of(app)


def test_only_the_ticked_cells_are_wrong(asked):
    app = click(shown("inspect", asked), "Next")
    assert heading(app) == "weight spelling"
    assert button(app, "Only these").disabled
    tick(app, [1], table=cells_at(app))
    click(app, "Only the 1 ticked")
    assert decided(app) == {
        (5, "weight"): "error",
        (4, "weight"): "fine",
        (6, "weight"): "fine",
    }
    assert {cell: new.after for cell, new in made(app).items()} == {(5, "weight"): "71"}
    assert heading(app) == "repht cell", "the line below opens"


def test_later_decides_nothing_and_comes_last(asked):
    app = click(shown("inspect", asked), "Later")
    assert decided(app) == {}
    expected = ["weight spelling", "repht cell", "height code"]
    assert list_of(app)["title"].tolist() == expected
    assert heading(app) == "weight spelling"


def test_later_can_be_undone_and_the_last_thing_first(asked):
    app = shown("inspect", asked)
    click(click(app, "Later"), "Later")
    assert "2 questions left for later." in text_of(app)
    assert button(app, "Ask now").proto.shortcut.lower() == "z"
    click(app, "Ask now")
    assert heading(app) == "weight spelling"
    assert list_of(app)["title"].tolist()[0] == "weight spelling"
    assert "1 question left for later." in text_of(app)
    click(app, "All fine")  # now that is what Z undoes
    assert button(app, "Ask now").proto.shortcut == ""
    assert button(app, "Undo all 3").proto.shortcut.lower() == "z"
    click(app, "Ask now")
    assert heading(app) == "height code" and "left for later" not in text_of(app)


def test_the_line_of_the_open_question_is_marked(asked):
    app = shown("inspect", asked)
    assert list_of(app)["now"].tolist() == ["▶", "", ""]
    assert list_of(click(app, "Next"))["now"].tolist() == ["", "▶", ""]
    click(app, "All fine")
    assert list_of(app)["now"].tolist() == ["", "▶"]


def test_a_tick_in_a_swap_stands_for_its_row(asked):
    pairs = {"columns": ["weight", "height"] * 2, "title": "swapped"}
    asked.every[:] = [
        question(asked.table, "swap", "weight", [3, 3, 7, 7], list("abcd"), **pairs)
    ]
    app = shown("inspect", asked)
    tick(app, [1], table=cells_at(app))
    click(app, "Only the 2 ticked")
    assert {cell: new.after for cell, new in made(app).items()} == {
        (4, "weight"): "a",
        (4, "height"): "b",
    }
    assert decided(app)[8, "weight"] == decided(app)[8, "height"] == "fine"


def test_answered_questions_can_be_looked_at_and_answered_anew(asked):
    app = click(shown("inspect", asked), "All fine")
    pick(app, "Open or answered", "answered")
    assert list_of(app)["answer"].tolist() == ["60 fine"]
    assert "Decided so far: 60 fine." in text_of(app)
    click(app, "Wrong: repair so")
    assert set(decided(app).values()) == {"error"} and len(made(app)) == 60


def test_long_findings_show_some_cells_and_count_the_rest(asked):
    app = shown("inspect", asked)
    assert len(app.dataframe[cells_at(app)].value) == 50
    assert "10 more cells like these." in text_of(app)


def test_next_and_previous_go_through_the_list(asked):
    app = shown("inspect", asked)
    assert button(app, "Previous").disabled
    click(click(app, "Next"), "Next")
    assert heading(app) == "repht cell"
    assert button(app, "Next").disabled
    assert heading(click(app, "Previous")) == "weight spelling"


def test_what_moved_a_finding_is_said(asked):
    asked.moved[asked.every[0].key] = "You called 6 cells like this fine."
    assert "You called 6 cells like this fine." in text_of(shown("inspect", asked))


def test_a_cell_of_the_finding_is_seen_in_the_heatmap(asked):
    app = shown("inspect", asked)
    tick(app, [7], table=cells_at(app))
    click(app, "See row 8 in the heatmap")
    assert app.title[0].value == "Heatmap"
    assert session_of(app).selection.cell == (7, "height")
    assert box(goto(app, "inspect"), "What to look at").value == "Findings"


# --- rules ----------------------------------------------------------------------------

ORDER = Rule(("weight",), "height", kind="order")
SUM = Rule(("weight", "repwt"), "height", kind="sum", within=0.5)


@pytest.fixture
def ruled(asked):
    """Two questions about rules, and one about a cell."""
    table = asked.table
    asked.every[:] = [
        question(table, "rule", "height", [11], rule=ORDER, title="weight ≤ height"),
        question(table, "rule", "height", [5], rule=SUM, sure=0.4),
        question(table, "cell", "repht", [20], sure=0.3),
    ]
    return asked


def rules_of(app):
    return kept_rules(session_of(app).file.rules)


def test_a_rule_is_said_with_its_support_kept_and_removed(ruled):
    app = shown("inspect", ruled)
    key = ruled.every[0].key
    assert "Rule weight ≤ height" in text_of(app).replace("*", "")
    assert "1 of 200 rows breaks it." in text_of(app)
    click(app, "Keep the rule")
    assert rules_of(app) == [(key, "accepted", ORDER)]
    assert decided(app) == {} and heading(app) == "weight ≤ height", "it stays open"
    assert "You kept it." in text_of(app) and button(app, "Keep the rule").disabled
    assert "1 rule kept, 0 refused" in [one.label for one in app.expander]
    at = next(k for k, table in enumerate(app.dataframe) if "rule" in table.value)
    assert app.dataframe[at].value.iloc[0].tolist() == [
        "weight ≤ height",
        "kept",
        "1 of 200 rows breaks it.",
    ]
    assert button(app, "Remove the ticked rule").disabled
    click(tick(app, [0], table=at), "Remove the ticked rule")
    assert rules_of(app) == []
    assert len(session_of(app).file.steps) == 2


def test_a_refused_rule_is_answered_and_its_cells_are_not(ruled):
    app = click(shown("inspect", ruled), "Refuse the rule")
    assert rules_of(app) == [(ruled.every[0].key, "refused", ORDER)]
    assert decided(app) == {} and heading(app) == "height rule"
    assert list_of(app)["title"].tolist() == ["height rule", "repht cell"]
    session_of(app).file.undo_step()
    assert rules_of(app) == [] and heading(drawn(app)) == "weight ≤ height"


def test_an_edited_rule_says_how_many_rows_break_it_before_it_is_kept(ruled):
    app = shown("inspect", ruled)
    assert button(app, "Keep the edited rule").disabled, "nothing is edited yet"
    pick(pick(app, "Higher column", "repwt"), "Sense", "below")
    edited = Rule(("weight",), "repwt", kind="order", strict=True)
    said = support(ruled.table, edited)
    n = int(said.split()[0])
    assert n > 20 and "weight < repwt" in text_of(app) and said in text_of(app)
    assert rules_of(app) == []
    click(app, "Keep the edited rule")
    assert rules_of(app) == [(ruled.every[0].key, "accepted", edited)]
    assert heading(app).replace("\\", "") == "weight < repwt"
    assert list_of(app)["n_cells"].tolist() == [n, 1, 1]


def test_what_can_be_no_rule_cannot_be_kept(ruled):
    app = pick(shown("inspect", ruled), "Higher column", "weight")
    assert "must be different columns" in text_of(app)
    assert button(app, "Keep the edited rule").disabled


def test_arithmetic_can_become_another_kind(ruled):
    app = click(shown("inspect", ruled), "Next")
    assert "200 rows break it" in text_of(app)
    pick(app, "Sense", "multiple")
    pick(pick(app, "Given column", "repht"), "May be off by", 4.0)
    edited = Rule(("repht",), "height", kind="multiple", within=4.0)
    assert support(ruled.table, edited) in text_of(app)
    click(app, "Keep the edited rule")
    assert rules_of(app) == [(ruled.every[1].key, "accepted", edited)]


@pytest.mark.parametrize(
    ("rule", "label", "value", "edited"),
    [
        (
            Rule(("sex",), "height"),
            "Given columns",
            ["sex", "weight"],
            Rule(("sex", "weight"), "height"),
        ),
        (
            Rule((), "height", kind="unique"),
            "Columns that name a row",
            ["height", "weight"],
            Rule(("height",), "weight", kind="unique"),
        ),
        (
            Rule(("height",), "weight", kind="domain"),
            "Second column",
            "repwt",
            Rule(("height",), "repwt", kind="domain"),
        ),
        (
            Rule(("height",), "weight", kind="multiple", factor=0.5),
            "Factor",
            0.25,
            Rule(("height",), "weight", kind="multiple", factor=0.25),
        ),
    ],
)
def test_rules_of_other_kinds_are_edited(asked, rule, label, value, edited):
    asked.every[:] = [question(asked.table, "rule", "height", [11], rule=rule)]
    app = shown("inspect", asked)
    assert support(asked.table, rule) in text_of(app)
    pick(app, label, value)
    assert edited.words in text_of(app) and support(asked.table, edited) in text_of(app)
    click(app, "Keep the edited rule")
    assert rules_of(app) == [(asked.every[0].key, "accepted", edited)]
    assert support(asked.table, edited) in text_of(app)


def test_a_finding_without_a_rule_has_none_to_keep(asked):
    app = shown("inspect", asked)
    assert "Keep the rule" not in [one.label for one in app.button]


# --- links and disk -------------------------------------------------------------------


def test_the_address_names_the_finding_and_answers_are_on_disk():
    app = settled(click(click(open_app(), "Davis"), "Value the cells"))
    goto(app, "inspect")
    first = heading(app)
    click(app, "Wrong: repair so")
    key = session_of(app).taught(session_of(app).suspicion).findings[2].key
    link = {"project": link_of(app), "finding": key}
    before = dict(made(app))
    restarted()
    found = settled(open_app("inspect", **link))
    assert made(found) == before and len(before) == 2
    named = found.query_params["finding"]
    assert key in (named if isinstance(named, list) else [named])
    assert "Question 3 of" in text_of(found)
    click(found, "Undo all 2")  # also after a restart
    assert made(found) == {} and heading(found) == first


def test_a_link_to_a_cell_opens_the_cells():
    app = settled(click(click(open_app(), "Davis"), "Value the cells"))
    link = {"project": link_of(app), "cell": "12:height"}
    found = open_app("inspect", **link)
    assert box(found, "What to look at").value == "Cells"
    assert "height: 57" in text_of(found)
