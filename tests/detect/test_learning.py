"""Answers teach: nothing without them, more with each, and undo takes it back."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.findings import all_findings
from cellval.detect.learning import cells_of, taught
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion

RNG = np.random.default_rng(1)
N = 600
WORDS = ["hospital", "surgery", "pharmacy", "dentist"]


def table_of():
    frame = pd.DataFrame({name: RNG.choice(WORDS, N) for name in ("a", "b", "c")})
    for k, name in enumerate(("a", "b", "c")):  # short words: asked, not flagged
        code = RNG.choice(["al", "ak"], N, p=[0.97, 0.03]).astype(object)
        code[k : k + 6] = "xl"
        frame[f"{name}_state"] = code
    for name in ("u", "v"):
        x = RNG.normal(50, 3, N).round(2)
        x[10:14] += RNG.uniform(14, 16, 4).round(2)
        frame[name] = x
    return cellval.Table.from_frame(frame, label=None)


TABLE = table_of()
SUSPICION = make_suspicion(TABLE, None, surprise(TABLE))
ALL = all_findings(SUSPICION)


def say(decision, *found):
    return {cell: decision for one in found for cell in cells_of(TABLE, one)}


def of(kind, column=None, text=None):
    return [
        one
        for one in ALL
        if one.kind == kind
        and (column is None or one.column == column)
        and (text is None or text in one.title)
    ]


def test_no_answers_change_nothing():
    now = taught(SUSPICION, {})
    assert now.findings == ALL
    assert now.suspicion is SUSPICION and now.left is SUSPICION
    assert (now.answered, now.n_decided, dict(now.moved)) == ((), 0, {})


def test_what_is_answered_is_no_longer_asked():
    first = ALL[0]
    now = taught(SUSPICION, say("fine", first))
    assert [one.key for one in now.answered] == [first.key]
    assert now.n_decided == first.n_cells
    assert first.key not in {one.key for one in now.findings}
    half = dict([*say("fine", first).items()][:1])
    if first.n_cells > 1:
        assert first.key in {one.key for one in taught(SUSPICION, half).findings}


def sure_in(now, one):
    return next(other.sure for other in now.findings if other.key == one.key)


def test_answers_move_those_that_are_like_it():
    first, second, third = of("spelling", text="'xl'")
    wrong = taught(SUSPICION, say("error", first, second))
    assert sure_in(wrong, third) > third.sure
    fine = taught(SUSPICION, say("fine", first, second))
    assert sure_in(fine, third) < third.sure
    assert "You called" in wrong.moved[third.key] and "wrong" in wrong.moved[third.key]
    assert "fine" in fine.moved[third.key]
    place = int(third.rows[0]), third.column
    assert fine.said_of(*place) == fine.moved[third.key]
    assert fine.said_of(place[0], "gone") == taught(SUSPICION, {}).said_of(*place) == ""


def test_the_same_letter_teaches_more_than_another_one():
    first, second, third = of("spelling", text="'xl'")
    other = of("spelling", third.column, "'ak'")[0]
    now = taught(SUSPICION, say("error", first, second))
    assert sure_in(now, third) - third.sure > sure_in(now, other) - other.sure


def test_flags_follow():
    first, second, third = of("spelling", text="'xl'")
    now = taught(SUSPICION, say("error", first, second))
    place = int(third.rows[0]), TABLE.feature_names.index(third.column)
    before = SUSPICION.ranks[place] <= SUSPICION.n_flagged
    after = now.suspicion.ranks[place] <= now.suspicion.n_flagged
    assert not before and after and sure_in(now, third) >= 0.5


def test_cells_of_a_column_are_moved_by_answers_on_others():
    cells = of("cell", "u")
    fine = taught(SUSPICION, say("fine", *cells[:3]))
    left = {one.key: one.sure for one in fine.findings}
    same = [left[one.key] for one in cells[3:]]
    assert all(b <= a.sure for a, b in zip(cells[3:], same, strict=True))
    j = TABLE.feature_names.index("u")
    undecided = np.ones(N, bool)
    undecided[[int(one.rows[0]) for one in cells[:3]]] = False
    before = SUSPICION.scores[undecided, j]
    after = fine.suspicion.scores[undecided, j]
    assert (after >= before).all() and (after > before).any()


def test_cells_called_fine_come_last_and_wrong_ones_first():
    one, other = of("cell", "u")[0], of("cell", "v")[0]
    now = taught(SUSPICION, say("fine", one) | say("error", other)).suspicion
    u, v = (TABLE.feature_names.index(name) for name in "uv")
    assert now.scores[one.rows[0], u] == 1.0 and now.scores[other.rows[0], v] == 0.0


def test_who_was_decided_on_stays_where_it_was_and_the_others_move():
    one, *others = of("cell", "u")
    now = taught(SUSPICION, say("fine", one, *others[:2]))
    j = TABLE.feature_names.index("u")
    decided = [int(other.rows[0]) for other in (one, *others[:2])]
    assert (now.left.scores[decided, j] == SUSPICION.scores[decided, j]).all()
    moved = np.delete(now.left.scores[:, j] - SUSPICION.scores[:, j], decided)
    assert (moved >= 0).all() and (moved > 0).any()
    assert taught(SUSPICION, say("unsure", one)).left is SUSPICION


def test_a_cell_without_a_question_says_that_answers_moved_it():
    cells = of("cell", "u")
    now = taught(SUSPICION, say("fine", *cells[:3]))
    asked = {cell for one in ALL for cell in one.cells}
    free = next(i for i in range(N) if (i, "u") not in asked)
    j = TABLE.feature_names.index("u")
    assert now.left.scores[free, j] != SUSPICION.scores[free, j]
    assert (
        now.said_of(free, "u") == "You called 3 cells of the kind 'odd cell' in u fine."
    )
    decided = int(cells[0].rows[0])
    assert now.said_of(decided, "u") == "" == taught(SUSPICION, {}).said_of(free, "u")


def test_what_is_taken_back_was_never_said():
    decisions = say("error", *of("spelling")[:2])
    now = taught(SUSPICION, decisions)
    again = taught(SUSPICION, {**decisions, **say("fine", ALL[-1])})
    assert [o.sure for o in again.findings] != [o.sure for o in now.findings]
    undone = taught(SUSPICION, decisions)
    assert [(o.key, o.sure) for o in undone.findings] == [
        (o.key, o.sure) for o in now.findings
    ]


def test_who_is_unsure_teaches_nothing():
    first = of("spelling")[0]
    now = taught(SUSPICION, say("unsure", first))
    assert all(o.sure == sure_in(taught(SUSPICION, {}), o) for o in now.findings)
    assert [o.key for o in now.answered] == [first.key]


@pytest.mark.parametrize("cell", [(1, "gone"), (9999, "a")])
def test_decisions_on_what_is_not_asked_do_no_harm(cell):
    now = taught(SUSPICION, {cell: "error"})
    assert [o.key for o in now.findings] == [o.key for o in ALL]


def test_what_would_teach_most_is_doubtful_and_shared():
    order = taught(SUSPICION, {}).teaching
    assert {o.key for o in order} == {o.key for o in ALL}
    sure = max(ALL, key=lambda o: o.sure)
    doubtful = of("spelling", text="'xl'")[0]
    keys = [o.key for o in order]
    assert keys.index(doubtful.key) < keys.index(sure.key) or sure.sure < 0.6
