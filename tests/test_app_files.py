"""The app's own files, in the checkout and in the wheel."""

import tomllib

import pytest
from cases import ROOT

from cellval import app_files


def test_a_checkout_has_the_app_at_its_top():
    assert app_files.folder() == ROOT
    assert app_files.samples() == ROOT / "sample_data"


def test_a_wheel_has_it_within_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(app_files, "HERE", tmp_path)
    assert app_files.folder() == tmp_path.parent
    (tmp_path / app_files.INSTALLED).mkdir()
    assert app_files.folder() == tmp_path / app_files.INSTALLED
    assert app_files.samples().parent == app_files.folder()


@pytest.fixture
def copied():
    """What the wheel takes from the top of the checkout, and where to."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]


def test_the_wheel_takes_all_that_the_app_needs(copied):
    wanted = ["app.py", "pages", "sample_data", ".streamlit/config.toml"]
    assert sorted(copied) == sorted(wanted)
    for name, place in copied.items():
        assert (ROOT / name).exists()
        assert place == f"cellval/{app_files.INSTALLED}/{name}"
