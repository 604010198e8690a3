"""The documentation names what there is; that it builds is asked in .ci/run."""

import re
import shlex

import pytest
from cases import ROOT, SAMPLES

import cellval
from benchmarks.tutorial import BY_HAND
from cellval.cli.arguments import _parser
from cellval.ui.navigation import PAGES

DOCS = ROOT / "docs"
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))}
TEXTS["README.md"] = (ROOT / "README.md").read_text("utf-8")


def blocks(text, language):
    """What stands between fences of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands():
    """Calls of the command line in all texts, by text."""
    for name, text in TEXTS.items():
        for line in "".join(blocks(text, "bash")).replace("\\\n", "").splitlines():
            if found := re.match(r"(?:python -m )?cellval (.*)", line):
                words = shlex.split(found[1], comments=True)
                yield pytest.param(words, id=f"{name}: {' '.join(words)}")


@pytest.mark.parametrize("name", cellval.__all__)
def test_every_public_name_is_in_the_reference(name):
    pattern = rf"^\.\. auto\w+:: cellval\.{name}(\(\))?$"
    assert len(re.findall(pattern, TEXTS["reference.md"], re.MULTILINE)) == 1


def test_the_reference_begins_with_a_program_that_runs(tmp_path, monkeypatch):
    (tmp_path / "sample_data").symlink_to(SAMPLES)
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    exec(blocks(TEXTS["reference.md"], "python")[0], {})
    assert (tmp_path / "values.npz").exists() and (tmp_path / "home").exists()


def test_every_page_of_the_app_has_its_section_in_the_order_of_the_menu():
    sections = re.findall(r"^## (.*)$", TEXTS["app.md"], re.MULTILINE)
    assert sections == [page.title for page in PAGES.values()]


@pytest.mark.parametrize("words", [*commands()])
def test_commands_are_understood(words):
    assert _parser().parse_args(words).command


def test_commands_were_found():
    assert len([*commands()]) > 15


def test_the_recipe_in_the_docs_can_be_read():
    (text,) = blocks(TEXTS["recipes.md"], "yaml")
    steps = cellval.read_recipe(text.encode()).steps
    assert len(steps) == text.count("- do: ")


@pytest.mark.parametrize("place", BY_HAND)
def test_the_tutorial_says_what_its_repairs_are(place):
    row, _ = place
    (line,) = re.findall(rf"^\| {row} \|.*$", TEXTS["tutorial.md"], re.MULTILINE)
    assert BY_HAND[place] in line


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_links_to_files_are_not_broken(name):
    text = (ROOT / name).read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert links and [link for link in links if not (ROOT / link).exists()] == []


def promises():
    """Of SECURITY.md, each with what is said to show it."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    for promise, shown in re.findall(r"^\| (.+) \| (.*) \|$", text, re.MULTILINE)[1:]:
        yield pytest.param(re.findall(r"`(.+?)`", shown), id=promise[:60])


@pytest.mark.parametrize("shown", [*promises()])
def test_what_shows_a_promise_is_there(shown):
    """A test (file::name), what is run by hand (python -m), or a page of the docs."""
    assert shown
    for one in shown:
        path, _, name = one.partition("::")
        if one.startswith("python -m "):
            path = f"{one.removeprefix('python -m ').replace('.', '/')}.py"
        assert (ROOT / path).is_file(), one
        assert bool(name) == path.startswith("tests/") or "python -m" in one, one
        assert f"\ndef {name}(" in (ROOT / path).read_text("utf-8") or not name, one


def test_promises_were_found():
    assert len([*promises()]) > 12
