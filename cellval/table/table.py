"""`Table`: a CSV or DataFrame as columns with kinds, missing cells and a label."""

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from cellval.errors import InputError, check_text, is_whole, require
from cellval.in_notebooks import InNotebooks
from cellval.kept import kept
from cellval.limits import refuse_shape
from cellval.table.columnar import arrow_cells, is_arrow
from cellval.table.columns import (
    KINDS,
    Column,
    Texts,
    as_arrow,
    between,
    cells_of,
    column_of,
    read_only,
)
from cellval.table.decoding import bytes_of
from cellval.table.formats import FileFormat, file_parts
from cellval.table.ids import id_notes
from cellval.table.labels import (
    GUESS,
    LABEL_KINDS,
    Guess,
    Labels,
    guessed_label,
    label_fault,
    label_kind,
)
from cellval.table.notes import notes_on
from cellval.table.parsing import CsvFormat, decimal_mark, frame_cells
from cellval.table.workbook import WorkbookFormat
from cellval.text import full, joined, listed, shortened


class NoFeature(InputError):
    """No column says something about the rows."""


@dataclass(frozen=True, eq=False)
class Table(InNotebooks):
    """A table of text cells, what each column is, and the label to learn.

    Made by `cellval.read` or `Table.from_frame`. Rows without a label have no values;
    their cells are compared all the same.

    Attributes
    ----------
    cells : DataFrame of shape (n_rows, n_columns)
        Text of every cell exactly as in the file, all columns, in file order.
    columns : tuple of Column
        Every column but the label, in file order; in a table read `like` another, first
        the columns of that one, in its order.
    label : str
        Its column; empty for a table without a label.
    classes : tuple of str
        Text of each class, sorted (by number if all are numbers). Of a label of numbers
        the bands that its rows are grouped in where they must be grouped; without a
        label there is one for all rows.
    y : ndarray of int32, shape (n_rows,)
        Index into `classes`; -1 where the label is missing.
    target : ndarray of float64, shape (n_rows,), or None
        The numbers of the label, NaN where it is missing; None if it is classes, or if
        there is none.
    row_numbers : ndarray of int64, shape (n_rows,)
        Data rows as a person counts them in the file: from 1, without the header.
    notes : tuple of str
        Sentences about what was guessed or left out.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> table.n_rows, table.feature_names, table.classes
    (200, ('weight', 'height', 'repwt', 'repht'), ('F', 'M'))
    >>> table.cells["weight"][table.position(12)]
    '166'
    """

    name: str
    cells: pd.DataFrame
    columns: tuple[Column, ...]
    label: str
    classes: tuple[str, ...]
    y: np.ndarray
    row_numbers: np.ndarray
    id_column: str | None = None
    notes: tuple[str, ...] = ()
    format: FileFormat | None = None
    target: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return len(self.cells)

    @cached_property
    def features(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.feature)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.features)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Text of the id column, or the row number where there is none."""
        numbers = [str(number) for number in self.row_numbers]
        if self.id_column is None:
            return tuple(numbers)
        texts = self.cells[self.id_column].str.strip().tolist()
        return tuple(t or number for t, number in zip(texts, numbers, strict=True))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Text of the label of each row; blank where there is none."""
        if not self.label:
            return ("",) * self.n_rows
        if self.target is None:
            return self.groups
        return tuple(self.cells[self.label].str.strip().tolist())

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Class of each row, or the band of its number; blank where there is none."""
        return tuple(np.array([*self.classes, ""], object)[self.y])

    @cached_property
    def labelled(self) -> "Table":
        """The rows that have a label, which models can learn from; itself if all do."""
        rows = np.flatnonzero(self.y >= 0)
        if rows.size == self.n_rows:
            return self
        cells = self.cells.iloc[rows].reset_index(drop=True)
        columns = tuple(column.part(rows) for column in self.columns)
        return replace(part(self, rows), cells=cells, columns=columns)

    @property
    def label_kind(self) -> str:
        """Classes ("category", also of a table without a label) or "number"."""
        return "category" if self.target is None else "number"

    @cached_property
    def label_column(self) -> Column | None:
        """The numbers of the label as a column; None if it is no number."""
        if self.target is None:
            return None
        missing = np.isnan(self.target)
        return Column(self.label, "number", "", missing, numbers=self.target)

    @cached_property
    def class_column(self) -> Column | None:
        """The classes of the label as a column; None if it has none."""
        if not self.label or self.target is not None:
            return None
        missing, names = self.y < 0, self.classes
        return Column(
            self.label, "category", "", missing, codes=self.y, categories=names
        )

    @cached_property
    def n_duplicates(self) -> int:
        """Rows that repeat an earlier row in all features and the label."""
        label = self.y if self.target is None else self.target
        alike = np.zeros(self.n_rows, np.uint64)  # equal rows have equal numbers
        for column in self.features:
            alike = _mixed(alike, cells_of(column))
        alike = _mixed(alike, label)
        # Only rows with the same number are compared: all would take much memory.
        rows = np.flatnonzero(pd.Series(alike).duplicated(keep=False))
        arrays = {j: cells_of(c.part(rows)) for j, c in enumerate(self.features)}
        return int(pd.DataFrame(arrays | {-1: label[rows]}).duplicated().sum())

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the cells, the label, and the features and their kinds."""
        digest = hashlib.sha256()
        label = [self.label] if self.target is None else [self.label, "number"]
        parts = [label]
        parts += [[column.name, column.kind] for column in self.features]
        # Cells hold no NUL, so it separates without doubt.
        for part in parts:
            digest.update("\0".join(part).encode("utf-8") + b"\0\0")
        for name in self.cells:  # one after the other: all would take much memory
            digest.update(str(name).encode("utf-8"))
            if self.n_rows:
                digest.update(b"\0")
                digest.update(between(as_arrow(self.cells[name]), "\0").as_buffer())
            digest.update(b"\0\0")
        return digest.hexdigest()

    def position(self, row_number: int) -> int:
        """Position from 0 of the row that a person counts as `row_number`.

        Examples
        --------
        >>> table = read(b"x,y\\n1,a\\n2,b\\n3,b\\n", label="y")
        >>> table.with_cells({}, drop=[1]).position(3)
        1
        """
        is_number = isinstance(row_number, int | float | np.number)
        require("row_number", row_number, is_number, "a number, from 1")
        position = int(np.searchsorted(self.row_numbers, row_number))
        if position < self.n_rows and self.row_numbers[position] == row_number:
            return position
        first, last = self.row_numbers[[0, -1]].tolist()
        raise InputError(
            f"{self.name} has no row {row_number:,}; its rows are numbered from "
            f"{first:,} to {last:,} (the header is not counted)."
        )

    @cached_property
    def decimal(self) -> str:
        """The decimal mark of its numbers."""
        return _reading(self.format, self.cells)[0]  # looks at all cells of a frame

    @cached_property
    def day_first(self) -> bool:
        """Is 3/4/2020 in April?"""
        return _reading(self.format, self.cells)[1]

    def read_texts(self, name: str, texts: Sequence[str]) -> Column:
        """Texts read as if they were cells of this column, or of a label of numbers.

        Examples
        --------
        >>> table = read(b"x;y\\n1,5;a\\n2;b\\n", label="y")
        >>> table.read_texts("x", ["3,5", "high"]).numbers.tolist()
        [3.5, nan]
        """
        label = [] if self.label_column is None else [self.label_column]
        known_as = {one.name: one for one in (*self.columns, *label)}
        need = f"a column of {self.name}, or its label of numbers"
        require("name", name, isinstance(name, str) and name in known_as, need)
        old = known_as[name]
        decimal, day_first = self.decimal, self.day_first
        cells = pd.Series(list(texts), name=name, dtype="str")
        rows = np.arange(1, len(cells) + 1)
        how = (old.kind, old.why_not, old.form)
        known = Texts.of(cells, old.categories)
        return column_of(known, rows, decimal, day_first, *how)

    def with_cells(
        self, changes: Mapping[tuple[int, str], str], drop: Iterable[int] = ()
    ) -> "Table":
        """The table with other texts in some cells and without some rows.

        Kinds, features and the numbers of the rows stay as they are.

        Parameters
        ----------
        changes : mapping of (position from 0, column or label) to str
        drop : iterable of int
            Positions of rows to leave out.

        Examples
        --------
        >>> table = read(b"x,y\\n1,a\\n2,b\\n30,b\\n", label="y")
        >>> table.with_cells({(2, "x"): "3"}, drop=[1]).columns[0].numbers.tolist()
        [1.0, 3.0]
        """
        is_mapping = isinstance(changes, Mapping)
        require("changes", changes, is_mapping, "a mapping of cells to texts")
        cells = self.cells.copy()
        by_column: dict[str, dict[int, str]] = {}
        for (i, name), text in changes.items():
            if name not in cells or not is_whole(i, 0) or i >= self.n_rows:
                raise InputError(
                    f"{self.name} has no cell ({i}, '{shortened(name)}'): give a "
                    "position from 0, and a column."
                )
            check_text("what a cell is to hold", text)
            by_column.setdefault(name, {})[i] = text
        for name, new in by_column.items():
            texts = cells[name].tolist()
            for i, text in new.items():
                texts[i] = text
            cells[name] = pd.Series(texts, dtype=cells[name].dtype)
        decimal, day_first = _reading(self.format, cells)
        kind = self.label_kind
        kept = np.ones(self.n_rows, bool)
        kept[list(drop)] = False
        if not kept.all():
            cells = cells[kept].reset_index(drop=True)
        labels = Labels.of(cells, self.label, kind, decimal, self.classes)
        if self.label:
            texts = Texts.of(cells[self.label], self.classes)
            if fault := label_fault(texts, decimal, kind):
                raise InputError(
                    f"With these changes: {fault} Or take some of the changes back."
                )
        rows = read_only(self.row_numbers[kept])

        def column(old: Column) -> Column:
            if kept.all() and old.name not in by_column:
                return old
            texts = Texts.of(cells[old.name], old.categories)
            how = (old.kind, old.why_not, old.form)
            return column_of(texts, rows, decimal, day_first, *how)

        return replace(
            self,
            cells=cells,
            columns=tuple(column(old) for old in self.columns),
            classes=labels.classes,
            y=labels.y,
            target=labels.numbers,
            row_numbers=rows,
        )

    def __repr__(self) -> str:
        lines = [
            f"Table '{shortened(self.name)}': {self.n_rows:,} rows x "
            f"{self.cells.shape[1]} columns",
            f"label '{shortened(self.label)}': {_label_words(self)}"
            if self.label
            else "no label",
        ]
        for kind in KINDS:
            names = [column.name for column in self.features if column.kind == kind]
            if names:
                lines.append(f"{kind} ({len(names)}): {listed(names, 6)}")
        rest = [c for c in self.columns if not c.feature]
        if rest:
            unused = joined([f"'{shortened(c.name)}' ({c.kind})" for c in rest], 6)
            lines.append(f"not used ({len(rest)}): {unused}")
        return "\n  ".join(lines)

    @classmethod
    def from_frame(
        cls,
        df: Any,
        *,
        label: str | Guess | None = GUESS,
        id_column: str | None = None,
        exclude: Iterable[str] = (),
        kinds: Mapping[str, str] | None = None,
        like: "Table | None" = None,
        name: str = "table",
    ) -> "Table":
        """Make a Table of a frame of any dtypes: of pandas, polars or Arrow.

        An index of pandas is ignored. Options are those of `read`. Cells become text
        and are read like those of a file, so that a frame and the CSV written from it
        give the same table.

        Examples
        --------
        >>> df = pd.DataFrame({"x": [1.5, None, 3.0], "sick": [True, False, True]})
        >>> Table.from_frame(df, label="sick").columns[0].missing.tolist()
        [False, True, False]
        """
        if not isinstance(df, pd.DataFrame | pd.Series) and is_arrow(df):
            df = pa.table(df)
        if not isinstance(df, pd.DataFrame | pa.Table):
            raise InputError(
                "from_frame takes a DataFrame of pandas or polars or a table of Arrow, "
                f"not {type(df).__name__}; for a file use cellval.read."
            )
        if df.shape[0] == 0 or df.shape[1] == 0:
            raise InputError(
                f"{name} is empty: it has {df.shape[0]} rows and {df.shape[1]} columns."
            )
        refuse_shape(name, *df.shape)
        asked = ReadOptions.of(label, id_column, exclude, kinds, like)
        notes: list[str] = []
        if isinstance(df, pa.Table):
            cells = arrow_cells(df, name, notes)
        else:
            cells = frame_cells(df, notes)
        return _table(cells, name, asked, notes, None)


