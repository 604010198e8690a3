"""Rows that hold the names of the columns are one question, not one for each cell."""

import cellval


def joined_files():
    lines = [f"{i % 11},{i % 7},{'ab'[i % 2]}" for i in range(60)]
    text = "\n".join(["x,z,y", *lines[:29], "x,z,y", *lines[29:]])
    return cellval.read(text.encode(), label="y")


def test_a_header_in_the_middle_is_one_question():
    asked = [one for one in cellval.findings(joined_files()) if 29 in one.rows]
    (one,) = asked
    assert one.cells == [(29, "x"), (29, "z"), (29, "y")] and one.is_flagged
    assert one.title == "1 row with the names of the columns"
    assert "Drop the row" in one.evidence and not one.has_action


def test_other_rows_are_no_headers():
    raw = b"x,z,y\nx,1,a\nx,z,b\n" + b"x,2,a\nw,3,b\n" * 10
    found = cellval.findings(cellval.read(raw, label="y"))
    assert not [one for one in found if "names of the columns" in one.title]
