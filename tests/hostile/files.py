"""Files as nobody should write them, seeded, with what each must give.

`files()` yields a `Hostile` for each: its bytes, and either a part of the sentence with
which it is refused, or the shape (rows, columns with the label) of the table it is. Of
those that chance spoilt, nobody can say which: they are refused with a sentence, or a
table like any other (`check.outcome`).
"""

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

SEED = 20_26


@dataclass(frozen=True)
class Hostile:
    name: str
    raw: bytes
    refused: str = ""  # in the sentence
    shape: tuple[int, int] | None = None
    is_drawn: bool = False  # spoilt by chance: refused, or any table

    def __post_init__(self) -> None:
        stated = [self.refused, self.shape, self.is_drawn]
        assert sum(map(bool, stated)) == 1, f"{self.name}: what must it give?"


def grid(n=8, m=3, mark=",", end="\n", cell=lambda i, j: str((7 * i + 3 * j) % 11)):
    """A good table of numbers with a label of two classes, as text."""
    header = mark.join([*(f"c{j}" for j in range(m)), "y"])
    rows = (mark.join([*(cell(i, j) for j in range(m)), "ab"[i % 2]]) for i in range(n))
    return end.join([header, *rows]) + end


def with_cell(text, header="c0"):
    """A good table with one text, quoted, among its cells."""
    quoted = '"' + text.replace('"', '""') + '"'
    lines = grid().splitlines()
    first = lines[3].split(",")
    lines[3] = ",".join([first[0], quoted, *first[2:]])
    return "\n".join([lines[0].replace("c0", header), *lines[1:]]) + "\n"


TRICKS = (
    *("=1+1", "+SUM(A1)", "-2+3", "@cmd", "=cmd|' /C calc'!A0", "\t=1", "=HYPERLINK()"),
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "<b>"),
    *("[a](javascript:alert(1))", "![](http://a.b/c.png)", "**bold** _it_ `c`", "# h"),
    *("$x^2$", "{{ 7*7 }}", "${7*7}", "%s%n", "{0}", "\\x41", "'; DROP TABLE t;--"),
    *("\x1b[31mred\x1b[0m", "\x07", "\x08\x08", "\x7f", "\x9b2J", "a\rb", "a\r\nb"),
    *(
        "a\nb",
        "\u202etxt.exe",
        "\u200b",
        "\ufeff",
        "\u2028",
        "\u2029",
        "\xa0",
        "\u3000",
    ),
    *(
        "e\u0301" * 40,
        "ﬃ",
        "İ",
        "ß",
        "Ω≈ç√",
        "漢字",
        "👩‍👩‍👧‍👦",
        "🏳️‍🌈",
        "١٢٣",
        "１２",
        "Ⅷ",
        "½",
    ),
    *(
        "\U0010ffff",
        "\ue000",
        "\ufffd",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "1e999",
    ),
    *(
        "-1e999",
        "1e-999",
        "5e-324",
        "1.7976931348623157e308",
        "9" * 400,
        "0x1F",
        "1_000",
    ),
    *("1e5000", "٣", "--5", "5-", "(5)", "1,5", "1.5.2", "1 000", "1'000", "$5", "5 %"),
    *("2020-02-30", "0000-00-00", "31/12/9999", "1/1/1", "2020-01-01T25:61:61Z"),
    *("9999999-01-01", "-0", "0" * 300, "None", "null", "NULL", "N/A", "?", "-", "."),
    *("", " ", "  \t ", '"', '""', "'", "`", "\\", "/", "|", ";", ",", ",,,,", "\t\t"),
    *("1" * 130_000 + "x", "1" * 130_000 + ".x", "1e" + "1" * 100_000 + "x"),
    *("x" * 100_000, "word " * 5000, "true", "TRUE", "__class__", "constructor", "..."),
)
INFINITE = ("inf", "-inf", "Infinity", "1e999", "-1e999", "9" * 400, "1e5000")
HEADERS = (
    *("", " ", "y ", "Y", "y", "c1", "index", "id", "constructor", "__proto__", "None"),
    *("x" * 100_000, "=1+1", "<script>alert(1)</script>", "**b**", "[a](b)", "nan"),
    *(
        "\x1b[2J",
        "a\nb",
        "a\r\nb",
        "\u202eabc",
        "\ufeff",
        "e\u0301",
        "👩‍👩‍👧",
        "'",
        '"',
        ",",
    ),
    *("%s", "{0}", "$x$", "row", "row_number", "value", "label", "position", "c0 (2)"),
    *("column 1", "漢字", "a/b", "..", "\\", "0", "1.5", "True", "\xa0", "\x7f", "\t"),
)
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"),
    *("cp1252", "cp1250", "cp1251", "cp437", "iso8859-15", "mac-roman", "shift-jis"),
    *("gbk", "big5", "euc-kr", "koi8-r", "utf-7", "cp037"),
)