def read(
    source: Any,
    *,
    label: str | Guess | None = GUESS,
    id_column: str | None = None,
    exclude: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    like: Table | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    max_bytes: int | None = None,
    max_columns: int | None = None,
) -> Table:
    """Read a table: its format, encoding, delimiter and kinds are found out.

    CSV and TSV, Parquet, Arrow and Feather, Excel (.xlsx, .xlsm, .xls) and LibreOffice
    (.ods; both with the extra ``cellval[excel]``) and JSON lines, also compressed
    (.gz, .zip with one file in it, .zst): told by what is in the file, not by its name.

    Parameters
    ----------
    source : path, bytes, binary or text buffer, or frame of pandas, polars or Arrow
    label : str or None, optional
        The column to learn, classes or numbers; guessed if not given, and a note says
        so. None: the table has no label; cells can be compared, not valued.
    id_column : str, optional
        The column that names the rows; it is no feature.
    exclude : iterable of str
        Columns that are not to be features.
    kinds : mapping of str to str, optional
        Column name to kind (one of `KINDS`), where the guess would be wrong. A label
        is "category" (classes) or "number".
    like : Table, optional
        Read a test set like this table: the same label, features and kinds, whatever
        its cells look like; one row or one class is enough. Instead of the above.
    sheet : str, optional
        The sheet of a workbook; if not given, the first that holds such a table.
    header_row : int, optional
        The row of the sheet with the column names, as the sheet counts it; if not
        given, the first that is filled across. What is above it is left out.
    max_bytes : int, optional
        Larger files are refused; 500 MB, or the environment variable CELLVAL_MAX_MB.
    max_columns : int, optional
        Files with more columns are refused; 2,000, or CELLVAL_MAX_COLUMNS. Other limits
        are in `cellval.limits`.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        The message says what is wrong, where, and what to do.

    Examples
    --------
    >>> table = read(b"height;sex\\n1,82;M\\n1,61;F\\n1,77;M\\n", label="sex")
    >>> table.columns[0].numbers.tolist(), table.classes
    ([1.82, 1.61, 1.77], ('F', 'M'))
    """
    if isinstance(source, pd.DataFrame) or is_arrow(source):
        how: dict[str, Any] = {"id_column": id_column, "exclude": exclude}
        return Table.from_frame(source, label=label, kinds=kinds, like=like, **how)
    asked = ReadOptions.of(label, id_column, exclude, kinds, like)
    raw, name = bytes_of(source, max_bytes)
    decimal = like.format.decimal if like and like.format else ""
    fault = None
    parts = file_parts(raw, name, max_columns, decimal, sheet, header_row)
    del raw  # once its cells are read, nobody needs it
    for cells, written, notes in parts:
        try:
            return _table(cells, name, asked, notes, written)
        except InputError as error:  # perhaps another sheet is meant
            fault = fault or _on_sheet(error, written)
    assert fault is not None
    raise fault


