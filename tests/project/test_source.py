"""A file as it came, and how it is read, come back."""

import json
from pathlib import Path

import pytest

from cellval.project.database import Damaged
from cellval.project.source import Setup, Source

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


def test_files_and_how_they_are_read_come_back(project, again):
    assert again(project).source == project.source
    assert again(project).source.raw == DAVIS.read_bytes()
    assert again(project).setup == SETUP
    project.setup = Setup("sex", None, ("weight",), (("height", "category"),))
    assert again(project).setup == project.setup
    project.setup = Setup("sex", sheet="Survey", header_row=3)
    assert again(project).setup == project.setup
    project.test_source = Source.of("test.csv", b"sex,weight\nF,60\n")
    assert again(project).test_source.raw == b"sex,weight\nF,60\n"


def test_how_files_were_read_before_there_were_workbooks():
    saved = {"label": "sex", "id_column": None, "exclude": ["a"], "kinds": []}
    assert Setup.from_dict(saved) == Setup("sex", exclude=("a",))


@pytest.mark.parametrize(
    "setup",
    [
        Setup(),
        Setup("sex", "id", ("a", "b"), (("c", "number"), ("d", "date")), "S", 3),
        Setup(has_label=False),
        Setup(None, exclude=("label", "without a")),
    ],
)
def test_options_one_by_one_are_the_same_setup(setup):
    assert Setup.from_told(setup.told) == setup
    assert Setup.from_told(json.loads(json.dumps(setup.told))) == setup


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (Setup("sex"), "Read with the label sex"),
        (Setup(has_label=False), "Read with no label"),
        (Setup(exclude=("a",)), "Read with a left out"),
        (Setup(id_column="b", kinds=(("a", "date"),)), "Read with the id b, a as date"),
    ],
)
def test_a_change_of_reading_in_words(new, expected):
    assert new.words_after(Setup()) == expected


def test_what_is_guessed_again_is_said_so():
    old = Setup("sex", exclude=("a",), kinds=(("b", "date"),))
    assert Setup().words_after(old) == (
        "Read with the usual label, a used, b as it seems"
    )


def test_a_reading_is_a_step_on_disk_and_undo_goes_back(project, again):
    project.work.decide(1, "height", "fine")
    project.setup = Setup("sex", id_column="repwt")
    assert [step.words for step in again(project).work.steps][1:] == [
        "Read with the id repwt"
    ]
    project.work.undo_step()
    for found in (project, again(project)):
        assert found.setup == SETUP and found.work.decisions == {(1, "height"): "fine"}
    project.work.redo_step()
    assert again(project).setup.id_column == "repwt"


def test_changed_bytes_of_the_data_file_are_noticed(project, again):
    (path,) = (project.folder / "files").iterdir()
    path.write_bytes(b"x,y\n1,a\n")
    with pytest.raises(Damaged, match="changed"):
        again(project).source  # noqa: B018
