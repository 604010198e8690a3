"""All finders of whole columns together."""

import numpy as np
import pandas as pd

import cellval
from cellval.detect.grouped import FINDERS, grouped


def test_each_finder_is_asked_and_what_it_finds_is_kept():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": np.arange(200), "inches": rng.integers(50, 80, 200)})
    frame["cm"] = np.round(2.54 * frame["inches"], 1)
    frame.loc[5, "cm"], frame.loc[9, "id"] = 17.3, 3
    table = cellval.read(frame.to_csv(index=False).encode(), label=None)
    found = grouped(table)
    assert {one.kind for one in found} == {"rule", "key"}
    assert found == tuple(one for finder in FINDERS for one in finder(table))
    assert grouped(table) is found