def _on_sheet(error: InputError, written: FileFormat) -> InputError:
    """The error, with the sheet it is about where there are others."""
    if not isinstance(written, WorkbookFormat) or len(written.sheets) == 1:
        return error
    others = listed([one for one in written.sheets if one != written.sheet], 5)
    return InputError(
        f"{error} This is about sheet '{shortened(written.sheet)}'; there are also "
        f"{others}."
    )


SAID = 200  # letters of a name that are compared


@dataclass(frozen=True)
class ReadOptions:
    """What a person asked for, with names as text."""

    label: str | Guess | None
    id_column: str | None
    exclude: tuple[str, ...]
    kinds: dict[str, str]
    like: Table | None

    @classmethod
    def of(
        cls,
        label: Any,
        id_column: Any,
        exclude: Iterable[Any],
        kinds: Mapping[Any, str] | None,
        like: Table | None,
    ) -> "ReadOptions":
        label = label if label is None or isinstance(label, Guess) else str(label)
        id_column = None if id_column is None else str(id_column)
        exclude = () if exclude is None else exclude
        require("exclude", exclude, isinstance(exclude, Iterable), "a list of columns")
        exclude = (exclude,) if isinstance(exclude, str) else tuple(map(str, exclude))
        is_mapping = kinds is None or isinstance(kinds, Mapping)
        require("kinds", kinds, is_mapping, "a mapping of columns to kinds")
        is_table = like is None or isinstance(like, Table)
        require("like", like, is_table, "a Table of cellval.read")
        kinds = {str(name): kind for name, kind in (kinds or {}).items()}
        if like and (id_column or exclude or kinds or label not in (GUESS, like.label)):
            raise InputError(
                f"A table that is read like {like.name} takes label, id column, "
                "exclusions and kinds from it; leave these options out."
            )
        if isinstance(label, str) and label in (id_column, *exclude):
            role = "id column" if label == id_column else "list of exclusions"
            raise InputError(
                f"'{label}' is given as the label and in the {role}; it can be only "
                "one of them."
            )
        for name, kind in kinds.items():
            if kind not in KINDS:
                raise InputError(
                    f"'{kind}' is no kind that column '{name}' can have; choose one "
                    f"of {', '.join(KINDS)}."
                )
        if label in kinds and kinds[label] not in LABEL_KINDS:
            raise InputError(
                f"The label '{label}' cannot be of kind '{kinds[label]}': choose "
                f"{' or '.join(LABEL_KINDS)}."
            )
        label = (like.label or None) if like else label
        return cls(label, id_column, exclude, kinds, like)

    def check(self, names: Sequence[str], table: str) -> None:
        label = self.label if isinstance(self.label, str) else None
        asked = [("label", label), ("id_column", self.id_column)]
        asked += [("exclude", name) for name in self.exclude]
        asked += [("kinds", name) for name in self.kinds]
        if self.like:
            why = f"a feature of {self.like.name}"
            asked += [(why, name) for name in self.like.feature_names]
        for option, name in asked:
            if name is not None and name not in names:
                raise InputError(_no_such_column(option, name, names, table))

    def how(self, name: str) -> tuple[str | None, str, str | None]:
        """Kind, why it is no feature, and form that a column is to have."""
        if not self.like:
            kind = "id" if name == self.id_column else self.kinds.get(name)
            return kind, "excluded by you" * (name in self.exclude), None
        for known in self.like.columns:
            if known.name == name:
                return known.kind, known.why_not, known.form
        return None, f"{self.like.name} has no such column", None


