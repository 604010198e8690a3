"""The Data page: opening a file, its columns, the options of a run."""

import json
import re
import time

import pandas as pd
import pytest
from cases import WRONG_FILES, survey_workbook
from helpers import (
    SAMPLES,
    box,
    click,
    goto,
    labels,
    open_app,
    pick,
    restarted,
    running,
    session_of,
    settled,
    shown,
    text_of,
    texts,
    upload,
)

import cellval
from cellval.detect.placeholders import placeholders
from cellval.project.source import Setup, Source
from cellval.ui.data import file
from cellval.ui.data.options import budget_options
from cellval.ui.widgets import WAITS

START = "Value the cells"


def button(app):
    return next(b for b in app.button if b.label == START)


def started(app):
    """The run that the button starts, at its end."""
    return session_of(settled(click(app, START))).run


# --- nothing loaded, running, finished ------------------------------------------------


def test_an_empty_data_page_offers_upload_and_samples():
    app = open_app()
    assert app.title[0].value == "Data"
    assert {"Davis", "Wine", "Ugly"} <= set(labels(app))
    assert len(app.file_uploader) == 1
    assert "No data yet." in texts(app.sidebar.caption)


def test_during_a_run_another_file_can_be_opened(davis):
    source = Source.of("davis.csv", (SAMPLES / "davis.csv").read_bytes())
    app = shown("data", running(davis.table), source=source)
    assert "davis" in texts(app.subheader)
    assert "Stop the run" in labels(app)
    assert {START, "Wine"} <= set(labels(app))


def test_a_finished_run_can_be_started_again(davis):
    app = goto(settled(click(click(open_app(), "Davis"), START)), "data")
    first = session_of(app).run
    second = started(app)
    assert second is not first and second.status == "done"


def test_a_click_waits_until_the_page_comes_to_its_button():
    """Else a redraw in between loses it; who has left does not want it any more."""
    app, at = click(open_app(), "Davis"), "start a run: clicked at"
    app.session_state[at] = time.monotonic() - 2 * WAITS
    assert session_of(app.run()).run is None
    app.session_state[at] = time.monotonic()
    assert session_of(settled(app.run())).run.status == "done"
    assert at not in app.session_state


# --- loading --------------------------------------------------------------------------


def test_every_sample_opens_with_its_label_guessed():
    label = {"davis": "sex", "breast_cancer": "class", "wine": "cultivar"}
    label |= {"adult_2000": "income", "ugly": "grade", "diamonds": "price"}
    label["heights"] = file.NO_LABEL
    for name, (title, _) in file.SAMPLES.items():
        app = click(open_app(), title)
        assert app.selectbox[0].value == label[name.removesuffix(".csv")]
        assert (START in labels(app)) == (name != "heights.csv")
        assert not app.error


def test_notes_on_the_data_are_shown_at_once():
    app = click(open_app(), "Ugly")
    notes = texts(app.markdown)
    assert "Mitte September" in notes
    assert "repeat an earlier row" in notes


def test_a_broken_file_is_told_in_a_sentence_and_another_one_can_follow():
    app = upload(open_app(), "photo.csv", b"\x89PNG\r\n\x1a\n" + bytes(200))
    assert "PNG image" in texts(app.error)
    assert START not in labels(app)
    upload(app, "good.csv", b"a,y\n1,n\n2,m\n3,n\n4,m\n")
    assert not app.error
    assert START in labels(app)


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_file_of_a_wrong_kind_is_told_and_takes_nothing_away(name, davis):
    source = Source.of("davis.csv", (SAMPLES / "davis.csv").read_bytes())
    app = shown("data", davis, source=source, decisions={(12, "height"): "error"})
    run = session_of(app).run
    raw, said = WRONG_FILES[name]
    upload(app, name, raw)
    told = texts(app.error).replace("\\", "")
    for words in (name, said, "davis.csv stays open, with all you decided."):
        assert words in told
    assert session_of(app).run is run
    assert run.status == "done"
    assert session_of(app).file.decisions == {(12, "height"): "error"}
    assert START in labels(app)
    upload(app, "good.csv", b"a,y\n1,n\n2,m\n3,n\n4,m\n")
    assert not app.error
    assert texts(app.subheader) == "good.csv".replace(".", "\\.")


