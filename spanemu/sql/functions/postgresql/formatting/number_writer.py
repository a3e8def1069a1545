"""to_char of a number: a template written with the digits of a number.

    NumberText("-", "1234.5")  with  FM9,999.00  ->  -1,234.50

The functions below make the `NumberText` of each type, as PostgreSQL does: floating point numbers
have at most 15 (6 for float4) significant digits, and a number with too many digits before its
point becomes "##.##".
"""

from __future__ import annotations

import math
import struct
from decimal import ROUND_HALF_UP, Context, Decimal

from spanemu.base.deadline_checks import interruptible
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.postgresql.errors import (
    BadFormattedText,
    NumberOutOfRange,
    UnsupportedTemplate,
)
from spanemu.sql.functions.postgresql.formatting.number_template import (
    Anchor,
    NumberTemplate,
    number_template,
)
from spanemu.sql.functions.value_size import bounded
from spanemu.values import pg_numeric

_ROMAN_WIDTH = 15
_ROMAN_MAX = 3_999
_ROMANS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_INT32_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1
_ROUNDED_MAX = 2_000  # digits after the point to which PostgreSQL rounds a numeric
_FLOAT8_DIGITS = 15
_FLOAT4_DIGITS = 6
_CURRENCY = " "
_END = "\0"  # A digit pattern without a digit left ends PostgreSQL's text.


class NumberText(NamedTuple):
    """The digits of a number with its sign, "+" or "-", and the digits that a template has."""

    sign: str
    digits: str
    before: int
    after: int


# ---------------------------------------------------------------------------- functions


def int8_to_char(number: int, text: str) -> str:
    """Return `to_char(bigint, text)`."""
    template = number_template(text)
    if template.roman:
        if abs(number) > _INT32_MAX:
            raise NumberOutOfRange("integer out of range")
        return _write(template, _roman_text(number))
    if template.scientific:
        return _scientific(Decimal(number), template)
    if template.shifts:
        number *= 10**template.shift if template.shift <= _SHIFT_MAX else 0
        if template.shift > _SHIFT_MAX or not -_INT64_MAX - 1 <= number <= _INT64_MAX:
            raise NumberOutOfRange("bigint out of range")
    digits = str(abs(number))
    if template.after:
        digits += "." + "0" * template.after
    return _write(template, _fitted("-" if number < 0 else "+", digits, template, template.after))


_SHIFT_MAX = 18


def numeric_to_char(number: Decimal, text: str) -> str:
    """Return `to_char(numeric, text)`."""
    template = number_template(text)
    is_nan = number is pg_numeric.NAN
    if template.roman:
        if is_nan:
            raise UnsupportedTemplate("cannot convert NaN to integer")
        whole = pg_numeric.to_int(number)
        if not -_INT32_MAX - 1 <= whole <= _INT32_MAX:
            raise NumberOutOfRange("integer out of range")
        return _write(template, _roman_text(whole))
    if template.scientific:
        return _no_exponent(template) if is_nan else _scientific(number, template)
    if is_nan:
        return _write(template, _fitted("+", "NaN", template, template.after))
    shifted = number.scaleb(template.shift, _WIDE) if template.shifts else number
    if shifted and shifted.adjusted() >= pg_numeric.INTEGER_DIGITS_MAX:
        raise NumberOutOfRange(pg_numeric.OUT_OF_RANGE)
    digits = pg_numeric.format(pg_numeric.rescaled(shifted, min(template.after, _ROUNDED_MAX)))
    sign = "-" if digits[0] == "-" else "+"
    return _write(template, _fitted(sign, digits.lstrip("-"), template, template.after))


_WIDE = Context(prec=300_000)


def float8_to_char(number: float, text: str) -> str:
    """Return `to_char(double precision, text)`."""
    template = number_template(text)
    if template.shifts and not template.roman:
        number *= 10.0**template.shift if template.shift <= 308 else math.inf
    return _float_to_char(number, template, _FLOAT8_DIGITS)


def float4_to_char(number: float, text: str) -> str:
    """Return `to_char(real, text)`."""
    template = number_template(text)
    if template.shifts and not template.roman:
        factor = 10.0**template.shift if template.shift <= 308 else math.inf
        number = _single(number * _single(factor))
    return _float_to_char(number, template, _FLOAT4_DIGITS)