def _no_such_column(option: str, name: str, names: Sequence[str], table: str) -> str:
    # To compare two long ones takes seconds.
    folded = {known[:SAID].casefold(): known for known in reversed(names)}
    near = difflib.get_close_matches(name[:SAID].casefold(), folded, n=1)
    hint = f" Did you mean '{shortened(folded[near[0]])}'?" if near else ""
    return (
        f"{table} has no column '{shortened(name)}' ({option}).{hint} "
        f"Its columns are {listed(names, 20)}."
    )


def _table(
    cells: pd.DataFrame,
    name: str,
    asked: ReadOptions,
    notes: list[str],
    written: FileFormat | None,
) -> Table:
    names = [str(column) for column in cells.columns]
    asked.check(names, name)
    decimal, day_first = _reading(written, cells)
    like, label = asked.like, asked.label
    if label is not None and len(names) == 1:
        marks = " Fields must be separated by comma, semicolon, tab or pipe."
        raise InputError(
            f"{name} has a single column, {listed(names)}, so there is no feature "
            f"beside the label.{marks * isinstance(written, CsvFormat)}"
        )
    if isinstance(label, Guess):
        label = guessed_label(cells, (asked.id_column, *asked.exclude), decimal, name)
        notes.append(f"The label was not given; '{label}' was taken.")
    label = label or ""
    kind = _kind_of_label(cells, label, asked, decimal)
    known_classes = like.classes if like else ()
    labels = Labels.of(cells, label, kind, decimal, known_classes)
    rows = np.arange(1, len(cells) + 1)
    unlabelled = np.flatnonzero(labels.y < 0)
    if n := unlabelled.size:
        what = "a number as label" if kind == "number" else "a label"
        notes.append(
            f"{n:,} row{'s' * (n > 1)} without {what} '{label}' "
            f"{'have' if n > 1 else 'has'} no values, but cells are compared there, "
            f"too (the first is row {unlabelled[0] + 1:,})."
        )
    unseen = [text for text in labels.classes if like and text not in like.classes]
    if like and kind == "category" and unseen:
        notes.append(f"Classes that {like.name} does not have: {listed(unseen)}.")

    known = {column.name: column.categories for column in like.columns} if like else {}
    order = [column for column in known if column in names]
    order += [column for column in names if column not in known and column != label]
    found: list[Column] = []
    about_ids: list[str] = []
    for column in order:  # one after the other: all texts would take much memory
        pa.default_memory_pool().release_unused()
        texts = Texts.of(cells[column], known.get(column, ()))
        found.append(column_of(texts, rows, decimal, day_first, *asked.how(column)))
        if column not in asked.exclude:
            about_ids += id_notes(found[-1], texts, rows)
        del texts
    columns = tuple(found)
    if not any(column.feature for column in columns):
        why = "; ".join(f"'{shortened(c.name)}': {c.why_not}" for c in columns[:5])
        beside = f" beside the label '{label}'" if label else ""
        raise NoFeature(
            f"{name} has no usable feature{beside} ({why}). Add a column that says "
            "something about the rows, or set its kind."
        )
    id_column = like.id_column if like else asked.id_column
    if not like and not id_column:
        ids = (c.name for c in columns if c.kind == "id")
        id_column = next((c for c in ids if c not in asked.exclude), None)
    table = Table(
        name=name,
        cells=cells,
        columns=columns,
        label=label,
        classes=labels.classes,
        y=labels.y,
        target=labels.numbers,
        row_numbers=read_only(rows),
        id_column=id_column if id_column in names else None,
        format=written,
    )
    return replace(table, notes=(*notes, *about_ids, *notes_on(table)))