def place_of_uploader(app):
    """Its position in the blocks that lead to it."""

    def found(block, path):
        for place, child in getattr(block, "children", {}).items():
            if getattr(child, "type", "") == "file_uploader":
                yield (*path, place)
            yield from found(child, (*path, place))

    (place,) = found(app.main, ())
    return place


@pytest.mark.parametrize("sample", [None, "Davis"])
def test_the_uploader_stays_where_it_is_whatever_is_said_above_it(sample):
    """One that is put elsewhere while a file is on its way to it forgets that file."""
    app = open_app() if sample is None else click(open_app(), sample)
    goto(app, "data")
    place = place_of_uploader(app)
    session_of(app).refused = "It is no table."
    assert "no table" in texts(app.run().error)
    assert place_of_uploader(app) == place
    session_of(app).lost = "There is no project behind this link."
    assert place_of_uploader(app.run()) == place


def test_a_refused_file_is_forgotten_when_it_is_taken_away_or_a_run_starts():
    app = upload(click(open_app(), "Davis"), "a.pdf", b"%PDF-1.7")
    assert "PDF document" in texts(app.error)
    assert "PDF document" in texts(goto(goto(app, "heatmap"), "data").error)
    assert not goto(settled(click(app, START)), "data").error


def test_numbers_as_small_or_as_large_as_can_be_are_shown():
    lines = [f"{5e-324 * k!r},{(-1) ** k * 1.7e308},{'nm'[k % 2]}" for k in range(12)]
    app = upload(open_app(), "far.csv", "\n".join(["a,b,y", *lines]).encode())
    assert not app.error and not app.exception
    assert START in labels(app)


def test_a_limit_that_is_exceeded_is_told(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "3")
    app = upload(open_app(), "long.csv", b"a,y\n1,n\n2,m\n3,n\n4,m\n")
    assert "the limit is 3" in texts(app.error)
    assert "MAX" in texts(app.error) and START not in labels(app)


@pytest.mark.parametrize("limit", ["CELLVAL_MAX_MEMORY_MB", "CELLVAL_MAX_HOURS"])
def test_a_run_that_does_not_fit_is_refused_before_it_starts(monkeypatch, limit):
    app = click(open_app(), "Davis")
    assert not button(app).disabled
    monkeypatch.setenv(limit, "1e-9")
    app.run()
    assert "the limit is" in texts(app.error)
    assert limit.rpartition("_")[2] in texts(app.error)
    assert button(app).disabled


def test_links_in_cells_are_texts():
    lines = [f"https://example.com/{k},{k % 3},{'nm'[k % 2]}" for k in range(12)]
    app = upload(open_app(), "t.csv", "\n".join(["site,b,y", *lines]).encode())
    (preview,) = (frame for frame in app.dataframe if "site" in frame.value)
    looks = json.loads(preview.proto.columns)
    assert looks["site"]["type_config"]["type"] == "text"


def test_choosing_an_impossible_label_is_taken_back():
    app = click(open_app(), "Ugly")
    app.selectbox[0].set_value("lot_no").run()
    assert not app.exception
    assert "Classes must repeat" in texts(app.error)
    assert app.selectbox[0].value == "grade"


def test_changing_the_label_changes_the_columns():
    raw = b"a,b,c\n1,x,p\n2,y,q\n3,x,p\n4,y,q\n5,x,q\n6,y,p\n"
    app = upload(open_app(), "two.csv", raw)
    assert app.selectbox[0].value == "c"
    app.selectbox[0].set_value("b").run()
    assert app.selectbox[0].value == "b"
    assert not app.error


