"""Programs that have a project open at once lose nothing (`hostile.walks`), whatever
fails; here some walks, `python -m tests.hostile.walks` takes many.
"""

import pytest
from hostile import walks
from hostile.walks import walk

from cellval.project import project as projects
from cellval.project.project import Project


@pytest.mark.parametrize("part", range(4))
def test_nothing_is_lost_between_programs(part):
    done = sum((walk(seed) for seed in range(part, 24, 4)), start=walks.Counter())
    assert done["decide"] > 40 and done["redo"] > 20 and done["open_again"] > 5
    faults = [act for act in done if act.startswith(("error", "Ctrl-C", "killed"))]
    assert len(faults) >= 6


def test_a_walk_follows_from_its_seed():
    assert walk(3) == walk(3) != walk(4)


def lose_a_step(monkeypatch):
    put = projects.put_steps
    monkeypatch.setattr(projects, "put_steps", lambda d, old, new: put(d, old, new[1:]))


def lose_a_cell(monkeypatch):
    put = projects.put_cell

    def lose(database, cell, now):
        if cell != (2, "a"):
            put(database, cell, now)

    monkeypatch.setattr(projects, "put_cell", lose)


def overwrite_what_others_did(monkeypatch):
    known = projects.joined
    monkeypatch.setattr(
        projects, "joined", lambda old, own, theirs: known(old, own, old)
    )


def tell_no_trouble(monkeypatch):
    monkeypatch.setattr(projects, "why_not", lambda error: "")


def look_at_nothing(monkeypatch):
    monkeypatch.setattr(Project, "refresh", lambda self: None)


@pytest.mark.parametrize(
    "fault",
    [
        lose_a_step,
        lose_a_cell,
        overwrite_what_others_did,
        tell_no_trouble,
        look_at_nothing,
    ],
)
def test_what_is_lost_is_noticed(monkeypatch, fault):
    fault(monkeypatch)
    with pytest.raises(AssertionError) as why:
        for seed in range(8):
            walk(seed)
    assert "seed" in why.value.__notes__[0]
