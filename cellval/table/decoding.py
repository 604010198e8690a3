"""What a source's bytes are: in which encoding they are text, or why they are none."""

import codecs
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellval.errors import InputError
from cellval.limits import how_to_raise, limits
from cellval.text import shortened

_SHEET = "Open it in Excel or LibreOffice, choose “Save as”, and save the sheet as CSV."
_UNPACK = "Unpack it, and take the file with the table that is inside."
_PICTURE = "A picture cannot be read: get the table itself, as CSV or Excel."
_EXPORT = (
    "Open it in the program it belongs to and save or export the table as CSV or "
    "Excel first."
)
_PANDAS = "Save it as CSV first, such as with pandas: pd.{}(…).to_csv(…, index=False)."
_JSON = (
    "Save it as CSV or as JSON lines (one object a line) first, such as with pandas: "
    "pd.read_json(…).to_csv(…, index=False)."
)
_PAGE = (
    "Perhaps a link led to a page that shows the table, or asks for a login: download "
    "the file itself, as CSV or Excel."
)
# What a file is by its first bytes, and what to do then.
_file_starts = {
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook (.xls)", _SHEET),
    b"\x89PNG": ("a PNG image", _PICTURE),
    b"\xff\xd8\xff": ("a JPEG image", _PICTURE),
    b"GIF8": ("a GIF image", _PICTURE),
    b"%PDF": (
        "a PDF document",
        "It holds pages, not a table: get the table itself from where it came, and "
        "save it as CSV or Excel.",
    ),
    b"PAR1": ("a Parquet file", _PANDAS.format("read_parquet")),
    b"ARROW1": ("a Feather file", _PANDAS.format("read_feather")),
    b"\x1f\x8b": ("a gzip archive", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("a Zstandard archive", _UNPACK),
    b"BZh": ("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ": ("an XZ archive", _UNPACK),
    b"7z\xbc\xaf": ("a 7-Zip archive", _UNPACK),
    b"Rar!": ("a RAR archive", _UNPACK),
    b"SQLite format 3": ("an SQLite database", _EXPORT),
    b"<!doctype html": ("a web page (HTML)", _PAGE),
    b"<html": ("a web page (HTML)", _PAGE),
    b"<?xml": ("an XML file", _EXPORT),
    b"<svg": ("an SVG image", _PICTURE),
}
_boms = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark is its prefix
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Of files without a mark that are no UTF-8, by what people call them.
ASKED = {
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp932": "Shift-JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "gb18030": "GB18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "EUC-KR (Korean)",
}
ENCODING_NAMES = ASKED | {"latin-1": "Latin-1"}
SAMPLED = 1 << 18  # bytes from which such an encoding is told

_SPECIAL = {
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}
FEW_LETTERS = 4  # different bytes beyond ASCII


@dataclass(frozen=True)
class _Most:
    """How large a source may be, and what is said of a larger one."""

    bytes: int
    way: str

    def refuse(self, name: str, size: int) -> None:
        if size > self.bytes:
            raise InputError(
                f"{name} has at least {size / 1e6:,.1f} MB; the limit is "
                f"{self.bytes / 1e6:,.1f} MB. {self.way}."
            )


def bytes_of(
    source: Any,
    max_bytes: int | None = None,
    *,
    limit: str = "mb",
    advice: str = "take a sample of the rows",
) -> tuple[bytes, str]:
    """Contents and name of a path, bytes, or binary or text buffer.

    Not more than `max_bytes`; by default, than the `limit` of this name.
    """
    if max_bytes is None:
        max_bytes = int(1e6 * getattr(limits(), limit))
    most = _Most(int(max_bytes), f"{how_to_raise(limit)}, or {advice}")
    if isinstance(source, bytes | bytearray | memoryview):
        raw, name = bytes(source), "table"
    elif hasattr(source, "read"):
        raw, name = _buffer_bytes(source, most.bytes)
    elif isinstance(source, str | os.PathLike):
        raw, name = _path_bytes(os.fsdecode(source), most)
    else:
        raise InputError(
            "cellval.read takes a path, bytes or an open file, not "
            f"{type(source).__name__}; for a DataFrame use Table.from_frame."
        )
    most.refuse(name, len(raw))
    return raw, name


def _buffer_bytes(source: Any, limit: int) -> tuple[bytes, str]:
    name = getattr(source, "name", None)
    name = _legible(Path(name).name) if isinstance(name, str) else "table"
    try:
        content = source.read(limit + 1)
        if not content and source.seekable() and source.tell() > 0:
            # Streamlit hands out the same buffer again, left at its end.
            source.seek(0)
            content = source.read(limit + 1)
    except UnicodeDecodeError:
        raise InputError(
            f"{name} was opened as text in an encoding it is not written in; "
            "open it in binary mode ('rb') or pass the path."
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {error}.") from None
    return (writable(content) if isinstance(content, str) else bytes(content)), name


def writable(text: str) -> bytes:
    # A lone surrogate cannot be written; a question mark can be seen and fixed.
    return text.encode("utf-8", "replace")


def _path_bytes(path: str, most: _Most) -> tuple[bytes, str]:
    if "\n" in path or "\r" in path:
        raise InputError(
            "cellval.read got text with line breaks where a path belongs; to read CSV "
            "text pass it as bytes, or wrap it in io.StringIO."
        )
    name = _legible(Path(path).name or path)
    try:
        found = os.stat(path)
        _refuse_special(_legible(path), found.st_mode)
        most.refuse(name, found.st_size)
        with open(path, "rb") as file:
            raw = file.read(found.st_size + 1)  # to ask for more sets memory aside
            if len(raw) > found.st_size:  # which some systems do not know
                raw += file.read(most.bytes + 1 - len(raw))
            return raw, name
    except InputError:
        raise
    except FileNotFoundError:
        why = "there is no such file. Check the spelling and the folder"
    except IsADirectoryError:
        why = "it is a folder. Give the path of a file inside it"
    except PermissionError:
        why = "permission was denied. Check who may read it"
    except UnicodeEncodeError:
        why = "its name holds half a character, as no file's does. Check the spelling"
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
    raise InputError(
        f"{_legible(path) if len(path) < 300 else shortened(path)} cannot be read: "
        f"{why}."
    )


def _legible(path: str) -> str:
    """A path as it can be written into a report: its bytes may be no UTF-8."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half a character
        return writable(path).decode()


def _refuse_special(path: str, mode: int) -> None:
    """A pipe never ends, a device neither; both would wait for ever."""
    for test, what in _SPECIAL.items():
        if test(mode):
            raise InputError(
                f"{shortened(path)} cannot be read: it is {what}, not a file. Save "
                "the table in a file first, and give the path of that."
            )


def encoding_of(raw: bytes, name: str) -> str:
    if not raw.strip(b" \t\r\n\0\xef\xbb\xbf\xfe\xff"):
        raise InputError(
            f"{name} is empty. A table has a line of column names and below it one "
            "line per row."
        )
    head = raw[: 1 << 16]
    other, advice = _other_format(head)
    sure = next((found for mark, found in _boms.items() if raw.startswith(mark)), "")
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        # Mostly Latin letters: every other byte is zero, and only those.
        if zeros.count(0) > 0.4 * len(zeros) and head.count(0) <= 1.02 * zeros.count(0):
            sure = sure or encoding
    controls = sum(head.count(byte) for byte in (*range(1, 9), *range(14, 26), 127))
    if not sure and max(4 * controls, head.count(0)) > 0.2 * len(head):
        other = other or "binary data"
    if other:
        raise InputError(
            f"{name} is no table: it looks like {other}. {advice or _EXPORT}"
        )
    encoding = sure or "utf-8"
    try:
        raw.decode(encoding)
    except UnicodeDecodeError as error:
        if not sure:
            return _legacy_encoding(raw)
        shown = encoding.removesuffix("-sig").upper()
        raise InputError(
            f"{name} starts like {shown} text but byte {error.start + 1:,} is not "
            f"{shown}; the file may be cut off. Save it again as UTF-8."
        ) from None
    return encoding


def _legacy_encoding(raw: bytes) -> str:
    """The encoding of text that is no UTF-8, asked of charset-normalizer.

    Windows-1252 stays the answer unless another one is clearly better, and only one
    that writes the same bytes again is taken.
    """
    lines = [line for line in raw[:SAMPLED].split(b"\n") if not line.isascii()]
    for encoding in _likely(b"\n".join(lines)):
        try:
            if raw.decode(encoding).encode(encoding) != raw:
                continue
        except UnicodeError:
            continue
        # Without its own characters Windows-1252 is Latin-1.
        plain = encoding == "cp1252" and not re.search(rb"[\x80-\x9f]", raw)
        return "latin-1" if plain else encoding
    return "latin-1"


def _likely(sample: bytes) -> list[str]:
    """Encodings of a text, the likeliest first."""
    if len({byte for byte in sample if byte > 127}) < FEW_LETTERS:
        return ["cp1252"]  # they prove nothing
    from charset_normalizer import from_bytes  # not needed for most files

    found = list(from_bytes(sample, cp_isolation=list(ASKED), threshold=0.3))
    names = [match.encoding for match in found]
    if found and "cp1252" not in found[0].could_be_from_charset:
        best = found[0]
        for match in found:
            # Among Western letters a few words prove nothing.
            near = match.chaos <= best.chaos and match.coherence > best.coherence - 0.06
            if "cp1252" in match.could_be_from_charset and near:
                return ["cp1252", *names]
        return [*names, "cp1252"]
    return ["cp1252", *names]


def _other_format(head: bytes) -> tuple[str, str]:
    """What the file is instead of CSV and what to do then; empty if unknown."""
    if head.startswith(b"PK\x03\x04"):
        if b"xl/" in head:
            return "an Excel workbook (.xlsx)", _SHEET
        if b"opendocument.spreadsheet" in head[:200]:
            return "a LibreOffice spreadsheet (.ods)", _SHEET
        return "a ZIP archive", _UNPACK
    text = head[:200].removeprefix(codecs.BOM_UTF8).lstrip()
    if re.match(rb'\{\s*"[^"]*"\s*:|\[\s*[\[{]', text):
        return "a JSON file", _JSON
    starts = _file_starts.items()
    found = (what for s, what in starts if text.lower().startswith(s.lower()))
    return next(found, ("", ""))