def test_decisions_are_found_again_when_a_file_is_opened_again():
    app = click(open_app(), "Davis")
    session_of(app).file.decide(12, "height", "error")
    click(app, "Wine")
    assert session_of(app).file.decisions == {}
    click(app, "Davis")
    assert session_of(app).file.decisions == {(12, "height"): "error"}


# --- workbooks and other formats ------------------------------------------------------


def test_of_a_workbook_sheet_and_header_row_are_chosen():
    pytest.importorskip("python_calamine", reason="in the extra 'excel'")
    app = upload(open_app(), "survey.xlsx", survey_workbook())
    session = session_of(app)
    assert (box(app, "Sheet").value, box(app, "Header row").value) == ("Survey", 3)
    assert box(app, "Sheet").options == ["About", "Survey", "Sums"]
    assert session.table.label == "sex" and session.table.n_rows == 200
    assert "Sheet 'Survey' was taken" in text_of(app)

    pick(app, "Sheet", "Sums")
    assert (session.table.n_rows, box(app, "Header row").value) == (4, 2)
    pick(app, "Sheet", "About")
    assert "without a table" in texts(app.error) and "taken back" in texts(app.error)
    assert box(app, "Sheet").value == "Sums"

    pick(app, "Sheet", "Survey")
    pick(app, "Header row", 4)
    assert session.table.n_rows == 199 and session.table.cells.columns[0] == "1"
    pick(app, "Header row", 3)
    pick(app, "Id (names the rows)", file.NO_ID)
    assert session.setup == Setup(exclude=("id",), sheet="Survey", header_row=3)
    link = session.file.project.link("edit")
    restarted()
    again = open_app(project=link)
    assert session_of(again).setup == session.setup
    assert session_of(again).table.fingerprint == session.table.fingerprint

    session_of(again).file.decide(12, "weight", "error")
    goto(again, "data")
    assert box(again, "Sheet").disabled and box(again, "Header row").disabled


def test_other_formats_open_like_a_csv(tmp_path):
    frame = pd.read_csv(SAMPLES / "davis.csv")
    frame.to_parquet(tmp_path / "davis.parquet")
    frame.to_feather(tmp_path / "davis.feather")
    frame.to_json(tmp_path / "davis.jsonl", orient="records", lines=True)
    frame.to_csv(tmp_path / "davis.csv.gz", index=False)
    for path in sorted(tmp_path.iterdir()):
        app = upload(open_app(), path.name, path.read_bytes())
        assert not app.error, path.name
        table = session_of(app).table
        assert (table.label, table.n_rows, len(table.features)) == ("sex", 200, 4)
        assert not any(widget.label == "Sheet" for widget in app.selectbox)


# --- options --------------------------------------------------------------------------


def test_a_second_file_is_asked_for_and_checked():
    app = click(open_app(), "Davis")
    app.radio[0].set_value("second CSV").run()
    assert button(app).disabled
    upload(app, "test.csv", b"sex,weight\nM,80\n", index=1)
    assert "height" in texts(app.error)
    raw = b"sex,weight,height,repwt,repht\nM,80,180,80,180\nF,60,165,60,165\n"
    upload(app, "test.csv", raw, index=1)
    assert not app.error
    assert "test.csv: 2 test rows" in texts(app.caption).replace("\\", "")
    upload(app, "test.xlsx", *WRONG_FILES["book.xlsx"][:1], index=1)
    assert "Excel workbook" in texts(app.error)
    assert "test.csv: 2 test rows" in texts(app.caption).replace("\\", "")
    assert started(app).values.n_test == 2


def test_a_hold_out_values_the_other_rows():
    app = click(open_app(), "Davis")
    app.radio[0].set_value("hold-out").run()
    run = started(app)
    assert run.options.test == 0.3
    assert run.values.n_test == 60


