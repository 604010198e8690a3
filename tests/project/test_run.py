"""Runs of a project: kept while they go on, told apart by what was asked for."""

import errno
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import cellval
from cellval.errors import InputError
from cellval.progress import Snapshot
from cellval.project import run as runs
from cellval.project.checkpoint import write_values
from cellval.project.database import Damaged
from cellval.project.project import Project
from cellval.project.run import Keeper, Run, changes_told, repairs_of, run_of
from cellval.project.source import Setup, Source
from cellval.repairs.repair import Repair
from cellval.values.options import RunOptions
from cellval.values.result import unvalued

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"


def test_a_run_that_was_cut_short_goes_on_to_the_same_bits(project, monkeypatch, again):
    monkeypatch.setattr("cellval.project.run.EVERY", 0.0)
    options = {"n_neighbors": 3, "subsets": 4, "random_state": 7}
    whole = cellval.value_cells(project.table, **options)

    class Killed(BaseException):
        pass

    noted = project.note_run

    def killed(run, values=None):
        noted(run, values)
        if values is not None:
            raise Killed

    monkeypatch.setattr(project, "note_run", killed)
    with pytest.raises(Killed):
        project.value(**options)
    left = again(project)
    assert 0 < left.runs[0].done < 1
    values = left.value(**options)
    assert len(left.runs) == 1
    assert left.runs[0].status == "done"
    for name in ("values", "stderr", "row_values", "column_stderr"):
        assert np.array_equal(getattr(values, name), getattr(whole, name))
    assert np.array_equal(again(project).values.values, whole.values)


@pytest.mark.parametrize("method", ["mc", "loo"])
def test_a_game_that_was_stopped_goes_on_to_the_same_bits(project, again, method):
    options = {"method": method} | ({"rounds": 5} if method == "mc" else {})
    whole = cellval.value_cells(project.table, **options)
    steps = project.iter_values(n_jobs=1, **options)
    while (step := next(steps)).done < 0.4:
        pass
    steps.close()
    left = again(project)
    assert left.runs[0].status == "stopped"
    first, *_, last = left.iter_values(**options)
    assert first.seen == step.seen, "nothing is done again"
    assert same(last.result, whole)
    assert [run.status for run in left.runs] == ["done"]


@pytest.mark.parametrize("method", ["mc", "flat", "exact"])
def test_what_was_made_before_there_are_values_is_kept_as_well(
    shelf, again, method, monkeypatch
):
    monkeypatch.setattr("cellval.project.run.EVERY", 0.0)
    few = b"".join(DAVIS.read_bytes().splitlines(keepends=True)[:9])
    project = shelf.create(Source.of("few.csv", few), Setup(label="sex"))
    options = {"method": method} | ({"rounds": 2} if method != "exact" else {})
    steps = project.iter_values(n_jobs=1, **options)
    while (step := next(steps)).begun is None or step.has_result:
        assert step.done < 1
    left = again(project)  # as after a kill
    (run,) = left.runs
    assert run.status == "running" and 0 < run.done == step.done < 1
    assert left.is_begun(run) and left.values is None, "none are shown"
    steps.close()
    assert again(project).runs[0].status == "stopped"
    first, *_, last = again(project).iter_values(n_jobs=1, **options)
    assert 0 < first.done <= step.done and not first.has_result
    whole = cellval.value_cells(project.table, n_jobs=1, **options)
    assert same(last.result, whole)


def made(known):
    raise AssertionError("no steps are made")


def stopped(project, n_steps, **options):
    """A run that was stopped after some steps with values; the last of them."""
    steps = project.iter_values(n_jobs=1, **options)
    found = (step for step in steps if step.has_result)
    for _ in range(n_steps):
        last = next(found)
    steps.close()
    return last


OPTIONS = {"method": "mc", "rounds": 5}


def test_what_a_full_disk_kept_back_is_written_before_a_run_goes_on(
    project, monkeypatch, again
):
    whole = cellval.value_cells(project.table, **OPTIONS)
    with monkeypatch.context() as full:

        def no_room(*_, **__):
            raise OSError(errno.ENOSPC, "no space")

        full.setattr("cellval.project.project.write_values", no_room)
        last = stopped(project, 3, **OPTIONS)
        assert "disk is full" in project.trouble
        with pytest.raises(
            InputError, match=r"could not be kept yet\. The disk is full"
        ):
            project.value(**OPTIONS)
    first, *_, end = project.iter_values(**OPTIONS)
    assert first.seen == last.seen, "nothing is done again"
    assert project.trouble == ""
    assert same(end.result, whole)
    assert same(again(project).values, whole)


