"""Encodings of texts and bytes: base64, base32, hexadecimal, code points, Unicode normal forms."""

from __future__ import annotations

import codecs
import re
import unicodedata
from base64 import b32decode, b32encode
from binascii import Error as BinasciiError
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

from spanemu.base.deadline_checks import interruptible, interruptible_stream
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import Rows, overload
from spanemu.sql.functions.value_size import bounded, bounded_result, check_element_count

_SPACE = re.compile(r"[ \t\n\v\f\r]+")
_NOT_HEX = re.compile(r"[^0-9A-Fa-f]")
_CODE_POINT_MAX = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_STEP_GROUPS = 256
_PIECE = 1 << 10  # characters of a text that is normalized at once
_RUN = 1 << 8  # combining marks in a row
_DECOMPOSED = {"NFC": "NFD", "NFD": "NFD", "NFKC": "NFKD", "NFKD": "NFKD"}
# Vowels and final consonants of Hangul combine with the preceding character.
_JAMO = range(0x1160, 0x1200)


def from_base64(text: str) -> bytes:
    """Return `FROM_BASE64(text)`.

    White space is skipped. Padding may be left out, but incorrect padding is an error.
    """
    digits = _SPACE.sub("", text)
    try:
        if not digits.endswith("="):
            digits += "=" * (-len(digits) % 4)
        return a2b_base64(digits, strict_mode=True)
    except (BinasciiError, ValueError):
        raise BadArgument("Failed to decode invalid base64 string") from None


def to_base64(data: bytes) -> str:
    """Return `TO_BASE64(data)`."""
    return b2a_base64(data, newline=False).decode()


def from_base32(text: str) -> bytes:
    """Return `FROM_BASE32(text)`."""
    try:
        if "=" in text.rstrip("="):
            raise ValueError
        return b"".join([b32decode(text[part]) for part in _slices(len(text), 8)])
    except (BinasciiError, ValueError):
        raise BadArgument("Failed to decode invalid base32 string") from None


def to_base32(data: bytes) -> str:
    """Return `TO_BASE32(data)`."""
    return b"".join([b32encode(data[part]) for part in _slices(len(data), 5)]).decode()


def _slices(size: int, group: int) -> Iterable[slice]:
    """Return slices that cover `size` items, each but the last of a whole number of groups."""
    step = group * _STEP_GROUPS
    return interruptible([slice(start, start + step) for start in range(0, size, step)])


def from_hex(text: str) -> bytes:
    """Return `FROM_HEX(text)`; an odd number of digits is read with a leading 0."""
    bad = _NOT_HEX.search(text)
    if bad is not None:
        raise BadArgument(
            "Failed to decode invalid hexadecimal string due to character at offset "
            f"{bad.start()}: {bad[0]}"
        )
    return bytes.fromhex("0" + text if len(text) % 2 else text)


def string_to_code_points(text: str) -> tuple[int, ...]:
    """Return `TO_CODE_POINTS(string)`."""
    check_element_count(len(text))
    return tuple(map(ord, interruptible(text)))


def bytes_to_code_points(data: bytes) -> tuple[int, ...]:
    """Return `TO_CODE_POINTS(bytes)`."""
    check_element_count(len(data))
    return tuple(data)


def code_points_to_string(points: tuple[int | None, ...]) -> str | None:
    """Return `CODE_POINTS_TO_STRING(points)`: NULL if a point is NULL."""
    if None in points:
        return None
    for point in interruptible(points):
        if point is None or not 0 <= point <= _CODE_POINT_MAX or point in _SURROGATES:
            raise BadArgument(f"Invalid codepoint {point}")
    return bounded(
        "".join([chr(point) for point in interruptible(points) if point is not None]),
        "CODE_POINTS_TO_STRING",
        CELL_BYTES_MAX,
    )


def code_points_to_bytes(points: tuple[int | None, ...]) -> bytes | None:
    """Return `CODE_POINTS_TO_BYTES(points)`: NULL if a point is NULL."""
    if None in points:
        return None
    for point in interruptible(points):
        if point is None or not 0 <= point <= 0xFF:
            raise BadArgument(f"Invalid ASCII value {point}")
    return bytes([point for point in interruptible(points) if point is not None])


def _replaced(failure: UnicodeError) -> tuple[str, int]:
    """Replace each undecodable byte by U+FFFD.

    Python itself replaces all bytes of a truncated character by a single U+FFFD.
    """
    assert isinstance(failure, UnicodeDecodeError)
    return "\ufffd" * (failure.end - failure.start), failure.end