def test_large_tables_are_approximated_in_sight_and_only_if_wanted():
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    raw = pd.concat([adult] * 8).to_csv(index=False).encode()
    app = upload(open_app(), "large.csv", raw)
    assert app.toggle[0].value is True
    assert "nearest" in texts(app.caption)
    app.toggle[0].set_value(False).run()
    assert "Without the approximation" in texts(app.caption)
    small = click(open_app(), "Davis")
    assert not small.toggle


def test_games_offer_a_hold_out_and_out_of_bag_needs_no_test_rows():
    app = click(open_app(), "Davis")
    assert app.radio[0].options[0] == "leave-one-out"
    pick(app, "Method", "mc")
    assert app.radio[0].options == ["hold-out", "second CSV"]
    pick(app, "Method", "oob")
    assert not app.radio


def test_a_long_run_is_warned_of():
    app = pick(click(open_app(), "Adult"), "Method", "mc")
    assert "trained again" in texts(app.warning)
    assert "KNN values of this table take" in texts(app.warning)


def test_too_many_players_for_exact_values_are_said_before_the_start():
    app = pick(click(open_app(), "Davis"), "Method", "exact")
    assert "16 rows and columns" in texts(app.error)
    assert button(app).disabled


def test_weights_along_columns_are_chosen_and_named():
    app = pick(click(open_app(), "Davis"), "Weights along columns", "banzhaf")
    values = started(app).values
    assert values.settings.column_weights == "banzhaf"
    assert not values.settings.sums_to_score
    assert "sum to **" not in texts(goto(app, "columns").markdown)
    goto(app, "sample")


@pytest.mark.parametrize("method", ["oob", "mc", "loo", "random"])
def test_a_method_is_chosen_run_and_shown_on_every_page(method):
    app = pick(click(open_app(), "Davis"), "Method", method)
    assert cellval.methods.METHODS[method].when in texts(app.caption)
    assert "This will take" in texts(app.caption)
    if method in ("oob", "mc"):
        pick(app, "Trees" if method == "oob" else "Rounds", 20)
    run = started(app)
    assert run.status == "done", run.error
    assert run.options.method == method
    for page in ("heatmap", "inspect", "sample", "columns", "repair", "export"):
        goto(app, page)
        if page in ("heatmap", "columns"):
            assert bool(app.info) == (method != "mc"), "scores are explained"
        assert "KNN model" not in texts(app.markdown), page


def test_chosen_options_outlive_a_visit_to_another_page():
    app = pick(click(open_app(), "Davis"), "Neighbours (K)", 7)
    goto(goto(app, "export"), "data")
    assert box(app, "Neighbours (K)").value == 7
    assert started(app).options.n_neighbors == 7


# --- parts ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ugly():
    return cellval.read(SAMPLES / "ugly.csv")


def edited(table, setup, column, **edit):
    line = [c.name for c in table.columns].index(column)
    return file.with_edits(table, setup, {"edited_rows": {line: edit}})


def test_how_the_file_is_read_is_undone_where_it_was_changed():
    app = click(open_app(), "Davis")
    assert "History" not in [fold.label for fold in app.expander]
    app.selectbox[1].set_value("repwt").run()
    assert session_of(app).table.id_column == "repwt"
    click(app, "Undo the latest step")
    assert session_of(app).table.id_column is None
    assert session_of(app).file.project.setup.id_column is None
    assert "read in another way" in text_of(app)
    click(app, "Redo (1)")
    assert session_of(app).table.id_column == "repwt"


def test_edits_of_the_column_table_become_a_setup(ugly):
    out = edited(ugly, Setup(), "farm", use=False)
    assert out == Setup(exclude=("farm",))
    assert edited(ugly, out, "farm", use=True) == Setup()
    kind = edited(ugly, Setup(), "blemishes", kind="category")
    assert kind == Setup(kinds=(("blemishes", "category"),))
    used = edited(ugly, Setup(), "lot_no", use=True)
    assert used == Setup(kinds=(("lot_no", "category"),))


