"""What is true of any table: reading, rewriting, encoding and exporting drawn ones."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.export.frames import csv_bytes, safe_frame
from cellval.table.encoding import FARTHEST, encode
from cellval.table.formulas import is_formula, plain_text
from cellval.table.rewriting import rewritten

hypothesis = pytest.importorskip("hypothesis", reason="in requirements.txt")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

bounded = settings(
    derandomize=True, max_examples=60, deadline=None, database=None, print_blob=False
)
# No NUL, which is refused, and no half of a character, which cannot be written.
letters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
anything = st.text(letters, max_size=12)
numbers = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.just(""),
)


@st.composite
def tables(draw, cells=anything, least=2):
    """Names, and rows with a label of two classes."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(least, 7))
    names = [f"c{j}" for j in range(m)] + ["y"]
    rows = [[*(draw(cells) for _ in range(m)), "ab"[i % 2]] for i in range(max(n, 2))]
    return names, rows


@st.composite
def written(draw, drawn):
    """A table as a CSV file: bytes, names, rows."""
    names, rows = draw(drawn)
    file = io.StringIO(newline="")
    writer = csv.writer(
        file,
        delimiter=draw(st.sampled_from(",;\t|")),
        lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"])),
        quoting=csv.QUOTE_ALL,
    )
    writer.writerows([names, *rows])
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return file.getvalue().encode(encoding), names, rows


@bounded
@given(written(tables()))
def test_cells_are_read_exactly_as_they_were_written(file):
    raw, names, rows = file
    try:
        table = cellval.read(raw, label="y")
    except cellval.InputError as error:
        assert str(error).endswith(".")
        return
    assert list(table.cells.columns) == names
    assert table.cells.to_numpy().tolist() == rows


@bounded
@given(st.binary(max_size=200))
def test_any_bytes_are_a_table_or_are_refused_with_a_sentence(raw):
    try:
        table = cellval.read(raw)
    except cellval.InputError as error:
        assert str(error).strip()
    else:
        assert rewritten(raw, {}) == raw
        assert table.n_rows >= 2


@bounded
@given(written(tables()), anything, st.integers(0, 6), st.integers(0, 3))
def test_rewriting_changes_one_cell_and_no_other(file, text, row, column):
    raw, names, rows = file
    i, j = row % len(rows), column % (len(names) - 1)
    assert rewritten(raw, {}) == raw
    try:
        new = rewritten(raw, {(i + 1, names[j]): text})
    except cellval.InputError as error:
        assert str(error).endswith(".")
        return
    assert rewritten(new, {(i + 1, names[j]): rows[i][j]}) == raw
    changed = [list(line) for line in rows]
    changed[i][j] = text
    try:
        again = cellval.read(new, label="y")
    except cellval.InputError:
        return  # as before: no column is of use
    assert again.cells.to_numpy().tolist() == changed


@bounded
@given(tables(numbers, least=4))
def test_encoded_numbers_are_finite_in_order_and_bounded(drawn):
    names, rows = drawn
    kinds = dict.fromkeys(names[:-1], "number")
    frame = pd.DataFrame(rows, columns=names)
    try:
        table = cellval.Table.from_frame(frame, label="y", kinds=kinds)
    except cellval.InputError:
        return
    encoded = encode(table)
    for column, cells, weight in zip(
        table.features, encoded.cells, encoded.weight, strict=True
    ):
        assert (np.isnan(cells) == column.missing).all()
        assert np.isfinite(weight) and weight > 0
        known, x = cells[~column.missing], column.numbers[~column.missing]
        assert np.isfinite(known).all()
        assert (np.diff(known[np.argsort(x, kind="stable")]) >= 0).all()
        if known.size:
            assert weight * np.ptp(known).astype(float) ** 2 < 2.1 * FARTHEST**2


@settings(bounded, max_examples=25)
@given(tables(st.one_of(anything, st.sampled_from(["=1+1", "@x", "-a", "+b"]))))
def test_exports_run_no_formula_and_give_the_text_back(drawn):
    names, rows = drawn
    frame = pd.DataFrame(rows, columns=names)
    safe = safe_frame(frame)
    for name in names:
        for before, after in zip(frame[name], safe[name], strict=True):
            assert not is_formula(after)
            assert plain_text(after) == before
    back = pd.read_csv(io.BytesIO(csv_bytes(safe)), dtype=str, keep_default_na=False)
    assert back.shape == frame.shape


@settings(bounded, max_examples=30)
@given(st.binary(max_size=300), st.integers(0, 10**6))
def test_saved_values_are_never_more_than_refused(noise, at):
    for raw in (noise, b"PK\x03\x04" + noise, b"PK\x05\x06" + noise):
        with pytest.raises(cellval.InputError):
            cellval.load(io.BytesIO(raw))
