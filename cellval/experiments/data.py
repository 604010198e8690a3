"""The paper's tables: from a folder, from the samples, or from OpenML."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from cellval.app_files import samples
from cellval.errors import InputError
from cellval.table.table import Table


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper, and where it may be found; its last column is the label."""

    title: str
    n_train: int  # rows that the paper trains on
    file: str  # in the folder of the larger tables
    sample: str = ""  # in sample_data
    openml: tuple[str, int] | None = None  # name and version
    drop: tuple[str, ...] = ()


TABLES = {
    "census": PaperTable(
        "Census", 32561, "adult/train.csv", "adult_2000.csv", ("adult", 1)
    ),
    "credit": PaperTable(
        "Credit",
        18000,
        "credit_default/credit_default.csv",
        openml=("default-of-credit-card-clients", 1),
        drop=("ID",),
    ),
    "breast_cancer": PaperTable(
        "Breast Cancer",
        242,
        "breast_cancer_original/breast_cancer_original.csv",
        "breast_cancer.csv",
        drop=("sample_code_number",),
    ),
    "heart": PaperTable("Heart", 512, "heart/heart.csv", openml=("heart-disease", 1)),
    "wine": PaperTable("Wine", 106, "wine/wine.csv", "wine.csv"),
}


def read(name: str, data: Path | None, *, sample: bool = False) -> pd.DataFrame:
    """The table as a frame, complete rows only; the label is the last column.

    `data` is the folder with the larger tables, such as ``adult/train.csv``; with
    `sample` the sample is taken, even if the whole table is there.
    """
    source = TABLES[name]
    path = data / source.file if data is not None and not sample else None
    if path is not None and path.exists():
        frame = pd.read_csv(path, na_values="?")
    elif source.sample:
        frame = pd.read_csv(samples() / source.sample, na_values="?")
    else:
        frame = _from_openml(source, data)
    frame = frame.drop(columns=[c for c in source.drop if c in frame])
    return frame.dropna().reset_index(drop=True)


def _from_openml(source: PaperTable, data: Path | None) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    assert source.openml is not None
    name, version = source.openml
    try:
        return fetch_openml(name, version=version, as_frame=True, parser="auto").frame
    except Exception as error:  # there are many ways to be out of reach
        where = f"is not in {data}" if data else "needs a folder (--data DIR)"
        raise InputError(
            f"The table {source.title} {where}, and OpenML is out of reach "
            f"({type(error).__name__}). Put it there as {source.file}, or use --quick."
        ) from error


def table_of(
    frame: pd.DataFrame, like: pd.DataFrame | None = None, name: str = "table"
) -> Table:
    """Read a frame; an error must not change what a column of the clean one is."""
    clean = frame if like is None else like
    label = str(clean.columns[-1])
    kinds = {
        str(c): "number" if pd.api.types.is_numeric_dtype(clean[c]) else "category"
        for c in clean.columns[:-1]
    }
    return Table.from_frame(frame, label=label, kinds=kinds, name=name)


def train_and_test(
    chosen: pd.DataFrame, n_train: int, clean: pd.DataFrame
) -> tuple[Table, Table]:
    """The first rows to train on, the others to test on; kinds as in the clean one."""
    table = table_of(chosen[:n_train].reset_index(drop=True), clean)
    return table, Table.from_frame(chosen[n_train:].reset_index(drop=True), like=table)
