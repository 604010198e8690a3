"""The paper, figure by figure, beside ours."""

import shutil

import pytest

from benchmarks.pages import RESULTS
from cellval.errors import InputError
from cellval.experiments import EXPERIMENTS, IN_THE_PAPER
from cellval.experiments.page import NOT_THERE, paper_page


def test_the_page_that_is_kept_is_that_of_the_files_beside_it():
    page = (RESULTS / "paper.md").read_text(encoding="utf-8")
    assert page == paper_page(RESULTS), (
        "run: python -m benchmarks.readme_results --write"
    )
    for name in EXPERIMENTS:  # with what a person wrote
        assert f"\n## {name}: " in page
        text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        assert text.partition("\n")[2].strip() in page


def test_every_experiment_says_what_it_is_in_the_paper():
    assert list(IN_THE_PAPER) == list(EXPERIMENTS)


def test_numbers_are_enough_and_those_of_the_published_values_come_last(tmp_path):
    with pytest.raises(InputError, match="python -m cellval reproduce removal"):
        paper_page(tmp_path)
    for name in EXPERIMENTS:
        shutil.copy(RESULTS / f"{name}.csv", tmp_path)
    assert paper_page(tmp_path).endswith(f"{NOT_THERE}\n")
    header = "what,ours,plus_minus,unit,paper\n"
    (tmp_path / "published.csv").write_text(f"{header}a | b,0.5,,%,90 %\n")
    page = paper_page(tmp_path)
    assert page.endswith("| a \\| b | 0.5 % | 90 % |\n") and NOT_THERE not in page
