"""The paper's own values beside ours: its files are read, and nothing is run."""

import os
import pickle

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.errors import InputError
from cellval.experiments import published
from cellval.experiments.published import FILES, THEIRS


@pytest.fixture
def folder(tmp_path):
    """Files as theirs: 60 rows of 1 to 10, a few outliers, values (columns, rows)."""
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(90) < 0.6, 2, 4)
    cells = np.clip(rng.normal(2.0 * labels[:, None], 1.5, (90, 4)), 1, 10).astype(int)
    split = cells[:60], labels[:60], cells[60:], labels[60:]
    wrong = np.arange(5, 240, 24)
    dirty = cells[:60].copy()
    dirty.flat[wrong] = 11 - dirty.flat[wrong]
    for kind, (data, values) in FILES.items():
        rows = split if kind == "clean" else (dirty, *split[1:])
        frames = (pd.DataFrame(c).assign(y=y) for c, y in (rows[:2], rows[2:4]))
        train, test = frames
        kinds = dict.fromkeys(map(str, range(4)), "number")
        train, test = (f.rename(columns=str) for f in (train, test))
        table = cellval.read(train, label="y", kinds=kinds)
        ours = cellval.value_cells(table, test=test, n_neighbors=10).values
        if kind != "clean":
            benign = np.isin(wrong // 4, np.flatnonzero(labels[:60] == 2))
            rows = (*rows, list(wrong[benign]), list(wrong[~benign]))
        (tmp_path / data).write_bytes(pickle.dumps(list(rows)))
        (tmp_path / values).write_bytes(pickle.dumps(3 * ours.T))
    return tmp_path


def test_equal_values_are_alike_and_find_the_same(folder, well_told, told):
    made = published.run(folder)
    well_told("published", made)
    for kind in FILES:
        words = f"{kind}: correlation of our values with the published ones"
        for how in ("Pearson", "Spearman", "Pearson of sums over a row"):
            assert told(made, f"{words}, {how}") == pytest.approx(1)
    for words in ("outliers found in the first 5 % of cells", "ROC AUC"):
        for part in ("all cells", "benign rows only"):
            ours, theirs = (
                told(made, f"{words}, {part}, {name}") for name in ("2D-KNN", THEIRS)
            )
            assert ours == theirs > 0
    assert made.points["n_wrong"].max() == 10
    gain = "clean: best point of removing the lowest first"
    assert told(made, f"{gain}, 2D-KNN") == told(made, f"{gain}, {THEIRS}") >= 0


class Evil:
    def __reduce__(self):
        return os.mkdir, ("made by a pickle",)


@pytest.mark.parametrize(
    "raw, why",
    [
        (pickle.dumps([np.arange(3), Evil()]), "mkdir is no array"),
        (pickle.dumps(np.array([Evil()], object)), "mkdir is no array"),
        (b"not a pickle", "does not hold pickled arrays"),
        (b"", "does not hold pickled arrays"),
        (None, "There is no .*clean.data. Give the folder"),
    ],
)
def test_nothing_but_arrays_is_taken_from_a_file(
    folder, raw, why, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    path = folder / FILES["clean"][0]
    path.unlink() if raw is None else path.write_bytes(raw)
    with pytest.raises(InputError, match=why):
        published.run(folder)
    assert not (tmp_path / "made by a pickle").exists()


def test_values_of_other_rows_are_refused(folder):
    (folder / FILES["clean"][1]).write_bytes(pickle.dumps(np.zeros((4, 59))))
    with pytest.raises(InputError, match="is not of the rows of breast_cancer_clean"):
        published.run(folder)