def _float_to_char(number: float, template: NumberTemplate, digits_max: int) -> str:
    if template.roman:
        small = math.isfinite(number) and abs(number) <= _INT32_MAX
        return _write(template, _roman_text(round(number) if small else 0))
    if template.scientific:
        if not math.isfinite(number):
            return _no_exponent(template)
        written = f"{number:+.{template.after}e}"
        return f" {written[1:]}" if written[0] == "+" else written
    after = 0
    if math.isfinite(number):
        after = min(template.after, max(0, digits_max - len(f"{abs(number):.0f}")))
        digits = f"{number:.{after}f}"
    else:
        digits = "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
        after = min(template.after, max(0, digits_max - len(digits.lstrip("-"))))
    sign = "-" if digits[0] == "-" else "+"
    return _write(template, _fitted(sign, digits.lstrip("-"), template, after))


def _single(number: float) -> float:
    """Return the number rounded to single precision; infinity if it is too large."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return rounded


# ---------------------------------------------------------------------------- digits


def _fitted(sign: str, digits: str, template: NumberTemplate, after: int) -> NumberText:
    """Return the digits, or "##.##" if too many digits stand before the point."""
    before = template.before + template.shift
    if len(digits.partition(".")[0]) > before:
        digits = "#" * before + "." + "#" * after
    return NumberText(sign, digits, before, after)


def _roman_text(number: int) -> NumberText:
    if not 1 <= number <= _ROMAN_MAX:
        return NumberText("", "#" * _ROMAN_WIDTH, 0, 0)
    roman = ""
    for size, letters in _ROMANS:
        roman += letters * (number // size)
        number %= size
    return NumberText("", roman, 0, 0)


def _scientific(number: Decimal, template: NumberTemplate) -> str:
    """Return the number with an exponent; the exponent does not change when digits round up."""
    exponent = number.adjusted() if number else 0
    digits = number.scaleb(-exponent, _WIDE)
    rounded = digits.quantize(
        Decimal((0, (1,), -min(template.after, _ROUNDED_MAX))), ROUND_HALF_UP, _WIDE
    )
    sign = "" if number < 0 else " "
    return f"{sign}{rounded:f}e{exponent:+03d}"


def _no_exponent(template: NumberTemplate) -> str:
    """Return the text of NaN and infinities, which have no exponent."""
    return " " + "#" * template.before + "." + "#" * (template.after + 4)


def ordinal_suffix(digits: str) -> str:
    """Return the English suffix of an ordinal number: ST, ND, RD or TH."""
    if not digits[-1:].isdecimal():
        raise BadFormattedText(f'"{digits}" is not a number')
    if digits[-2:-1] == "1":
        return "TH"
    return {"1": "ST", "2": "ND", "3": "RD"}.get(digits[-1], "TH")


# ---------------------------------------------------------------------------- writing


def _write(template: NumberTemplate, number: NumberText) -> str:
    return bounded(NumberWriter(template, number).write(), "to_char")


class NumberWriter:
    """The state between two patterns of a template."""

    def __init__(self, template: NumberTemplate, number: NumberText) -> None:
        self._nodes = template.nodes
        self._roman = template.roman
        self._fill_mode = template.fill_mode
        self._sign, self._digits = number.sign, number.digits
        self._output: list[str] = []
        self._next = 0  # the index of the next digit
        self._position = 0  # of the current digit pattern
        self._in_number = False  # a digit was written last
        plain = not template.roman
        self._has_point = plain and template.has_point
        self._has_zero = plain and template.has_zero
        self._zero_start = template.zero_start - 1 if template.zero_start else 0
        self._after = number.after
        self._spaces = max(0, number.before - len(number.digits.partition(".")[0])) if plain else 0
        self._set_sign(template, number)
        self._last_relevant = self._find_last_relevant(template) if plain else None
        self._count = number.before + number.after - 1
        if not self._sign_written and not self._spaces:
            self._count += 1

    def _set_sign(self, template: NumberTemplate, number: NumberText) -> None:
        plain, positive = not template.roman, self._sign != "-"
        self._brackets = plain and template.brackets
        self._anchor = template.sign if plain else Anchor.NONE
        if plain and (template.plus or template.minus):
            # MI and SG write the sign themselves; beside PL alone, a minus has its usual place.
            self._sign_written = template.minus
            return
        if positive and template.fill_mode:
            self._brackets = False
        self._sign_written = (
            self._sign == "+" and template.fill_mode and self._anchor is Anchor.NONE
        )
        if self._anchor is Anchor.BEFORE and number.before == template.digits_before_sign:
            self._anchor = Anchor.AFTER

    def _find_last_relevant(self, template: NumberTemplate) -> int | None:
        """Return the index of the last digit that FM keeps; None if all digits are kept."""
        point = self._digits.find(".")
        if not (template.fill_mode and template.has_point) or point < 0:
            return None
        last = max(point, len(self._digits.rstrip("0")) - 1)
        if template.zero_end > self._spaces:
            last = max(last, min(len(self._digits) - 1, template.zero_end - self._spaces))
        return last

    def write(self) -> str:
        """Return the template with the number in it."""
        for node in interruptible(self._nodes):
            if not node.pattern:
                self._output.append(node.text)
            elif node.pattern in ("9", "0", ".", "D"):
                if not self._roman:
                    self._write_digit(node.pattern)
            elif node.pattern == "SG" and not self._sign:
                break  # PostgreSQL's text of a Roman number ends here.
            else:
                self._output.append(self._other(node.pattern))
        return "".join(self._output).partition(_END)[0]

    def _other(self, pattern: str) -> str:
        match pattern:
            case "," | "G":
                return "," if self._in_number else self._pad(" ")
            case "L":
                return _CURRENCY
            case "RN" | "rn":
                digits = self._digits.lower() if pattern == "rn" else self._digits
                return digits if self._fill_mode else digits.rjust(_ROMAN_WIDTH)
            case "TH" | "th":
                return self._suffix(pattern)
            case "MI":
                return "-" if self._sign == "-" else self._pad(" ")
            case "PL":
                return "+" if self._sign == "+" else self._pad(" ")
            case "SG":
                return self._sign
        return ""

    def _pad(self, text: str) -> str:
        return "" if self._fill_mode else text

    def _suffix(self, pattern: str) -> str:
        if self._roman or self._digits[:1] == "#" or self._sign == "-" or self._has_point:
            return ""
        suffix = ordinal_suffix(self._digits)
        return suffix if pattern == "TH" else suffix.lower()

    # ------------------------------------------------------------------------ digits

    def _write_digit(self, pattern: str) -> None:
        self._in_number = False
        if not self._sign_written:
            self._write_sign()
        if self._position < self._spaces:
            if self._has_zero and self._zero_start <= self._position:
                self._output.append("0")
                self._in_number = True
            else:
                self._output.append(self._pad(" "))
        else:
            self._write_next(pattern)
        self._write_end()
        self._position += 1

    def _write_sign(self) -> None:
        """Write the sign if the next digit pattern writes a digit."""
        starts = self._position >= self._spaces or (
            self._has_zero and self._zero_start == self._position
        )
        if not starts or (self._hides_zero() and not self._ends_at_point()):
            return
        if self._anchor is not Anchor.NONE:
            if self._anchor is Anchor.BEFORE:
                self._output.append(self._sign)
                self._sign_written = True
            return
        if self._brackets:
            self._output.append("<" if self._sign == "-" else " ")
        else:
            self._output.append("-" if self._sign == "-" else self._pad(" "))
        self._sign_written = True

    def _hides_zero(self) -> bool:
        """Return whether the next digit is the single 0 before a point, as in .5."""
        is_first = self._next == 0 and self._digits[:1] == "0"
        return is_first and not self._has_zero and self._after != 0

    def _ends_at_point(self) -> bool:
        last = self._last_relevant
        return last is not None and self._digits[last] == "."

    def _write_next(self, pattern: str) -> None:
        """Write the next digit or the point, unless it is hidden."""
        digit = self._digits[self._next : self._next + 1]
        if digit == ".":
            if not self._ends_at_point() or self._fill_mode:
                self._output.append(".")
        elif self._last_relevant is not None and self._next > self._last_relevant:
            if pattern == "0":
                self._write_visible(digit)
        else:
            self._write_visible(digit)
        if digit:
            self._next += 1

    def _write_visible(self, digit: str) -> None:
        if not self._hides_zero():
            self._output.append(digit or _END)
            self._in_number = True
        elif not self._fill_mode:
            self._output.append(" ")
        elif self._ends_at_point():
            self._output.append("0")

    def _write_end(self) -> None:
        """Write what follows the last digit: a bracket, or the sign that S anchors there."""
        end = self._count + (self._spaces > 0) + self._has_point
        if self._last_relevant is not None and self._last_relevant == self._next:
            end = self._position
        if self._position + 1 != end:
            return
        if self._sign_written and self._brackets:
            self._output.append(">" if self._sign == "-" else " ")
        elif self._anchor is Anchor.AFTER:
            self._output.append(self._sign)
