"""FORMAT: printf for SQL values.

A format text is parsed once for the argument types of a call, into literal texts and specifiers
`%[flags][width][.precision]letter`, which consume the arguments in order. A NULL argument makes the
whole result NULL, except for %t and %T, which print NULL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite
from typing import Any

from spanemu.base.limits import BUILT_VALUE_BYTES_MAX
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import Rows, function, overload
from spanemu.sql.functions.text import sql_text
from spanemu.sql.functions.text.pattern_cache import pattern_cache
from spanemu.sql.functions.value_size import bounded
from spanemu.values.json import Json
from spanemu.values.types import Type, TypeCode


class MessageText(NamedTuple):
    """A message in text format: on one line, or with a line for each field.

    `lines` ends each line, also the last, with a line feed.
    """

    line: str
    lines: Callable[[], str]


_OUTPUT_MAX = BUILT_VALUE_BYTES_MAX
_PRECISION_MAX = 1700
_SPECIFIER = re.compile(r"%([-+ #'0]*)(\*|\d*)(\.(?:\*|\d*))?(.)", re.DOTALL | re.ASCII)
_NUMBERS = frozenset({TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.NUMERIC})
_ACCEPTS: dict[str, tuple[frozenset[TypeCode], str]] = {
    **dict.fromkeys("dioxX", (frozenset({TypeCode.INT64}), "integer")),
    **dict.fromkeys("fFeEgG", (_NUMBERS, "FLOAT64")),
    "s": (frozenset({TypeCode.STRING}), "STRING"),
    **dict.fromkeys("pP", (frozenset({TypeCode.JSON, TypeCode.PROTO}), "PROTO or JSON")),
    **dict.fromkeys("tT", (frozenset(TypeCode), "")),
}
# The groups of digits for the flag ', and the prefixes for the flag #.
_GROUPS = {"d": (3, ","), "i": (3, ","), "o": (4, ","), "x": (4, ":"), "X": (4, ":")}
_PREFIXES = {"o": "0", "x": "0x", "X": "0X"}


@dataclass(frozen=True, slots=True)
class Specifier:
    """A `%...` with its flags; a `width` or `precision` of -1 is taken from an argument."""

    letter: str
    flags: frozenset[str]
    width: int
    precision: int | None
    print_value: Callable[[Any], str] | None = None

    def pad(self, text: str) -> str:
        """Fill the text with blanks up to the width."""
        missing = self.width - len(text)
        if missing <= 0:
            return text
        return text + " " * missing if "-" in self.flags else " " * missing + text

    def assemble(self, sign: str, digits: str, *, zeros: bool = True) -> str:
        """Return a number: its sign, zeros if the flag 0 is set, then its digits."""
        if zeros and "0" in self.flags and "-" not in self.flags:
            digits = digits.rjust(self.width - len(sign), "0")
        return self.pad(sign + digits)

    def sign(self, is_negative: bool) -> str:
        """Return the sign that the flags ask for."""
        if is_negative:
            return "-"
        return "+" if "+" in self.flags else " " if " " in self.flags else ""


def _bind(types: Sequence[Type], _: Type) -> Callable[..., str | None]:
    arguments = tuple(types[1:])

    def format_values(text: Any, *values: Any) -> str | None:
        if text is None:
            return None
        return _render(_compiled(text, arguments), values)

    return format_values


def check(text: str, types: Sequence[Type]) -> None:
    """Raise the error of any call of FORMAT with this text and arguments of these types."""
    _compiled(text, tuple(types))


def _render(pieces: tuple[str | Specifier, ...], values: Sequence[Any]) -> str | None:
    out: list[str] = []
    size = 0
    rest = iter(values)
    for piece in pieces:
        text = piece if isinstance(piece, str) else _print(piece, rest)
        if text is None:
            return None
        size += len(text)
        if size > _OUTPUT_MAX:
            raise _too_long()
        out.append(text)
    return bounded("".join(out), "FORMAT")


def _print(specifier: Specifier, rest: Any) -> str | None:
    width, precision = specifier.width, specifier.precision
    if width == -1 or precision == -1:
        width = next(rest) if width == -1 else width
        precision = next(rest) if precision == -1 else precision
        value = next(rest)
        if width is None or (precision is None and specifier.precision == -1):
            return None
        specifier = _resized(specifier, width, precision)
    else:
        value = next(rest)
    if value is None:
        return _cut(specifier, "NULL") if specifier.letter in "tT" else None
    return _PRINTERS[specifier.letter](specifier, value)


def _resized(specifier: Specifier, width: int, precision: int | None) -> Specifier:
    """Return the specifier with sizes from arguments; a negative width sets the flag -."""
    if abs(width) > _OUTPUT_MAX:
        raise _too_long()
    flags = specifier.flags | {"-"} if width < 0 else specifier.flags
    if precision is not None and precision < 0:
        precision = None
    checked = _checked_precision(specifier.letter, precision)
    return Specifier(specifier.letter, flags, abs(width), checked, specifier.print_value)


# ---------------------------------------------------------------------------- printers


def _cut(specifier: Specifier, text: str) -> str:
    return specifier.pad(text[: specifier.precision])


def _print_string(specifier: Specifier, value: str) -> str:
    return _cut(specifier, value)


def _print_as_text(specifier: Specifier, value: Any) -> str:
    assert specifier.print_value is not None
    return _cut(specifier, specifier.print_value(value))


def _print_document(specifier: Specifier, value: Json | MessageText) -> str:
    if isinstance(value, MessageText):
        return _cut(specifier, value.line if specifier.letter == "p" else value.lines())
    if specifier.letter == "p":
        return _cut(specifier, value.text)
    shown = json.dumps(value.value, indent=2, ensure_ascii=False)
    return _cut(specifier, shown)


def _print_integer(specifier: Specifier, value: int) -> str:
    letter, flags = specifier.letter, specifier.flags
    digits = format(abs(value), "d" if letter == "i" else letter)
    filled = digits.rjust(specifier.precision or 0, "0")
    sign = specifier.sign(value < 0)
    # Zeros that the precision adds serve as the prefix of an octal number.
    if "#" in flags and letter in _PREFIXES and (letter != "o" or filled == digits):
        sign += _PREFIXES[letter]
    return specifier.assemble(sign, _grouped(filled, *_GROUPS[letter]) if "'" in flags else filled)


def _grouped(digits: str, size: int, separator: str) -> str:
    first = len(digits) % size or size
    groups = [digits[:first], *(digits[i : i + size] for i in range(first, len(digits), size))]
    return separator.join(groups)


def _print_number(specifier: Specifier, value: float | Decimal) -> str:
    letter = specifier.letter
    precision = 6 if specifier.precision is None else specifier.precision
    if isinstance(value, Decimal):
        is_negative = value < 0
        digits = _decimal_digits(value.copy_abs(), letter, precision, "#" in specifier.flags)
    else:
        is_negative = value < 0
        if not isfinite(value):
            word = "nan" if value != value else "inf"
            word = word.upper() if letter.isupper() else word
            return specifier.assemble(specifier.sign(is_negative), word, zeros=False)
        alternative = "#" if "#" in specifier.flags else ""
        digits = f"%{alternative}.{precision}{letter}" % abs(value)
    if "'" in specifier.flags:
        whole, *fraction = re.split(r"(?=[.eE])", digits, maxsplit=1)
        digits = _grouped(whole, 3, ",") + "".join(fraction)
    return specifier.assemble(specifier.sign(is_negative), digits)


def _decimal_digits(value: Decimal, letter: str, precision: int, keep_point: bool) -> str:
    """Return what C would print for the exact `value`, rounded half away from zero."""
    lower = letter.lower()
    if lower == "f":
        text = format(_quantized(value, precision), "f")
    elif lower == "e":
        text = _scientific(value, precision)
    else:
        precision = max(precision, 1)
        text = _scientific(value, precision - 1)
        exponent = int(text.partition("e")[2])
        if -4 <= exponent < precision:
            text = format(_quantized(value, precision - 1 - exponent), "f")
        if not keep_point:
            mantissa, mark, rest = text.partition("e")
            if "." in mantissa:
                mantissa = mantissa.rstrip("0").rstrip(".")
            text = mantissa + mark + rest
    if keep_point and "." not in text:
        mantissa, mark, rest = text.partition("e")
        text = f"{mantissa}.{mark}{rest}"
    return text.upper() if letter.isupper() else text


def _quantized(value: Decimal, digits: int) -> Decimal:
    context = Context(prec=_PRECISION_MAX + 40, rounding=ROUND_HALF_UP)
    return value.quantize(Decimal((0, (1,), -digits)), context=context)


def _scientific(value: Decimal, precision: int) -> str:
    """Return `d.ddde+XX`, with `precision` digits after the point."""
    if not value:
        mantissa, exponent = "0" * (precision + 1), 0
    else:
        rounded = Context(prec=precision + 1, rounding=ROUND_HALF_UP).plus(value)
        mantissa = "".join(map(str, rounded.as_tuple().digits)).ljust(precision + 1, "0")
        exponent = rounded.adjusted()
        mantissa = mantissa[: precision + 1]
    point = "." if precision else ""
    return f"{mantissa[0]}{point}{mantissa[1:]}e{exponent:+03d}"


_PRINTERS: dict[str, Callable[[Specifier, Any], str]] = {
    **dict.fromkeys("dioxX", _print_integer),
    **dict.fromkeys("fFeEgG", _print_number),
    **dict.fromkeys("tT", _print_as_text),
    **dict.fromkeys("pP", _print_document),
    "s": _print_string,
}


# ---------------------------------------------------------------------------- the parser


@pattern_cache
def _compiled(text: str, types: tuple[Type, ...]) -> tuple[str | Specifier, ...]:
    """Return literal texts and specifiers in order, checked against the arguments' types."""
    pieces: list[str | Specifier] = []
    used = at = 0
    while (mark := text.find("%", at)) >= 0:
        pieces.append(text[at:mark])
        match = _SPECIFIER.match(text, mark)
        if match is None or (match[4] == "%" and match[0] != "%%"):
            raise BadArgument(f'Invalid FORMAT string: "{text}"')
        at = match.end()
        if match[4] == "%":
            pieces.append("%")
            continue
        flags, width, precision, letter = match.groups()
        for size in (width, (precision or "")[1:]):
            if size == "*":
                _check_type(types, used, "d")
                used += 1
        if letter not in _ACCEPTS:
            raise BadArgument(
                f'Invalid format specifier character "{letter}" in FORMAT string: "{text}"'
            )
        _check_type(types, used, letter)
        type_ = types[used] if used < len(types) else None
        pieces.append(_specifier(letter, flags, (width, precision), type_))
        used += 1
    if used != len(types):
        how = "few" if used > len(types) else "many"
        raise BadArgument(
            f'Too {how} arguments to FORMAT for pattern "{text}"; '
            f"Expected {used + 1}; Got {len(types) + 1}"
        )
    return (*pieces, text[at:])


