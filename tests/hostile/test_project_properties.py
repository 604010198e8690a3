"""Whatever is done in whatever order, a project found again is as it was."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from cellval.errors import InputError
from cellval.project.archive import pack, unpack
from cellval.project.project import Project
from cellval.project.source import Setup, Source
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import Repair
from cellval.repairs.work import ANSWERS

hypothesis = pytest.importorskip("hypothesis", reason="in requirements.txt")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

SOURCE = Source.of("t.csv", b"a,b,y\n1,2,p\n3,4,q\n")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
cells = st.tuples(st.integers(1, 4), st.sampled_from(["a", "b", "ü'\";--"]))
repairs = st.one_of(
    st.builds(Repair, st.just("replace"), texts, texts), st.just(Repair("blank"))
)
decide = st.tuples(st.just("decide"), cells, st.sampled_from([None, *DECISIONS]))
repair = st.tuples(st.just("repair"), cells, repairs)
drop = st.tuples(st.just("repair"), st.tuples(st.integers(1, 4), st.just("")))
drop = drop.map(lambda act: (*act, Repair("drop")))
undo = st.tuples(st.just("undo"), st.lists(cells, max_size=3))
group = st.tuples(st.just("group"), texts, st.lists(cells, min_size=1, max_size=4))
back = st.tuples(st.just("back"), st.integers(0, 3))
step = st.tuples(st.sampled_from(["undo step", "redo step"]))
rule = st.tuples(st.just("rule"), texts, st.sampled_from([None, *ANSWERS]), texts)
name = st.tuples(st.just("name"), texts)
again = st.tuples(st.just("again"))
changes = st.one_of(decide, repair, drop, undo, group, back, step, rule)
acts = st.lists(st.one_of(changes, name, again))


def act_on(project, act):
    work = project.work
    match act:
        case "decide", cell, decision:
            work.decide(*cell, decision)
        case "repair", cell, new:
            work.repair(*cell, new)
        case "undo", undone:
            work.undo(*undone)
        case "group", words, together:
            with work.together(words, together):
                for cell in together:
                    work.repair(*cell, Repair("blank"))
        case "back", k if work.groups:
            work.undo_together(work.groups[k % len(work.groups)])
        case ("undo step",):
            work.undo_step()
        case ("redo step",):
            work.redo_step()
        case "rule", key, answer, title:
            work.answer(key, answer, {"title": title, "given": [title]})
        case "name", new:
            with suppress(InputError):  # of no letters
                project.name = new


def told(project):
    """All that a person sees of it, in order."""
    work = project.work
    steps = [vars(step) for step in work.steps], work.n_done, work.rules
    decided = dict(work.decisions), list(work.repairs.items()), work.before_repair
    return project.name, project.setup, project.source.raw, *decided, steps


@settings(
    derandomize=True, max_examples=60, deadline=None, database=None, print_blob=False
)
@given(acts)
def test_a_project_found_again_is_as_it_was(done):
    with tempfile.TemporaryDirectory() as made:
        project = Project.create(Path(made), SOURCE, Setup(label="y"))
        for act in done:
            act_on(project, act)
            if act == ("again",):
                before = told(project)
                project.close()
                project = Project.open(Path(made), project.id)
                assert told(project) == before
        before, packed = told(project), pack(project)
        project.close()
        for found in (project.id, unpack(packed, Path(made))):
            other = Project.open(Path(made), found)
            assert told(other) == before
            other.close()
