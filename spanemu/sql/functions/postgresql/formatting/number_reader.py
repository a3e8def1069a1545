"""to_number: the number in a text, by a template.

The template says where digits may stand; every other pattern skips characters of the text.
"""

from __future__ import annotations

from decimal import Decimal

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.postgresql.errors import (
    BadFormattedText,
    NumberOutOfRange,
    UnsupportedTemplate,
)
from spanemu.sql.functions.postgresql.formatting.number_template import (
    Anchor,
    Node,
    NumberTemplate,
    number_template,
)
from spanemu.values import pg_numeric
from spanemu.values.types import BadValue

_DATA = "0123456789.,+-"
_SHIFT_SCALE = 16  # digits after the point of the power of ten that V divides by


def to_number(text: str, template_text: str) -> Decimal | None:
    """Return `to_number(text, text)`; NULL for an empty template."""
    if not template_text:
        return None
    template = number_template(template_text)
    for name, used in (("EEEE", template.scientific), ("RN", template.roman)):
        if used:
            raise UnsupportedTemplate(f'"{name}" not supported for input')
    reader = NumberReader(template, text)
    reader.read()
    return _number(template, reader)


def _number(template: NumberTemplate, reader: NumberReader) -> Decimal:
    digits = "".join(reader.digits).removesuffix(".")
    text = (reader.sign or " ") + digits
    try:
        number = pg_numeric.parse(text)
        fitted = pg_numeric.fitted(
            number, template.before + template.shift + reader.after, reader.after
        )
    except BadValue as failure:
        if failure.reason:
            raise NumberOutOfRange(failure.reason) from None
        raise BadFormattedText(f'invalid input syntax for type numeric: "{text}"') from None
    if not template.shifts:
        return fitted
    factor = Decimal((0, (1,), -template.shift))
    return pg_numeric.multiply(fitted, pg_numeric.rescaled(factor, _SHIFT_SCALE))


class NumberReader:
    """The state between two patterns of a template. `after` counts the digits after the point."""

    def __init__(self, template: NumberTemplate, text: str) -> None:
        self._template = template
        self._text = text.encode().decode("latin-1")  # A digit pattern goes on by one byte.
        self._at = 0
        self._read_point = False
        self.digits: list[str] = []
        self.sign = ""
        self.before = self.after = 0

    def read(self) -> None:
        """Read the text by all patterns of the template, as far as the text goes."""
        for node in interruptible(self._template.nodes):
            if self._at >= len(self._text):
                break
            if not node.pattern:
                self._at += _character_bytes(self._peek())
            else:
                self._read_pattern(node)

    def _read_pattern(self, node: Node) -> None:
        match node.pattern:
            case "9" | "0":
                self._read_digit(may_sign=True)
                self._at += 1
            case "." | "D":
                self._read_digit(may_sign=False)
                self._at += 1
            case "," | "G":
                if not self._template.fill_mode and self._peek() == ",":
                    self._at += 1
            case "L":
                self._skip(1)
            case "TH" | "th":
                if not self._template.has_point:
                    self._skip(2)
            case "MI":
                self._read_sign("-")
            case "PL":
                self._read_sign("+")
            case "SG":
                self._read_sign("-+")

    def _peek(self, ahead: int = 0) -> str:
        return self._text[self._at + ahead : self._at + ahead + 1]

    def _skip(self, count: int) -> None:
        """Skip up to `count` characters that cannot belong to a number."""
        while count and self._peek() and self._peek() not in _DATA:
            self._at += _character_bytes(self._peek())
            count -= 1

    def _read_sign(self, signs: str) -> None:
        if self._peek() in signs:
            self.sign = self._peek()
            self._at += 1
        else:
            self._skip(1)

    # ------------------------------------------------------------------------ digits

    def _read_digit(self, may_sign: bool) -> None:
        """Read a digit or the point, with a sign on either side; leave the position on it."""
        if self._peek() == " ":
            self._at += 1
        if may_sign and not self.sign and not self.before + self.after:
            self._read_leading_sign()
        character = self._peek()
        is_read = False
        if _is_digit(character):
            if self._read_point and self.after == self._template.after:
                return
            self._keep(character)
            is_read = True
        elif self._template.has_point and not self._read_point and character == ".":
            self.digits.append(".")
            self._read_point = is_read = True
        if character and not self.sign and self.before + self.after > 0:
            self._read_trailing_sign(is_read)

    def _keep(self, digit: str) -> None:
        self.digits.append(digit)
        if self._read_point:
            self.after += 1
        else:
            self.before += 1

    def _read_leading_sign(self) -> None:
        character = self._peek()
        if self._template.sign is Anchor.BEFORE:
            accepted = character in ("-", "+")
        else:
            accepted = character in ("-", "+") or (self._template.brackets and character == "<")
        if accepted:
            self.sign = "-" if character == "<" else character
            self._at += 1

    def _read_trailing_sign(self, is_read: bool) -> None:
        template = self._template
        if template.has_sign:
            following = self._peek(1)
            if is_read and following in ("-", "+"):
                self.sign = following
                self._at += 1
        elif not is_read and (template.plus or template.minus) and self._peek() in ("-", "+"):
            self.sign = self._peek()


def _is_digit(character: str) -> bool:
    return character.isascii() and character.isdigit()


def _character_bytes(lead: str) -> int:
    """Return the number of bytes of the UTF-8 character that begins with this byte."""
    byte = ord(lead)
    return 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
