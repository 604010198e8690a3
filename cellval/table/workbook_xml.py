"""A changed .xlsx file: other contents of some cells, and all else as it was.

The sheet's XML is changed where the cells are, and everything else in the archive is
copied: formats, formulas, charts, pictures, macros and other sheets stay. A dropped row
is emptied, not moved: what refers to the rows below it goes on being right.
"""

import datetime
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any
from xml.sax.saxutils import escape, unescape

from cellval.errors import InputError
from cellval.table.changes import Asked, Changes
from cellval.table.unpacking import member_bytes, open_zip, zipped
from cellval.table.workbook import (
    Sheet,
    column_number,
    kind_of,
    open_book,
    sheet_paths,
    workbook_cells,
)
from cellval.text import shortened

_NUMBER = re.compile(r"[+-]?(\d++\.?+\d*+|\.\d++)([eE][+-]?\d++)?")
QUOTES = {"&quot;": '"', "&apos;": "'"}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def rewritten_workbook(
    raw: bytes,
    asked: Asked,
    drop: Collection[int] = (),
    name: str = "table",
    sheet: str | None = None,
    header_row: int | None = None,
) -> bytes:
    """The workbook with other texts in some cells and without some rows."""
    before, written, _ = next(workbook_cells(raw, name, 10**9, "", sheet, header_row))
    changes = Changes.of(before, asked, drop, name)
    if not changes:
        return raw
    part = open_book(raw, name).sheet(written.sheet, written.header_row)
    assert part is not None
    result = _changed_file(raw, name, written.sheet, part, changes)
    where = (written.sheet, written.header_row)
    kinds = {j: _kind(part, j) for j in changes.by_column}

    def same(j: int, one: str, other: str) -> bool:
        kind = kinds.get(j, "")
        first, second = (_typed(kind, text) for text in (one, other))
        return first is not None and first == second

    changes.check(
        lambda: next(workbook_cells(result, name, 10**9, "", *where))[0], same
    )
    return result


def _changed_file(
    raw: bytes, name: str, sheet: str, part: Sheet, changes: Changes
) -> bytes:
    archive = open_zip(raw, name)
    contents = {member.filename: member for member in archive.infolist()}
    path = sheet_paths(archive, name)[sheet]
    xml = member_bytes(archive, contents[path], name)
    book = "xl/workbook.xml"
    said = re.search(
        rb"\bdate1904\s*=\s*[\"'](1|true)", member_bytes(archive, contents[book], name)
    )
    origin = datetime.datetime(1904, 1, 1) if said else datetime.datetime(1899, 12, 30)
    xml, had_formula = _changed_sheet(xml, part, changes, origin)
    new, without = {path: xml}, set[str]()

    def edited(path: str, pattern: bytes, by: bytes) -> None:
        if path in contents:
            old = new.get(path) or member_bytes(archive, contents[path], name)
            new[path] = re.sub(pattern, by, old, flags=re.S)

    order = "xl/calcChain.xml"
    if had_formula and order in contents:
        # It names cells with formulas, some of which are none any more.
        without.add(order)
        edited("[Content_Types].xml", rb"<Override\b[^>]*calcChain\.xml[^>]*/>", b"")
        rels = "xl/_rels/workbook.xml.rels"
        edited(rels, rb"<Relationship\b[^>]*calcChain\.xml[^>]*/>", b"")
    others = (
        member_bytes(archive, member, name)
        for other, member in contents.items()
        if other.startswith("xl/worksheets/") and other != path
    )
    if any(re.search(rb"<(?:\w+:)?f[ >]", one) for one in chain([xml], others)):
        # Results of formulas that use a changed cell are old until they are computed.
        edited(book, rb"\sfullCalcOnLoad\s*=\s*[\"'][^\"']*[\"']", b"")
        edited(book, rb"(<(?:\w+:)?calcPr\b)", rb'\1 fullCalcOnLoad="1"')
        if b"fullCalcOnLoad" not in new[book]:
            after = rb"(.*</(?P<p>\w+:)?(?:sheets|externalReferences|definedNames)>)"
            tag = rb'\1<\g<p>calcPr fullCalcOnLoad="1"/>'
            edited(book, after, tag)
    return zipped(archive, new, frozenset(without))


# --- the cells ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    """A <c> element in the text of its row."""

    start: int
    end: int
    column: int  # from 1
    style: bytes
    body: bytes


@dataclass(frozen=True)
class _Plan:
    """What the rows of a sheet have in common."""

    prefix: bytes  # of the names of elements
    part: Sheet
    changes: Changes
    kinds: dict[int, str]  # of changed columns, by index
    styles: dict[int, bytes]  # the format of a cell of that kind
    origin: datetime.datetime  # from which days are counted


