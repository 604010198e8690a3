"""Where projects are kept."""

import sys
from pathlib import Path

import pytest

from cellval.errors import InputError
from cellval.project.home import home
from cellval.project.shelf import Shelf
from cellval.project.source import Setup

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


def test_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path))
    assert home() == tmp_path
    monkeypatch.delenv("CELLVAL_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform == "linux":
        assert home() == tmp_path / "data" / "cellval"

    def nowhere():
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InputError, match="CELLVAL_HOME"):
        home()
    assert "CELLVAL_HOME" in Shelf().why_not()
    monkeypatch.setenv("CELLVAL_HOME", "~nobody-of-this-name/data")
    assert "CELLVAL_HOME" in Shelf().why_not()
