"""A changed file differs from the original in the changed fields and nowhere else."""

import codecs
import io
import random

import pandas as pd
import pytest
from cases import SAMPLES, calls

from cellval.errors import InputError
from cellval.table.parsing import text_cells
from cellval.table.rewriting import cell_lines, frame_csv, rewritten
from cellval.table.table import read

UGLY = SAMPLES / "ugly.csv"


def message_of(raw, changes, drop=()):
    with pytest.raises(InputError) as caught:
        rewritten(raw, changes, drop, "data.csv")
    return str(caught.value)


@pytest.mark.parametrize(
    ("raw", "changes", "expected"),
    [
        (b"x,y\n1,a\n2,b\n", {(2, "x"): "3"}, b"x,y\n1,a\n3,b\n"),
        (b"x;y\r\n1,5;a\r\n2,5;b\r\n", {(1, "x"): "3,5"}, b"x;y\r\n3,5;a\r\n2,5;b\r\n"),
        (b"x\ty\n1\ta\n2\tb\n", {(1, "y"): "c"}, b"x\ty\n1\tc\n2\tb\n"),
        (b"x|y\n1|a\n2|b\n", {(1, "y"): "c|d"}, b'x|y\n1|"c|d"\n2|b\n'),
    ],
    ids=["comma", "semicolon", "tab", "pipe"],
)
def test_only_the_changed_field_differs(raw, changes, expected):
    assert rewritten(raw, changes) == expected


def test_without_changes_the_file_is_the_same():
    raw = b'\xef\xbb\xbfx, y,"z"\r\n\r\n1 ," a",\n\n2,5"b,c\r   \n3,4,5'
    assert rewritten(raw, {}) == raw
    assert rewritten(raw, {(2, "y"): '5"b'}) == raw  # that is what the cell holds


def test_mixed_line_endings_and_a_missing_last_one_are_kept():
    raw = b"x,y\r\n1,a\n2,b\r3,c\r\n4,d"
    expected = b"x,y\r\n9,a\n2,B\r3,c\r\n4,D"
    changes = {(1, "x"): "9", (2, "y"): "B", (4, "y"): "D"}
    assert rewritten(raw, changes) == expected


def test_blank_lines_are_kept_and_not_counted():
    raw = b'\n  \nx,y\n\n1,a\n""\n   \r\n2,b\n"\xc2\xa0"\n3,c\n\n\n'
    assert text_cells(raw, "t")[0]["x"].tolist() == ["1", "2", "3"]
    assert rewritten(raw, {(2, "x"): "5"}) == raw.replace(b"2,b", b"5,b")
    assert rewritten(raw, {}, [2]) == raw.replace(b"2,b\n", b"")


def test_quotes_are_kept_and_those_inside_doubled():
    raw = b'x,y\n"1",a\n"2","b"\n'
    expected = b'x,y\n"5",a\n"2","say ""no"""\n'
    assert rewritten(raw, {(1, "x"): "5", (2, "y"): 'say "no"'}) == expected
    assert rewritten(raw, {(1, "x"): ""}) == b'x,y\n"",a\n"2","b"\n'


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("1,5", b'"1,5"'),
        ('5"', b'"5"""'),
        ("two\nlines", b'"two\nlines"'),
        ("two\rlines", b'"two\rlines"'),
        (" blanks ", b" blanks "),
        ("semi;colon", b"semi;colon"),
        ("=1+1", b"=1+1"),
    ],
)
def test_a_field_gets_quotes_if_its_new_text_needs_them(text, field):
    raw = b"x,y\n1,a\n2,b\n"
    expected = b"x,y\n" + field + b",a\n2,b\n"
    assert rewritten(raw, {(1, "x"): text}) == expected


def test_padding_before_quotes_is_kept_and_blanks_in_a_text_are_not_eaten():
    raw = b'x, y, z\n1, "a, b", p\n2, "c", q\n'
    changes = {(1, "y"): "d", (1, "z"): " r", (2, "x"): "5", (2, "z"): "s, t"}
    expected = b'x, y, z\n1, "d", " r"\n5, "c", "s, t"\n'
    assert rewritten(raw, changes) == expected


def test_the_only_row_with_padded_quotes_may_be_dropped():
    raw = b'x, y\n1, "a, b"\n2, c\n3, d\n'
    assert rewritten(raw, {}, [1]) == b"x, y\n2, c\n3, d\n"


