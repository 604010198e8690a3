"""The HTML report: one file, nothing run that a cell holds, nothing claimed unseen."""

import html
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from browser.conftest import chromium_path
from cases import number_table, random_table, values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import CORNERS, make_suspicion
from cellval.export.report import WHOLE_ROWS, _worst, report_html
from cellval.repairs.measure import iter_comparison
from cellval.repairs.repair import Repair, repaired
from cellval.views.corners import corner_counts
from cellval.views.inspection_list import Wanted, inspection
from cellval.views.rankings import outline_words, outlines

PACKAGE = Path(cellval.__file__).parent
ROOT = PACKAGE.parent
DAY = date(2026, 1, 2)
SWAP = {
    (12, "height"): Repair("replace", "166", "swapped"),
    (12, "weight"): Repair("replace", "57", "swapped"),
    (3, ""): Repair("drop", "", "=nobody"),
}
SECTIONS = ("What was looked at", "What was found", "Suspects")


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return make_suspicion(table, cellval.value_cells(table), surprise(table))


@pytest.fixture(scope="module")
def unvalued(davis):
    return make_suspicion(davis.table, None, davis.surprise)


def nasty(n=40):
    """A table whose name, columns, ids, classes and cells would like to be run."""
    attack = "<script>alert(1)</script>"
    lines = [
        f"<i>{k}</i>,{k % 7},{'ab'[k % 2]},{'<u>p' if k % 2 else 'q'}" for k in range(n)
    ]
    lines[3] = f'<i>3</i>,"=HYPERLINK(""x"")",{attack},q'
    lines[5] = f"<i>5</i>,{attack},</script><b>,q"
    raw = "\n".join(["id,<b>x</b>,z,y", *lines]).encode()
    table = cellval.read(raw, label="y", id_column="id")
    values = values_of(table, np.linspace(-0.4, 0.4, 2 * n).reshape(n, 2))
    return make_suspicion(table, values, surprise(table))


def without_plotly(page):
    """All but the plotting library, which is a script of its own."""
    scripts = re.findall(rb"<script[^>]*>.*?</script>", page, re.DOTALL)
    return page.replace(max(scripts, key=len, default=b"\0"), b"").decode()


