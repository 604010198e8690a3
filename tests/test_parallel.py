"""The one driver of long computations: order, budget, target, stop, workers."""

import operator
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from cases import bits, random_table

import cellval
from cellval import parallel
from cellval.parallel import Budget, Computation, Piece, drive, n_cores, n_workers
from cellval.plain_python import PlainPython

MIXED = ["number", "category", "decimal"]
WAIT = 900  # seconds until a test gives up


class Collect(Computation):
    """The answers of some calls in their order; each is as much work as the next."""

    def __init__(self, *calls, **fields):
        self.calls = calls
        self.total = float(len(calls)) or 1.0
        self.made = self.stops = self.drawn = 0
        vars(self).update(fields)

    def pieces(self):
        for function, *arguments in self.calls:
            self.drawn += 1
            yield Piece(function, tuple(arguments))

    def begin(self):
        return ()

    def add(self, state, answer):
        return (*state, answer)

    def make(self, state):
        return (lambda: self.result(state)) if state else None

    def result(self, state):
        self.made += 1
        return list(state)

    def seen(self, state):
        return f"{len(state)} calls"

    def stop(self):
        self.stops += 1


def squares(n, **fields):
    return Collect(*((operator.pow, k, 2) for k in range(n)), **fields)


def last_of(computation, **options):
    *_, last = drive(computation, **options)
    return last


@pytest.fixture(autouse=True)
def no_ticks(monkeypatch):
    """However busy the machine, only pieces make snapshots."""
    monkeypatch.setattr(parallel, "TICK", WAIT)


@pytest.fixture
def clock(monkeypatch):
    """A clock that is a second later whenever somebody looks at it."""
    now = [0.0]

    def monotonic():
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr(parallel, "time", SimpleNamespace(monotonic=monotonic))


# --- snapshots ------------------------------------------------------------------------


def test_a_snapshot_comes_before_the_first_and_after_every_piece():
    run = squares(3)
    steps = list(drive(run))
    assert [s.preparing for s in steps] == [True, False, False, False]
    assert [s.has_result for s in steps] == [False, True, True, True]
    assert [s.result for s in steps[1:]] == [[0], [0, 1], [0, 1, 4]]
    assert [s.done for s in steps] == [0, 1 / 3, 2 / 3, 1]
    assert [s.seen for s in steps] == [f"{k} calls" for k in range(4)]
    assert steps[-1].seconds_left == 0
    assert run.stops == 1


def test_a_result_is_made_once_and_only_if_asked_for():
    run = squares(3)
    steps = list(drive(run))
    assert run.made == 0
    assert steps[-1].result is steps[-1].result
    assert run.made == 1


def test_pieces_count_by_their_work():
    class Weighted(Collect):
        def pieces(self):
            for piece, work in zip(super().pieces(), (1.0, 5.0), strict=True):
                yield piece._replace(work=work)

    run = Weighted((int,), (int,))
    run.total = 6.0
    assert [s.done for s in drive(run)] == [0, 1 / 6, 1]


def test_work_of_an_earlier_run_is_done_from_the_start():
    run = squares(2, total=4.0, before=2.0)
    assert [s.done for s in drive(run)] == [0.5, 0.75, 1.0]


def test_nothing_to_do_ends_with_what_there_is():
    class Finished(Collect):
        def begin(self):
            return ("earlier",)

    (only,) = drive(Finished(before=1.0))
    assert (only.done, only.result) == (1.0, ["earlier"])


def test_a_long_piece_gives_signs_of_life_and_counts_inside(monkeypatch):
    monkeypatch.setattr(parallel, "TICK", 0.01)
    go_on, inside = threading.Event(), [0.0]
    run = Collect((go_on.wait, WAIT), (int,), done_inside=lambda: inside[0])
    shares = []
    for step in drive(run):
        shares.append(step.done)
        if len(shares) == 3:
            inside[0] = 0.9  # of two
        if len(shares) == 6:
            inside[0] = 500.0  # whatever it counts, nothing is over before its end
        if len(shares) == 9:
            go_on.set()
    assert shares == sorted(shares) and len(shares) >= 11
    assert 0.45 in shares and 0.999 in shares and shares[-1] == 1
    assert shares.index(1) == len(shares) - 1


# --- workers --------------------------------------------------------------------------


def test_answers_are_added_in_order_whatever_ends_first():
    second_ran = threading.Event()

    def first():
        return second_ran.wait(WAIT)

    def second():
        second_ran.set()
        return "second"

    assert last_of(Collect((first,), (second,)), n_jobs=2).result == [True, "second"]