def _specifier(
    letter: str, flags: str, sizes: tuple[str, str | None], type_: Type | None
) -> Specifier:
    width, precision = sizes
    digits = None if precision is None else _size(precision[1:] or "0")
    if digits is not None and digits != -1:
        digits = _checked_precision(letter, digits)
    wide = _size(width or "0")
    if wide > _OUTPUT_MAX:
        raise _too_long()
    print_value = None
    if type_ is not None and letter in "tT":
        print_value = (sql_text.display if letter == "t" else sql_text.literal)(type_)
    return Specifier(letter, frozenset(flags), wide, digits, print_value)


def _size(text: str) -> int:
    """Parse a width or precision: -1 for `*`; cut off the digits of an absurdly large size."""
    return -1 if text == "*" else int(text[:12])


def _checked_precision(letter: str, precision: int | None) -> int | None:
    if precision is None or precision <= _PRECISION_MAX:
        return precision
    if letter in "gG":
        return _PRECISION_MAX
    if letter in "feFE":
        raise BadArgument(f"Precision value is too big: {precision}")
    return min(precision, _OUTPUT_MAX)


def _check_type(types: tuple[Type, ...], index: int, letter: str) -> None:
    if index >= len(types):
        return  # The caller reports the number of arguments at the end.
    accepted, expected = _ACCEPTS[letter]
    if types[index].code not in accepted:
        raise BadArgument(
            f"Invalid type for argument {index + 2} to FORMAT; "
            f"Expected {expected}; Got {types[index]}"
        )


def _too_long() -> BadArgument:
    return BadArgument(f"Output string too long while evaluating FORMAT; limit {_OUTPUT_MAX}")


OVERLOADS: Rows = {
    "FORMAT": function(
        (overload("(STRING, ANY...) -> STRING", bind=_bind, called=True),), is_slow=True
    ),
}