def _changed_sheet(
    xml: bytes, part: Sheet, changes: Changes, origin: datetime.datetime
) -> tuple[bytes, bool]:
    """The sheet's XML after the changes, and whether a formula went."""
    root = re.search(rb"<(\w+:)?worksheet\b", xml)
    prefix = (root[1] if root else None) or b""
    edits: dict[int, dict[int, tuple[int, int, str]]] = {}  # by row and column
    for n, texts in changes.new.items():
        line = edits.setdefault(part.rows[n - 1] + 1, {})
        for j, text in texts.items():
            line[part.columns[j] + 1] = (n, j, text)
    for n in changes.gone:
        line = edits.setdefault(part.rows[n - 1] + 1, {})
        line.update({k + 1: (n, j, "") for j, k in enumerate(part.columns)})
    rows = dict(_rows(xml, prefix))
    xml = _unshared(xml, prefix, rows, edits, changes)
    rows = dict(_rows(xml, prefix))
    kinds = {j: _kind(part, j) for j in changes.by_column}
    styles = _styles(xml, prefix, rows, part, kinds)
    plan = _Plan(prefix, part, changes, kinds, styles, origin)
    pieces: list[bytes] = []
    copied, had_formula = 0, False
    for number in sorted(edits):
        if number not in rows:
            raise changes.misread(f"row {number:,} of the sheet is not found")
        start, end = rows[number]
        row, went = _changed_row(xml[start:end], number, edits[number], plan)
        had_formula |= went
        pieces += [xml[copied:start], row]
        copied = end
    return b"".join([*pieces, xml[copied:]]), had_formula


def _rows(xml: bytes, prefix: bytes) -> Iterator[tuple[int, tuple[int, int]]]:
    """Number (from 1) and place of each <row> element."""
    number = 0
    for start, end, attributes, _ in _elements(xml, b"%srow" % prefix):
        said = re.search(rb"\br\s*=\s*[\"'](\d+)", attributes)
        number = int(said[1]) if said else number + 1
        yield number, (start, end)