@pytest.mark.parametrize("n_jobs", [1, 2, 7, None, -1])
def test_the_number_of_workers_changes_no_bit(n_jobs):
    class Total(Collect):
        def begin(self):
            return 0.0

        def add(self, state, answer):
            return state + answer

        def result(self, state):
            return state

        def seen(self, state):
            return ""

    calls = [(operator.truediv, 1.0, k) for k in range(1, 200)]
    one = last_of(Total(*calls)).result
    assert last_of(Total(*calls), n_jobs=n_jobs).result.hex() == one.hex()


def test_pieces_that_hold_the_gil_run_in_processes_of_one_thread_each():
    calls = [(os.getpid,), (os.getpid,), (os.getenv, "OMP_NUM_THREADS")]
    a, b, threads = last_of(Collect(*calls, processes=True), n_jobs=2).result
    assert os.getpid() not in (a, b)
    assert threads == "1"
    alone = last_of(Collect(*calls, processes=True), n_jobs=1).result
    assert alone[:2] == [os.getpid()] * 2


def test_no_more_pieces_are_drawn_than_workers_will_soon_need():
    run = squares(100)
    steps = drive(run, n_jobs=2)
    next(steps)
    assert run.drawn == 0
    next(steps)
    assert run.drawn <= 2 * 2 + 1
    steps.close()


def test_any_executor_serves_and_stays_open():
    with ThreadPoolExecutor(1, thread_name_prefix="own") as pool:
        run = Collect((lambda: threading.current_thread().name,), (int,))
        name, _ = last_of(run, executor=pool).result
        assert name.startswith("own")
        assert pool.submit(int).result() == 0
        assert run.stops == 1


def test_a_run_that_is_closed_cancels_what_waits_on_somebody_s_executor(monkeypatch):
    monkeypatch.setattr(parallel, "TICK", 0.01)
    begun, go_on, ran = threading.Event(), threading.Event(), []

    def blocking():
        begun.set()
        go_on.wait(WAIT)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(blocking)
        assert begun.wait(WAIT)
        steps = drive(
            Collect((ran.append, 1), (ran.append, 2)), executor=pool, n_jobs=2
        )
        next(steps)
        assert not next(steps).has_result  # a sign of life: nothing ran yet
        steps.close()
        go_on.set()
    assert ran == []


@pytest.mark.parametrize("n_jobs", [0, -2, 2.5, "2", True])
def test_impossible_numbers_of_jobs_are_refused(n_jobs):
    for refused in (
        lambda: n_workers(n_jobs),
        lambda: drive(squares(1), n_jobs=n_jobs),
        lambda: cellval.value_cells(random_table(69, 10, MIXED), n_jobs=n_jobs),
    ):
        with pytest.raises(cellval.InputError, match="n_jobs"):
            refused()


def test_all_cores_can_be_asked_for_as_in_scikit_learn():
    assert n_workers(None) == n_workers(-1) == n_cores() >= 1
    assert n_workers(3) == 3
    table = random_table(69, 10, MIXED)
    assert bits(cellval.value_cells(table, n_jobs=-1)) == bits(
        cellval.value_cells(table, n_jobs=1)
    )


# --- ends -----------------------------------------------------------------------------


def test_a_budget_ends_with_what_there_is(clock):
    last = last_of(squares(50), budget=Budget(seconds=9))
    assert (last.done, last.seconds_left) == (1.0, 0.0)
    assert 1 <= len(last.result) < 50
    assert last.seconds >= 9


def test_a_budget_counts_as_progress_and_bounds_the_time_left(clock):
    steps = list(drive(squares(1000), budget=Budget(seconds=20)))
    shares = [step.done for step in steps]
    assert shares == sorted(shares)
    for step in steps[1:]:
        assert step.done >= min(step.seconds / 20, 0.999)
        assert step.seconds_left <= max(20 - step.seconds, 0)


def test_however_short_the_budget_something_is_seen(clock):
    class Late(Collect):
        def make(self, state):
            return super().make(state) if len(state) >= 3 else None

    *others, last = drive(
        Late(*((operator.pow, k, 2) for k in range(9))), budget=Budget(seconds=1e-9)
    )
    assert last.result == [0, 1, 4]
    assert all(step.done < 1 for step in others)


def test_a_budget_does_not_wait_for_a_long_piece():
    go_on = threading.Event()

    class Long(Collect):
        def stop(self):
            super().stop()
            go_on.set()

    run = Long((int,), (go_on.wait, WAIT))
    last = last_of(run, budget=Budget(seconds=0.05), n_jobs=2)
    assert (last.result, last.done) == ([0], 1.0)
    assert run.stops == 1


def test_a_target_ends_as_soon_as_it_is_reached():
    run = squares(50, stderr=lambda state: 1 / len(state))
    assert len(last_of(run, budget=Budget(stderr=0.25)).result) == 4
    run = squares(5, stderr=lambda state: float("inf"))
    assert len(last_of(run, budget=Budget(stderr=0.25)).result) == 5
    assert Computation().stderr(None) == float("inf")


