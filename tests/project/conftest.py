"""A shelf of projects, and one on Davis' table."""

from pathlib import Path

import pytest

from cellval.project.project import Project
from cellval.project.shelf import Shelf
from cellval.project.source import Setup, Source

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path)


@pytest.fixture
def davis_file():
    return Source.of("davis.csv", DAVIS.read_bytes())


@pytest.fixture
def project(shelf, davis_file):
    return shelf.create(davis_file, SETUP)


@pytest.fixture
def again():
    """Finds a project as another program would."""
    return lambda project: Project.open(project.folder.parent, project.id)
