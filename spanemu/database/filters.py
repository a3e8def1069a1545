"""The filter language of the List calls: `labels.env:dev AND (name:shop OR done=true)`.

    filter      = term { [ "AND" ] term } joined by "OR"; AND binds tighter, as does juxtaposition
    term        = [ "NOT" | "-" ] ( "(" filter ")" | field operator value )
    operator    = ":" has (contains; `*` for present), "=", "!=", "<", "<=", ">", ">="

Text compares without regard to case, as the services document. A filter is compiled once into a
predicate over the fields of an item. Each listing (`instances`, `operations`, `sessions`) defines
the fields of its items, and passes them as a mapping.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from spanemu.base.clock import NANOS_PER_MICRO, NANOS_PER_SECOND
from spanemu.database.errors import InvalidFilter

DEPTH_MAX = 50  # nested parentheses and NOTs
CHARS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in time as a field's value, in nanoseconds since the epoch."""

    nanos: int


FieldValue = str | bool | int | Instant
# A field with several values, such as a list of statements, matches if any value matches.
Fields = Mapping[str, FieldValue | tuple[FieldValue, ...]]
Predicate = Callable[[Fields], bool]
IsField = Callable[[str], bool]

_TOKEN = re.compile(
    r"""\s*(?: (?P<open>\() | (?P<close>\)) | (?P<operator>[<>!]?=|[:<>]) | (?P<minus>-(?=[\w(]))
    | (?P<word>[\w.@][\w.@/-]*) )""",
    re.VERBOSE,
)
_VALUE = re.compile(
    r"""\s*(?: "(?P<double>(?:[^"\\]|\\.)*)" | '(?P<single>(?:[^'\\]|\\.)*)'
    | (?P<bare>[^\s()"']+) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_FRACTION = re.compile(r"\.(\d{1,9})\d*")
_SINGLE_DIGIT = re.compile(r"(?<!\d)\d(?!\d)")

_ORDERINGS: Mapping[str, Callable[[int], bool]] = {
    "=": lambda sign: sign == 0,
    "!=": lambda sign: sign != 0,
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}


def compile_filter(text: str, is_field: IsField = lambda _: True) -> Predicate:
    """Compile a filter into a predicate; an empty filter accepts every item.

    `is_field` decides whether a lower-case name is a field of the listing. Raises InvalidFilter.
    """
    if not text.strip():
        return lambda _: True
    if len(text) > CHARS_MAX:
        raise InvalidFilter(text[:100] + "...", f"it is longer than {CHARS_MAX} characters")
    return _Parser(text, is_field).parse()


class _Parser:
    """A recursive descent parser with a lookahead of one token and a depth of up to DEPTH_MAX."""

    def __init__(self, text: str, is_field: IsField) -> None:
        self.text = text
        self.is_field = is_field
        self.position = 0
        self.depth = 0
        self.kind = self.token = ""
        self.advance()

    def parse(self) -> Predicate:
        predicate = self.alternatives()
        if self.kind != "end":
            raise self.problem(f"unexpected {self.token!r}")
        return predicate

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.position)
        if match is not None and match.lastgroup is not None:
            self.kind, self.token = match.lastgroup, match[match.lastgroup]
            self.position = match.end()
        elif not self.text[self.position :].strip():
            self.kind, self.token = "end", ""
        else:
            raise self.problem(f"unexpected {self.text[self.position :].strip()[:20]!r}")

    def problem(self, reason: str) -> InvalidFilter:
        return InvalidFilter(self.text, reason)

    def keyword(self, word: str) -> bool:
        return self.kind == "word" and self.token.upper() == word

    def alternatives(self) -> Predicate:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.problem("it nests too deeply")
        either = [self.conjunction()]
        while self.keyword("OR"):
            self.advance()
            either.append(self.conjunction())
        self.depth -= 1
        return either[0] if len(either) == 1 else lambda fields: any(p(fields) for p in either)

    def conjunction(self) -> Predicate:
        every = [self.term()]
        while self.kind in ("word", "open", "minus") and not self.keyword("OR"):
            if self.keyword("AND"):
                self.advance()
            every.append(self.term())
        return every[0] if len(every) == 1 else lambda fields: all(p(fields) for p in every)

    def term(self) -> Predicate:
        negations = 0
        while self.kind == "minus" or self.keyword("NOT"):
            negations += 1
            self.advance()
        predicate = self.group() if self.kind == "open" else self.restriction()
        return (lambda fields: not predicate(fields)) if negations % 2 else predicate

    def group(self) -> Predicate:
        self.advance()
        predicate = self.alternatives()
        if self.kind != "close":
            raise self.problem('")" is missing')
        self.advance()
        return predicate

    def restriction(self) -> Predicate:
        if self.kind != "word":
            raise self.problem(f"a field name is expected before {self.token or 'the end'!r}")
        field = self.token.lower()
        if not self.is_field(field):
            raise self.problem(f"{self.token!r} is not a field that can be filtered")
        self.advance()
        if self.kind != "operator":
            raise self.problem(f"an operator is expected after {field!r}")
        operator, value = self.token, self.value()
        self.advance()
        return _restriction(field, operator, value)

    def value(self) -> str:
        match = _VALUE.match(self.text, self.position)
        if match is None:
            raise self.problem(f"a value is expected after {self.token!r}")
        self.position = match.end()
        quoted = match["double"] if match["double"] is not None else match["single"]
        return match["bare"] if quoted is None else _ESCAPE.sub(r"\1", quoted)


def _restriction(field: str, operator: str, literal: str) -> Predicate:
    if literal == "*" and operator in (":", "="):
        return lambda fields: field in fields
    test = _has(literal.lower()) if operator == ":" else _ordered(operator, literal.lower())

    def matches(fields: Fields) -> bool:
        value = fields.get(field)
        if value is None:
            return False
        return any(map(test, value)) if isinstance(value, tuple) else test(value)

    return matches


def _has(literal: str) -> Callable[[FieldValue], bool]:
    needle = literal.strip("*")

    def test(value: FieldValue) -> bool:
        if isinstance(value, str):
            return needle in value.lower()
        return _compare(value, literal) == 0

    return test


def _ordered(operator: str, literal: str) -> Callable[[FieldValue], bool]:
    accepts = _ORDERINGS[operator]

    def test(value: FieldValue) -> bool:
        sign = _compare(value, literal)
        return sign is not None and accepts(sign)

    return test


def _compare(value: FieldValue, literal: str) -> int | None:
    """Return the sign of `value - literal`; None if the literal does not fit the field's type."""
    match value:
        case bool():
            return None if literal not in ("true", "false") else value - (literal == "true")
        case int():
            return value - int(literal) if re.fullmatch(r"-?\d{1,18}", literal) else None
        case Instant(nanos):
            moment = _instant(literal)
            return None if moment is None else nanos - moment
        case str():
            return (value.lower() > literal) - (value.lower() < literal)


@lru_cache(maxsize=256)
def _instant(literal: str) -> int | None:
    """Return the nanoseconds of an RFC 3339 timestamp; None if `literal` is not a timestamp.

    Single digits are accepted ("2026-3-1T9:05:00Z"), because the client library's samples omit
    leading zeros.
    """
    fraction = _FRACTION.search(literal)
    nanos = int(fraction[1].ljust(9, "0")) if fraction else 0
    try:
        text = _SINGLE_DIGIT.sub(r"0\g<0>", _FRACTION.sub("", literal))
        whole = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    aware = whole if whole.tzinfo else whole.replace(tzinfo=UTC)
    since = aware - datetime(1970, 1, 1, tzinfo=UTC)
    micros = (since.days * 86_400 + since.seconds) * 1_000_000
    return micros * NANOS_PER_MICRO + nanos % NANOS_PER_SECOND
