"""Imports point down, and streamlit, plotly and scikit-learn stay where they belong."""

import subprocess
import sys

import pytest
from cases import ROOT

pytest.importorskip("importlinter")
LINT = "import sys; from importlinter.cli import lint_imports as lint; sys.exit(lint())"


def test_the_contracts_of_the_layers_are_kept():
    # of its own: the linter configures the logging of its process
    done = subprocess.run(
        [sys.executable, "-c", LINT], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