def _kind_of_label(
    cells: pd.DataFrame, label: str, asked: ReadOptions, decimal: str
) -> str:
    """Classes ("category") or "number", as asked for or as it looks."""
    if not label:
        return "category"
    like = asked.like
    texts = Texts.of(cells[label], like.classes if like else ())
    kind = asked.kinds.get(label)
    if like:
        kind = like.label_kind
    if fault := label_fault(texts, decimal, kind, is_test=like is not None):
        raise InputError(fault)
    return kind or label_kind(texts, decimal)


def _label_words(table: Table) -> str:
    """What the label is: classes with their counts, or the range of its numbers."""
    if table.target is not None:
        low, middle, high = np.nanquantile(table.target, [0, 0.5, 1]).tolist()
        return f"number, {full(low)} to {full(high)}, median {full(middle)}"
    counts = np.bincount(table.y[table.y >= 0], minlength=len(table.classes))
    pairs = zip(table.classes, counts, strict=True)
    return joined([f"{shortened(text)} {n:,}" for text, n in pairs], 6)


def _reading(written: FileFormat | None, cells: pd.DataFrame) -> tuple[str, bool]:
    """Decimal mark, and whether 3/4/2020 is in April."""
    decimal = written.decimal if written else decimal_mark(cells, ",")
    return decimal, decimal == "," or (written is not None and written.delimiter == ";")


