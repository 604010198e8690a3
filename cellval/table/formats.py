"""Which format a file has, told by its first bytes; each is read and written here.

Every format gives the same: its cells as text, how it was written, and notes.
"""

from collections.abc import Collection
from typing import Any

import pandas as pd

from cellval.table import columnar
from cellval.table.changes import Asked
from cellval.table.columnar import ColumnarFormat, columnar_cells, rewritten_columns
from cellval.table.parsing import CsvFormat, text_cells
from cellval.table.rewriting import rewritten as rewritten_csv
from cellval.table.unpacking import unpacked

FileFormat = CsvFormat | ColumnarFormat


def file_cells(
    raw: bytes,
    name: str,
    max_columns: int | None = None,
    decimal: str = "",
) -> tuple[pd.DataFrame, FileFormat, list[str]]:
    """The cells of a file as text, how it was written, and what was noticed.

    Options are those of `parsing.text_cells`.
    """
    raw, _ = unpacked(raw, name)
    read: Any = columnar_cells if raw.startswith(columnar.STARTS) else text_cells
    found: tuple[pd.DataFrame, FileFormat, list[str]]
    found = read(raw, name, max_columns, decimal)
    return found


def rewritten(
    raw: bytes, changes: Asked, drop: Collection[int] = (), name: str = "table"
) -> bytes:
    """The file with other texts in some cells and without some rows, in its format.

    Rows are numbered as a person counts them: from 1, the header and blank lines not
    counted; columns are named as `read` names them. A compressed file is compressed
    again. Raises InputError also if the result would not be read back as asked.
    """
    content, pack = unpacked(raw, name)
    is_columnar = content.startswith(columnar.STARTS)
    rewrite = rewritten_columns if is_columnar else rewritten_csv
    result = rewrite(content, changes, drop, name)
    if result == content:
        return raw
    return result if pack is None else pack(result)
