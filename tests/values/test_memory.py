import sys

import pytest
from cases import message_of, random_table
from command_line import on_davis

import cellval
from cellval.values import memory


def test_a_table_that_does_not_fit_is_told_with_the_estimate(monkeypatch):
    table = random_table(0, 50, ["number"] * 4)
    memory.check_memory(table)
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    told = message_of(memory.check_memory, table)
    assert "200 cells, for which a run takes about" in told
    assert "less than 1 MB are free" in told
    monkeypatch.setattr(memory, "free_memory", lambda: None)  # the system does not say
    memory.check_memory(table)


@pytest.mark.skipif(sys.platform != "linux", reason="others do not say")
def test_limits_of_a_process_and_of_containers_count(monkeypatch, tmp_path):
    free = memory.free_memory()
    assert free > 0
    most, used = tmp_path / "memory.max", tmp_path / "memory.current"
    most.write_text("max\n")
    used.write_text("900000\n")
    (tmp_path / "memory.stat").write_text("inactive_file 300000\nactive_file 0\n")
    monkeypatch.setattr(memory, "CGROUPS", ((str(most), str(used)),))
    assert memory.free_memory() > 1_000_000  # no limit
    most.write_text("1000000\n")
    assert memory.free_memory() == 400_000
    monkeypatch.setattr(memory, "_address_limit", lambda: 1)
    assert memory.free_memory() == 0


def test_too_little_memory_is_a_sentence_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    assert on_davis("run", "--out", tmp_path / "out") == 2
    told = capsys.readouterr().err
    assert "of memory, but less than 1 MB are free" in told
    assert "test points" not in told


def test_memory_that_ends_on_the_way_is_a_sentence(tmp_path, monkeypatch, capsys):
    def full(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("cellval.cli.value.write_results", full)
    assert on_davis("run", "--out", tmp_path) == 2
    assert "memory that this program may use is not enough" in capsys.readouterr().err


def test_a_limit_of_memory_says_how_to_raise_it(monkeypatch):
    table = random_table(0, 50, ["number"] * 4)
    monkeypatch.setenv("CELLVAL_MAX_MEMORY_MB", "0.05")
    told = message_of(memory.check_memory, table)
    assert "the limit is" in told
    assert "CELLVAL_MAX_MEMORY_MB" in told
    memory.check_memory(table, memory.COMPARED)  # takes less


@pytest.mark.parametrize("door", [cellval.value_cells, cellval.iter_values])
def test_the_library_refuses_what_does_not_fit_before_it_starts(monkeypatch, door):
    table = random_table(0, 50, ["number"] * 4)
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    assert "less than 1 MB are free" in message_of(door, table)


@pytest.mark.parametrize("door", [cellval.check, cellval.findings, cellval.suspects])
def test_so_do_doors_that_compare_cells_only(monkeypatch, door):
    table = random_table(0, 50, ["number"] * 4)
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    assert "less than 1 MB are free" in message_of(door, table)


@pytest.mark.parametrize(
    ("door", "arguments"),
    [
        (cellval.value_rows, ()),
        (cellval.value_blocks, ("label",)),
        (cellval.compare_models, (random_table(0, 50, ["number"] * 4),)),
    ],
)
def test_so_do_doors_of_rows_blocks_and_models(monkeypatch, door, arguments):
    table = random_table(0, 50, ["number"] * 4)
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    assert "less than 1 MB are free" in message_of(door, table, *arguments)


@pytest.mark.parametrize(
    "words", [("check",), ("suspects", "--no-values", "--out", "OUT")]
)
def test_so_do_commands_that_value_nothing(tmp_path, monkeypatch, capsys, words):
    monkeypatch.setenv("CELLVAL_MAX_MEMORY_MB", "0.001")
    out = tmp_path / "out.csv"
    assert on_davis(*(out if word == "OUT" else word for word in words)) == 2
    assert "CELLVAL_MAX_MEMORY_MB" in capsys.readouterr().err
    assert not out.exists()


def test_a_project_notes_no_run_that_does_not_fit(tmp_path, monkeypatch):
    file = "sample_data/davis.csv"
    project = cellval.open_project("heights", file, folder=tmp_path, label="sex")
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    assert "less than 1 MB are free" in message_of(project.value)
    assert project.runs == []
