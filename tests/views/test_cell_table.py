"""The heatmap in words."""

import numpy as np

from cellval.views.cell_table import cell_table


def test_every_cell_that_is_drawn_has_its_content_and_value_as_text(ranked):
    values = ranked.values
    rows, columns = np.array([11, 0]), np.array([1, 0])
    worst = ranked.order[: ranked.n_flagged]
    frame = cell_table(values, rows, columns, worst)
    assert list(frame) == ["row", "class", "c1", "c0"]
    assert frame["row"].tolist() == [12, 1]
    assert frame["class"].tolist() == ["F", "M"]
    assert frame["c0"][0].startswith("suspect: 166 (")
    assert frame["c1"][0].startswith("suspect: 57 (")
    assert frame["c0"][1].startswith("77 (") and frame["c0"][1].endswith(")")


def test_cells_that_a_person_flagged_are_no_suspects(ranked):
    outlined = np.append(ranked.order[: ranked.n_flagged], 0)
    rows, columns = np.array([11, 0]), np.array([0])
    frame = cell_table(
        ranked.values, rows, columns, ranked.order[: ranked.n_flagged], outlined
    )
    assert frame["c0"][0].startswith("suspect: 166")
    assert frame["c0"][1].startswith("flagged: 77")
