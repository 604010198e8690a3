"""A file as it came, and how it is read, come back."""

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


def test_changed_bytes_of_the_data_file_are_noticed(project, again):
    (path,) = (project.folder / "files").iterdir()
    path.write_bytes(b"x,y\n1,a\n")
    with pytest.raises(Damaged, match="changed"):
        again(project).source  # noqa: B018
