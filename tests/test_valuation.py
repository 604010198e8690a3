"""The doors to values: tables or frames in, CellValues out."""

import pandas as pd

import cellval
from cellval.values.result import CellValues


def test_a_data_frame_is_accepted_wherever_a_table_is():
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6.5], "target": list("aabbab")})
    comp = cellval.value_cells(frame, n_neighbors=2, test=frame)
    assert isinstance(comp, CellValues)
    assert comp.column_names == ("x",)
