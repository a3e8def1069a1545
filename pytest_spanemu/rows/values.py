"""A value for a column: by a provider that the test gave, by the column's name, or by its type.

Everything comes from one seeded Faker, so a run is repeated by its seed.
"""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from google.cloud.spanner_v1 import JsonObject

from pytest_spanemu.databases.catalog import ColumnInfo

Provider = Callable[[Any], Any]

INT64_MAX = (1 << 63) - 1
SMALL_INT_MAX = 1_000
ARRAY_ITEMS_MAX = 3
TEXT_CHARS_MAX = 40
BYTES_COUNT = 16
_EPOCH = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
_SECONDS = 5 * 365 * 86_400
_LENGTH = re.compile(r"\((\d+|0x[0-9a-fA-F]+)\)")

# A word of the column's name -> the Faker method that suits it, the first that fits counts.
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


class Values:
    """Makes values. `faker` is a `faker.Faker`; `providers` are looked up before anything else."""

    def __init__(self, faker: Any, providers: Mapping[str, Provider]) -> None:
        self.faker = faker
        self._providers = providers

    def of(self, table: str, column: ColumnInfo) -> Any:
        """A value for a column."""
        provider = self._provider(table, column)
        if provider is not None:
            return provider(self.faker)
        return self._of_type(column.type, column.name)

    def key_part(self, table: str, column: ColumnInfo) -> Any:
        """A value for a key column: spread over the key space, as keys on Spanner should be."""
        provider = self._provider(table, column)
        if provider is not None:
            return provider(self.faker)
        if column.kind == "INT64":
            return self.faker.random_int(1, INT64_MAX)
        if column.kind == "STRING":
            return _cut(str(self._uuid()), column.type)
        return self._of_type(column.type, column.name)

    def has_provider(self, table: str, column: ColumnInfo) -> bool:
        """Whether the test says how values of a column are made."""
        return self._provider(table, column) is not None

    def names(self, table: str, column: ColumnInfo) -> bool:
        """Whether the test names the very column, and not only its type."""
        return f"{table}.{column.name}".lower() in self._providers or (
            column.name.lower() in self._providers
        )

    def _provider(self, table: str, column: ColumnInfo) -> Provider | None:
        for name in (f"{table}.{column.name}", column.name, column.type, column.kind):
            found = self._providers.get(name.lower())
            if found is not None:
                return found
        return None

    def _of_type(self, type_: str, name: str) -> Any:
        if type_.startswith("ARRAY<"):
            count = self.faker.random_int(1, ARRAY_ITEMS_MAX)
            return [self._of_type(type_[6:-1], name) for _ in range(count)]
        kind = type_.partition("(")[0]
        if kind == "STRING":
            return self._string(type_, name)
        if kind not in _BY_TYPE:
            raise TypeError(
                f"column {name} has type {type_}, which the factory does not know: give a value, "
                f"or a provider for {type_!r}"
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

    def _moment(self) -> datetime.datetime:
        return _EPOCH + datetime.timedelta(seconds=self.faker.random_int(0, _SECONDS))


def _json(values: Values) -> Any:
    return JsonObject(
        {"id": values.faker.random_int(1, SMALL_INT_MAX), "name": values.faker.word()}
    )


_BY_TYPE: Mapping[str, Callable[[Values, str], Any]] = {
    "BOOL": lambda values, _: values.faker.pybool(),
    "INT64": lambda values, _: values.faker.random_int(1, SMALL_INT_MAX),
    "FLOAT32": lambda values, _: values.faker.random_int(0, SMALL_INT_MAX) / 4,
    "FLOAT64": lambda values, _: round(values.faker.random.uniform(0, SMALL_INT_MAX), 3),
    "NUMERIC": lambda values, _: decimal.Decimal(values.faker.random_int(0, 1_000_000)) / 100,
    "BYTES": lambda values, type_: _base64(values, min(BYTES_COUNT, _length(type_))),
    "DATE": lambda values, _: values._moment().date(),
    "TIMESTAMP": lambda values, _: values._moment(),
    "JSON": lambda values, _: _json(values),
    "UUID": lambda values, _: str(values._uuid()),
    "INTERVAL": lambda values, _: f"P{values.faker.random_int(1, 30)}D",
}


def _base64(values: Values, count: int) -> bytes:
    """Bytes as the official client wants them: encoded already."""
    return b64encode(values.faker.random.randbytes(count))


def _length(type_: str) -> int:
    """The length in a type; very much for MAX."""
    match = _LENGTH.search(type_)
    return int(match[1], 0) if match else 1 << 20


def _cut(text: str, type_: str) -> str:
    return text[: _length(type_)].strip() or "x"


def _is_id(name: str) -> bool:
    return name.lower().endswith(("id", "uuid", "guid", "key"))
