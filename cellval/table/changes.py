"""What is asked of a file to be rewritten, and whether the result says so.

All formats share it: rows are numbered as a person counts them, columns are named as
`read` names them, and a file that would not be read back as asked is never returned.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from cellval.errors import InputError
from cellval.text import listed, shortened

Asked = Mapping[tuple[int, str], str]


@dataclass(frozen=True)
class Changes:
    """New texts by row number and index of the column, and rows that go."""

    name: str
    before: pd.DataFrame
    new: dict[int, dict[int, str]]
    gone: set[int]

    @classmethod
    def of(
        cls, before: pd.DataFrame, asked: Asked, drop: Collection[int], name: str
    ) -> "Changes":
        """Only what is really new; rows and columns that are not there are refused."""
        gone = set(drop)
        _check_rows(len(before), {row for row, _ in asked} | gone, gone, name)
        index = {str(column): j for j, column in enumerate(before.columns)}
        for row, column in asked:
            if column not in index:
                raise InputError(
                    f"{name} has no column '{shortened(column)}' (row {row:,}); its "
                    f"columns are {listed(index, 20)}."
                )
        old = {column: before[column].tolist() for column in {c for _, c in asked}}
        new: dict[int, dict[int, str]] = {}
        for (row, column), text in asked.items():
            if row in gone or old[column][row - 1] == text:
                continue
            if "\0" in text:
                raise InputError(
                    f"{name}, row {row:,}, '{shortened(column)}': the new text holds a "
                    "NUL character, which no text contains. Remove it."
                )
            new.setdefault(row, {})[index[column]] = text
        return cls(name, before, new, gone)

    def __bool__(self) -> bool:
        return bool(self.new or self.gone)

    @property
    def by_column(self) -> dict[int, dict[int, str]]:
        """New texts by index of the column and row number."""
        found: dict[int, dict[int, str]] = {}
        for row in sorted(self.new):
            for j, text in self.new[row].items():
                found.setdefault(j, {})[row] = text
        return found

    def place(self, row: int, j: int) -> str:
        """Where a change is, at the start of a sentence about it."""
        return f"{self.name}, row {row:,}, '{shortened(str(self.before.columns[j]))}'"

    def check(
        self,
        read: Callable[[], pd.DataFrame],
        same: Callable[[int, str, str], bool] = lambda j, asked, found: False,
    ) -> None:
        """Read the result and compare it with what was asked for.

        `same` says of a column's texts that differ whether they mean the same.
        """
        before = self.before
        try:
            after = read()
        except InputError as error:
            raise self.misread(str(error).removesuffix(".")) from None
        kept = [row for row in range(1, len(before) + 1) if row not in self.gone]
        k = after.shape[1]
        if len(after) != len(kept) or list(after.columns) != list(before.columns)[:k]:
            raise self.misread(
                f"it would have {len(after):,} rows and columns {listed(after)}"
            )
        for j, column in enumerate(before.columns):
            expected = before.iloc[:, j].tolist()
            for row, texts in self.new.items():
                expected[row - 1] = texts.get(j, expected[row - 1])
            if self.gone:
                expected = [expected[row - 1] for row in kept]
            # Columns without a name and without content are not read.
            found = after.iloc[:, j].tolist() if j < k else [""] * len(kept)
            if expected == found:
                continue
            for row, one, other in zip(kept, expected, found, strict=True):
                differ = one != other and not same(j, one, other)
                if differ and (j < k or one.strip()):
                    raise self.misread(
                        f"row {row:,}, '{shortened(str(column))}' would be "
                        f"'{shortened(other)}' and not '{shortened(one)}'"
                    )

    def misread(self, why: str) -> InputError:
        return misread(self.name, why)


def misread(name: str, why: str) -> InputError:
    return InputError(
        f"With these changes {name} would not be read back as asked: {why}. No file "
        "was made; choose other texts, or change fewer cells at a time to find out "
        "which one it is."
    )


def _check_rows(n_rows: int, rows: set[int], gone: set[int], name: str) -> None:
    for row in sorted(rows):
        if not 1 <= row <= n_rows:
            raise InputError(
                f"{name} has no row {row:,}; its rows are numbered from 1 to "
                f"{n_rows:,} (the header and blank lines are not counted)."
            )
    if len(gone) == n_rows:
        raise InputError(
            f"All {n_rows:,} rows of {name} would be dropped, which leaves no table. "
            "Keep some of them."
        )
