"""The paper's experiments as a person repeats them."""

from types import SimpleNamespace

import pandas as pd
import plotly.graph_objects as go
import pytest

from cellval.cli import reproduce as reproduce_command
from cellval.cli.arguments import main
from cellval.experiments import EXPERIMENTS
from cellval.experiments.result import Number, Reproduction


def test_a_short_version_prints_its_numbers_and_says_where_they_are(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("CELLVAL_DATA", str(tmp_path / "not there"))
    assert main(["reproduce", "pairs", "--quick", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Quick version")
    assert "the pair most alike: correlation of the cells" in shown
    assert "'completely unrelated'" in shown
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"pairs_quick{e}" for e in (".csv", "_points.csv", ".html")}
    assert all(str(tmp_path / name) in shown for name in names)


@pytest.fixture
def made_up(monkeypatch):
    """Experiments that take no time; those in `broken` are stopped by Ctrl-C."""
    broken, seen = set(), []

    def import_module(path):
        name = path.rpartition(".")[2]

        def run(data, quick=False):
            seen.append((name, data, quick))
            if name in broken:
                raise KeyboardInterrupt
            numbers = [Number(f"found by {name}", 2.0, "%", "'high'")]
            return Reproduction(name, numbers, pd.DataFrame({"x": [1.0]}), go.Figure())

        return SimpleNamespace(run=run)

    monkeypatch.setattr(reproduce_command, "import_module", import_module)
    monkeypatch.delenv("CELLVAL_DATA", raising=False)
    return SimpleNamespace(broken=broken, seen=seen)


def test_all_runs_every_experiment_into_one_folder(made_up, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    assert main(["reproduce", "all", "--out", str(folder)]) == 0
    assert [name for name, _, _ in made_up.seen] == list(EXPERIMENTS)
    shown = capsys.readouterr().out
    for name in EXPERIMENTS:
        assert f"found by {name}   2 %  'high'" in shown
        assert (folder / f"{name}.csv").exists()
    assert "Quick" not in shown
    page = (folder / "paper.md").read_text(encoding="utf-8")
    assert shown.rstrip().endswith(str(folder / "paper.md"))
    for name in EXPERIMENTS:
        assert f"| found by {name} | 2 % | 'high' |" in page
    assert "In the paper: Figure 5B." in page
    assert "published implementation was not given" in page


def test_the_published_values_are_compared_where_their_folder_is_given(
    made_up, tmp_path, capsys
):
    out = ["--out", str(tmp_path)]
    assert main(["reproduce", "published", *out]) == 2
    assert "--published FOLDER" in capsys.readouterr().err
    assert main(["reproduce", "published", "--published", "theirs", *out]) == 0
    assert main(["reproduce", "all", "--published", "theirs", *out]) == 0
    assert [name for name, *_ in made_up.seen] == [
        "published",
        *EXPERIMENTS,
        "published",
    ]
    page = (tmp_path / "paper.md").read_text(encoding="utf-8")
    assert "| found by published | 2 % | 'high' |" in page


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
    assert f"reproduce outliers --out {tmp_path}" in shown
    assert (tmp_path / "removal.csv").exists()
    assert not (tmp_path / "outliers.csv").exists()


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
