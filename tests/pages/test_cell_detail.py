"""The panel of a clicked cell, beside the heatmap and the list."""

import pytest
from helpers import (
    box,
    click,
    davis_source,
    drawn,
    labels,
    link_of,
    open_app,
    pick,
    running,
    session_of,
    settled,
    shown,
    text_of,
    texts,
    valued,
)

import cellval
from cellval.repairs.repair import Repair
from cellval.text import share

SWAP = {
    (12, "height"): Repair("replace", "166", "Swapped with 'weight' in the same row."),
    (12, "weight"): Repair("replace", "57", "Swapped with 'height' in the same row."),
}


def opened(run, page="heatmap", **work):
    return shown(page, run, source=davis_source(), cell=(11, "height"), **work)


def decided(app):
    return session_of(app).file.decisions


def made(app):
    return session_of(app).file.repairs


# --- what is known of it --------------------------------------------------------------


def test_the_detail_says_what_a_value_means_and_decides(davis):
    app = shown("heatmap", davis, cell=(11, "weight"))
    text = text_of(app)
    assert "weight: 166" in text
    assert "Row 12" in text
    assert "KNN model" in text
    assert "higher than 99.5 %" in text
    click(app, "Wrong")
    assert decided(app) == {(12, "weight"): "error"}
    click(app, "Fine")
    assert decided(app) == {(12, "weight"): "fine"}
    click(app, "Fine")
    assert decided(app) == {}


def test_the_detail_leads_to_the_explanation_of_its_row(davis):
    app = click(shown("heatmap", davis, cell=(11, "weight")), "Explain this row")
    assert "Row 12" in text_of(app)
    assert "Explain a row" in [title.value for title in app.title]


@pytest.mark.parametrize("page", ["heatmap", "inspect"])
def test_the_detail_says_how_suspicious_a_cell_is(page, davis):
    text = text_of(opened(davis, page))
    assert "Likely error" in text and "of 800 by suspicion" in text
    assert "ordinary cells of this column looks this odd." in text
    # the number itself is for those who ask
    assert "0.0001" not in text
    assert "like those of the other one" in text


def test_shares_are_said_as_far_as_they_matter():
    assert [share(x) for x in (0.0, 0.00041, 0.05, 0.256, float("nan"))] == [
        "below 0.0001",
        "0.00041",
        "0.05",
        "0.26",
        "–",
    ]


# --- repairs --------------------------------------------------------------------------


def test_an_accepted_swap_changes_both_cells_and_is_undone_as_one(davis):
    app = click(opened(davis), "**166**")
    assert made(app) == SWAP
    assert decided(app) == {(12, "height"): "error", (12, "weight"): "error"}
    (step,) = session_of(app).file.steps
    assert step.words == "height in row 12 made “166”, weight in row 12 made “57”"
    assert "height: 57 → **166**" in text_of(app)
    assert "weight: 166 → **57**" in text_of(app)
    assert "Blank it" not in labels(app)
    click(app, "Undo both")
    assert made(app) == {} and decided(app) == {}
    assert any(label.startswith("**166**") for label in labels(app))


def test_undo_brings_the_earlier_decision_back(davis):
    app = click(opened(davis), "Fine")
    click(app, "**166**")
    assert decided(app)[12, "height"] == "error"
    click(app, "Undo both")
    assert decided(app) == {(12, "height"): "fine"}


def test_a_person_types_their_own_text(davis):
    app = opened(davis)
    box(app, "Type your own").set_value("167")
    click(app, "Change")
    assert made(app) == {(12, "height"): Repair("replace", "167", "Typed by hand.")}
    assert "57 → **167**" in text_of(app)
    click(app, "Undo")
    assert made(app) == {}


@pytest.mark.parametrize(
    ("text", "sentence", "changes"),
    [
        ("  ", "Type the new text first", 0),
        ("57", "holds this text already", 0),
        ("tall", "cannot be read as a number", 1),
        ("1e999", "is infinite", 0),
    ],
)
def test_a_typed_text_that_may_be_a_mistake_is_told(text, sentence, changes, davis):
    app = opened(davis)
    box(app, "Type your own").set_value(text)
    click(app, "Change")
    assert sentence in text_of(app)
    assert len(made(app)) == changes


def test_a_cell_is_blanked_and_a_row_is_dropped(davis):
    app = click(opened(davis, "inspect"), "Blank it")
    assert made(app) == {(12, "height"): Repair("blank", reason="Blanked by hand.")}
    assert "57 → **(blank)**" in text_of(app)
    click(app, "Undo")
    click(app, "Drop the row")
    assert made(app)[12, ""].action == "drop"
    assert "Row 12 will be dropped" in text_of(app)
    click(app, "Undo")
    assert made(app) == {}


