"""Imports point down, and streamlit, plotly and scikit-learn stay where they belong."""

import pytest
from cases import ROOT

cli = pytest.importorskip("importlinter.cli")


def test_the_contracts_of_the_layers_are_kept(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.lint_imports(no_cache=True) == 0, capsys.readouterr().out
