"""The comments with which a dump in SQL begins and ends, and by which damage to it is found.

    -- Dump of spanemu, format 1, dialect GOOGLE_STANDARD_SQL
    CREATE TABLE Singers (...) PRIMARY KEY(SingerId);
    -- End of the dump, SHA-256 e3b0c442...          of the lines before, with the first

Carriage returns do not count: programs that exchange files between systems add them to the ends of
lines. A file may have text around a dump, and several dumps. A line of a literal may look like one
of the comments: what ends a dump is its checksum. A file without these comments was written by
hand.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO, TextIO

from spanemu.interchange.errors import DamagedFile, InvalidDump
from spanemu.schema.dialect import DATABASE_DIALECTS, DatabaseDialect

FORMAT = 1  # changes with every change that an earlier version cannot read
_BEGIN = "-- Dump of spanemu, format "
_BEGIN_LINE = re.compile(rf"{_BEGIN}(\d{{1,9}}), dialect (\w+)")
_END = "-- End of the dump, SHA-256 "
_PIECE_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SqlWriter:
    """A text file to which a dump is written, from the first comment to the last."""

    def __init__(self, file: TextIO, dialect: DatabaseDialect) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()
        self.write(f"{_BEGIN}{FORMAT}, dialect {dialect.name}\n")

    def write(self, text: str) -> None:
        """Write text of the dump."""
        self._sha256.update(_counted(text.encode()))
        self._file.write(text)

    def end(self) -> None:
        """Write the last comment."""
        self._file.write(f"{_END}{self._sha256.hexdigest()}\n")


def check_sql(file: BinaryIO, origin: str) -> None:
    """Read a file to its end and look for the checksum of each dump in it.

    Raises DamagedFile, and InvalidDump for the format of a later version.
    """
    sha256, problem = None, ""
    for begins_line, piece in _pieces(file):
        is_end = begins_line and piece.startswith(_END.encode())
        if sha256 is not None:
            if is_end and piece.strip() == f"{_END}{sha256.hexdigest()}".encode():
                sha256 = None
                continue
            if is_end:
                problem = "is damaged: a dump in it does not end with its SHA-256"
            sha256.update(_counted(piece))
        elif begins_line and piece.startswith(_BEGIN.encode()):
            _check_format(piece, origin)
            sha256 = hashlib.sha256(_counted(piece))
            problem = "is cut: the dump begins, but does not end"
        elif is_end:
            raise DamagedFile(origin, "is damaged: a dump in it does not begin")
        elif begins_line and _BEGIN.encode().startswith(piece):
            raise DamagedFile(origin, "is cut in its first line")
    if sha256 is not None:
        raise DamagedFile(origin, problem)


def sql_dialect(file: BinaryIO) -> DatabaseDialect | None:
    """Return the dialect that the first line of a file names, or None."""
    _, piece = next(_pieces(file), (True, b""))
    match = _BEGIN_LINE.match(piece.decode(errors="replace"))
    dialects = {each.name: each for each in DATABASE_DIALECTS.values()}
    return None if match is None else dialects.get(match[2])


def _check_format(line: bytes, origin: str) -> None:
    match = _BEGIN_LINE.match(line.decode(errors="replace"))
    if match is not None and int(match[1]) > FORMAT:
        later = f"has format {match[1]}, and this version of spanemu reads {FORMAT}"
        raise InvalidDump(f"{origin} {later}: load the dump with the version that wrote it")


def _counted(data: bytes) -> bytes:
    """Return the bytes that count for a checksum."""
    return data.replace(b"\r", b"")


def _pieces(file: BinaryIO) -> Iterator[tuple[bool, bytes]]:
    """Yield the lines of a file, long lines in pieces, and whether a piece begins a line."""
    begins_line = True
    while piece := file.readline(_PIECE_BYTES):
        if begins_line:
            piece = piece.removeprefix(_BYTE_ORDER_MARK)
        yield begins_line, piece
        begins_line = piece.endswith(b"\n")
