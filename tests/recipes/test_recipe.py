"""Recipes as YAML: whatever a cell holds comes back; what is wrong is told with its
place, and nothing does harm."""

import sys
from dataclasses import replace

import pytest
from cases import ROOT, message_of

from cellval.detect.rule import RULES, Rule
from cellval.recipes.recipe import Recipe, read_recipe
from cellval.recipes.rows import RowName
from cellval.recipes.steps import (
    Answer,
    DropRow,
    Fine,
    Reading,
    Replace,
    ReplaceCell,
)

pytest.importorskip("yaml", reason="in requirements.txt")
hypothesis = pytest.importorskip("hypothesis", reason="in requirements.txt")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

HOSTILE = [
    *("", " ", "no", "Yes", "null", "~", "true", "012", "1e3", "0x1F", "1_000"),
    *("2024-01-02", "12:30:45", "- a", "a: b", "&x", "*x", "!!int 3", "%", "|", ">"),
    *("'", '"', "\\", "# c", "a #b", "[", "{", "\n", "a\n b\n", "\t", "\r", "\x00"),
    *("\x07", "\x7f", "\x85", "\u2028", "\ufeff", "\ufffe", "🙂", "é" * 200, "=1+1"),
    *("---", "...", "? x", "<<", "a " * 150),
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
some = texts.filter(lambda text: text.strip())
rows = st.one_of(
    st.builds(lambda id, column: RowName(id, column), some, some),
    st.builds(
        lambda n, like, place: RowName("", "", f"{n:016x}", like, place),
        st.integers(0, 2**64 - 1),
        texts,
        st.integers(1, 99),
    ),
)
pairs = st.dictionaries(texts, texts, min_size=1, max_size=3).map(
    lambda found: tuple(found.items())
)
real = st.floats(-1e9, 1e9)
many = st.lists(texts, min_size=1, max_size=3).map(tuple)
steps = st.one_of(
    st.builds(Replace, some, pairs, texts),
    st.builds(ReplaceCell, rows, some, texts, texts, texts),
    st.builds(DropRow, rows, texts),
    st.builds(Fine, some, many, st.none(), texts),
    st.builds(lambda c, t, r, w: Fine(c, (t,), r, w), some, texts, rows, texts),
    st.builds(
        lambda names, known, repair, why: Rule(
            tuple(names[:-1]),
            names[-1],
            tuple(tuple(line[: len(names)]) for line in known),
            repair,
            why,
        ),
        st.lists(some, min_size=2, max_size=3, unique=True),
        st.lists(st.lists(texts, min_size=3, max_size=3), max_size=2),
        st.booleans(),
        texts,
    ),
    st.builds(
        lambda kind, names, strict, numbers, within, refused, why: Rule(
            tuple(names[: RULES[kind][0]]),
            names[-1],
            ((names[0],),) if kind == "domain" else (),
            why=why,
            kind=kind,
            strict=strict,
            factor=numbers[0],
            offset=numbers[1],
            within=within,
            refused=refused,
            rounded=not strict,
        ),
        st.sampled_from([kind for kind in RULES if kind != "settles"]),
        st.lists(some, min_size=3, max_size=3, unique=True),
        st.booleans(),
        st.tuples(real.filter(bool), real),
        st.none() | st.floats(0, 1e9),
        st.booleans(),
        texts,
    ),
    st.builds(Answer, texts, st.sampled_from(["accepted", "refused"]), texts, texts),
)
readings = st.builds(
    Reading,
    texts,
    st.booleans(),
    texts,
    st.lists(texts, max_size=2).map(tuple),
    st.dictionaries(texts, st.sampled_from(["number", "category"]), max_size=2).map(
        lambda found: tuple(found.items())
    ),
    texts,
    st.integers(0, 9),
)
all_recipes = st.builds(
    Recipe,
    st.lists(steps, max_size=4).map(tuple),
    texts,
    st.lists(texts, max_size=3).map(tuple),
    readings,
    st.lists(texts, max_size=2).map(tuple),
)


@settings(derandomize=True, max_examples=100, deadline=None, database=None)
@given(all_recipes)
def test_whatever_is_written_is_read_again(recipe):
    assert read_recipe(recipe.text.encode()) == recipe


@pytest.mark.parametrize("without", ["libyaml", ""])
def test_texts_stay_texts_without_the_parser_in_c_too(without, monkeypatch):
    import yaml

    if without:
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
        monkeypatch.delattr(yaml, "CSafeDumper", raising=False)
    step = Replace("x", tuple((text, text) for text in HOSTILE))
    assert read_recipe(Recipe((step,)).text.encode()).steps == (step,)


def test_a_recipe_written_by_hand_needs_no_quotes():
    text = "version: 1\nsteps:\n- do: replace\n  column: x\n  texts: {no: 012, 1e3: }"
    (step,) = read_recipe(text.encode()).steps
    assert step == Replace("x", (("no", "012"), ("1e3", "")))


def wrong(text):
    return message_of(read_recipe, text.encode())


def step_wrong(text):
    return wrong(f"version: 1\nsteps:\n- {{do: fine, column: x, texts: [a]}}\n- {text}")


REPLACE = "{do: replace, column: x, texts: {a: b}"
MULTIPLE = "{do: rule, kind: multiple, given: [a], target: b"
CELL = "{do: replace cell, column: x, before: a, after: b, row: "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{do: jump}", "'jump' is nothing to do; choose one of replace, replace cell"),
        ("hello", "names with what they mean belong here"),
        ("{column: x}", "'do' is missing"),
        ("{do: replace, texts: {a: b}}", "'column' is missing"),
        ("{do: replace, column: '', texts: {a: b}}", "'column' is empty"),
        ("{do: replace, column: x, texts: {}}", "'texts' is empty"),
        ("{do: replace, column: x, texts: [a]}", "lines such as 'before': 'after'"),
        ("{do: replace, column: x, texts: {a: [b]}}", "'texts' must be a text"),
        (REPLACE + ", colour: red}", "'colour' is not known here; there may be do"),
        (REPLACE + ", why: [a]}", "'why' must be a text"),
        (CELL + "{id: 3}}", "either id and column, or content"),
        (CELL + "{id: 3, column: k, content: ab}}", "either id and column"),
        (CELL + "{content: ../../x}}", "'content' must be the 16 letters"),
        (CELL + "{id: 3, column: k, place: 0}}", "must be a whole number from 1"),
        (
            CELL + f"{{id: 3, column: k, place: {'1' * 5000}}}}}",
            "must be a whole number",
        ),
        (CELL + "{id: 3, column: k, place: 9999999999}}", "must be a whole number"),
        (CELL + "{id: 3, column: k, at: 0}}", "'at' is not known here"),
        ("{do: fine, column: x, texts: a}", "'texts' must be a list of texts"),
        ("{do: rule, given: [a], target: a}", "must be different columns"),
        ("{do: rule, given: [a], target: b, known: [[a]]}", "lines of 2 texts each"),
        ("{do: rule, given: [a], target: b, repair: ja}", "must be yes or no"),
        ("{do: rule, kind: magic, target: b}", "'magic' is no rule; choose one of"),
        ("{do: rule, target: b}", "'given' must be 1 to 9 columns for 'settles'"),
        ("{do: rule, kind: order, given: [a, b], target: c}", "must be 1 column for"),
        ("{do: rule, kind: sum, given: [a], target: c}", "must be 2 columns for 'sum'"),
        (MULTIPLE + ", factor: much}", "'factor' must be a number, such as 2.54"),
        (MULTIPLE + ", factor: 0}", "'factor' must be a number that is not 0"),
        (MULTIPLE + ", within: -1}", "'within' must be a number from 0"),
        (MULTIPLE + ", repair: yes}", "'repair' is only for a rule by which"),
        ("{do: rule, kind: domain, given: [a], target: b, known: [a]}", "of 1 text"),
        ("{do: answer, key: k, answer: perhaps}", "one of accepted, refused"),
    ],
)
def test_a_wrong_step_is_told_with_its_place(text, said):
    message = step_wrong(text)
    assert message.startswith("The recipe: step 2"), message
    assert said in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names with what they mean"),
        ("[1]", "names with what they mean"),
        ("steps: []", "'version' is missing"),
        ("version: 2\nsteps: []", "version 2 is not known"),
        ("version: 1", "'steps' is missing"),
        ("version: 1\nsteps: {}", "'steps' must be a list"),
        ("version: 1\nsteps: []\nmore: 1", "'more' is not known here"),
        ("version: 1\nversion: 1\nsteps: []", "line 2: 'version' is there twice"),
        ("version: 1\nreading: {kinds: {a: b}}\nsteps: []", "'b' is no kind"),
        ("version: 1\nsteps: [", "is no YAML"),
        ("version: 1\nsteps: []\n---\nversion: 1", "no part of a recipe"),
        ("version: 1\nsteps:\n- &a [*a]", "line 3 has an anchor or alias"),
        ("? [a]\n: b", "names must be texts"),
    ],
)
def test_a_wrong_recipe_is_told(text, said):
    assert said in wrong(text)


