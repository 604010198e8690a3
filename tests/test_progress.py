"""Where a long computation stands, and a line on the terminal that says so."""

import io
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import pytest

from cellval import progress
from cellval.progress import Snapshot, Stages, line, shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Stands still until a test moves it."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(
        progress, "time", SimpleNamespace(monotonic=lambda: now.seconds)
    )
    return now


def test_a_result_is_made_when_it_is_asked_for_and_once():
    made = []
    snapshot = Snapshot(0.5, make=lambda: made.append(1) or "result")
    assert snapshot.has_result and made == []
    assert snapshot.result is snapshot.result
    assert made == [1]


def test_without_a_result_there_is_an_error_and_not_none():
    assert not Snapshot().has_result
    with pytest.raises(ValueError, match="has_result"):
        _ = Snapshot().result


def test_then_is_the_same_moment_with_another_result():
    snapshot = Snapshot(0.5, 2.0, 3.0, "7 rounds", True, make=lambda: 20)
    other = snapshot.then(lambda n: n + 1)
    assert other.result == 21
    for name in ("done", "seconds", "seconds_left", "seen", "preparing"):
        assert getattr(other, name) == getattr(snapshot, name)
    assert not Snapshot().then(str).has_result


def test_snapshots_do_not_change():
    with pytest.raises(FrozenInstanceError):
        Snapshot().done = 1.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (8, "about 8 s left"),
        (200, "about 3 min left"),
        (9000, "about 2.5 h left"),
        (float("nan"), ""),
        (float("inf"), ""),
    ],
)
def test_time_left_is_said_as_a_person_says_it(seconds, words):
    assert Snapshot(seconds_left=seconds).time_left == words


def test_a_line_holds_bar_what_was_seen_error_and_time_left():
    values = SimpleNamespace(typical_stderr=0.00123)
    snapshot = Snapshot(0.5, 3.0, 4.0, "200 test points", make=lambda: values)
    assert line(snapshot) == (
        "[############............]  50%  200 test points, standard error 0.0012, "
        "about 4 s left"
    )
    assert line(Snapshot(1.0)) == f"[{'#' * 24}] 100%"
    assert "compiles" in line(Snapshot(preparing=True))


def test_a_terminal_has_one_line_that_is_kept_up_to_date(clock):
    stream = Terminal()

    def steps():
        for k in range(1, 5):
            clock.seconds += 0.15
            yield Snapshot(k / 4, seen="many rounds" if k < 3 else "few")

    passed = list(shown(steps(), what="measuring", stream=stream))
    assert [snapshot.done for snapshot in passed] == [0.25, 0.5, 0.75, 1.0]
    written = stream.getvalue()
    assert written.count("\n") == 1 and written.endswith("\n")
    lines = written.rstrip("\n").split("\r")[1:]
    assert [text.split("]")[1].split()[0] for text in lines] == ["25%", "75%", "100%"]
    assert all(text.startswith("measuring: [") for text in lines)
    # what is shorter than the line before is filled up
    assert len(lines[1]) == len(lines[0])


def test_a_log_gets_a_line_every_few_seconds_and_the_last(clock):
    stream = io.StringIO()

    def steps():
        yield Snapshot(preparing=True)
        for k in range(1, 21):
            clock.seconds += 1.0
            yield Snapshot(k / 20)

    list(shown(steps(), stream=stream))
    shares = [text.split()[-1] for text in stream.getvalue().splitlines()]
    assert shares == ["...", "5%", "30%", "55%", "80%", "100%"]


def test_a_log_is_not_filled_while_code_is_compiled(clock):
    stream = io.StringIO()

    def steps():
        for _ in range(20):
            clock.seconds += 0.5
            yield Snapshot(preparing=True)
        yield Snapshot(0.1)

    list(shown(steps(), stream=stream))
    lines = stream.getvalue().splitlines()
    assert [text.startswith("preparing") for text in lines] == [True, True, False]


def test_a_log_tells_of_the_first_result_at_once(clock):
    stream, values = io.StringIO(), SimpleNamespace(typical_stderr=0.5)

    def steps():
        yield Snapshot(0.0)
        for k in range(1, 5):
            clock.seconds += 0.1
            yield Snapshot(k / 10, make=lambda: values)

    list(shown(steps(), stream=stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2 and "10%  standard error 0.5" in lines[1]


def test_closing_what_is_shown_ends_the_run():
    ended = []

    def steps():
        try:
            while True:
                yield Snapshot(0.5)
        finally:
            ended.append(1)

    passing = shown(steps(), stream=io.StringIO())
    next(passing)
    passing.close()
    del passing
    assert ended == [1]


def test_no_snapshots_no_line():
    stream = Terminal()
    assert list(shown(iter(()), stream=stream)) == []
    assert stream.getvalue() == ""


def test_stages_never_go_back_and_end_when_they_are_over(monkeypatch):
    now = iter([0.0, 10.0, 20.0, 21.0])
    monkeypatch.setattr("cellval.progress.time.monotonic", lambda: next(now))
    stages = Stages[str]()
    stages.later = 30.0
    first = stages.told("a", "one", 10.0)
    assert (first.done, first.seconds_left, first.seen) == (0.2, 40.0, "one")
    stages.later = 0.0
    second = stages.told("b", "two", 500.0)  # it takes longer than was thought
    assert second.done == 0.2 and second.result == "b"
    assert stages.over("c").done == 1.0


def test_what_has_no_standard_error_is_not_made_to_look_for_one():
    made = []
    steps = [Snapshot(0.5, make=lambda: made.append(1)), Snapshot(1.0)]
    list(shown(iter(steps), what="looking", stream=io.StringIO()))
    assert made == []