def visible(page):
    """What a person reads, without figures."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", without_plotly(page), flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def headings(page):
    return re.findall(r"<h2>(.*?)</h2>", without_plotly(page))


def test_the_report_says_what_was_looked_at_and_how(davis):
    text = visible(report_html(davis, date=DAY))
    assert "davis.csv" in text
    assert "200 rows, 5 columns of which 4 were looked at" in text
    assert "sex: F (112 rows), M (88 rows)" in text
    assert "all 16 column subsets (exact)" in text
    assert "200 test points" in text
    assert "2026-01-02" in text
    assert davis.table.notes[0] in text


def test_the_swapped_pair_comes_first_with_reason_and_suggestion(davis):
    page = without_plotly(report_html(davis, date=DAY))
    rows = re.findall(r"<tr>(<td.*?)</tr>", page[page.index("<h2>Suspects") :])
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows[:2]]
    assert {cell[1] for cell in cells} == {"height", "weight"}
    assert all(cell[0] == "12" for cell in cells)
    assert {(cell[2], cell[-1]) for cell in cells} == {("57", "166"), ("166", "57")}
    assert all("like those of the other one" in cell[-2] for cell in cells)
    assert all("±" in cell[3] for cell in cells)


@pytest.mark.parametrize("name", ["davis", "ugly"])
def test_the_report_counts_as_the_pages_do(name):
    table = cellval.read(f"sample_data/{name}.csv")
    values = cellval.value_cells(table)
    suspicion = make_suspicion(table, values, surprise(table))
    page = report_html(suspicion, date=DAY)
    text, plain = visible(page), without_plotly(page)
    outlined = outlines(values, suspicion, "suspicion")
    listed = inspection(table, values, suspicion, Wanted(), decisions={}, repairs={})
    n = len(outlined.cells)
    assert outline_words(outlined).startswith(f"{n} suspects are outlined")
    assert listed.n_rule == n
    assert f"{n} suspects among {values.values.size:,} cells" in text
    strong = re.findall(r"<tr>(<td.*?)</tr>", plain[plain.index("<h2>Suspects") :])
    assert len(strong) == n
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in strong]
    rows = [int(cell[0].replace(",", "")) for cell in cells]
    assert rows == listed.frame["row_number"][:n].tolist()
    for finding, odds, cell in zip(
        listed.frame["finding"], listed.frame["odds"], cells, strict=False
    ):
        assert finding in cell and odds in cell
    for name, count in corner_counts(suspicion).items():  # as on the map
        assert f"{CORNERS[name].capitalize()} {count:,}" in text
    assert not re.search(r"\d[eE][-−+]?\d", text), "no exponents"


def test_sections_are_there_only_with_what_they_are_about(davis, unvalued):
    plain = headings(report_html(davis, date=DAY))
    assert set(SECTIONS) < set(plain)
    assert plain == [*SECTIONS[:2], "Heatmap", SECTIONS[2], "How to read this"]
    bare = report_html(unvalued, date=DAY)
    assert headings(bare) == [*SECTIONS, "How to read this"]
    assert "surprise alone decides" in visible(bare)
    assert len(bare) < 100_000  # no library without a figure
    decided = headings(report_html(unvalued, decisions={(5, "weight"): "fine"}))
    assert "Decisions" in decided


def test_decisions_changes_and_accuracy_are_told(davis):
    after = repaired(davis.table, SWAP)
    *_, last = iter_comparison(davis.table, after, folds=2, repeats=1)
    comparison = last.result
    known = {"repairs": SWAP, "decisions": {(12, "height"): "error"}}
    page = report_html(davis, **known, comparison=comparison, date=DAY)
    text = visible(page)
    assert headings(page)[-3:-1] == [
        "Decisions and changes",
        "Tested accuracy before and after",
    ]
    assert "Decided on 1 cell: 1 wrong." in text
    assert "wrong, replaced by 166" in text
    assert "Row Column Before After Why" in text, "no id where the table has none"
    assert "F,53,161,54,158" in text
    assert "(dropped)" in text
    assert "'=nobody" in text
    for model in comparison.models:
        assert model in text
        assert comparison.verdict(model) in text
    assert comparison.reference in text
    left_out = replace(comparison, note="Left out: 1 row of class 'rare'.")
    page = report_html(davis, **known, comparison=left_out, date=DAY)
    assert left_out.note in visible(page)
    half = next(iter_comparison(davis.table, after)).result
    assert "Stopped after 0 %" in visible(report_html(davis, **known, comparison=half))


def test_numbers_are_told_by_two_scores():
    table = number_table(60, 0)
    odd = make_suspicion(table, None, surprise(table))
    after = table.with_cells({(3, "price"): "51", (8, "x"): "1"})
    *_, last = iter_comparison(table, after, folds=3, repeats=1)
    comparison = last.result
    page = report_html(odd, comparison=comparison, date=DAY)
    text = visible(page)
    assert "Tested errors before and after" in headings(page)
    assert "Tested accuracy" not in text
    assert "Model R² before R² after Error before after Difference" in text
    line = comparison.frame().loc["KNN"]
    said = f"KNN {line['before']:.3f} {line['after']:.3f} {line['error_before']:.2f}"
    assert said in text and line["verdict"] in text and comparison.reference in text


def test_a_repair_in_a_row_that_is_dropped_is_not_told(davis):
    dropped = {(12, "height"): Repair("replace", "166"), (12, ""): Repair("drop")}
    text = visible(report_html(davis, repairs=dropped, date=DAY))
    assert "row dropped" in text
    assert "replaced by 166" not in text


def test_a_report_on_a_repaired_table_says_so_and_lists_what_was(davis):
    table = repaired(davis.table, SWAP)
    suspicion = make_suspicion(table, None, surprise(table))
    text = visible(report_html(suspicion, repairs=SWAP, original=davis.table, date=DAY))
    assert "of the table after the repairs" in text
    assert "F,53,161,54,158" in text  # the row that is gone


def test_nothing_of_the_table_is_markup_or_a_formula():
    changes = {(4, "z"): Repair("replace", "<img src=x onerror=alert(2)>", "=1+1")}
    page = report_html(nasty(), repairs=changes, title="<script>x</script>", date=DAY)
    rest = without_plotly(page)
    assert "<script>alert" not in rest
    assert "<img" not in rest
    assert "<b>x" not in rest
    assert "<i>" not in rest
    assert "<script>x" not in rest
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in rest
    tables = re.findall(r"<td[^>]*>(.*?)</td>", rest)
    assert '\'=HYPERLINK("x")' in map(html.unescape, tables)
    assert not any(cell.startswith(("=", "+", "@")) for cell in tables)


def test_nothing_is_loaded_from_anywhere_and_every_light_has_its_colours(unvalued):
    page = report_html(unvalued, date=DAY).decode()
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    assert policy.startswith("default-src 'none';")
    assert "http" not in page.replace("http-equiv", "")
    for part in ("prefers-color-scheme: dark", "@media print", "color-scheme: light"):
        assert part in page


def test_the_report_is_loaded_without_scikit_learn():
    code = "import sys, cellval.export.report; print('sklearn' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT)
    assert run.stdout.strip() == b"False"


def test_the_same_input_gives_the_same_bytes(davis):
    pages = [report_html(davis, repairs=SWAP, date=DAY) for _ in range(2)]
    assert pages[0] == pages[1]
    other = report_html(davis, repairs=SWAP, date=date(2026, 1, 3))
    assert other == pages[0].replace(b"2026-01-02", b"2026-01-03")


def test_a_long_table_is_drawn_as_its_worst_rows_and_an_overview():
    n = WHOLE_ROWS + 100
    rng = np.random.default_rng(0)
    lines = [f"{x:.2f},{'ab'[k % 2]}" for k, x in enumerate(rng.normal(size=n))]
    lines[250] = "999,a"
    table = cellval.read("\n".join(["x,y", *lines]).encode(), label="y")
    values = values_of(table, rng.normal(size=(n, 1)))
    page = report_html(make_suspicion(table, values, surprise(table)), date=DAY)
    text = visible(page)
    assert "The 100 most suspicious rows of 300" in text
    assert "All 300 rows in the order of the file, in 120 bands" in text
    assert page.count(b"Plotly.newPlot(") >= 2
    assert b"click to" not in without_plotly(page).encode()


def test_the_worst_rows_and_columns_are_found_without_an_order_of_all_cells():
    table = random_table(0, 400, ["number"] * 5)
    found = surprise(table)
    everywhere = make_suspicion(table, None, found).order
    for place in (lambda at: at // 5, lambda at: at % 5):
        in_order = [*dict.fromkeys(place(everywhere).tolist())]
        for k in (1, 3, 100, 1000):
            suspicion = make_suspicion(table, None, found)
            assert _worst(suspicion, place, k).tolist() == in_order[:k]
            assert k > 3 or "order" not in vars(suspicion)
            assert suspicion.first(0).size == 0


@pytest.mark.skipif(chromium_path() is None, reason="no chromium")
def test_it_opens_in_a_browser_without_network_and_complaints(tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(report_html(nasty(), date=DAY))
    command = [chromium_path(), "--headless", "--no-sandbox", "--disable-gpu"]
    command += ["--disable-dev-shm-usage", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>"]
    command += ["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"]
    run = subprocess.run([*command, path.as_uri()], capture_output=True, timeout=900)
    assert b'class="main-svg"' in run.stdout
    assert b"CONSOLE" not in run.stderr
