"""The command line: flags, messages, exit codes."""

from dataclasses import fields

import pytest
from cases import SAMPLES
from command_line import cellval_process, on_davis

import cellval
from cellval.cli.arguments import FLAGS, _in_options, _parser, main
from cellval.values.options import RunOptions


def test_bad_settings_exit_with_2_and_a_sentence(tmp_path, capsys):
    davis = str(SAMPLES / "davis.csv")
    for arguments, words in [
        (["run", str(tmp_path / "none.csv")], "none.csv"),
        (
            ["run", davis, "--label", "sexx", "--out", str(tmp_path)],
            "Did you mean 'sex'",
        ),
        (["explain", davis, "--label", "sex", "--row", "999"], "999"),
        (["run", davis, "--neighbors", "0", "--out", str(tmp_path)], "--neighbors 0"),
        (["run", davis, "--out", str(SAMPLES / "davis.csv" / "x")], "Cannot write"),
        (["run", davis, "--continue", davis, "--out", str(tmp_path)], "does not hold"),
    ]:
        assert main(arguments) == 2
        shown = capsys.readouterr()
        assert words in shown.err
        assert "Traceback" not in shown.err


def test_python_m_cellval_runs_and_reports_errors_without_a_traceback(tmp_path):
    process = cellval_process("run", tmp_path / "none.csv")
    _, err = process.communicate()
    assert process.returncode == 2
    assert "cellval: " in err
    assert "Traceback" not in err


def test_nasty_invocations_get_a_sentence(tmp_path, capsys):
    davis = str(SAMPLES / "davis.csv")
    out = ["--out", str(tmp_path / "out")]
    for arguments, words in [
        (["run", davis, "--jobs", "0", *out], "--jobs 0"),
        (["run", davis, "--subsets", "²", *out], "--subsets"),
        (["run", davis, "--subsets=--5", *out], "--subsets"),
        (["run", davis, "--seconds", "-1", *out], "--seconds -1"),
        (["run", davis, "--seconds", "nan", *out], "--seconds nan"),
    ]:
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
    assert main(["run", davis, "--near", "9" * 30, *out]) == 0
    capsys.readouterr()


def test_messages_name_options_and_not_python_arguments(tmp_path, davis_values, capsys):
    out = ["--out", tmp_path / "o"]
    for arguments, words in [
        (["--id", "x"], "no column 'x' (--id)"),
        (["--exclude", "x"], "no column 'x' (--exclude)"),
        (["--kind", "x=number"], "no column 'x' (--kind)"),
        (["--kind", "sexes"], "--kind sexes is not understood"),
        (["--kind", "height=size"], "'size' is no kind"),
        (["--max-columns", "3"], "raise the limit with --max-columns"),
        (
            ["--neighbors", 3, "--continue", davis_values],
            "different --neighbors. Use",
        ),
        (
            ["--kind", "weight=id", "--exclude", "height", "repwt", "repht"],
            "set its kind with --kind",
        ),
    ]:
        assert on_davis("run", *out, *arguments) == 2
        assert words in capsys.readouterr().err


def test_what_a_project_does_not_take_is_not_advised(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CELLVAL_MAX_COLUMNS", "3")
    out = ["--out", tmp_path / "o"]
    assert on_davis("run", *out) == 2
    assert "--max-columns" in capsys.readouterr().err
    assert on_davis("run", *out, "--project", "p", "--max-columns", 9) == 2
    told = capsys.readouterr().err
    assert "CELLVAL_MAX_COLUMNS" in told and "--max-columns" not in told


def parsed(*arguments):
    return _parser().parse_args([str(argument) for argument in arguments])


@pytest.mark.parametrize("command", ["run", "explain", "suspects", "report"])
def test_every_command_that_values_has_the_flags_of_the_one_list(command):
    needed = {"explain": ["--row", 1], "report": ["--out", "r.html"]}.get(command, [])
    for option in fields(RunOptions):
        given = {str: "mc" if option.name == "method" else "x", int: 3, float: 0.5}
        value = given[option.metadata["kind"]]
        found = parsed(command, "t.csv", *needed, option.metadata["flag"], value)
        assert getattr(found, option.name) == value
    nothing = vars(parsed(command, "t.csv", *needed))
    assert all(nothing[option.name] is None for option in fields(RunOptions))


def test_repairs_value_nothing_and_take_no_options_of_runs(capsys):
    files = ["repair", "t.csv", "--decisions", "d.csv", "--out", "o.csv"]
    parsed(*files)
    with pytest.raises(SystemExit) as ended:
        parsed(*files, "--neighbors", 3)
    assert ended.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_an_option_that_is_not_given_keeps_the_library_s_default(tmp_path, capsys):
    assert on_davis("run", "--out", tmp_path) == 0
    capsys.readouterr()
    saved = cellval.load(tmp_path / "values.npz").settings
    table = cellval.read(SAMPLES / "davis.csv", label="sex")
    assert saved == cellval.value_cells(table).settings


def test_every_option_reaches_the_run(tmp_path, capsys):
    flags = "--neighbors 3 --test 0.25 --subsets 12 --baseline chance --seed 4 --jobs 1"
    flags += " --scoring balanced --near 20 --column-weights banzhaf"
    assert on_davis("run", "--out", tmp_path, *flags.split()) == 0
    assert "approximation: near field" in capsys.readouterr().out
    settings = cellval.load(tmp_path / "values.npz").settings
    assert (settings.n_neighbors, settings.near, settings.random_state) == (3, 20, 4)
    assert (settings.baseline, settings.scoring) == ("chance", "balanced")
    assert (settings.test, settings.test_rows) == ("hold-out", 50)
    assert (settings.column_weights, settings.subsets) == ("banzhaf", 12)


@pytest.mark.parametrize("name", FLAGS)
def test_messages_say_flags_in_place_of_names(name):
    flag = FLAGS[name]
    assert _in_options(f"{name}=5 is not possible") == f"{flag} 5 is not possible"
    assert _in_options(f"{name} is no option of it") == f"{flag} is no option of it"
    assert _in_options(f"no column 'x' ({name}).") == f"no column 'x' ({flag})."


def test_cells_and_columns_that_are_called_like_options_are_left_alone():
    said = "The column 'near=1' holds 'test=2'."
    assert _in_options(said) == said


def test_wrong_weights_are_told_by_their_flag(tmp_path, capsys):
    assert on_davis("run", "--out", tmp_path, "--column-weights", "owen") == 2
    err = capsys.readouterr().err
    assert "--column-weights" in err and "column_weights" not in err
