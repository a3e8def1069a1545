"""A value for a column: from a provider of the test, by the column's name, or by its type.

All values come from one seeded Faker, so a run with the same seed has the same values.
`allowed_values` reads the values that check constraints list for a column.
"""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from google.cloud.spanner_v1 import JsonObject

from pytest_spanemu.databases.catalog import ColumnInfo, item_type
from pytest_spanemu.options import Dialect
from spanemu.base.errors import SpannerError
from spanemu.schema.dialect import dialect_named
from spanemu.sql import syntax_tree as ast
from spanemu.sql.dialects import dialect_of
from spanemu.sql.inspection import called_function, walk

Provider = Callable[[Any], Any]

INT64_MAX = (1 << 63) - 1
SMALL_INT_MAX = 1_000
ARRAY_ITEMS_MAX = 3
TEXT_CHARS_MAX = 40
BYTES_COUNT = 16
_EPOCH = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
_SECONDS = 5 * 365 * 86_400
_LENGTH = re.compile(r"\((\d+|0x[0-9a-fA-F]+)\)")
_VECTOR_LENGTH = re.compile(r">\(vector_length=>(\d+)\)$")

# Words of a column's name, with the Faker method for them. The first entry that matches counts.
_BY_NAME: tuple[tuple[tuple[str, ...], str], ...] = (
    (("email", "mail"), "email"),
    (("first", "given"), "first_name"),
    (("last", "family", "surname"), "last_name"),
    (("username", "login", "handle"), "user_name"),
    (("company", "employer", "vendor"), "company"),
    (("phone", "mobile", "fax"), "phone_number"),
    (("street",), "street_address"),
    (("city", "town"), "city"),
    (("country",), "country"),
    (("zip", "postcode", "postal"), "postcode"),
    (("url", "uri", "link", "website", "homepage"), "url"),
    (("ip",), "ipv4"),
    (("currency",), "currency_code"),
    (("color", "colour"), "color_name"),
    (("locale", "language", "lang"), "locale"),
    (("description", "comment", "note", "notes", "body", "text", "message", "bio"), "sentence"),
    (("title", "subject", "headline"), "catch_phrase"),
    (("address",), "street_address"),
    (("name",), "name"),
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class ValueGenerator:
    """A generator of values for columns, from providers by lower-case name or from a `Faker`."""

    def __init__(self, faker: Any, providers: Mapping[str, Provider]) -> None:
        self.faker = faker
        self._providers = providers

    def value(self, table: str, column: ColumnInfo) -> Any:
        """Return a value for a column that is not part of the key."""
        provider = self._provider(table, column)
        if provider is not None:
            return provider(self.faker)
        return self._of_type(column.type, column.name)

    def key_part(self, table: str, column: ColumnInfo) -> Any:
        """Return a value for a key column.

        Values spread over the key space, as Spanner recommends for keys.
        """
        provider = self._provider(table, column)
        if provider is not None:
            return provider(self.faker)
        if column.kind == "INT64":
            return self.faker.random_int(1, INT64_MAX)
        if column.kind == "STRING":
            return _cut(str(self._uuid()), column.type)
        return self._of_type(column.type, column.name)

    def has_provider(self, table: str, column: ColumnInfo) -> bool:
        """Return whether the test has a provider for a column, by its name or its type."""
        return self._provider(table, column) is not None

    def has_provider_by_name(self, table: str, column: ColumnInfo) -> bool:
        """Return whether the test has a provider for this column, not only for its type."""
        return f"{table}.{column.name}".lower() in self._providers or (
            column.name.lower() in self._providers
        )

    def _provider(self, table: str, column: ColumnInfo) -> Provider | None:
        names = (f"{table}.{column.name}", column.name, column.type, column.kind, column.declared)
        for name in names:
            provider = self._providers.get(name.lower())
            if provider is not None:
                return provider
        return None

    def _of_type(self, type_: str, name: str) -> Any:
        item = item_type(type_)
        if item is not None:
            fixed = _VECTOR_LENGTH.search(type_)
            count = int(fixed[1]) if fixed else self.faker.random_int(1, ARRAY_ITEMS_MAX)
            return [self._of_type(item, name) for _ in range(count)]
        kind = type_.partition("(")[0]
        if kind == "STRING":
            return self._string(type_, name)
        if kind not in _BY_TYPE:
            raise TypeError(
                f"column {name} has type {type_}, for which the factory has no values: pass a "
                f"value, or add a provider for {type_!r}"
            )
        return _BY_TYPE[kind](self, type_)

    def _string(self, type_: str, name: str) -> str:
        if _LENGTH.search(type_) and _length(type_) == 36 and _is_id(name):
            return str(self._uuid())
        words = {word.lower() for word in _WORDS.findall(name)}
        for known, method in _BY_NAME:
            if words & set(known):
                return _cut(str(getattr(self.faker, method)()), type_)
        return _cut(str(self.faker.text(TEXT_CHARS_MAX)).rstrip("."), type_)

    def _uuid(self) -> uuid.UUID:
        return uuid.UUID(int=self.faker.random.getrandbits(128), version=4)

    def _timestamp(self) -> datetime.datetime:
        return _EPOCH + datetime.timedelta(seconds=self.faker.random_int(0, _SECONDS))


def _json(values: ValueGenerator) -> Any:
    return JsonObject(
        {"id": values.faker.random_int(1, SMALL_INT_MAX), "name": values.faker.word()}
    )


_BY_TYPE: Mapping[str, Callable[[ValueGenerator, str], Any]] = {
    "BOOL": lambda values, _: values.faker.pybool(),
    "INT64": lambda values, _: values.faker.random_int(1, SMALL_INT_MAX),
    "FLOAT32": lambda values, _: values.faker.random_int(0, SMALL_INT_MAX) / 4,
    "FLOAT64": lambda values, _: round(values.faker.random.uniform(0, SMALL_INT_MAX), 3),
    "NUMERIC": lambda values, _: decimal.Decimal(values.faker.random_int(0, 1_000_000)) / 100,
    "BYTES": lambda values, type_: _base64(values, min(BYTES_COUNT, _length(type_))),
    "DATE": lambda values, _: values._timestamp().date(),
    "TIMESTAMP": lambda values, _: values._timestamp(),
    "JSON": lambda values, _: _json(values),
    "UUID": lambda values, _: str(values._uuid()),
    "INTERVAL": lambda values, _: f"P{values.faker.random_int(1, 30)}D",
}


def _base64(values: ValueGenerator, count: int) -> bytes:
    """Return random bytes in base64, which the official client expects."""
    return b64encode(values.faker.random.randbytes(count))


def _length(type_: str) -> int:
    """Return the length in a type, a large number for MAX."""
    match = _LENGTH.search(type_)
    return int(match[1], 0) if match else 1 << 20


def _cut(text: str, type_: str) -> str:
    return text[: _length(type_)].strip() or "x"


def _is_id(name: str) -> bool:
    return name.lower().endswith(("id", "uuid", "guid", "key"))


# ---------------------------------------------------------------------------- checks

# A value that a check lists for the result of these functions may fit the column itself.
_CASE_FUNCTIONS = frozenset({"UPPER", "LOWER"})


@lru_cache(maxsize=1024)
def allowed_values(
    column: str, kind: str, checks: tuple[str, ...], dialect: Dialect = Dialect.GOOGLESQL
) -> tuple[Any, ...]:
    """Return the literals that the checks of a table list for a column of type `kind`."""
    values = [
        _value(_without_casts(literal), kind)
        for check in checks
        for literal in _literals(column, check, dialect)
    ]
    return tuple(dict.fromkeys(value for value in values if value is not None))


def _literals(column: str, check: str, dialect: Dialect) -> Iterator[ast.Expression]:
    try:
        tree = dialect_of(dialect_named(dialect)).parse_expression(check)
    except SpannerError:  # The check is of a newer Spanner; the server evaluates it on each row.
        return
    for node, _ in walk(tree):
        if (array := _any_of(node, column)) is not None:
            yield from array.items
        elif isinstance(node, ast.In) and not node.negated and _is_column(node.operand, column):
            yield from node.items
            if isinstance(node.unnest, ast.ArrayConstructor):
                yield from node.unnest.items
        elif isinstance(node, ast.Binary) and node.op == "=":
            if _is_column(node.left, column):
                yield node.right
            elif _is_column(node.right, column):
                yield node.left


def _any_of(node: ast.Node, column: str) -> ast.ArrayConstructor | None:
    """Return the array of `column = ANY (ARRAY[...])`, the form of IN in PostgreSQL's schemas."""
    operand, array = getattr(node, "operand", None), getattr(node, "array", None)
    is_any = getattr(node, "op", "") == "=" and not getattr(node, "all", False)
    if is_any and isinstance(array, ast.ArrayConstructor) and isinstance(operand, ast.Expression):
        return array if _is_column(operand, column) else None
    return None


def _without_casts(node: Any) -> Any:
    """Return the operand of casts, which PostgreSQL's schemas write around literals and columns."""
    while hasattr(node, "operand") and hasattr(node, "type"):
        node = node.operand
    return node


def _is_column(node: ast.Expression, column: str) -> bool:
    node = _without_casts(node)
    if isinstance(node, ast.Call) and called_function(node) in _CASE_FUNCTIONS:
        node = node.arguments[0]
    return isinstance(node, ast.Name) and str(node.path).lower() == column.lower()


def _value(node: ast.Expression, kind: str) -> Any:
    """Return a literal as the official client takes it, None for other expressions."""
    match node:
        case ast.Unary("-", ast.IntLiteral() | ast.FloatLiteral() as operand):
            return -_value(operand, kind)
        case ast.IntLiteral(value) | ast.FloatLiteral(value):
            if kind == "NUMERIC":
                return decimal.Decimal(node.text or str(value))
            return float(value) if kind.startswith("FLOAT") else value
        case ast.StringLiteral(text) | ast.TypedLiteral(_, text):
            return _parsed(text, kind)
        case ast.BytesLiteral(value):
            return b64encode(value)
        case ast.BoolLiteral(value):
            return value
    return None


def _parsed(text: str, kind: str) -> Any:
    try:
        match kind:
            case "INT64":
                return int(text)
            case "FLOAT32" | "FLOAT64":
                return float(text)
            case "NUMERIC":
                return decimal.Decimal(text)
            case "DATE":
                return datetime.date.fromisoformat(text)
            case "TIMESTAMP":
                timestamp = datetime.datetime.fromisoformat(text)
                # Without a zone the text depends on the server's time zone.
                return timestamp if timestamp.tzinfo is not None else None
    except (ValueError, decimal.InvalidOperation):  # The server may accept more forms.
        return None
    return text
