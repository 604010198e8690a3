"""Games that are stopped go on to the values of a run that was not, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

import cellval
from cellval.errors import InputError
from cellval.games import oob
from cellval.table.table import Table

GAMES = {
    "mc": {"method": "mc", "rounds": 4},
    "mc with KNN, truncated": {
        **{"method": "mc", "rounds": 4, "model": "knn"},
        **{"truncation": 0.01, "row_weights": "banzhaf"},
    },
    "flat": {"method": "flat", "rounds": 3},
    "loo": {"method": "loo", "model": "logistic"},
    "oob": {"method": "oob", "rounds": 50},
}
BITS = ("values", "stderr", "row_values", "row_stderr", "column_values")


@pytest.fixture
def few(davis, monkeypatch):
    """Twenty rows, of which one has no label."""
    monkeypatch.setattr(oob, "AT_ONCE", 15)
    cells = davis.cells.iloc[:20].copy()
    cells.loc[cells.index[3], "sex"] = ""
    return Table.from_frame(cells, label="sex")


def part_of(table, n_results, n_jobs=1, **options):
    """What there is after some results."""
    steps = cellval.iter_values(table, n_jobs=n_jobs, **options)
    found = (step for step in steps if step.has_result)
    for _ in range(n_results):
        last = next(found)
    steps.close()
    return last


@pytest.mark.parametrize("n_results", [1, 2])
@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_on_to_the_same_bits(name, n_results, few, tmp_path):
    options = {**GAMES[name], "n_jobs": 1}  # processes take long to start
    ref = cellval.value_cells(few, **options)
    part = part_of(few, n_results, **options)
    assert 0 < part.done < 1
    part.result.save(tmp_path / "part.npz")
    saved = cellval.load(tmp_path / "part.npz")
    steps = [*cellval.iter_values(few, continue_from=saved, **options)]
    assert steps[0].seen == part.seen, "nothing is done again"
    comp = steps[-1].result
    for bits in (*BITS, "column_stderr"):
        np.testing.assert_array_equal(getattr(comp, bits), getattr(ref, bits))
    assert comp.settings == ref.settings
    # and what came to its end stays as it is
    again = cellval.value_cells(few, continue_from=comp, **options)
    np.testing.assert_array_equal(again.values, ref.values)


def test_a_game_goes_on_with_the_same_settings_only(few):
    part = part_of(few, 1, **GAMES["mc"]).result
    for other in (
        {"rounds": 5},
        {"model": "logistic"},
        {"random_state": 1},
        {"truncation": 0.1},
        {"row_weights": "banzhaf"},
    ):
        with pytest.raises(InputError, match=f"different {next(iter(other))}"):
            cellval.iter_values(few, continue_from=part, **{**GAMES["mc"], **other})


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("change", ["no state", "a part is gone", "shapes", "count"])
def test_what_another_program_wrote_is_refused_in_a_sentence(name, change, few):
    part = part_of(few, 1, **GAMES[name]).result
    state = dict(part.state)
    if change == "no state":
        state = {}
    elif change == "a part is gone":
        del state[max(state)]
    elif change == "shapes":
        state = {k: np.zeros((2, *array.shape)) for k, array in state.items()}
    else:
        wrong = {0: np.array(-1), 1: np.zeros(99)}  # a count, and one for each row
        state = {k: wrong.get(array.ndim, array) for k, array in state.items()}
    with pytest.raises(InputError, match="lack what is needed"):
        bad = replace(part, state=state)
        cellval.iter_values(few, continue_from=bad, **GAMES[name])


def test_what_nobody_can_tell_apart_is_not_continued(few):
    def one(rows, columns):
        return float(len(rows) * len(columns))

    part = part_of(few, 1, method="mc", rounds=4, model=one).result
    with pytest.raises(InputError, match="not continued"):
        cellval.iter_values(
            few, continue_from=part, method="mc", rounds=4, model=lambda r, c: 0.0
        )