def cells_and_headers() -> Iterator[Hostile]:
    for k, text in enumerate(TRICKS):
        raw = with_cell(text).encode()
        if text in INFINITE:
            yield Hostile(f"cell-{k}", raw, "infinite number")
        else:
            yield Hostile(f"cell-{k}", raw, shape=(8, 4))
    for k, text in enumerate(HEADERS):
        quoted = '"' + text.replace('"', '""') + '"'
        yield Hostile(f"header-{k}", with_cell("1", quoted).encode(), shape=(8, 4))


def encodings() -> Iterator[Hostile]:
    text = grid(cell=lambda i, j: ("Zoë", "José", "12.5")[(i + j) % 3])
    for encoding in ENCODINGS:
        raw = text.encode(encoding, "replace")
        name, mixed = f"encoding-{encoding}", raw + "é,ü,ß,a\n".encode()
        if encoding == "cp037":  # of mainframes: not even lines end as elsewhere
            for end, new in (("", raw), ("-cut", raw[:-1]), ("-mixed", mixed)):
                yield Hostile(f"{name}{end}", new, "no rows")
            continue
        yield Hostile(name, raw, shape=(8, 4))
        if encoding.startswith(("utf-16", "utf-32")):  # two or four bytes a letter
            yield Hostile(f"{name}-cut", raw[:-1], "may be cut off")
            yield Hostile(f"{name}-mixed", mixed, "may be cut off")
        else:
            yield Hostile(f"{name}-cut", raw[:-1], shape=(8, 4))
            yield Hostile(f"{name}-mixed", mixed, shape=(9, 4))
    good = grid().encode()
    yield Hostile("mark-twice-utf-8", 2 * b"\xef\xbb\xbf" + good, shape=(8, 4))
    for mark in (b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0"):
        yield Hostile(f"mark-twice-{mark.hex()}", mark * 2 + good, "may be cut off")
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0"):
        yield Hostile(f"mark-alone-{mark.hex()}", mark, "is empty")
        words = "NUL" if b"\0" in mark else "1 field"
        yield Hostile(f"mark-inside-{mark.hex()}", good + mark, words)


def dialects() -> Iterator[Hostile]:
    for mark in ",;\t|":
        for end in ("\n", "\r\n", "\r"):
            for tail in ("", end, end * 3, f"{end} {end}"):
                raw = (grid(mark=mark, end=end).removesuffix(end) + tail).encode()
                yield Hostile(f"dialect-{len(raw)}-{ord(mark)}", raw, shape=(8, 4))
    for mark in (":", " ", "~", "^", "\x01", "\x1f", "§"):
        words = "single column" if mark != "\x01" else "no table"
        yield Hostile(f"delimiter-{ord(mark)}", grid(mark=mark).encode(), words)
    yield Hostile("size-1-3", grid(1, 3).encode(), "at least 2 rows")
    for n, m in ((2, 1), (3, 1), (2, 60), (300, 2)):
        yield Hostile(f"size-{n}-{m}", grid(n, m).encode(), shape=(n, m + 1))


def broken() -> Iterator[Hostile]:
    good = grid()
    many = (",".join(f"c{j}" for j in range(2500)) + "\n").encode()
    one_class = good.replace(",b\n", ",a\n").encode()
    yield Hostile("broken-one-class", one_class, shape=(8, 4))
    for name, raw, words in (
        ("empty", b"", "is empty"),
        ("blanks", b" \n\t\n \r\n", "is empty"),
        ("nul-only", b"\0" * 500, "is empty"),
        ("header-only", b"a,b,y\n", "no rows"),
        ("no-newline", b"a,b,y", "no rows"),
        ("one-column", b"y\na\nb\na\n", "single column"),
        ("one-word", b"hello", "no rows"),
        ("open-quote", good.encode() + b'"1,2,3,a\n', "never closed"),
        ("quote-in-quote", good.encode() + b'"1"2,3,4,a\n', "quotes"),
        ("short-row", good.encode() + b"1,2\n", "fields"),
        ("long-row", good.encode() + b"1,2,3,a,5,6\n", "fields"),
        ("nul", good.encode() + b"1,\0,3,a\n", "NUL"),
        ("many-columns", many, "2,500 columns"),
        ("all-missing", b"a,y\n" + b",n\n,m\n" * 4, "no usable feature"),
        ("no-label", b"a,b,y\n" + b"1,2,\n" * 5, "at least 2 rows"),
    ):
        yield Hostile(f"broken-{name}", raw, words)
    starts = {
        "pdf": b"%PDF-1.7\n%\xe2\xe3",
        "png": b"\x89PNG\r\n\x1a\n" + bytes(99),
        "jpeg": b"\xff\xd8\xff\xe0" + bytes(99),
        "gif": b"GIF89a" + bytes(99),
        "sqlite": b"SQLite format 3\0" + bytes(99),
        "html": b"<!DOCTYPE html><html><body><table></table>",
        "xml": b"<?xml version='1.0'?><a/>",
        "json": b'{"a": [1, 2], "y": [0, 1]}',
        "json-pretty": b'{\n  "a": 1,\n  "y": 0\n}\n',
        "json-list": b'[{"a": 1}, {"a": 2}]',
        "npz": zipped("values.npy", b"\x93NUMPY\x01\0v\0{}"),
        "bzip2": bz2.compress(good.encode()),
        "xz": lzma.compress(good.encode()),
    }
    short = {  # too short to tell what they are
        "sqlite": "no rows",
        "html": "no rows",
        "json-pretty": "single column",
        "npz": "cut off or damaged",
    }
    for name, raw in starts.items():
        in_front = raw + b"\n" + good.encode()
        yield Hostile(f"other-{name}", raw, "is no table")
        yield Hostile(f"other-{name}-cut", raw[:6], short.get(name, "is no table"))
        yield Hostile(f"other-{name}-in-front", in_front, "is no table")


def columnar() -> Iterator[Hostile]:
    """Parquet and Arrow files, good and bad, and compressed ones."""
    table = pa.table(pd.read_csv(io.StringIO(grid())))
    good = grid().encode()
    zstd = pa.BufferOutputStream()
    with pa.CompressedOutputStream(zstd, "zstd") as file:
        file.write(good)
    files = {"parquet": io.BytesIO(), "arrow": io.BytesIO(), "stream": io.BytesIO()}
    parquet.write_table(table, files["parquet"])
    for kind, new in (("arrow", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
        with new(files[kind], table.schema) as writer:
            writer.write_table(table)
    raws = {kind: file.getvalue() for kind, file in files.items()}
    raws |= {"gzip": gzip.compress(good, mtime=0), "zip": zipped("t.csv", good)}
    raws["zstd"] = bytes(zstd.getvalue())
    raws["zip-lzma"] = zipped("t.csv", good, zipfile.ZIP_LZMA)
    raws["zip-bzip2"] = zipped("t.csv", good, zipfile.ZIP_BZIP2)
    draw = random.Random(SEED)
    for kind, raw in raws.items():
        yield Hostile(f"{kind}-good", raw, shape=(8, 4))
        yield Hostile(f"{kind}-cut", raw[: len(raw) // 2], "cut off or damaged")
        yield Hostile(f"{kind}-head", raw[:6], "cut off or damaged")
        yield Hostile(f"{kind}-only", raw[:8] + bytes(99), "cut off or damaged")
        for k in range(10):
            spoilt = spoilt_bytes(raw, 8, draw)
            yield Hostile(f"{kind}-spoilt-{k}", spoilt, is_drawn=True)


def spoilt_bytes(raw: bytes, first: int, draw: random.Random) -> bytes:
    """With five other bytes, none before `first`."""
    spoilt = bytearray(raw)
    for _ in range(5):
        spoilt[draw.randrange(first, len(raw))] = draw.randrange(256)
    return bytes(spoilt)


def workbooks() -> Iterator[Hostile]:
    """Workbooks, good and bad, written by hand: no two programs write them alike."""
    head = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    )
    rows = b"".join(
        b"<row>%s</row>"
        % b"".join(
            b'<c t="inlineStr"><is><t>%s</t></is></c>' % text.encode()
            for text in line.split(",")
        )
        for line in grid().splitlines()
    )
    sheet = head + b"<sheetData>%s</sheetData></worksheet>"
    good = xlsx(sheet % rows)
    yield Hostile("xlsx-good", good, shape=(8, 4))
    yield Hostile("xlsx-macros", xlsx(sheet % rows, vbaProject=b"\1\2"), shape=(8, 4))
    # each "<f" and "<row" of it begins what is never closed
    open_ended = b"<!--%s-->" % (b"<f <row <c " * 100_000)
    yield Hostile("xlsx-open-ended", xlsx(sheet % rows + open_ended), shape=(8, 4))
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    follows = b'<row>%s</row><row r="1000000"><c><v>1</v></c></row>'
    follows %= b"<c s='1'><v>1</v></c>" * 300
    entity = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>'
    password = "EncryptedPackage".encode("utf-16-le")
    for name, raw, words in (
        ("cut", good[: len(good) // 2], "cut off or damaged"),
        ("far", xlsx(sheet % (rows + far)), "column 16,384"),
        ("far-rows", xlsx(sheet % (rows + follows)), "row 1,000,000"),
        ("empty", xlsx(sheet % b""), "without a table"),
        ("one-cell", xlsx(sheet % b"<row><c><v>1</v></c></row>"), "without a table"),
        ("no-sheet", zipped("xl/workbook.xml", b"<x/>"), "workbook"),
        ("entities", xlsx(entity + sheet % rows), "damaged"),
        ("binary", zipped("xl/workbook.bin", b"\1"), "save it as .xlsx"),
        ("old-cut", b"\xd0\xcf\x11\xe0" + bytes(99), "damaged"),
        ("password", b"\xd0\xcf\x11\xe0" + bytes(2000) + password, "password"),
        ("many", xlsx(*[sheet % b""] * 1000), "without a table"),
        ("bomb", xlsx(sheet % rows + b" " * (len(rows) << 12), say=2**32 - 2), "MB"),
    ):
        yield Hostile(f"xlsx-{name}", raw, words)
    draw = random.Random(SEED)
    for k in range(40):
        spoilt = bytearray(sheet % rows)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(spoilt))
            spoilt[at : at + draw.choice([0, 1, 20])] = draw.choice(
                [b"<", b">", b'"', b"&", b"</c>", b"<row>", b"\0", b"\xff", b' r="ZZ9"']
            )
        yield Hostile(f"xlsx-spoilt-{k}", xlsx(bytes(spoilt)), is_drawn=True)
    for k in range(20):
        yield Hostile(f"xlsx-bytes-{k}", spoilt_bytes(good, 4, draw), is_drawn=True)


def json_lines() -> Iterator[Hostile]:
    keys, *rows = (line.split(",") for line in grid().splitlines())
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in rows]
    good = "\n".join(lines).encode()
    yield Hostile("json-lines", good, shape=(8, 4))
    for k, text in enumerate(TRICKS):
        if text not in INFINITE:
            more = json.dumps({"c0": "1", "c1": text, "c2": "2", "y": "a"}).encode()
            yield Hostile(f"json-lines-{k}", good + b"\n" + more, shape=(9, 4))
    draw = random.Random(SEED)
    for k in range(30):
        spoilt = bytearray(good)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(2, len(spoilt))
            new = draw.choice([b"{", b"}", b'"', b"[", b"\n", b"\\", b"null", b"\xff"])
            spoilt[at : at + draw.choice([0, 1, 9])] = new
        yield Hostile(f"json-lines-spoilt-{k}", bytes(spoilt), is_drawn=True)


def xlsx(*sheets: bytes, say: int = 0, **others: bytes) -> bytes:
    """The least that is a workbook; `say` is the size that its last sheet is said to
    have.
    """
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    numbers = range(1, len(sheets) + 1)
    entries = "".join(
        f'<sheet name="S{k}" sheetId="{k}" r:id="r{k}"/>' for k in numbers
    )
    targets = "".join(
        f'<Relationship Id="r{k}" Type="{office}/worksheet" '
        f'Target="worksheets/sheet{k}.xml"/>'
        for k in numbers
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship '
        f'Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        f"{entries}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f"{targets}</Relationships>",
    }
    files |= {f"xl/{name}.bin": raw for name, raw in others.items()}
    files |= {
        f"xl/worksheets/sheet{k}.xml": raw
        for k, raw in zip(numbers, sheets, strict=True)
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, raw in files.items():
            archive.writestr(zipfile.ZipInfo(name), raw, zipfile.ZIP_DEFLATED)
    raw = file.getvalue()
    if say:
        true = len(sheets[-1]).to_bytes(4, "little")
        raw = raw.replace(true, say.to_bytes(4, "little"))
    return raw


def zipped(name: str, raw: bytes, how: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), raw, how)
    return file.getvalue()


def mutated(n: int) -> Iterator[Hostile]:
    """Good files with some of their bytes changed, cut, doubled or moved."""
    draw = random.Random(SEED)
    pieces = [b'"', b",", b";", b"\n", b"\r", b"\t", b"\0", b"\xff", b"\xc3", b"e999"]
    pieces += [text.encode() for text in TRICKS if len(text) < 50]
    bases = [grid().encode(), grid(mark=";", cell=lambda i, j: f"{i},{j}5").encode()]
    bases.append(with_cell("two\nlines").encode())
    bases.append(grid(cell=lambda i, j: f"2020-{i + 1:02}-1{j}").encode("utf-16"))
    for k in range(n):
        raw = bytearray(draw.choice(bases))
        for _ in range(draw.randint(1, 6)):
            at, end = sorted(draw.choices(range(len(raw) + 1), k=2))
            end = min(end, at + draw.choice([0, 1, 3, 20]))
            new = draw.choice([draw.choice(pieces), bytes(raw[at:end]) * 2, b""])
            raw[at:end] = new
        yield Hostile(f"mutated-{k}", bytes(raw), is_drawn=True)


def files(n_mutated: int = 150) -> list[Hostile]:
    return [
        *cells_and_headers(),
        *encodings(),
        *dialects(),
        *broken(),
        *columnar(),
        *workbooks(),
        *json_lines(),
        *mutated(n_mutated),
    ]
