"""Tables to draw: Davis' data with values, and texts that look like HTML."""

import json

import numpy as np
import pytest
from cases import values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion


@pytest.fixture(scope="session")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return table, cellval.value_cells(table, n_neighbors=5)


@pytest.fixture(scope="session")
def ranked(davis):
    return make_suspicion(*davis, surprise(davis[0]))


@pytest.fixture(scope="session")
def nasty():
    """Names, ids, classes and cells look like HTML."""
    raw = "id,<b>x</b>,y\n" + "".join(
        f"<i>{k}</i>,<script>{k % 2}</script>,{'a' if k % 2 else '<u>b</u>'}\n"
        for k in range(4)
    )
    table = cellval.read(raw.encode(), label="y", id_column="id")
    return table, values_of(table, np.linspace(-0.4, 0.4, 4)[:, None])


@pytest.fixture(scope="session")
def shows_text():
    """Whether a figure shows HTML of a file as text."""

    def check(figure):
        text = json.dumps(figure.to_plotly_json(), default=str)
        tags = ("<script>", "<i>", "<u>", "<b>x")
        return "&lt;" in text and not any(tag in text for tag in tags)

    return check