def test_label_and_id_take_a_column_out_of_the_rest():
    setup = Setup(None, "a", ("b",), (("c", "number"),))
    assert file.with_label(setup, "a") == Setup("a", None, ("b",), setup.kinds)
    assert file.with_label(setup, "b") == Setup("b", "a", (), setup.kinds)
    assert file.with_id(setup, "c", "a") == Setup(None, "c", ("b",), ())
    none = file.with_id(setup, file.NO_ID, "a")
    assert none == Setup(None, None, ("b", "a"), setup.kinds)


def test_budgets_become_options():
    assert budget_options("Quick", None, 5) == {"budget": 10.0}
    assert budget_options("Seconds", 30, 5) == {"budget": 30.0}
    assert budget_options("Standard", None, 5) == {"subsets": "auto"}
    assert budget_options("Until precise", None, 4)["subsets"] > 2**4


# --- codes for "missing" --------------------------------------------------------------


def coded_table():
    words = ["red", "green", "blue", "unknown"]
    lines = ["size,colour,y"]
    for k in range(80):
        size = "n.a." if k % 40 == 5 else 999 if k % 10 == 3 else 100 + 7 * k % 30
        lines.append(f"{size},{words[k % 4]},{'ab'[k // 2 % 2]}")
    return cellval.read("\n".join(lines).encode(), label="y")


def test_codes_are_asked_about_once_a_column_before_any_run():
    app = shown("data", table=coded_table(), source=Source.of("t.csv", b""))
    said = texts(app.markdown).replace("\\", "")
    assert "**size**: **999** (8), **n.a.** (2) stand in 10 cells" in said
    assert "**colour**: **unknown** stands in 20 cells, as a category." in said
    click(app, "Blank all 10")
    assert len(session_of(app).file.repairs) == 10
    click(app, "They are fine")
    assert list(session_of(app).file.decisions.values()).count("fine") == 20
    assert not {"Blank all 10", "Blank all 20"} & set(labels(app))


def test_texts_that_were_taken_for_missing_are_noted():
    app = open_app()
    click(app, "Adult")
    assert "taken for missing in" in texts(app.markdown)


# --- the cards of the samples ---------------------------------------------------------


def told(name, what):
    """The number before these words on the card of a sample."""
    found = re.search(rf"([\d,]+) {what}", file.SAMPLES[name][1])
    return int(found[1].replace(",", ""))


def suspects_of(table, values):
    """(row number, column) of the cells that the rule picks."""
    frame = cellval.suspects(table, values)
    frame = frame.head(frame.attrs["n_flagged"])
    return set(zip(frame["row_number"], frame["column"], strict=True))


def found_in(name):
    table = cellval.read(SAMPLES / name)
    values = cellval.value_cells(table)
    return table, values, suspects_of(table, values)


def test_the_card_of_davis_promises_the_suspects():
    table, _, suspects = found_in("davis.csv")
    assert told("davis.csv", "people") == table.n_rows
    assert "the two suspects" in file.SAMPLES["davis.csv"][1]
    assert suspects == {(12, "weight"), (12, "height")}


def test_the_card_of_breast_cancer_counts_what_is_noticed():
    name = "breast_cancer.csv"
    table, _, suspects = found_in(name)
    notes = " ".join(table.notes)
    assert told(name, "biopsies") == table.n_rows
    missing = told(name, "cells are “.”")
    assert f"'?' was taken for missing in {missing} cells of 'bare_nuclei'" in notes
    assert f"{told(name, 'rows repeat')} rows repeat an earlier row" in notes
    assert table.id_column and table.id_column in notes
    grades = [column.numbers for column in table.features]
    assert {min(map(min, grades)), max(map(max, grades))} <= {1, 10}
    assert "No suspects" in file.SAMPLES[name][1] and not suspects