def test_quotes_in_the_middle_of_a_field_are_text():
    raw = b'x,y\n5" pipe,a "b" c\n6,"d"\n'
    assert rewritten(raw, {(2, "x"): "7"}) == raw.replace(b"6", b"7")
    assert rewritten(raw, {(1, "y"): "e"}) == raw.replace(b'a "b" c', b"e")


def test_quoted_line_breaks_do_not_count_as_rows():
    raw = b'x,y\r\n"1\r\n\r\n,""2""\n",a\r\n3,b\r\n'
    assert rewritten(raw, {(2, "x"): "4"}) == raw.replace(b"3", b"4")
    assert rewritten(raw, {}, [1]) == b"x,y\r\n3,b\r\n"


def test_a_missing_field_of_a_short_row_is_added():
    raw = b"x,y,,\n1,a,n,m\n2,b\n3,c,"
    expected = b"x,y,,\n1,a,n,m\n2,b,,new\n3,c,here"
    changes = {(2, "column 4"): "new", (3, "column 3"): "here"}
    assert rewritten(raw, changes) == expected
    assert rewritten(raw, {(2, "column 4"): ""}) == raw


def test_a_row_of_one_field_does_not_become_a_blank_line():
    raw = b"x,\n1,a\n2\n3,b\n"
    assert rewritten(raw, {(2, "x"): ""}) == b"x,\n1,a\n,\n3,b\n"


def test_a_column_without_a_name_may_lose_its_last_content():
    raw = b"x,y,\n1,a,n\n2,b,\n"
    assert rewritten(raw, {(1, "column 3"): ""}) == b"x,y,\n1,a,\n2,b,\n"


def test_extra_delimiters_at_the_end_of_rows_are_kept():
    raw = b"x,y\n1,a,,\n2,b,\n"
    assert rewritten(raw, {(1, "y"): "c"}) == b"x,y\n1,c,,\n2,b,\n"


def test_columns_of_the_same_name_are_told_apart():
    raw = b"x,x,,y\n1,2,3,a\n4,5,6,b\n"
    changes = {(1, "x (2)"): "7", (2, "column 3"): "8", (2, "x"): "9"}
    assert rewritten(raw, changes) == b"x,x,,y\n1,7,3,a\n9,5,8,b\n"


def test_dropped_rows_go_with_their_line_endings():
    raw = b"x,y\r\n1,a\n2,b\r\n3,c"
    assert rewritten(raw, {(2, "x"): "0"}, [2]) == b"x,y\r\n1,a\n3,c"
    assert rewritten(raw, {(1, "x"): "0"}, {3, 2}) == b"x,y\r\n0,a\n"


@pytest.mark.parametrize(
    "encoding",
    [
        *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"),
        *("latin-1", "cp1252"),
    ],
)
def test_encodings_and_byte_order_marks_are_kept(encoding):
    price = "5 €" if encoding != "latin-1" else "5 £"
    text = "name;price\r\nJosé;{};\r\nZoë;{}\r\nÅsa;7\r\n"
    raw = text.format(price, "6").encode(encoding)
    new = text.format(price, "ü;ß").replace("ü;ß", '"ü;ß"').encode(encoding)
    assert rewritten(raw, {(2, "price"): "ü;ß"}) == new


@pytest.mark.parametrize(
    ("mark", "codec"),
    [(codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF32_BE, "utf-32-be")],
)
def test_big_endian_marks_are_kept(mark, codec):
    raw = mark + "x,y\n1,é\n2,b\n".encode(codec)
    expected = mark + "x,y\n1,é\n2,𝛼\n".encode(codec)
    assert rewritten(raw, {(2, "y"): "𝛼"}) == expected


@pytest.mark.parametrize(("char", "shown"), [("é", "Latin-1"), ("€", "Windows-1252")])
def test_text_that_the_encoding_lacks_gets_a_sentence(char, shown):
    raw = f"x,y\n{char},a\n2,b\n".encode("cp1252")
    message = message_of(raw, {(2, "x"): "Łódź"})
    assert "row 2, 'x'" in message and f"'Ł' cannot be written in {shown}" in message
    assert "Choose other text" in message and "UTF-8" in message


def test_text_that_no_file_can_hold_gets_a_sentence():
    raw = b"x,y\n1,a\n2,b\n"
    assert "cannot be written in UTF-8" in message_of(raw, {(1, "x"): "\ud800"})
    assert "NUL" in message_of(raw, {(1, "x"): "a\0"})