def test_what_cannot_go_on_is_left_and_another_run_begins(project):
    stopped(project, 2, **OPTIONS)
    (path,) = (project.folder / "runs").glob("*.npz")
    with np.load(path) as file:
        left = {k: array for k, array in file.items() if k != "state_rows_sums"}
    np.savez(path, **left)
    whole = cellval.value_cells(project.table, **OPTIONS)
    assert same(project.value(**OPTIONS), whole)
    assert [run.status for run in project.runs] == ["stopped", "done"]
    assert "cannot go on here" in project.aside[-1]


def test_a_run_that_fails_before_there_are_values_is_not_taken_for_a_stopped_one(
    project, monkeypatch
):
    def fails(*arguments, **options):
        yield Snapshot()
        raise InputError("no values yet")

    monkeypatch.setattr("cellval.project.project.iter_chosen", fails)
    with pytest.raises(InputError, match="no values yet"):
        project.value(**OPTIONS)
    (run,) = project.runs
    assert (run.status, run.error) == ("failed", "no values yet")


def test_two_programs_do_not_make_the_same_run(project, monkeypatch, again):
    """What one has done is not replaced by what the other has."""
    monkeypatch.setattr("cellval.project.run.PATIENCE", 0.2)
    steps = project.iter_values(n_jobs=1, **OPTIONS)
    last = next(step for step in steps if step.has_result)
    with pytest.raises(InputError, match="goes on in another program"):
        again(project).value(**OPTIONS)
    steps.close()
    first, *_ = again(project).iter_values(**OPTIONS)
    assert first.seen == last.seen


def test_what_a_run_goes_on_from_is_read_when_no_other_program_writes_it(
    project, again
):
    stopped(project, 2, **OPTIONS)
    other, is_locked = again(project), []
    read = other.known_of

    def reads(run, table):
        is_locked.append(not project.lock(run))
        return read(run, table)

    other.known_of = reads
    other.value(**OPTIONS)
    assert is_locked == [True]


def test_a_run_that_cannot_be_read_now_stays_and_can_be_continued_later(
    project, again, monkeypatch
):
    last = stopped(project, 2, **OPTIONS)
    (run,) = project.runs

    def fails(path, table):
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr("cellval.project.project.read_values", fails)
        keeper = Keeper(project, run)
        with pytest.raises(InputError, match="open the project again later"):
            next(keeper.steps(project.table, made))
        keeper.end("failed", "as the background job does")
    assert project.runs == [run]
    first, *_ = again(project).iter_values(**OPTIONS)
    assert first.seen == last.seen


def test_a_run_is_nobody_else_s_until_all_of_it_is_on_disk(project, monkeypatch, again):
    with monkeypatch.context() as full:

        def no_room(*_, **__):
            raise OSError(errno.ENOSPC, "no space")

        full.setattr("cellval.project.project.write_values", no_room)
        stopped(project, 2, **OPTIONS)
    (run,) = project.runs
    other = again(project)
    assert not other.lock(run)
    project.try_again()
    assert project.trouble == ""
    assert other.lock(run)


def test_a_run_that_began_in_memory_is_its_own_when_it_gets_a_place(
    tmp_path, davis_file, again
):
    project = Project.create(None, davis_file, Setup("sex"))
    steps = project.iter_values(n_jobs=1, **OPTIONS)
    next(step for step in steps if step.has_result)
    project.take_place(tmp_path)
    other = again(project)
    (run,) = other.runs
    assert not other.lock(run)
    *_, last = steps
    assert other.lock(run)
    assert same(other.values, last.result)


def test_values_that_were_made_in_memory_are_kept_when_there_is_a_place(
    tmp_path, davis_file, again
):
    project = Project.create(None, davis_file, Setup("sex"))
    values = project.value(n_jobs=1, **OPTIONS)
    project.take_place(tmp_path)
    assert same(again(project).values, values)
    assert [run.status for run in again(project).runs] == ["done"]


def test_a_run_that_waits_and_is_stopped_is_as_another_program_left_it(project, again):
    stopped(project, 2, **OPTIONS)
    waits = Keeper(project, project.runs[0])
    again(project).value(**OPTIONS)
    waits.end("stopped")
    (run,) = project.runs
    assert (run.status, run.done, run.seen) == ("done", 1.0, "5 of 5 rounds")