def test_the_card_of_wine_promises_nothing():
    table, _, suspects = found_in("wine.csv")
    assert told("wine.csv", "wines") == table.n_rows
    assert not suspects and not any("wrong" in note for note in table.notes)


def test_the_card_of_adult_counts_what_is_noticed():
    name = "adult_2000.csv"
    table = cellval.read(SAMPLES / name)
    assert told(name, "people") == table.n_rows
    missing = f"{told(name, 'cells are missing')} feature cells are missing"
    assert missing in " ".join(table.notes)
    (code,) = placeholders(table)
    assert (code.column, code.text) == ("capital_gain", "99999")
    assert f"99999 in {code.n_cells} cells of capital_gain" in (
        " ".join(file.SAMPLES[name][1].split())
    )


def test_the_card_of_ugly_promises_what_is_found():
    name = "ugly.csv"
    table, values, suspects = found_in(name)
    assert told(name, "lots") == table.n_rows
    assert told(name, "cells that cannot be read") == sum(
        len(column.strays) for column in table.columns
    )
    repeats = f"{told(name, 'repeated rows')} rows repeat an earlier row"
    assert repeats in " ".join(table.notes)
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    wrong = {
        (int(row), column)
        for row, column in re.findall(
            r"^\| (\d+) \| (\w+) \|", readme.partition("Wrong cells")[2], re.M
        )
    }
    labels = {row for row, column in wrong if column == table.label}
    cells = {cell for cell in wrong if cell[1] != table.label}
    assert told(name, "wrong cells") == len(cells) and cells <= suspects
    assert told(name, "wrong grades") == len(labels)
    lowest = values.row_numbers[values.row_values.argsort()[: len(labels)]]
    assert set(lowest.tolist()) == labels


# --- where the app computes -----------------------------------------------------------


def test_where_the_app_computes_is_set_by_the_environment(monkeypatch):
    monkeypatch.setenv("CELLVAL_BACKEND", "tpu")
    app = upload(open_app("data"), "davis.csv", (SAMPLES / "davis.csv").read_bytes())
    assert "tpu" in texts(app.error) and "cpu or cuda or auto" in texts(app.error)
    assert button(app).disabled
    monkeypatch.setenv("CELLVAL_BACKEND", "auto")
    app.run()
    assert not app.error
    assert not button(app).disabled


def test_a_cluster_is_named_before_the_run_and_if_it_is_not_there(monkeypatch):
    monkeypatch.setenv("CELLVAL_DASK", "nonsense://nowhere:1")
    app = upload(open_app("data"), "davis.csv", (SAMPLES / "davis.csv").read_bytes())
    told = text_of(app)
    assert "computes on the cluster at nonsense://nowhere:1" in told
    assert "on this computer alone" in told
    app = settled(click(app, START))
    assert "No Dask scheduler answers" in text_of(app.sidebar)
    monkeypatch.delenv("CELLVAL_DASK")
    assert "computes on" not in text_of(goto(app, "data"))


def test_while_it_runs_the_sidebar_says_where(davis):
    run = running(davis.table)
    assert "cluster" not in text_of(shown("heatmap", run).sidebar)
    run.place = "a cluster of 2 workers with 4 threads (tcp://there:8786)"
    assert f"on {run.place}" in text_of(shown("heatmap", run).sidebar)


def test_test_points_that_will_be_drawn_are_told_before_the_run_and_after(monkeypatch):
    monkeypatch.setattr("cellval.knn.plan.AUTO_WORK", 1.0)
    monkeypatch.setattr("cellval.knn.plan.DRAWN_WORK", 1.0)
    app = click(open_app(), "Davis")
    assert "Of 200 test points 100 are drawn at random" in texts(app.caption)
    run = started(app)
    assert run.status == "done" and run.values.n_test == 100
    shown = texts(goto(app, "heatmap").sidebar.caption)
    assert "100 of 200 test points" in shown and "typical standard error" in shown