def test_places_that_do_not_exist_are_named():
    raw = b"x,y\n1,a\n2,b\n"
    assert "no row 3; its rows are numbered from 1 to 2" in (
        message_of(raw, {(3, "x"): "1"})
    )
    assert "no row 0" in message_of(raw, {}, [0])
    assert "no column 'z' (row 1)" in message_of(raw, {(1, "z"): "1"})
    assert "All 2 rows" in message_of(raw, {}, [1, 2])


def test_a_file_that_would_be_read_otherwise_is_refused():
    # Without the é that shows Latin-1, these bytes are valid UTF-8.
    raw = "x,y\né,a\nÃ¼,b\n".encode("latin-1")
    message = message_of(raw, {(1, "x"): "e"})
    assert "data.csv would not be read back as asked" in message
    assert "row 2, 'x' would be 'ü' and not 'Ã¼'" in message
    one = b"x\n1\n2\n3\n"
    assert "2 rows" in message_of(one, {(2, "x"): ""})
    long = {(1, "x"): "a" * 200_000}
    assert "longer than" in message_of(b"x,y\n1,a\n2,b\n", long)


def test_the_ugly_sample_changes_in_the_repaired_places_only():
    raw = UGLY.read_bytes()
    table = read(raw, label="grade")
    assert rewritten(raw, {}) == raw
    changes = {
        (52, "firmness_kg"): "6,8",
        (70, "harvested"): "15.09.2023",
        (103, "grade"): "extra",
        (101, "weight_g"): "196,2",
    }
    result = rewritten(raw, changes, drop=[93])
    old, new = raw.split(b"\r\n"), result.split(b"\r\n")
    assert len(new) == len(old) - 1
    kept = [line for line in old if line not in new]
    assert len(kept) == len(changes) + 1
    again = read(result, label="grade")
    cells = table.cells.copy()
    for (row, column), text in changes.items():
        cells.loc[table.position(row), column] = text
    cells = cells.drop(index=table.position(93)).reset_index(drop=True)
    pd.testing.assert_frame_equal(again.cells, cells)


# Random ugly files, made of known pieces


class UglyFile:
    """A random file as pieces: lines of fields (text, blanks before, quoted)."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.delimiter = rng.choice(",;\t|")
        self.padded = self.delimiter != "\t" and rng.random() < 0.4
        self.encoding = rng.choice(
            ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1"]
        )
        self.width = rng.randint(2, 5)
        endings = rng.choice([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]])
        unnamed = rng.random() < 0.4
        sign = "é€" if self.encoding == "cp1252" else "é"
        names = [f"{sign}{j}x" for j in range(self.width)]
        names += ["", ""] * unnamed
        self.names = [name or f"column {j}" for j, name in enumerate(names, 1)]
        self.rows = [[(name, "", False) for name in names]]
        for _ in range(rng.randint(2, 12)):
            row = [self.field() for _ in names]
            if rng.random() < 0.3:
                del row[self.width :]  # short, if there are columns without a name
            self.rows.append(row)
        # The last row is not changed: it shows how the file is written.
        last = ("shown", " " * self.padded, self.padded)
        self.rows.append([last for _ in names])
        self.extra = [rng.random() < 0.1 for _ in self.rows]
        self.endings = [rng.choice(endings) for _ in self.rows]
        self.blanks = [self.blank_lines(ending) for ending in self.endings]
        if rng.random() < 0.5:
            self.endings[-1] = self.blanks[-1] = ""

    def blank_lines(self, ending):
        blank = self.rng.choice(["  ", '""', '"  "', "\xa0", ""])
        if (not blank and ending == "\r") or self.rng.random() < 0.7:
            return ""
        return blank + ending

    def text(self):
        pieces = ["a", "7", "é", "1,5", "b ", 'c"', self.delimiter + "x", "\n", "\r\n"]
        start = self.rng.choice(["", "", " ", '"', "1", "  z"])
        return start + "".join(self.rng.choices(pieces, k=self.rng.randint(0, 4)))

    def field(self):
        text, rng = self.text(), self.rng
        blanks = " " * rng.randint(0, 2) if self.padded else ""
        bare = not any(c in text for c in (self.delimiter, "\n", "\r"))
        bare = bare and not text.lstrip(" ").startswith('"')
        bare = bare and not (self.padded and text.startswith(" "))
        return text, blanks, not bare or rng.random() < 0.3

    def changed(self, changes, drop):
        """The file's bytes, by the rules of a drop-in."""
        text = ""
        for i, row in enumerate(self.rows):
            if i in drop:
                text += self.blanks[i]
                continue
            row = list(row)
            row += [("", "", False)] * (1 + max(changes.get(i, [0])) - len(row))
            for j, new in changes.get(i, {}).items():
                needed = any(c in new for c in (self.delimiter, "\n", "\r", '"'))
                needed = needed or (self.padded and new.startswith(" "))
                row[j] = (new, row[j][1], row[j][2] or needed)
            text += self.delimiter.join(
                blanks + ('"' + cell.replace('"', '""') + '"' if quoted else cell)
                for cell, blanks, quoted in row
            )
            is_full = len(self.rows[i]) == len(self.names)
            text += self.delimiter * (self.extra[i] and is_full)
            text += self.endings[i] + self.blanks[i]
        return text.encode(self.encoding)

    def cells(self):
        short = len(self.names)
        return [[f[0] for f in row] + [""] * (short - len(row)) for row in self.rows]