def test_a_run_that_began_and_waits_is_stopped(project):
    run = project.begin_run(RunOptions())
    Keeper(project, run).end("stopped")
    assert [run.status for run in project.runs] == ["stopped"]


ENDS = {
    "drawn": {},
    "error": {"target_stderr": 0.02},
    "sampled": {"subsets": 2},
    "mc": {"method": "mc", "target_stderr": 0.02},
    "rounds": OPTIONS,
    "flat": {"method": "flat", "rounds": 2},
    "loo": {"method": "loo"},
    "oob": {"method": "oob", "rounds": 8},
    "random": {"method": "random"},
}


@pytest.mark.parametrize("name", ENDS)
def test_a_run_that_was_killed_at_its_end_does_not_go_beyond_it(
    project, again, monkeypatch, name
):
    monkeypatch.setattr("cellval.knn.plan.DRAWN_WORK", 1.0)
    monkeypatch.setattr("cellval.knn.plan.LEAST_DRAWN", 20)
    options = ENDS[name]
    steps = project.iter_values(n_jobs=1, **options)
    done = [step.done for step in steps]
    assert all(share < 1 for share in done[:-1]), "or it would end before it is over"
    whole = project.values
    (run,) = project.runs
    assert run.status == "done"
    project.note_run(replace(run, status="running"))  # as if this came no more
    left = again(project)
    *_, last = left.iter_values(**options)
    assert same(last.result, whole)
    assert last.result.n_test == whole.n_test
    assert [run.status for run in left.runs] == ["done"]


def test_who_has_the_last_step_and_leaves_has_all_of_the_run(project):
    steps = project.iter_values(n_jobs=1, **OPTIONS)
    next(step for step in steps if step.done >= 1)
    steps.close()
    assert [run.status for run in project.runs] == ["done"]


def test_a_run_that_cannot_begin_leaves_nothing_locked(project, again):
    test = Source.of("test.csv", DAVIS.read_bytes())
    project.test_source = test
    options = {"test": cellval.read(DAVIS, like=project.table)}
    stopped(project, 1, **options)
    (run,) = project.runs
    other = again(project)
    project._sources.clear()
    (project.folder / "files" / test.sha256).write_bytes(b"other bytes")
    with pytest.raises(InputError, match="have changed") as held:
        project.value(**options)
    assert other.lock(run), held
    assert project.runs == [run]


def test_an_option_that_is_an_object_is_refused(project):
    with pytest.raises(InputError, match="'model' is an object of Python"):
        project.value(method="loo", model=object())
    assert project.runs == []


@pytest.mark.parametrize(
    ("options", "wrong", "why"),
    [
        ({"subsets": 20}, {"n_jobs": 0}, "n_jobs=0 is not possible"),
        ({"method": "mc", "rounds": 5}, {"n_jobs": 0}, "n_jobs=0 is not possible"),
        ({"subsets": 20}, {"executor": 3}, "executor"),
    ],
)
def test_what_was_asked_wrong_leaves_a_stopped_run_as_it_is(
    project, options, wrong, why
):
    last = stopped(project, 2, **options)
    left = project.runs
    with pytest.raises(InputError, match=why):
        project.value(**options, **wrong)
    assert project.runs == left
    assert project.aside == []
    first = next(step for step in project.iter_values(**options) if step.has_result)
    assert first.seen == last.seen, "nothing is done again"
    assert len(project.runs) == 1


def test_a_signal_in_the_last_write_does_not_lose_it(project, monkeypatch, again):
    whole, times = cellval.value_cells(project.table, **OPTIONS), []

    def write(*arguments, **how):
        times.append(1)
        if len(times) == 1:
            raise KeyboardInterrupt
        write_values(*arguments, **how)

    monkeypatch.setattr("cellval.project.project.write_values", write)
    with pytest.raises(KeyboardInterrupt):
        project.value(**OPTIONS)
    assert [run.status for run in again(project).runs] == ["done"]
    assert same(again(project).values, whole)
    assert again(project).lock(project.runs[0])


def test_a_run_that_failed_on_its_way_is_gone_on_with(project, again):
    stopped(project, 2, **OPTIONS)
    (run,) = project.runs
    project.note_run(replace(run, status="failed", error="too little memory"))
    project.value(**OPTIONS)
    assert [(run.status, run.error) for run in project.runs] == [("done", "")]


