"""A file is what its first bytes say, whatever its name."""

import gzip
import io

import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table.formats import file_cells, file_parts, rewritten

FRAME = pd.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "a"]})


def bytes_by(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


FILES = {
    "CSV": bytes_by(lambda file: FRAME.to_csv(file, index=False)),
    "Parquet file": bytes_by(FRAME.to_parquet),
    "Arrow file": bytes_by(FRAME.to_feather),
    "JSON lines": FRAME.to_json(orient="records", lines=True).encode(),
}


@pytest.mark.parametrize("noun", FILES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_format_gives_the_same_cells_and_takes_the_same_changes(noun, pack):
    raw = pack(FILES[noun])
    cells, written, _ = file_cells(raw, "misleading.xlsx")
    assert cells.to_numpy().tolist() == [["1", "a"], ["2", "b"], ["3", "a"]]
    assert (written.noun, written.decimal, written.delimiter) == (noun, ".", ",")
    assert len(list(file_parts(raw, "data"))) == 1
    new = rewritten(raw, {(2, "x"): "7"}, [1], "data")
    again, same, _ = file_cells(new, "data")
    assert again.to_numpy().tolist() == [["7", "b"], ["3", "a"]] and same == written
    with pytest.raises(InputError, match="no row 9"):
        rewritten(raw, {(9, "x"): "7"})
