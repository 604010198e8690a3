"""What all commands share: tables in, values on the way, files out."""

from types import SimpleNamespace

import pytest
from cases import message_of, random_table

from cellval.cli.arguments import main
from cellval.cli.files import Deadline, check_outputs, last_of, printable, times_slower
from cellval.progress import Snapshot


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"a,b\n", "no rows below"),
        (b"PK\x03\x04" + bytes(200), "ZIP archive"),
        (b"a,y\n1,p\n2\n3,q\n", "row 2"),
        (b"x,y\n1,p\n2,\x00q\n", "NUL"),
        (b'x,y\n1,"p\n2,q\n', "quote"),
        (b"x,y\n1,p\n2,p\n", "y"),
        (b"x,y\ninf,p\n2,q\n3,p\n4,q\n5,q\n", "row 1"),
    ],
)
def test_bad_files_exit_with_2_and_a_sentence(content, words, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    assert main(["run", str(path), "--label", "y", "--out", str(tmp_path / "out")]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("cellval: ")
    assert words in shown.err
    assert "Traceback" not in shown.err


def test_notes_on_the_test_table_are_shown(tmp_path, capsys):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    lines = [f"{i * i % 31},{'ab'[i > 9]}" for i in range(20)]
    train.write_text("\n".join(["x,y", *lines]))
    test.write_text("x,y\n1,a\n2,c\n")
    code = main(["run", str(train), "--test", str(test), "--out", str(tmp_path / "o")])
    assert code == 0
    assert "note on the test table: Classes that train.csv does not have: 'c'" in (
        capsys.readouterr().err
    )
    test.write_text("x,y\n1,A\n2,B\n")
    assert (
        main(["run", str(train), "--test", str(test), "--out", str(tmp_path / "o")])
        == 2
    )
    assert "no class of" in capsys.readouterr().err


def snapshots(*steps, interrupted=False):
    for done, result in steps:
        make = None if result is None else lambda result=result: result
        yield Snapshot(done, make=make)
    if interrupted:
        raise KeyboardInterrupt


def test_the_last_result_is_kept_whoever_ends_the_run(capsys):
    assert last_of(snapshots((0, None), (0.5, "half"), (1, "all"))) == ("all", False)
    half = last_of(snapshots((0, None), (0.5, "half"), interrupted=True))
    assert half == ("half", True)
    assert "keeping what there is" in capsys.readouterr().err


def test_ctrl_c_before_there_is_a_result_ends_the_command(capsys):
    with pytest.raises(KeyboardInterrupt):
        last_of(snapshots((0, None), interrupted=True))
    assert "keeping" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\x1b[31m", "two lines␛[31m"),
        ("x" * 30, "x" * 23 + "…"),
        (12.5, "12.5"),
    ],
)
def test_cells_are_printed_without_control_characters_and_cut(text, shown):
    assert printable(text) == shown


def test_outputs_are_checked_before_the_work(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x")
    fine = {"--out": tmp_path / "new.csv", "--log": tmp_path / "log.csv"}
    check_outputs(fine, (str(data), None))
    for outputs, words in (
        ({"--out": data}, "that would replace"),
        ({"--out": tmp_path / "no" / "x.csv"}, "there is no folder"),
        ({"--out": tmp_path}, "it is a folder"),
        ({"--out": data.with_name("a"), "--log": data.with_name("a")}, "are both"),
    ):
        assert words in message_of(check_outputs, outputs, (str(data),))


def test_what_has_a_result_stops_when_its_share_of_the_time_is_over():
    options = SimpleNamespace(budget=1e-9)
    table = random_table(0, 6, ["number"])
    steps = snapshots((0, None), (0.1, None), (0.2, "first"), (1, "all"))
    assert last_of(steps, deadline=Deadline(options, table, 0, 0)) == ("first", False)
    options.budget = None
    steps = snapshots((0, None), (0.2, "first"), (1, "all"))
    assert last_of(steps, deadline=Deadline(options, table, 0, 0)) == ("all", False)


@pytest.fixture
def usual_machine(monkeypatch):
    """As fast as that on which constants were measured."""
    monkeypatch.setattr("cellval.cli.files.times_slower", lambda: 1.0)


def test_what_comes_last_has_its_part_of_the_seconds(monkeypatch, usual_machine):
    options, table = SimpleNamespace(budget=100.0), random_table(0, 6, ["number"])
    now = 1000.0
    monkeypatch.setattr("cellval.cli.files.time.monotonic", lambda: now)
    deadline = Deadline(options, table, before=1.0, after=50.0)
    for seconds, share in ((24, 0.5), (49, 1)):
        now = 1000.0 + seconds
        assert not deadline.is_over(share)
        now += 1.5
        assert deadline.is_over(share)


def test_after_a_signal_a_few_seconds_are_left(monkeypatch, usual_machine):
    table, now = random_table(0, 6, ["number"]), 1000.0
    monkeypatch.setattr("cellval.cli.files.time.monotonic", lambda: now)
    for budget, left in ((None, 5.0), (100.0, 5.0), (43.0, 3.0)):
        now = 1000.0
        deadline = Deadline(SimpleNamespace(budget=budget), table, 0, after=0)
        now = 1040.0
        deadline.stop()
        now += left - 0.5
        assert not deadline.is_over(1)
        now += 1
        assert deadline.is_over(1)


def test_a_slower_machine_needs_more_seconds(monkeypatch):
    table, options = random_table(0, 100, ["number"] * 2), SimpleNamespace(budget=10.0)
    monkeypatch.setattr("cellval.cli.files.times_slower", lambda: 2.0)
    told = message_of(Deadline, options, table, 5, 4)
    assert "takes about 18 s. Allow --seconds 18 or more" in told


def test_how_fast_a_machine_is_is_looked_at_once(monkeypatch):
    times_slower.cache_clear()
    monkeypatch.setattr("cellval.cli.files.LOOP", 1e-9)
    far_slower = times_slower()
    assert far_slower > 1
    monkeypatch.setattr("cellval.cli.files.LOOP", 1e9)
    assert times_slower() == far_slower
    times_slower.cache_clear()
    assert times_slower() == 1  # never quicker
    times_slower.cache_clear()


def test_few_seconds_are_refused_only_where_far_more_are_needed(usual_machine):
    table = random_table(0, 100, ["number"] * 2)
    options = SimpleNamespace(budget=10.0)
    Deadline(options, table, before=8, after=4)  # 12 s: a little more
    told = message_of(Deadline, options, table, 10, 4)
    assert "--seconds 10 is too short for 300 cells" in told
    assert "takes about 14 s. Allow --seconds 14 or more" in told
    options.budget = 0.1
    Deadline(options, table, before=2, after=2)  # they are few
    options.budget = None
    Deadline(options, table, before=1e3, after=1e3)
