"""The README's five numbers, and the page of all experiments."""

import doctest
import shutil

from benchmarks import readme_results
from benchmarks.readme_results import BEGIN, END, README, RESULTS, headlines, paper_page

FRESH = "run: python -m benchmarks.readme_results --write"


def test_examples_hold():
    assert doctest.testmod(readme_results).failed == 0


def test_the_readme_tells_the_results_that_are_kept():
    text = README.read_text(encoding="utf-8")
    assert readme_results.with_block(text, headlines()) == text, FRESH


def test_five_numbers_each_with_its_page():
    rows = headlines().splitlines()[2:]
    assert len(rows) == 5
    for row in rows:
        page = row.rpartition("](results/")[2].partition(")")[0]
        assert (RESULTS / page).exists()


def test_only_the_block_of_the_readme_is_written(tmp_path, monkeypatch, capsys):
    folder, readme = tmp_path / "results", tmp_path / "README.md"
    shutil.copytree(RESULTS, folder)
    (folder / "paper.md").unlink()
    readme.write_text(f"# above\n\n{BEGIN}\nold\n{END}\n\nbelow\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["readme_results.py"])
    assert readme_results.main(folder, readme) == 0
    assert "old" in readme.read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["readme_results.py", "--write"])
    assert readme_results.main(folder, readme) == 0
    block = f"{BEGIN}\n{headlines()}\n{END}"
    assert readme.read_text(encoding="utf-8") == f"# above\n\n{block}\n\nbelow\n"
    assert (folder / "paper.md").read_text(encoding="utf-8") == paper_page(RESULTS)
    assert headlines() in capsys.readouterr().out


def test_what_is_missing_is_said_and_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["readme_results.py", "--write"])
    readme = tmp_path / "README.md"
    readme.write_text("nothing here\n")
    assert readme_results.main(RESULTS, readme) == 2
    assert BEGIN in capsys.readouterr().err
    assert readme.read_text() == "nothing here\n"
    assert readme_results.main(tmp_path, readme) == 2