def test_whoever_closes_the_iterator_stops_the_workers():
    stopped = threading.Event()

    class Stoppable(Collect):
        def stop(self):
            stopped.set()

    steps = drive(
        Stoppable((int,), (stopped.wait, WAIT), (stopped.wait, WAIT)), n_jobs=2
    )
    next(steps)
    kept = next(steps)
    steps.close()
    assert stopped.is_set()
    assert kept.result[0] == 0
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("cellval_")]


def test_a_failing_piece_ends_the_run_with_its_error():
    run = Collect((int,), (operator.truediv, 1, 0), (int,))
    steps = drive(run)
    assert [next(steps).has_result, next(steps).result] == [False, [0]]
    with pytest.raises(ZeroDivisionError):
        next(steps)
    assert run.stops == 1
    assert list(steps) == []


def test_a_timeout_of_a_piece_is_its_own_error():
    def late():
        raise TimeoutError("of a model's own")

    with pytest.raises(TimeoutError, match="own"):
        last_of(Collect((late,)))


def test_preparing_fails_before_any_piece_is_drawn():
    def broken():
        raise cellval.InputError("cannot be prepared")

    run = squares(3, prepare=broken)
    steps = drive(run)
    assert next(steps).preparing
    with pytest.raises(cellval.InputError, match="prepared"):
        next(steps)
    assert run.drawn == 0


# --- first pieces while code is compiled ----------------------------------------------


class Slowly(Collect):
    """It is compiled as soon as somebody says so."""

    def __init__(self, *calls, **fields):
        self.compiled = threading.Event()
        super().__init__(*calls, **fields)

    def prepare(self):
        assert self.compiled.wait(WAIT)

    def begins_uncompiled(self):
        return True


UNCOMPILED = "NUMBA_DISABLE_JIT"


# Plain Python does not come to its end before code is compiled.
LASTS_UNCOMPILED = (
    "(lambda plain: __import__('time').sleep(600) if plain else None)"
    f"(__import__('os').getenv({UNCOMPILED!r}))"
)


def test_plain_python_does_the_first_pieces_while_code_is_compiled():
    first, then = (os.getenv, UNCOMPILED), (eval, LASTS_UNCOMPILED)
    run = Slowly(first, first, then, first, first)
    steps = drive(run, n_jobs=2)
    assert not next(steps).has_result
    for k in (1, 2):  # ticks may come between
        early = next(s for s in steps if s.has_result and len(s.result) == k)
        assert (early.result, early.done) == (["1"] * k, k / 5)
        assert early.preparing
    run.compiled.set()
    *_, last = steps
    assert (last.done, last.preparing, last.seconds_left) == (1, False, 0)
    assert last.result == ["1", "1", None, None, None]  # first there, then here
    assert run.stops == 1


def test_where_plain_python_does_all_the_end_is_told_when_code_is_compiled():
    run = Slowly((os.getenv, UNCOMPILED))
    steps = drive(run, n_jobs=2)
    first = next(step for step in steps if step.has_result)
    assert (first.result, first.done, first.preparing) == (["1"], 1, True)
    run.compiled.set()
    *_, last = steps
    assert (last.result, last.done, last.preparing) == (["1"], 1, False)


def test_a_piece_that_fails_as_plain_python_is_done_compiled(failures):
    run = Slowly((os.getenv, UNCOMPILED), (operator.truediv, 1, 0))
    steps = drive(run, n_jobs=2)
    assert next(step for step in steps if step.has_result).done == 0.5
    failures.wait(run)
    with pytest.raises(ZeroDivisionError):
        list(steps)


@pytest.fixture
def failures(monkeypatch):
    """Code is compiled as soon as a call failed as plain Python."""
    waiting = []

    class Told(PlainPython):
        def submit(self, *call):
            future = super().submit(*call)
            future.add_done_callback(self.told)
            return future

        def told(self, future):
            for run in waiting if future.exception() else ():
                run.compiled.set()

    monkeypatch.setattr(parallel, "PlainPython", Told)
    return SimpleNamespace(wait=waiting.append)