def _mixed(numbers: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Numbers that also depend on the cells of another column."""
    cells = 0.0 + cells  # -0.0 is 0.0
    cells[np.isnan(cells)] = np.nan  # of many, the same bits
    mixed = (numbers ^ cells.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray(mixed ^ (mixed >> np.uint64(29)))


@kept(1)
def texts_of(table: Table) -> dict[str, Texts]:
    """The different texts of each column of the file, found once for all who ask."""
    return {str(name): Texts.of(table.cells[name]) for name in table.cells}


def stripped_of(table: Table, name: str) -> Texts:
    """Those of a column without blanks around them: then some may be the same."""
    texts = texts_of(table)[name]
    return texts if texts.is_tidy else Texts.of(table.cells[name].str.strip())


def as_table(table: Table | pd.DataFrame, like: Table | None = None) -> Table:
    """A DataFrame as a Table; the label of a bare one is guessed."""
    if isinstance(table, pd.DataFrame) or is_arrow(table):
        return Table.from_frame(table, like=like)
    if not isinstance(table, Table):
        raise InputError(
            f"A table or a DataFrame is needed, not {type(table).__name__}. Read a "
            "file with cellval.read."
        )
    return table


def part(table: Table, rows: np.ndarray) -> Table:
    """Some rows as models see them; without their texts."""
    return replace(
        table,
        cells=pd.DataFrame(index=range(rows.size)),
        columns=tuple(column.part(rows) for column in table.features),
        y=table.y[rows],
        target=None if table.target is None else table.target[rows],
        row_numbers=table.row_numbers[rows],
    )