@pytest.mark.parametrize("seed", range(200))
def test_random_ugly_files_keep_every_other_byte(seed):
    file = UglyFile(seed)
    raw = file.changed({}, set())
    old = file.cells()
    cells, written, _ = text_cells(raw, "ugly")
    assert written.delimiter == file.delimiter
    assert cells.values.tolist() == old[1:]  # the pieces are what they claim to be
    assert rewritten(raw, {}) == raw
    rng = file.rng
    changes, asked = {}, {}
    for _ in range(rng.randint(1, 6)):
        i, j = rng.randrange(1, len(old) - 1), rng.randrange(len(file.names))
        new = file.text()
        asked[i, file.names[j]] = new
        changes.setdefault(i, {})[j] = new
    for i, j in [(i, j) for i, row in changes.items() for j in row]:
        if changes[i][j] == old[i][j]:
            del changes[i][j]
    changes = {i: row for i, row in changes.items() if row}
    drop = {i for i in range(1, len(old) - 1) if rng.random() < 0.2}
    result = rewritten(raw, asked, drop)
    assert result == file.changed(changes, drop)
    for (i, name), new in asked.items():
        old[i][file.names.index(name)] = new
    expected = [row for i, row in enumerate(old) if i not in drop][1:]
    again, _, _ = text_cells(result, "again")
    assert again.values.tolist() == expected


def test_work_grows_no_faster_than_the_rows():
    line = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, {}, a\n"

    def arguments(n):
        rng = random.Random(0)
        lines = [line.format(rng.randrange(10**6)) for _ in range(n)]
        raw = ("a,b,c,d,e,f,g,h,y\n" + "".join(lines)).encode()
        return raw, {(row, "c"): "5" for row in range(1, n, 7)}, range(2, n, 70)

    raw, changes, drop = arguments(8_000)
    result = rewritten(raw, changes, drop)
    assert result.count(b"\n") == raw.count(b"\n") - len(drop)
    assert calls(rewritten, *arguments(8_000)) < 4.4 * calls(
        rewritten, *arguments(2_000)
    )


def test_a_new_file_has_quotes_around_a_lone_carriage_return():
    frame = pd.DataFrame({"a": ["x\ry", "1"], "b": ["2", "3"]})
    again = pd.read_csv(io.StringIO(frame_csv(frame), newline=""), dtype=str)
    assert again.shape == (2, 2) and again["a"][0] == "x\ry"
    plain = frame.replace("x\ry", "x")
    assert frame_csv(plain) == plain.to_csv(index=False, lineterminator="\n")


def lines_of(raw):
    """The line of each cell of a file, row by row."""
    cells, written, _ = text_cells(raw, "table")
    asked = [(i + 1, j) for i in range(len(cells)) for j in range(cells.shape[1])]
    found = cell_lines(raw, written, asked)
    return [[found[i + 1, j] for j in range(cells.shape[1])] for i in range(len(cells))]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_lines_of_cells_are_those_that_an_editor_shows(end, encoding):
    lines = ["a,b,c", '"one', 'two",é,"', '"', "", "3,4,5", '6,"7""', '",8']
    raw = end.join(lines).encode(encoding)
    assert lines_of(raw) == [[2, 3, 3], [6, 6, 6], [7, 7, 8]]


def test_lines_count_from_the_top_of_the_file():
    assert lines_of(b"\n\na;b\n\n1;2\n\n3;4") == [[5, 5], [7, 7]]
    assert lines_of(b'a, b\n1, "x\ny"\n2, "z"\n') == [[2, 2], [4, 4]]


def test_only_what_is_asked_for_is_found():
    raw = b"a,b\n1,2\n3,4\n"
    _, written, _ = text_cells(raw, "table")
    assert cell_lines(raw, written, [(2, 1)]) == {(2, 1): 3}
    assert cell_lines(raw, written, []) == {}