def test_an_option_that_there_is_not_is_refused(project):
    with pytest.raises(InputError, match="There is no option 'neighbours'"):
        project.value(neighbours=3)


def test_a_run_of_which_only_values_are_left_begins_anew(project):
    values = cellval.value_cells(project.table, n_neighbors=3)
    run = replace(project.begin_run(RunOptions(n_neighbors=3)), status="stopped")
    project.note_run(run, replace(values, state={}))
    assert np.array_equal(project.value(n_neighbors=3).values, values.values)
    assert [run.status for run in project.runs] == ["done"]


def test_what_comes_of_a_table_without_a_label_is_no_other_run(project, again):
    run = project.begin_run(RunOptions(n_neighbors=3))
    project.note_run(run, unvalued(project.table))
    left = again(project)
    assert not left.values_of(run, project.table).settings.is_valued
    assert left.aside == []


def test_other_options_or_repairs_make_another_run(project, again):
    project.value(n_neighbors=3)
    project.value(n_neighbors=5)
    project.work.repair(12, "height", Repair("replace", "166"))
    project.value(n_neighbors=5)
    runs = again(project).runs
    assert [run.options for run in runs] == [
        {"n_neighbors": 3},
        {"n_neighbors": 5},
        {"n_neighbors": 5},
    ]
    assert runs[2].changes == project.work.repairs
    assert again(project).table_of(runs[2]).cells["height"][11] == "166"


def test_values_with_a_test_file(project, again):
    project.test_source = Source.of("test.csv", DAVIS.read_bytes())
    like = project.table
    test = cellval.read(DAVIS, like=like)
    project.value(test=test)
    (run,) = again(project).runs
    assert again(project).options_of(run, like).test.fingerprint == test.fingerprint


def same(one, other):
    return np.array_equal(one.values, other.values, equal_nan=True)


class Disk:
    """A project that notes when it was written, which takes so long each time."""

    def __init__(self, clock, takes):
        self.clock, self.takes, self.kept = clock, takes, []

    def lock(self, run):
        return True

    def unlock(self, run):
        pass

    def latest(self, run):
        return run

    def known_of(self, run, table):
        return None

    def note_run(self, run, values=None):
        self.kept.append((self.clock[0], run.status, run.done, values))
        self.clock[0] += self.takes


@pytest.mark.parametrize("what", ["make", "begun"])
@pytest.mark.parametrize(
    ("takes", "expected"),
    [
        (0.0, [5.0, 10.0, 15.0, 20.0]),
        (8.0, [5.0, 21.0]),
        (30.0, [5.0, 45.0]),  # a disk may be so slow that a run mostly writes
    ],
)
def test_checkpoints_come_every_five_to_ten_seconds_of_work(
    monkeypatch, takes, expected, what
):
    clock = [0.0]
    monkeypatch.setattr(runs, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    disk = Disk(clock, takes)
    keeper = Keeper(disk, Run("a" * 16, {}, Setup(), {}))

    def steps(known):
        while clock[0] < max(22, expected[-1] + 1):
            yield Snapshot(done=clock[0] / 100)  # nothing to keep yet
            yield Snapshot(done=clock[0] / 100, **{what: lambda: "values"})
            clock[0] += 1.0

    for _ in keeper.steps(None, steps):
        pass
    assert [at for at, *_ in disk.kept] == expected
    keeper.end("done")
    assert disk.kept[-1][1:] == ("done", 1.0, "values")


def test_a_run_is_told_and_found_again(project):
    changes = {
        (12, "height"): Repair("replace", "166", "said so"),
        (3, ""): Repair("drop"),
    }
    assert repairs_of(changes_told(changes)) == changes
    run = project.begin_run(RunOptions(n_neighbors=3), changes, setup=Setup("sex"))
    assert project.runs == [run]


def test_a_run_that_nobody_can_have_written_is_damaged():
    line = ("a" * 16, "{}", json.dumps(vars(Setup())), "[]", "", "done", 7.0)
    line += ("all", "", 0.0, 1.0)
    assert run_of(line).done == 1.0
    wrong_ones = [(0, "../x"), (1, "[1]"), (2, "3"), (3, "[[1]]"), (5, "odd")]
    for n, wrong in [*wrong_ones, (6, "far"), (9, "once"), (10, "long"), (10, 1e999)]:
        with pytest.raises(Damaged):
            run_of((*line[:n], wrong, *line[n + 1 :]))
