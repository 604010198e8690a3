import pytest

from cellval.errors import InputError
from cellval.experiments.data import TABLES, read, table_of, train_and_test


def test_a_table_is_read_from_the_folder_or_from_the_samples(tmp_path):
    sample = read("wine", tmp_path)  # nothing is there
    folder = tmp_path / "wine"
    folder.mkdir()
    sample[:50].to_csv(folder / "wine.csv", index=False)
    assert len(read("wine", tmp_path)) == 50
    assert len(read("wine", tmp_path, sample=True)) == len(sample) == 178


def test_rows_with_missing_cells_and_columns_of_names_are_left_out():
    frame = read("breast_cancer", None)
    assert not frame.isna().any(axis=None)
    assert "sample_code_number" not in frame and frame.columns[-1] == "class"


def test_a_table_out_of_reach_is_said_in_words(monkeypatch, tmp_path):
    def fetch_openml(*arguments, **options):
        raise ConnectionError

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    for name in ("credit", "heart"):
        with pytest.raises(InputError, match=f"Put it there as {TABLES[name].file}"):
            read(name, tmp_path)


def test_an_error_does_not_change_what_a_column_is():
    clean = read("wine", None)
    wrong = clean.astype(object)
    wrong.iloc[3, 0] = "thirteen"
    kinds = [column.kind for column in table_of(wrong, clean).features]
    assert kinds == [column.kind for column in table_of(clean).features]


def test_test_rows_are_read_like_training_rows():
    frame = read("census", None, sample=True)
    table, test = train_and_test(frame[:60], 40, frame)
    assert (table.n_rows, test.n_rows) == (40, 20)
    assert table.feature_names == test.feature_names
