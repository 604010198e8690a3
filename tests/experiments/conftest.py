"""The short version of an experiment runs once for all tests of a file."""

from functools import cache
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from cellval.experiments.result import read_numbers, write


@pytest.fixture(scope="session")
def quick():
    """The short version of an experiment by its name."""
    return cache(
        lambda name: import_module(f"cellval.experiments.{name}").run(None, True)
    )


@pytest.fixture
def well_told(tmp_path):
    """Checks what is true of every reproduction."""

    def check(name, made):
        assert made.name == name
        lines = [number.what for number in made.numbers]
        assert all(lines) and len(set(lines)) == len(lines)
        assert np.isfinite([number.ours for number in made.numbers]).all()
        assert any(number.paper for number in made.numbers)
        assert all(trace.name for trace in made.figure.data)
        files = write(made, tmp_path)
        ends = (".csv", "_points.csv", ".html")
        assert [file.name for file in files] == [f"{name}{end}" for end in ends]
        assert [str(n) for n in read_numbers(files[0])] == [
            str(n) for n in made.numbers
        ]
        assert pd.read_csv(files[1]).shape == made.points.shape
        assert "plotly" in files[2].read_text(encoding="utf-8").lower()

    return check


@pytest.fixture(scope="session")
def told():
    """The number of a reproduction by the words of its line."""
    return lambda made, what: next(n.ours for n in made.numbers if n.what == what)