def _elements(xml: bytes, tag: bytes) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Start, end, attributes and content of each, which holds no other of its kind.

    Where one is not closed there are no more: no text is looked through twice.
    """
    opening, closing, at = re.compile(rb"<%s\b([^<>]*+)>" % tag), b"</%s>" % tag, 0
    while one := opening.search(xml, at):
        at, content = one.end(), b""
        if not one[1].endswith(b"/"):
            end = xml.find(closing, at)
            if end < 0:
                return
            content, at = xml[at:end], end + len(closing)
        yield one.start(), at, one[1].removesuffix(b"/"), content


def _cells(row: bytes, prefix: bytes) -> list[_Cell]:
    found, column = [], 0
    for start, end, attributes, body in _elements(row, b"%sc" % prefix):
        said = re.search(rb"\br\s*=\s*[\"']([A-Za-z]+)", attributes)
        column = column_number(said[1]) if said else column + 1
        style = re.search(rb"\bs\s*=\s*[\"'](\d+)", attributes)
        found.append(_Cell(start, end, column, style[1] if style else b"", body))
    return found


def _kind(part: Sheet, j: int) -> str:
    """What most cells of a column are; of an empty one numbers are taken as such."""
    counts = Counter(kind for kind, _ in part.kinds(j))
    return counts.most_common(1)[0][0] if counts else "number"


def _styles(
    xml: bytes,
    prefix: bytes,
    rows: dict[int, tuple[int, int]],
    part: Sheet,
    kinds: dict[int, str],
) -> dict[int, bytes]:
    """By index of the column, the format of its first cell that is of its kind."""
    styles = {}
    for j, kind in kinds.items():
        row = next((i for found, i in part.kinds(j) if found == kind), None)
        if row is not None and row + 1 in rows:
            start, end = rows[row + 1]
            for cell in _cells(xml[start:end], prefix):
                if cell.column == part.columns[j] + 1:
                    styles[j] = cell.style
    return styles


def _changed_row(
    row: bytes, number: int, edits: dict[int, tuple[int, int, str]], plan: _Plan
) -> tuple[bytes, bool]:
    """The row with its new cells, and whether one of the old ones was a formula."""
    prefix, kinds, styles = plan.prefix, plan.kinds, plan.styles
    values = plan.part.values[number - 1]
    cells = {cell.column: cell for cell in _cells(row, prefix)}
    new: list[tuple[int, int, bytes]] = []  # start, end and what stands there then
    had_formula = False
    for column, (line, j, text) in sorted(edits.items()):
        old = cells.get(column)
        if old is None and not text:
            continue
        value = _typed(kinds.get(j, "text"), text)
        style = old.style if old else styles.get(j, b"")
        is_kind = old and kind_of(values[column - 1]) == kinds.get(j)
        if value is not None and not is_kind:
            style = styles.get(j, style)
        if isinstance(value, datetime.datetime):
            value = (value - plan.origin) / datetime.timedelta(days=1)
        if value is None and _NO_XML.search(text):
            raise InputError(
                f"{plan.changes.place(line, j)}: '{shortened(text)}' holds a character "
                "that no workbook can hold. Choose other text."
            )
        element = _element(prefix, _place(number, column), style, value, text)
        if old:
            had_formula |= bool(re.search(rb"<%sf\b" % prefix, old.body))
            new.append((old.start, old.end, element))
        else:
            later = (cell.start for cell in cells.values() if cell.column > column)
            end = row.rfind(b"</") if b"</" in row else len(row)
            at = min(later, default=end)
            new.append((at, at, element))
    pieces, copied = [], 0
    for start, end, element in new:
        pieces += [row[copied:start], element]
        copied = end
    changed = b"".join([*pieces, row[copied:]])
    head, mark, rest = changed.partition(b">")
    # A hint about which columns are filled, which need not be there.
    return re.sub(rb"\sspans\s*=\s*[\"'][^\"']*[\"']", b"", head) + mark + rest, (
        had_formula
    )


def _place(row: int, column: int) -> bytes:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}".encode()


def _element(
    prefix: bytes, place: bytes, style: bytes, value: bool | float | None, text: str
) -> bytes:
    """A <c> element with a value, or with a text in it."""
    head = b'<%sc r="%s"' % (prefix, place) + (b' s="%s"' % style if style else b"")
    if not text:
        return head + b"/>"
    if value is not None:
        kind = b' t="b"' if isinstance(value, bool) else b""
        number = repr(float(value)).removesuffix(".0").encode()
        body = b"<%sv>%s</%sv>" % (prefix, number, prefix)
        return head + kind + b">" + body + b"</%sc>" % prefix
    # What looks like an escaped character would be read as that.
    plain = re.sub(r"_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text).replace("\r", "_x000D_")
    inner = escape(plain).encode()
    written = b'<%sis><%st xml:space="preserve">%s</%st></%sis>'
    body = written % (prefix, prefix, inner, prefix, prefix)
    return head + b' t="inlineStr">' + body + b"</%sc>" % prefix


def _typed(kind: str, text: str) -> Any:
    """The text as a number, date or truth value of its column; None if it is none."""
    text = text.strip()
    if kind == "number" and _NUMBER.fullmatch(text):
        number = float(text)
        return number if abs(number) < float("inf") else None
    if kind == "truth" and text.upper() in ("TRUE", "FALSE"):
        return text.upper() == "TRUE"
    if kind == "date":
        try:
            moment = datetime.datetime.fromisoformat(text)
        except ValueError:
            return None
        fits = moment.tzinfo is None and moment.year >= 1900
        return moment if fits and moment > datetime.datetime(1900, 3, 1) else None
    return None


# --- formulas that cells share --------------------------------------------------------


def _unshared(
    xml: bytes,
    prefix: bytes,
    rows: dict[int, tuple[int, int]],
    edits: dict[int, dict[int, tuple[int, int, str]]],
    changes: Changes,
) -> bytes:
    """Where a changed cell holds the formula for others, each gets its own."""
    shared: dict[bytes, tuple[str, str]] = {}
    for number, line in edits.items():
        start, end = rows.get(number, (0, 0))
        for cell in _cells(xml[start:end], prefix):
            if cell.column not in line:
                continue
            formula = re.search(
                rb"<%sf\b([^>]*)>([^<]*)</%sf>" % (prefix, prefix), cell.body
            )
            if formula is None:
                continue
            attributes = formula[1]
            area = re.search(rb"\bref\s*=\s*[\"'][^:\"']+:", attributes)
            if area and b"shared" not in attributes:
                row, j, _ = line[cell.column]
                raise InputError(
                    f"{changes.place(row, j)}: the cell holds a formula that fills "
                    "several cells, so it cannot be changed alone. Change it in Excel "
                    "or LibreOffice."
                )
            index = re.search(rb"\bsi\s*=\s*[\"'](\d+)", attributes)
            if index and area:
                place = _place(number, cell.column).decode()
                shared[index[1]] = (place, formula[2].decode())
    if not shared:
        return xml
    from openpyxl.formula.translate import Translator

    def own(cell: re.Match[bytes]) -> bytes:
        index = re.search(rb"\bsi\s*=\s*[\"'](\d+)", cell[3])
        if index is None or index[1] not in shared:
            return cell[0]
        origin, text = shared[index[1]]
        formula = Translator(f"={unescape(text, QUOTES)}", origin)
        moved = formula.translate_formula(cell[2].decode()).removeprefix("=")
        return cell[1] + b"<%sf>%s</%sf>" % (prefix, escape(moved).encode(), prefix)

    pattern = rb"(<%sc\b[^>]*?\br\s*=\s*[\"']([A-Z]+\d+)[\"'][^>]*>\s*)<%sf\b([^>]*)/>"
    return re.sub(pattern % (prefix, prefix), own, xml)
