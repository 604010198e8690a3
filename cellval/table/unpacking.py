"""Compressed files: what is inside, bounded while it is unpacked, and packed again."""

import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from cellval.errors import InputError
from cellval.limits import how_to_raise, limits
from cellval.text import listed

GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_PIECE = 1 << 20
Pack = Callable[[bytes], bytes]
# What reading a damaged archive raises.
FAULTS = (
    *(zipfile.BadZipFile, NotImplementedError, OSError, EOFError, RuntimeError),
    *(ValueError, LookupError, struct.error, zlib.error, lzma.LZMAError),
)


def unpacked(raw: bytes, name: str) -> tuple[bytes, Pack | None]:
    """The file inside of a compressed one, and what packs a new one alike.

    Of a file that is not compressed itself, and None. Workbooks, which are ZIP
    archives by themselves, are not unpacked.
    """
    if raw.startswith(GZIP):
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            return _read(file, name, "gzip"), lambda new: _gzipped(new, raw)
    if raw.startswith(ZSTD):
        with pa.CompressedInputStream(pa.BufferReader(raw), "zstd") as file:
            return _read(file, name, "Zstandard"), _zstd
    if raw.startswith(ZIP) and not is_workbook(archive := open_zip(raw, name)):
        return _unzipped(archive, name)
    return raw, None


def _read(file: Any, name: str, kind: str) -> bytes:
    """All of a stream, unless it is more than may be unpacked."""
    pieces, size, limit = [], 0, limits().unpacked_bytes
    try:
        while piece := file.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise _too_large(name, size)
    except InputError:
        raise
    except FAULTS as error:  # also of pyarrow
        raise damaged(name, f"a {kind} file") from error
    return b"".join(pieces)


def damaged(name: str, what: str) -> InputError:
    return InputError(
        f"{name} looks like {what} but cannot be read to its end; it may be cut off or "
        "damaged. Get it again from where it came."
    )


def _too_large(name: str, size: float) -> InputError:
    limit = limits()
    return InputError(
        f"{name} has at least {size / 1e6:,.0f} MB when it is unpacked; the limit is "
        f"{limit.unpacked_mb:,.0f} MB. {how_to_raise('unpacked_mb')}, if you trust the "
        "file, or take a sample of the rows."
    )


# --- gzip and Zstandard ---------------------------------------------------------------


def _gzipped(new: bytes, old: bytes) -> bytes:
    """With the name and the time that the old file says."""
    flags, time = old[3], struct.unpack("<I", old[4:8])[0]
    named = flags & 8 and not flags & 4
    name = old[10 : old.index(0, 10)].decode("latin-1") if named else ""
    buffer = io.BytesIO()
    with gzip.GzipFile(name, "wb", fileobj=buffer, mtime=time) as file:
        file.write(new)
    return buffer.getvalue()


def _zstd(new: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(new)
    return bytes(sink.getvalue().to_pybytes())


# --- ZIP ------------------------------------------------------------------------------


def open_zip(raw: bytes, name: str) -> zipfile.ZipFile:
    """An archive, of which no more is said to be in it than may be."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
        if not all(archive.namelist()):
            raise ValueError("a file in it has no name")
    except FAULTS as error:
        what = "an Excel workbook" if b"xl/" in raw[: 1 << 16] else "a ZIP archive"
        raise damaged(name, what) from error
    size = sum(member.file_size for member in archive.infolist())
    if size > limits().unpacked_bytes:
        raise _too_large(name, size)
    return archive


def is_workbook(archive: zipfile.ZipFile) -> bool:
    """Is an archive a workbook of Excel or LibreOffice?"""
    names = {name.lower() for name in archive.namelist()}
    return any(name.startswith("xl/") for name in names) or (
        "content.xml" in names and "mimetype" in names
    )


def _unzipped(archive: zipfile.ZipFile, name: str) -> tuple[bytes, Pack]:
    members = archive.infolist()
    files = [m for m in members if not m.is_dir() and not _is_beside(m.filename)]
    if any(one.filename.startswith(("word/", "ppt/")) for one in files):
        raise InputError(
            f"{name} is a document of Office, not a table. Copy the table that is in "
            "it into a sheet of Excel or LibreOffice, and save that."
        )
    if len(files) != 1:
        there = listed([member.filename for member in files], 5) if files else "none"
        raise InputError(
            f"{name} is a ZIP archive with {len(files):,} files in it ({there}), and "
            "cellval reads one table. Unpack it, and take the file with the table."
        )
    [table] = files
    content = member_bytes(archive, table, name)

    def pack(new: bytes) -> bytes:
        return zipped(archive, {table.filename: new})

    return content, pack


def _is_beside(name: str) -> bool:
    """What macOS puts beside the files in an archive."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def member_bytes(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    """One file of an archive; not more of it than is declared is unpacked."""
    if member.flag_bits & 1:
        raise InputError(
            f"{name} is protected by a password. Unpack it with the password, and "
            "take the file with the table."
        )
    try:
        with archive.open(member) as file:
            return _read(file, name, "ZIP")
    except InputError:
        raise  # it is a ValueError, too
    except FAULTS as error:
        raise damaged(name, "a ZIP archive") from error


def zipped(
    old: zipfile.ZipFile,
    new: dict[str, bytes],
    without: frozenset[str] = frozenset(),
) -> bytes:
    """The archive with other contents of some files; all others hold what they did."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = old.comment
        for member in old.infolist():
            if member.filename in without:
                continue
            content = new.get(member.filename)
            fresh = zipfile.ZipInfo(member.filename, member.date_time)
            fresh.compress_type = member.compress_type
            fresh.external_attr, fresh.comment = member.external_attr, member.comment
            fresh.create_system = member.create_system
            archive.writestr(fresh, old.read(member) if content is None else content)
    return buffer.getvalue()
