"""The app's frame, the Data and the Export page, without a browser."""

import io
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

import cellval
from cellval.export.frames import csv_bytes, decisions_frame
from cellval.jobs import background as jobs
from cellval.jobs import registry
from cellval.ui.data import file as loading
from cellval.ui.data import options
from cellval.ui.session import Setup, Source
from cellval.ui.text import plain

testing = pytest.importorskip("streamlit.testing.v1")
ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_data"
WAIT = 120

pytestmark = [
    pytest.mark.usefixtures("app_runs_first", "no_runs_left"),
    pytest.mark.filterwarnings(
        # Streamlit's own; nothing we could do about them
        "default::DeprecationWarning",
        "default::pytest.PytestUnraisableExceptionWarning",
    ),
]


def open_app(page=None, **query):
    app = testing.AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page:
        app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def click(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def the_job():
    (job,) = registry._jobs.values()
    return job


def upload(app, name, raw, index=0):
    app.file_uploader[index].upload(name, raw, "text/csv").run()
    assert not app.exception
    return app


def texts(elements):
    return " ".join(element.value for element in elements)


def valued(sample="Davis"):
    """An app whose run on a sample has finished."""
    app = click(click(open_app(), sample), "Value the cells")
    assert the_job().wait(WAIT)
    app.run()
    assert not app.exception
    return app


@pytest.fixture
def endless(monkeypatch):
    """Runs that show one snapshot after the other until they are stopped."""

    def iter_values(table, **kwargs):
        snapshots = list(cellval.iter_values(table, **kwargs))
        yield snapshots[0]
        while True:
            yield snapshots[-2]
            time.sleep(0.01)

    monkeypatch.setattr(jobs, "iter_values", iter_values)


def labels(app):
    return [button.label for button in app.button]


# --- nothing loaded -----------------------------------------------------------------


def test_an_empty_data_page_offers_upload_and_samples():
    app = open_app()
    assert app.title[0].value == "Data"
    assert {"Davis", "Wine", "Ugly"} <= set(labels(app))
    assert len(app.file_uploader) == 1
    assert "No data yet." in texts(app.sidebar.caption)


def test_an_empty_export_page_says_what_to_do():
    app = open_app("export")
    assert "No data yet" in texts(app.markdown)
    click(app, "Open the Data page")
    assert app.title[0].value == "Data"


def test_every_sample_opens_with_its_label_guessed():
    label = {"davis": "sex", "breast_cancer": "class", "wine": "cultivar"}
    label |= {"adult_2000": "income", "ugly": "grade"}
    for sample in loading.SAMPLES:
        app = click(open_app(), sample.title)
        assert app.selectbox[0].value == label[sample.file.removesuffix(".csv")]
        assert "Value the cells" in labels(app)
        assert not app.error


def test_a_dead_link_is_forgotten_with_a_word():
    app = open_app(run="nobody-knows")
    assert "no longer there" in texts(app.toast)
    assert "run" not in app.query_params


# --- loading ------------------------------------------------------------------------


def test_notes_on_the_data_are_shown_at_once():
    app = click(open_app(), "Ugly")
    notes = texts(app.markdown)
    assert "Mitte September" in notes
    assert "repeat an earlier row" in notes


def test_a_broken_file_is_told_in_a_sentence_and_another_one_can_follow():
    app = upload(open_app(), "photo.csv", b"\x89PNG\r\n\x1a\n" + bytes(200))
    assert "PNG image" in texts(app.error)
    assert "Value the cells" not in labels(app)
    upload(app, "good.csv", b"a,y\n1,n\n2,m\n3,n\n4,m\n")
    assert not app.error
    assert "Value the cells" in labels(app)


def test_markdown_in_a_file_is_shown_as_text():
    raw = b"**x**,:red[y],label\n" + b"1,2,a\n2,1,b\n1,1,a\n,2,b\n"
    app = upload(open_app(), "[evil](http://example.com).csv", raw)
    assert "[evil](" not in texts(app.subheader)
    assert "**x**" not in texts(app.markdown)


def test_choosing_an_impossible_label_is_taken_back():
    app = click(open_app(), "Davis")
    app.selectbox[0].set_value("weight").run()
    assert not app.exception
    assert "classes that repeat" in texts(app.error)
    assert app.selectbox[0].value == "sex"


def test_changing_the_label_changes_the_columns():
    raw = b"a,b,c\n1,x,p\n2,y,q\n3,x,p\n4,y,q\n5,x,q\n6,y,p\n"
    app = upload(open_app(), "two.csv", raw)
    assert app.selectbox[0].value == "c"
    app.selectbox[0].set_value("b").run()
    assert app.selectbox[0].value == "b"
    assert not app.error


def test_a_second_file_is_asked_for_and_checked():
    app = click(open_app(), "Davis")
    app.radio[0].set_value("second CSV").run()
    start = next(button for button in app.button if button.label == "Value the cells")
    assert start.disabled
    upload(app, "test.csv", b"sex,weight\nM,80\n", index=1)
    assert "height" in texts(app.error)
    raw = b"sex,weight,height,repwt,repht\nM,80,180,80,180\nF,60,165,60,165\n"
    upload(app, "test.csv", raw, index=1)
    assert not app.error
    click(app, "Value the cells")
    assert the_job().wait(WAIT)
    assert the_job().values.n_test == 2


def test_a_hold_out_values_the_other_rows():
    app = click(open_app(), "Davis")
    app.radio[0].set_value("hold-out").run()
    click(app, "Value the cells")
    assert the_job().wait(WAIT)
    assert the_job().options["test"] == 0.3
    assert the_job().values.n_test == 60


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


# --- running ------------------------------------------------------------------------


def test_a_run_shows_progress_on_every_page_and_can_be_stopped(endless):
    app = click(click(open_app(), "Davis"), "Value the cells")
    job = the_job()
    while job.values is None:
        time.sleep(0.01)
    for page in ("data", "export"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception
        assert job.active, "switching pages does not end a run"
        assert "Stop the run" in labels(app.sidebar)
        assert "test points so far" in texts(app.sidebar.caption)
    assert "The run is going on" in texts(app.info)
    click(app, "Stop the run")
    assert job.status == "stopped"
    assert "kept" in texts(app.sidebar.warning)
    assert "Stop the run" not in labels(app.sidebar)


def test_compiling_is_announced_on_the_page_and_in_the_sidebar(monkeypatch):
    go_on = threading.Event()

    def iter_values(table, **kwargs):
        yield next(cellval.iter_values(table, **kwargs))
        go_on.wait(WAIT)

    monkeypatch.setattr(jobs, "iter_values", iter_values)
    try:
        app = click(click(open_app(), "Davis"), "Value the cells")
        app.switch_page("pages/export.py").run()
        assert not app.exception
        assert "first time only" in texts(app.info)
        assert "Stop the run" in labels(app.sidebar)
    finally:
        go_on.set()


def test_another_file_ends_the_run_on_the_old_one(endless):
    app = click(click(open_app(), "Davis"), "Value the cells")
    job = the_job()
    app.switch_page("pages/data.py").run()
    click(app, "Wine")
    assert job.status == "stopped"
    assert "Not valued yet" in texts(app.sidebar.caption)


def test_a_failing_run_is_told_in_a_sentence(monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr(jobs, "iter_values", broken)
    app = valued()
    app.switch_page("pages/export.py").run()
    assert not app.exception
    assert "ZeroDivisionError" in texts(app.error)
    assert "Open the Data page" in labels(app)


# --- finished -----------------------------------------------------------------------


def test_a_finished_run_says_what_was_computed():
    app = valued()
    assert "exact" in texts(app.sidebar.success)
    assert "column subsets" in texts(app.sidebar.caption)
    assert app.query_params["run"] == the_job().id


def test_a_link_finds_the_run_with_its_data_and_decisions():
    valued()
    job = the_job()
    job.memo["_decisions"][12, "height"] = "error"
    app = open_app("export", run=job.id)
    assert "1 so far" in texts(app.markdown)
    app.switch_page("pages/data.py").run()
    assert "davis" in texts(app.subheader)
    stranger = open_app("export")
    assert "No data yet" in texts(stranger.markdown)


def test_export_offers_files_of_decisions_and_values():
    app = valued()
    app.switch_page("pages/export.py").run()
    assert not app.exception
    names = [button.proto.label for button in app.get("download_button")]
    assert names[-3:] == [
        "Download flagged cells",
        "Download the whole list",
        "Download the values",
    ]


# --- parts --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ugly():
    return cellval.read(SAMPLES / "ugly.csv")


def edited(table, setup, column, **edit):
    position = [c.name for c in table.columns].index(column)
    return loading.with_edits(setup, table, {position: edit})


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
    assert loading.with_label(setup, "a") == Setup("a", None, ("b",), setup.kinds)
    assert loading.with_label(setup, "b") == Setup("b", "a", (), setup.kinds)
    assert loading.with_id(setup, "c", "a") == Setup(None, "c", ("b",), ())
    none = loading.with_id(setup, loading.NO_ID, "a")
    assert none == Setup(None, None, ("b", "a"), setup.kinds)


def test_budgets_become_options():
    assert options.budget_options("Quick", None, 5) == {"budget": 10.0}
    assert options.budget_options("Seconds", 30, 5) == {"budget": 30.0}
    assert options.budget_options("Standard", None, 5) == {"subsets": "auto"}
    precise = options.budget_options("Until precise", None, 4)
    assert precise["subsets"] > 2**4


def test_plain_text_has_no_markdown_left():
    assert plain("a *b* [c](d) :red[e] <i> $x$") == (
        r"a \*b\* \[c\]\(d\) \:red\[e\] \<i\> \$x\$"
    )
    assert plain(" two\nlines ") == "two lines"


def test_a_source_is_known_by_its_bytes():
    assert Source.of("a.csv", b"1").sha256 == Source.of("b.csv", b"1").sha256
    assert Source.of("a.csv", b"1").sha256 != Source.of("a.csv", b"2").sha256


def test_exported_decisions_are_safe_and_complete():
    raw = b"id,=x,y\n@1,-a,n\n@2,b,m\n@3,-a,n\n@4,b,m\n"
    table = cellval.read(raw, label="y", id_column="id")
    values = cellval.value_cells(table, n_neighbors=1)
    whole = decisions_frame(values, {(2, "=x"): "error", (3, "=x"): "fine"})
    assert list(whole["rank"]) == [1, 2, 3, 4]
    assert set(whole["column"]) == {"'=x"}
    assert set(whole["content"]) == {"'-a", "b"}
    assert set(whole["id"]) == {"'@1", "'@2", "'@3", "'@4"}
    flagged = decisions_frame(values, {(2, "=x"): "error"}, only=["error"])
    assert flagged[["row", "decision"]].values.tolist() == [[2, "error"]]
    read = pd.read_csv(io.BytesIO(csv_bytes(flagged)))
    assert read["row"].tolist() == [2]
