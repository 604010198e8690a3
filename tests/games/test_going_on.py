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


WITHIN = [{"method": method} for method in ("mc", "flat", "exact")]


def begun(table, **options):
    """What is known before there is a result."""
    for step in cellval.iter_values(table, n_jobs=1, **options):
        if step.begun is not None:
            return step
    raise AssertionError("there was a result at once")


@pytest.mark.parametrize("options", [*WITHIN, {"method": "mc", "model": "knn"}])
def test_a_game_goes_on_within_a_round(options, few):
    if options["method"] == "exact":
        few = Table.from_frame(few.cells.iloc[:7], label="sex")
    else:
        options = {**options, "rounds": 3}
    ref = cellval.value_cells(few, n_jobs=1, **options)
    part = begun(few, **options)
    assert 0 < part.done < 1 and not part.has_result
    known = part.to_go_on()
    assert not np.isfinite(known.values).any(), "nothing is claimed yet"
    options = {**options, "continue_from": known, "n_jobs": 1}
    first, *_, last = cellval.iter_values(few, **options)
    assert 0 < first.done <= part.done, "nothing is done again"
    for bits in (*BITS, "column_stderr"):
        comp = getattr(last.result, bits)
        np.testing.assert_array_equal(comp, getattr(ref, bits))
    assert last.result.settings == ref.settings


@pytest.mark.parametrize("change", ["a gap", "too many", "nothing"])
@pytest.mark.parametrize("options", WITHIN)
def test_a_part_of_a_round_that_cannot_be_is_refused(options, change, few):
    few = Table.from_frame(few.cells.iloc[:7], label="sex")
    known = begun(few, **options).to_go_on()
    array = "utilities" if options["method"] == "exact" else "ahead"
    part = known.state[array].copy()
    if change == "a gap":
        part.flat[0] = np.nan
    elif change == "too many":
        part = np.zeros((99_999, *part.shape[1:]))
    else:
        part = np.full_like(part, np.nan)
    state = {**known.state, array: part}
    with pytest.raises(InputError, match="lack what is needed"):
        bad = replace(known, state=state)
        cellval.iter_values(few, continue_from=bad, **options)


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
