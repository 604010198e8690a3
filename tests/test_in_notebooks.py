"""What notebooks ask of an object; what they get is in export/test_notebook.py."""

import subprocess
import sys

from cases import ROOT

import cellval
from cellval.in_notebooks import InNotebooks


def test_what_people_hold_in_their_hands_is_shown():
    for kind in (cellval.Table, cellval.CellValues, cellval.Check, cellval.Comparison):
        assert issubclass(kind, InNotebooks)
    assert isinstance(cellval.findings(cellval.read("sample_data/davis.csv")), tuple)


def test_the_room_that_draws_is_loaded_when_a_notebook_asks():
    code = """
import sys, cellval
table = cellval.read("sample_data/davis.csv", label="sex")
assert "cellval.export.notebook" not in sys.modules
assert "200 rows" in table._repr_html_()
heavy = {"plotly", "streamlit", "sklearn"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
