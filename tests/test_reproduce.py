"""The paper's experiments as a person repeats them, and the README's table of them."""

import re
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import cellval
from cellval.cli import reproduce as reproduce_command
from cellval.cli.arguments import main
from cellval.errors import InputError
from cellval.experiments import EXPERIMENTS, readme
from cellval.experiments.algorithm2 import Arrays, arrays_of, one_permutation
from cellval.experiments.convergence import at_error, slope
from cellval.experiments.result import SUMMARY, Line, Result
from cellval.experiments.runtime import Timed
from cellval.experiments.splits import random_groups

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_quick_version_of_every_experiment_writes_what_it_found(
    name, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("CELLVAL_DATA", str(tmp_path / "not there"))
    assert main(["reproduce", name, "--quick", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    paragraph = (tmp_path / f"{name}.md").read_text()
    assert paragraph.startswith("Quick version")
    assert sum(c.isdigit() for c in paragraph) > 10
    assert not re.search(r"\b(nan|inf)\b", paragraph)
    assert paragraph.split()[:20] == shown.split("\n\n")[1].split()[:20]
    assert str(tmp_path / f"{name}.html") in shown
    assert len(pd.read_csv(tmp_path / f"{name}.csv")) > 1
    assert "plotly" in (tmp_path / f"{name}.html").read_text().lower()
    lines = pd.read_csv(tmp_path / SUMMARY, dtype=str, keep_default_na=False)
    assert set(lines["experiment"]) == {name}
    assert (lines != "").to_numpy().all()
    assert lines["what"].str.endswith("(quick version)").all()
    assert lines["ours"].str.contains(r"\d").all()


def result_of(name, ours="2"):
    lines = [Line("a | b", "1", ours), Line("more", "'high'", "4 %")]
    frame = pd.DataFrame({"x": [1.0]})
    return Result(name, frame, go.Figure(), f"{name} found {ours}.", lines)


@pytest.fixture
def made_up(monkeypatch):
    """Experiments that take no time; those in `broken` are stopped by Ctrl-C."""
    broken, seen = set(), []

    def import_module(path):
        name = path.rpartition(".")[2]

        def run(data, quick):
            seen.append((name, data, quick))
            if name in broken:
                raise KeyboardInterrupt
            return result_of(name)

        return SimpleNamespace(run=run)

    monkeypatch.setattr(reproduce_command, "import_module", import_module)
    monkeypatch.delenv("CELLVAL_DATA", raising=False)
    return SimpleNamespace(broken=broken, seen=seen)


def test_all_runs_every_experiment_into_one_summary(made_up, tmp_path, capsys):
    assert main(["reproduce", "all", "--out", str(tmp_path / "new" / "folder")]) == 0
    assert [name for name, _, _ in made_up.seen] == list(EXPERIMENTS)
    summary = pd.read_csv(tmp_path / "new" / "folder" / SUMMARY)
    assert list(summary["experiment"].unique()) == list(EXPERIMENTS)
    assert main(["reproduce", "age", "--out", str(tmp_path / "new" / "folder")]) == 0
    again = pd.read_csv(tmp_path / "new" / "folder" / SUMMARY)
    assert len(again) == len(summary)
    assert "age found 2." in capsys.readouterr().out


def test_the_folder_of_tables_is_given_or_in_the_environment(
    made_up, tmp_path, monkeypatch
):
    out = ["--out", str(tmp_path / "out")]
    assert main(["reproduce", "age", *out]) == 0
    assert main(["reproduce", "age", "--data", str(tmp_path), *out]) == 0
    monkeypatch.setenv("CELLVAL_DATA", str(tmp_path))
    assert main(["reproduce", "age", *out]) == 0
    assert main(["reproduce", "age", "--quick", *out]) == 0
    assert made_up.seen == [
        ("age", None, False),
        ("age", tmp_path, False),
        ("age", tmp_path, False),
        ("age", None, True),
    ]


def test_ctrl_c_keeps_the_experiments_that_are_finished(made_up, tmp_path, capsys):
    made_up.broken.add("outliers")
    assert main(["reproduce", "all", "--out", str(tmp_path)]) == 130
    shown = capsys.readouterr().out
    assert f"stopped; outliers is not finished. removal is in {tmp_path}." in shown
    assert (tmp_path / "removal.md").exists()
    assert not (tmp_path / "outliers.md").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "There is no experiment 'nothing'"),
        (["nothing"], "\n  runtime      seconds for 1,000"),
        (["age", "--data", "no folder"], "There is no folder no folder."),
        (["age", "--out", "{file}"], "Choose another --out."),
    ],
)
def test_what_is_not_possible_is_said_in_words(
    arguments, words, made_up, tmp_path, capsys
):
    file = tmp_path / "file"
    file.write_text("")
    arguments = [word.format(file=file) for word in arguments]
    if "--out" not in arguments:
        arguments += ["--out", str(tmp_path)]
    assert main(["reproduce", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not made_up.seen


def test_help_lists_the_experiments(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown and what in shown for name, what in EXPERIMENTS.items())


# --- the README's table ---------------------------------------------------------------


def test_the_block_of_results_is_replaced_and_nothing_else(made_up, tmp_path):
    assert main(["reproduce", "all", "--out", str(tmp_path)]) == 0
    page = tmp_path / "page.md"
    page.write_text(f"# above\n\n{readme.BEGIN}\nold\n{readme.END}\n\nbelow\n")
    assert readme.main([str(tmp_path), str(page)]) == 0
    once = page.read_text()
    assert once.startswith("# above\n\n<!-- results: begin -->\n| experiment | what |")
    assert once.endswith("|\n<!-- results: end -->\n\nbelow\n")
    assert "| age | a \\| b | 1 | 2 |\n|  | more | 'high' | 4 % |\n" in once
    assert readme.block_of(once) == readme.results_block(tmp_path)
    assert main(["reproduce", "removal", "--out", str(tmp_path)]) == 0
    assert readme.main([str(tmp_path), str(page)]) == 0
    assert page.read_text() == once


def test_a_page_without_place_for_results_stays_as_it_is(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    (tmp_path / SUMMARY).write_text("experiment,what,paper,ours\n")
    assert readme.main([str(tmp_path), str(page)]) == 2
    assert readme.BEGIN in capsys.readouterr().err
    assert readme.main([str(tmp_path / "no"), str(page)]) == 2
    assert "python -m cellval reproduce all" in capsys.readouterr().err
    assert page.read_text() == "nothing here\n"
    with pytest.raises(InputError, match="no place"):
        readme.block_of(f"{readme.END} and {readme.BEGIN}")


def test_the_readme_tells_the_results_that_are_kept():
    if not (ROOT / "results" / SUMMARY).exists():
        pytest.skip("no results are kept")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.block_of(text) == readme.results_block(ROOT / "results")
    assert "(quick version)" not in readme.block_of(text)


# --- what experiments are made of -----------------------------------------------------


@pytest.fixture(scope="module")
def small():
    """Two tables without ties, and with a category."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(draw.normal(size=(30, 3)), columns=list("abc"))
    frame["d"] = draw.choice(["x", "y", "z"], 30)
    frame["y"] = draw.choice(["no", "yes"], 30)
    table = cellval.Table.from_frame(frame[:20], label="y")
    rest = frame[20:].reset_index(drop=True)
    return table, cellval.Table.from_frame(rest, like=table)


def test_plain_algorithm_2_over_all_orders_has_the_engine_s_values(small):
    table, test = small
    arrays = arrays_of(table, test)
    exact = cellval.value_cells(table, test=test, n_neighbors=3, subsets="all").values
    draw = np.random.default_rng(1)
    orders = [np.array(order) for order in permutations(range(4))]
    by_luck = [one_permutation(arrays, 3, order, ties=draw) for order in 40 * orders]
    # column d alone ties; luck averages out
    np.testing.assert_allclose(np.mean(by_luck, axis=0), exact, atol=2e-3)
    no_ties = Arrays(*(a[:, :3] if a.ndim == 2 else a for a in arrays[:4]))
    no_ties = no_ties._replace(weight=arrays.weight[:3])
    frame = pd.DataFrame(table.cells).drop(columns="d")
    without = cellval.Table.from_frame(frame, label="y")
    other = cellval.Table.from_frame(test.cells.drop(columns="d"), like=without)
    exact = cellval.value_cells(without, test=other, n_neighbors=3, subsets="all")
    mean = np.mean(
        [one_permutation(no_ties, 3, np.array(p)) for p in permutations(range(3))],
        axis=0,
    )
    np.testing.assert_allclose(mean, exact.values, atol=1e-6)


def test_one_test_point_after_the_other_or_many_at_once_is_the_same(small):
    arrays = arrays_of(*small)
    order = np.array([2, 0, 3, 1])
    np.testing.assert_allclose(
        one_permutation(arrays, 3, order, at_once=False),
        one_permutation(arrays, 3, order, at_once=True),
        atol=1e-12,
    )


def test_random_lines_cut_everything_into_groups_that_are_large_enough():
    for seed in range(50):
        groups = random_groups(23, 4, np.random.default_rng(seed), 2)
        assert len(groups) == 4
        assert groups.sizes.sum() == 23
        assert groups.sizes.min() >= 2


def test_four_times_the_permutations_halve_the_error_of_algorithm_2():
    timed = Timed(
        cells=100,
        rows=10,
        tests=5,
        design="",
        near=0,
        seconds=1.0,
        core_seconds=2.0,
        error=0.1,
        correlation=0.99,
        reference="",
        permutations=3,
        plain_seconds_each=5.0,
        plain_error=0.2,
        permutations_ties=2,
        plain_error_ties=0.4,
    )
    assert timed.plain_seconds == pytest.approx(4 * 5.0)
    assert timed.plain_seconds_ties == pytest.approx(16 * 5.0)
    assert timed.times == pytest.approx(10.0)
    assert timed.times_ties == pytest.approx(40.0)


def test_slopes_and_crossings_of_a_curve_of_errors():
    x = np.array([10.0, 100.0, 1000.0])
    curve = pd.DataFrame({"evaluations": x, "error": x**-0.5})
    assert slope(curve) == pytest.approx(-0.5)
    assert at_error(curve, 40**-0.5) == pytest.approx(40)
    assert at_error(curve, 1e5**-0.5) == pytest.approx(1e5)