@cache
def _one_for_each() -> str:
    """Return the name of the error handler that gives U+FFFD for each byte."""
    name = "spanemu: U+FFFD for each byte"
    codecs.register_error(name, _replaced)
    return name


def bytes_to_string_leniently(data: bytes) -> str:
    """Return `SAFE_CONVERT_BYTES_TO_STRING(data)`: U+FFFD for each byte that is not UTF-8."""
    return data.decode(errors=_one_for_each())


def normalize(text: str, form: str = "NFC") -> str:
    """Return `NORMALIZE(text [, form])`."""
    return normalized(_form(form), text)


def normalize_and_casefold(text: str, form: str = "NFC") -> str:
    """Return `NORMALIZE_AND_CASEFOLD(text [, form])`.

    Case folding can undo a normal form, so the text is normalized before and after.
    """
    return normalize(normalize(text, form).casefold(), form)


def _form(name: str) -> str:
    form = name.upper()
    if form not in _DECOMPOSED:
        raise BadArgument("A valid normalize mode is required.")
    return form


def normalized(form: str, text: str) -> str:
    """Return `text` in the normal form of that name.

    Python normalizes a text in one step that nothing can interrupt, and sorts a run of combining
    marks in quadratic time. So a long text is cut before characters that never combine with the
    character before them, and a long run of marks is put into canonical order first.
    """
    if len(text) <= _RUN or text.isascii():
        return _normalize(form, text)
    pieces = _normalization_pieces(form, text)
    return "".join(interruptible_stream(_normalize(form, piece) for piece in pieces))


def _normalize(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


def _normalization_pieces(form: str, text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        earliest = start + _PIECE
        later = interruptible(range(earliest, len(text)))
        end = next((at for at in later if _starts_piece(text[at])), len(text))
        piece = text[start:end]
        yield _in_canonical_order(_DECOMPOSED[form], piece) if end - earliest > _RUN else piece
        start = end


def _starts_piece(character: str) -> bool:
    """Return whether the character never combines with the character before it."""
    is_mark = unicodedata.category(character).startswith("M")
    return not is_mark and ord(character) not in _JAMO


def _in_canonical_order(form: str, text: str) -> str:
    """Return a decomposed text whose marks are sorted by their combining class."""
    characters = "".join([_normalize(form, character) for character in interruptible(text)])
    ordered: list[str] = []
    for _, run in groupby(interruptible(characters), lambda c: unicodedata.combining(c) > 0):
        ordered += sorted(run, key=unicodedata.combining)  # Starters, of class 0, keep their order.
    return "".join(ordered)


OVERLOADS: Rows = {
    "CODE_POINTS_TO_BYTES": (overload("(ARRAY<INT64>) -> BYTES", code_points_to_bytes),),
    "CODE_POINTS_TO_STRING": (overload("(ARRAY<INT64>) -> STRING", code_points_to_string),),
    "FROM_BASE32": (overload("(STRING) -> BYTES", from_base32),),
    "FROM_BASE64": (overload("(STRING) -> BYTES", from_base64),),
    "FROM_HEX": (overload("(STRING) -> BYTES", from_hex),),
    "NORMALIZE": (
        overload(
            "(STRING, [NORMALIZATION_MODE]) -> STRING", bounded_result("NORMALIZE", normalize)
        ),
    ),
    "NORMALIZE_AND_CASEFOLD": (
        overload(
            "(STRING, [NORMALIZATION_MODE]) -> STRING",
            bounded_result("NORMALIZE_AND_CASEFOLD", normalize_and_casefold),
        ),
    ),
    "SAFE_CONVERT_BYTES_TO_STRING": (
        overload(
            "(BYTES) -> STRING",
            bounded_result("SAFE_CONVERT_BYTES_TO_STRING", bytes_to_string_leniently),
        ),
    ),
    "TO_BASE32": (overload("(BYTES) -> STRING", bounded_result("TO_BASE32", to_base32)),),
    "TO_BASE64": (overload("(BYTES) -> STRING", bounded_result("TO_BASE64", to_base64)),),
    "TO_CODE_POINTS": (
        overload("(STRING) -> ARRAY<INT64>", string_to_code_points),
        overload("(BYTES) -> ARRAY<INT64>", bytes_to_code_points),
    ),
    "TO_HEX": (overload("(BYTES) -> STRING", bounded_result("TO_HEX", bytes.hex)),),
}