def test_where_there_can_be_no_processes_code_is_compiled_first(failures, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    run = Slowly((os.getenv, UNCOMPILED))
    failures.wait(run)
    steps = list(drive(run, n_jobs=2))
    assert not any(step.has_result for step in steps[:-1])
    assert steps[-1].result == [None] and not steps[-1].preparing


def test_a_target_is_met_by_as_many_pieces_as_plain_python():
    def run(**fields):
        stderr = lambda state: 1 / len(state)  # noqa: E731
        return Slowly(*[(os.getenv, UNCOMPILED)] * 9, stderr=stderr, **fields)

    target, compiled = Budget(stderr=0.26), run(begins_uncompiled=lambda: False)
    compiled.compiled.set()
    assert len(last_of(compiled, budget=target, n_jobs=2).result) == 4
    plain = run()
    steps = drive(plain, budget=target, n_jobs=2)
    for step in steps:
        if step.has_result and len(step.result) == 4:
            plain.compiled.set()
    assert step.result == ["1"] * 4
    assert (step.done, step.preparing) == (1, False)


def test_plain_python_steps_back_behind_pages(monkeypatch):
    monkeypatch.setattr(parallel._here, "gives_way", True)
    run = Slowly((os.nice, 0))
    steps = drive(run, n_jobs=2)
    step = next(step for step in steps if step.has_result)
    assert step.result == [os.nice(0) + parallel.NICE * (sys.platform == "linux")]
    steps.close()
    run.compiled.set()


def test_what_goes_wrong_while_compiling_is_told():
    def broken():
        raise cellval.InputError("cannot be prepared")

    with pytest.raises(cellval.InputError, match="prepared"):
        last_of(Slowly((os.getenv, UNCOMPILED), prepare=broken), n_jobs=2)


def test_whoever_leaves_does_not_wait_for_the_compiler():
    run = Slowly((os.getenv, UNCOMPILED))
    steps = drive(run, n_jobs=2)
    assert next(step for step in steps if step.has_result)
    leaving = threading.Thread(target=steps.close)
    leaving.start()
    leaving.join(WAIT)
    assert run.stops == 1
    assert "cellval-beside" in {thread.name for thread in threading.enumerate()}
    run.compiled.set()


@pytest.fixture
def interrupts():
    """Ctrl-C as usual; a run in the background may have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


class Interrupted(ThreadPoolExecutor):
    """Ctrl-C comes in the midst of handing out work."""

    handed_out = 0

    def submit(self, *call):
        signal.raise_signal(signal.SIGINT)
        self.handed_out += 1
        return super().submit(*call)


def test_a_signal_amid_handing_out_work_is_heeded_behind_it(interrupts):
    pool = Interrupted(2)
    with pytest.raises(KeyboardInterrupt):
        last_of(Collect((os.getenv, UNCOMPILED)), executor=pool)
    assert pool.handed_out == 1


def test_a_signal_amid_waiting_is_heeded_behind_it(interrupts, monkeypatch):
    waited = []

    def interrupted(*args):
        signal.raise_signal(signal.SIGINT)
        waited.append(args)
        return waits(*args)

    waits = parallel.wait
    monkeypatch.setattr(parallel, "wait", interrupted)
    run = Slowly((os.getenv, UNCOMPILED))
    with pytest.raises(KeyboardInterrupt):
        last_of(run, n_jobs=2)
    assert len(waited) == 1
    run.compiled.set()


@pytest.mark.parametrize("how", ["one worker", "own executor"])
def test_else_nothing_is_done_before_code_is_compiled(how, monkeypatch):
    monkeypatch.delattr(parallel, "PlainPython")
    run, options = Slowly((os.getenv, UNCOMPILED)), {"n_jobs": 1}
    run.compiled.set()
    if how == "own executor":
        options = {"n_jobs": 2, "executor": ThreadPoolExecutor(1)}
    steps = list(drive(run, **options))
    assert [step.preparing for step in steps] == [True, False]
    assert steps[-1].result == [None]


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), "3"])
def test_impossible_budgets_are_refused(wrong):
    with pytest.raises(cellval.InputError, match="budget"):
        Budget(seconds=wrong)
    with pytest.raises(cellval.InputError, match="target_stderr"):
        Budget(stderr=wrong)


def test_a_computation_must_say_what_its_pieces_are():
    run = Computation()
    with pytest.raises(NotImplementedError):
        run.pieces()
    assert run.seen(None) == ""
    assert run.add(run.add(run.begin(), 1), 2) == (1, 2)  # else all answers are known


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no nice value")
def test_background_work_steps_back_alone():
    def nice():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def in_a_worker():
        with parallel._workers(1, False) as workers:
            return workers.submit(nice).result()

    def work():
        before = in_a_worker()
        parallel.give_way()
        found.append((before, in_a_worker(), nice()))

    found = []
    mine = nice()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(mine, max(mine, parallel.NICE), mine)]
    assert in_a_worker() == mine


def test_a_call_is_timed_by_its_own_thread_and_the_shortest_counts(monkeypatch):
    clocks = SimpleNamespace(
        thread_time=iter([0, 5, 5, 8]).__next__,
        perf_counter=iter([0, 9, 9, 16]).__next__,
        get_clock_info=lambda _: SimpleNamespace(resolution=1e-9),
    )
    monkeypatch.setattr(parallel, "time", clocks)
    assert parallel.seconds_of(lambda: None) == 3
    assert parallel.seconds_of(lambda: None, own=False) == 7