def test_texts_of_a_file_are_no_markdown_in_suggestions():
    lines = ["a,b,y"]
    for k in range(60):
        b = "**bold**" if k % 2 else ":red[x]"
        lines.append(f"{k % 2 * 10 + k % 3},{b},{'yes' if k % 2 else 'no'}")
    lines[8] = lines[8].replace("**bold**", ":red[x]")
    run = valued(cellval.read("\n".join(lines).encode(), label="y"))
    app = shown("heatmap", run, cell=(7, "b"))
    found = next(label for label in labels(app) if "bold" in label)
    assert r"\*\*bold\*\*" in found


def test_a_run_without_surprise_yet_offers_no_suggestions(davis):
    app = opened(running(davis.table))
    assert "Suggestions come as soon as" in text_of(app)
    assert "Blank it" in labels(app)
    assert "Suspicion" not in text_of(app)


def test_the_detail_of_a_repaired_table_speaks_of_the_file(davis):
    table = davis.table.with_cells({(11, "height"): "166", (11, "weight"): "57"})
    app = opened(valued(table), first=davis, changes=SWAP, repairs=dict(SWAP))
    assert "height: 166" in text_of(app), "the cell as it is now"
    assert "height: 57 → **166**" in text_of(app), "and as it is in the file"
    pick(app, "Order of the rows", "row")
    click(app, "Undo both")
    assert made(app) == {}


# --- the way through the suspects -----------------------------------------------------


@pytest.mark.parametrize("page", ["heatmap", "inspect"])
def test_next_and_previous_go_through_the_suspects(davis, page):
    app = shown(page, davis, view="Cells")
    before, after = (b for b in app.button if b.label in ("Previous", "Next"))
    assert before.disabled and not after.disabled
    click(app, "Next")
    assert session_of(app).selection.cell == (11, "weight")
    assert "1 of " in text_of(app)
    click(app, "Next")
    assert session_of(app).selection.cell == (11, "height")
    click(app, "Previous")
    assert session_of(app).selection.cell == (11, "weight")


def test_all_that_is_decided_on_a_cell_has_a_key(davis):
    app = shown("heatmap", davis, cell=(11, "weight"))
    keys = {b.label: b.proto.shortcut for b in app.button if b.proto.shortcut}
    assert {keys[name] for name in ("Wrong", "Fine", "Unsure")} == {"w", "f", "u"}
    assert (keys["Next"], keys["Previous"]) == ("j", "k")
    accepts = next(name for name, key in keys.items() if key == "a")
    assert accepts.startswith("**57**")
    click(app, "Wrong")
    assert next(b for b in app.button if b.label == "Undo").proto.shortcut == "z"
    click(app, "Undo")
    assert decided(app) == {}
    assert "Undo" not in labels(app)


def test_the_key_that_accepts_is_only_on_a_suggestion_that_is_clearly_best(davis):
    app = shown("heatmap", davis, cell=(20, "repwt"))
    assert not [b for b in app.button if b.proto.shortcut == "a"]


# --- a link to it ---------------------------------------------------------------------


def test_the_address_of_a_page_opens_the_selected_cell():
    app = settled(click(click(open_app(), "Davis"), "Value the cells"))
    session_of(app).selection.choose_cell(11, "height")
    drawn(app)
    assert app.query_params["cell"] in ("12:height", ["12:height"])
    link = {"project": link_of(app), "cell": "12:height"}
    for page in ("heatmap", "inspect", "sample"):
        found = open_app(page, **link)
        assert session_of(found).selection.cell == (11, "height")
    assert "Row 12" in text_of(found)


@pytest.mark.parametrize("cell", ["12:nothing", "999:height", "x", "12"])
def test_a_link_to_a_cell_that_is_not_there_says_so(cell):
    app = settled(click(click(open_app(), "Davis"), "Value the cells"))
    found = open_app(project=link_of(app), cell=cell)
    assert "not in the table" in texts(found.toast)
    assert session_of(found).selection.cell is None


def test_a_repaired_cell_says_so_before_what_was_found(davis):
    text = text_of(opened(davis, repairs=dict(SWAP)))
    assert "height: 57 → 166" in text
    assert "What follows was found before the repair" in text
    assert text_of(opened(davis)).count("found before the repair") == 0


def test_the_nearest_rows_of_a_cell_and_of_its_row_are_told_apart(davis):
    assert "Nearest by all other columns" in text_of(opened(davis))
    assert "Nearest by all columns" in text_of(shown("sample", davis, row=11))
