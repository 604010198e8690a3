"""Pages of results/ are what benchmarks printed."""

import doctest

import pytest

from benchmarks import pages
from benchmarks.pages import PAGES, RESULTS, printed, put, sections_of


def test_examples_hold():
    assert doctest.testmod(pages).failed == 0


def test_what_is_printed_takes_the_place_of_its_section(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["engine.py", "rows", "--data", "/mine", "--write"])
    put("speed", "surprise", "kept\n", "yesterday", tmp_path)
    for text in ("0.9 s", "0.5 s"):
        with printed("speed", "engine rows", tmp_path):
            print(f"\n{text}")
    page = (tmp_path / "speed.md").read_text(encoding="utf-8")
    found = sections_of(page)
    assert list(found) == ["engine rows", "surprise"]
    assert found["surprise"] == "yesterday\n\n```text\nkept\n```"
    assert "0.9" not in page and "0.5 s\n```" in found["engine rows"]
    assert "`python -m benchmarks.engine rows --data DIR --write`" in page
    assert "/mine" not in page
    assert capsys.readouterr().out == "\n0.9 s\n\n0.5 s\n"


def test_nothing_is_written_unasked_or_by_a_run_that_fails(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["engine.py"])
    with printed("speed", "engine rows", tmp_path):
        print("0.5 s")
    monkeypatch.setattr("sys.argv", ["engine.py", "--write"])
    with pytest.raises(ZeroDivisionError), printed("speed", "engine rows", tmp_path):
        print(1 / 0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", PAGES)
def test_pages_kept_have_all_sections_with_command_day_and_machine(name):
    found = sections_of((RESULTS / f"{name}.md").read_text(encoding="utf-8"))
    assert tuple(found) == PAGES[name].sections
    for section, text in found.items():
        first, _, rest = text.partition("\n\n")
        assert first.startswith(f"`python -m benchmarks.{section}")
        assert "cellval 0." in first and " cores of " in first
        assert rest.startswith("```text\n") and rest.endswith("\n```")