def test_bombs_do_no_harm(monkeypatch):
    laughs = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "anchor or alias" in wrong(laughs)
    assert "no part of a recipe" in wrong("steps: " + "[" * 100_000)
    assert "no YAML" in wrong("steps: !!python/object/apply:os.system [echo\x00]")
    text = "version: 1\nsteps:\n- !!python/object/apply:os.system {do: fine, x: y}"
    assert "'column' is missing" in wrong(text)  # a tag means nothing
    monkeypatch.setenv("CELLVAL_MAX_RECIPE_MB", "0.00005")
    said = wrong("version: 1\nsteps: []\n" + "#" * 50)
    assert "MB" in said and "CELLVAL_MAX_RECIPE_MB" in said
    monkeypatch.undo()
    monkeypatch.setenv("CELLVAL_MAX_CELL_LENGTH", "100")
    said = step_wrong(f"{{do: {'x' * 101}}}")
    assert "line 4): 'do' has 101 characters; the limit is 100" in said
    assert "CELLVAL_MAX_CELL_LENGTH" in said
    assert "not in UTF-8" in message_of(read_recipe, b"version: \xff")


def test_rules_are_counted_but_for_refused_ones(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_RECIPE_RULES", "2")
    rule = Rule(("a",), "b")
    some = (rule, rule, replace(rule, refused=True), Fine("a", ("1",)))
    assert read_recipe(Recipe(some).text.encode()).steps == some
    assert message_of(read_recipe, Recipe((*some, rule)).text.encode()) == (
        "The recipe: it has 3 rules; the limit is 2. Raise it with the environment "
        "variable CELLVAL_MAX_RECIPE_RULES, or leave some out."
    )


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert 'pip install "cellval[recipes]"' in message_of(read_recipe, b"version: 1")
    assert 'pip install "cellval[recipes]"' in message_of(lambda: Recipe().text)


def test_the_example_in_the_docs_is_a_recipe():
    text = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    example = text.split("```yaml\n")[1].split("```")[0]
    kinds = [type(step) for step in read_recipe(example.encode()).steps]
    assert kinds == [Replace, ReplaceCell, DropRow, Fine, *[Rule] * 4, Answer]
