"""Columns that hold the same texts: slips are found, texts that are rare are not."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.rule import Rule
from cellval.detect.shared_domains import nearest, shared_domains

TEAMS = [
    *("Bremen", "Hamburg", "Leipzig", "Stuttgart", "Freiburg", "Augsburg"),
    *("Mainz", "Köln", "Bochum", "Dortmund", "München", "Hoffenheim"),
]
LETTERS = "abcdefghijklmnopqrst"


def matches(n=240, seed=0, teams=TEAMS):
    draw = np.random.default_rng(seed)
    home = draw.integers(0, len(teams), n)
    away = (home + draw.integers(1, len(teams), n)) % len(teams)
    return pd.DataFrame(
        {
            "home": np.array(teams)[home],
            "away": np.array(teams)[away],
            "referee": draw.choice([f"Referee {c}" for c in "ABCDEFGH"], n),
            "goals": draw.integers(0, 9, n).astype(str),
        }
    )


def read(frame):
    return cellval.read(frame.to_csv(index=False).encode(), label=None)


def cells(frame):
    return {
        (i, name): (after, one.is_flagged)
        for one in shared_domains(read(frame))
        for (i, name), after in zip(one.cells, one.after, strict=True)
    }


@pytest.mark.parametrize("seed", range(5))
def test_columns_without_strangers_are_no_findings(seed):
    assert shared_domains(read(matches(seed=seed))) == ()


def test_a_slip_gets_the_spelling_of_the_other_column():
    frame = matches()
    frame.loc[7, "home"], frame.loc[9, "away"] = "Stutgart", "hoffenheim"
    assert cells(frame) == {
        (7, "home"): ("Stuttgart", True),
        (9, "away"): ("Hoffenheim", True),
    }
    (one,) = shared_domains(read(frame))
    assert (one.kind, one.title) == ("rule", "home and away hold the same texts")
    assert one.rule == Rule(("home",), "away", kind="domain")
    assert one.reason(0) == "away never is Stutgart, but often Stuttgart."


def test_another_text_is_asked_about_but_not_flagged():
    frame = matches()
    frame.loc[7, "home"] = "Paderborn"
    assert cells(frame) == {(7, "home"): (None, False)}


def test_a_text_of_a_third_column_of_the_domain_is_one_of_it():
    frame = matches()
    frame["host"] = matches(seed=1)["home"]
    frame.loc[3, "host"] = frame.loc[7, "home"] = "Paderborn"
    assert cells(frame) == {}


def test_two_words_or_none_are_no_spelling():
    assert nearest("Bremn", ["Bremen", "Mainz"]) == "Bremen"
    assert nearest("Group 1", ["Group 2", "Group 3"]) is None
    assert nearest("Hannah", ["Hanna", "Hannahs"]) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_shuffled_table_has_its_own_strangers_and_no_others(seed):
    frame = matches(seed=seed)
    frame.loc[7, "home"] = "Stutgart"
    draw = np.random.default_rng(seed)
    shuffled = frame.apply(lambda column: draw.permutation(column.to_numpy()))
    ((cell, (after, is_flagged)),) = cells(shuffled).items()
    assert shuffled.loc[cell] == "Stutgart"
    assert after == "Stuttgart" and is_flagged


@pytest.mark.parametrize(("n", "n_strange"), [(1_000, 20), (150, 6)])
def test_many_strangers_are_texts_of_their_own(n, n_strange):
    frame = matches(n)
    assert cells(frame) == {}
    for k in range(n_strange):
        frame.loc[7 * k, "home"] = f"{TEAMS[k % 12]}{chr(97 + k)}{chr(98 + k)}"
    assert cells(frame) == {}
    frame = matches(n)
    frame.loc[7, "home"] = "Paderborn"
    assert list(cells(frame)) == [(7, "home")]


def test_few_texts_are_the_same_by_chance():
    frame = matches(teams=["yes", "no", "maybe"])
    frame.loc[7, "home"] = "perhaps"
    assert cells(frame) == {}


def towns(seed, n=300, n_towns=200, power=1.0):
    """Towns of all sizes: of the small ones many are only left, or only reached."""
    draw = np.random.default_rng(seed)
    names = [f"{a}{b}ton {b}{a}ville" for a in LETTERS for b in LETTERS][:n_towns]
    share = (1.0 + np.arange(n_towns)) ** -power
    share /= share.sum()
    frame = pd.DataFrame({name: draw.choice(names, n, p=share) for name in "abcd"})
    return frame.assign(size=draw.integers(0, 99, n))


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("n_towns", [20, 60, 200])
def test_rare_texts_stand_in_one_column_alone_by_chance(power, n_towns):
    found = [
        one
        for seed in range(20)
        for one in shared_domains(read(towns(seed, 1_000, n_towns, power)))
    ]
    assert len(found) <= 1  # of 20 tables
    assert not any(one.is_flagged for one in found)


@pytest.mark.parametrize("seed", range(20))
def test_a_wide_small_table_shares_nothing_by_chance(seed):
    """Columns with ten of twenty words each, and a word in one cell that is none."""
    draw = np.random.default_rng(seed)
    words = np.array([f"{c}{c}alpha" for c in LETTERS])
    frame = pd.DataFrame()
    for j in range(40):
        own = draw.choice(words, 10, replace=False)
        column = draw.permutation(np.repeat(own, 12)).astype(object)
        column[draw.integers(120)] = f"{own[0]}x"
        frame[f"c{j}"] = column
    assert shared_domains(read(frame)) == ()
