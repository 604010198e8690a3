"""Checks of a small table with findings made by hand: whatever finders find."""

import numpy as np
import pandas as pd

from cellval.detect.finding import finding
from cellval.export.check import judged
from cellval.table.table import read

# Row 2 spans two lines; row 3 begins with a cell of two lines; a line is blank.
NOTES = b'name,note,size\nann,x,1\nbob,"two\nlines",2\n\n"ca\nrl",=cmd,999\ndora,,4\n'


def plain_frame(*wrong):
    """Nothing in it is odd, whoever looks, but numbers in z from row 21 on."""
    draw, n = np.random.default_rng(0), 150
    x, z = draw.uniform(10, 90, n).round(1), draw.uniform(1, 9, n).round(1)
    z[20 : 20 + len(wrong)] = wrong
    return pd.DataFrame({"x": x, "z": z, "y": draw.choice(["no", "yes"], n)})


def a_finding(table, rows=(2,), after=None, kind="code", column="size", **changes):
    words = {"about": ("999",), "sure": 0.9, "title": "size: 999", "evidence": "Odd."}
    return finding(table, kind, column, rows, after, **{**words, **changes})


def notes_table(tmp_path, raw=NOTES, name="notes.csv"):
    path = tmp_path / name
    path.write_bytes(raw)
    return read(path, label=None), path


def a_check(tmp_path, *changes, **options):
    """The check of NOTES with a finding for each of the changes to the usual one."""
    table, path = notes_table(tmp_path)
    found = [a_finding(table, **change) for change in changes or ({},)]
    return judged(table, found, path, **options)
