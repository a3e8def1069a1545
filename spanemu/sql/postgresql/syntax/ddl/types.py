"""Types of columns: PostgreSQL's names become Spanner's, and the rest is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spanemu.sql.ddl_ast import Option
from spanemu.sql.postgresql.ast import TypeReference
from spanemu.sql.postgresql.syntax.ddl.parts import DdlPartParser
from spanemu.sql.postgresql.types import BY_NAME
from spanemu.sql.syntax_tree import Identifier, Path, TypeName

_LENGTH_MAX = 2_621_440
_SERIALS = frozenset({"bigserial", "serial", "serial2", "serial4", "serial8", "smallserial"})
# Types of PostgreSQL that Spanner lacks, with the types to use instead.
_BIGINT = "bigint or int8"
_INSTEAD: Mapping[str, str] = {
    "int2": _BIGINT,
    "int4": _BIGINT,
    "json": "jsonb",
    "money": "numeric or decimal",
}
_LACKING_NAMES = """
    bit box bpchar char cidr circle cid daterange hstore inet int4range int8range interval jsonpath
    line lseg macaddr macaddr8 name numrange oid path pg_lsn pg_snapshot point polygon regclass
    regtype regproc time timetz timestamp tsquery tsrange tstzrange tsvector txid_snapshot varbit
    xid xml
"""
_LACKING = frozenset(_LACKING_NAMES.split())
_EXTENDED = {"commit_timestamp": "TIMESTAMP", "tokenlist": "TOKENLIST"}


class ColumnType(NamedTuple):
    """The type of a column in Spanner's terms, and what the spelling of the type adds."""

    name: TypeName
    serial: bool = False
    options: tuple[Option, ...] = ()


class DdlTypeParser(DdlPartParser):
    """The grammar of types of columns."""

    def column_type(self) -> ColumnType:
        """Parse a type; note a refusal of a type that columns cannot have."""
        written = self.type_reference()
        if written.schema == "spanner":
            return self._extended(written)
        if written.schema:
            message = f"Types from namespace <{written.schema}> are not supported."
            self.refuse(message, written.at)
        if written.name in _SERIALS:
            return ColumnType(self._named("INT64", written), serial=True)
        type_ = BY_NAME.get(written.name)
        if type_ is None or written.name in _LACKING:
            self.refuse(_missing(written.name), written.at)
            return ColumnType(self._named("INT64", written))
        return ColumnType(self._named(str(type_), written))

    def _extended(self, written: TypeReference) -> ColumnType:
        name = _EXTENDED.get(written.name)
        shown = f"<{written.name}>"
        if name is None:
            self.refuse(f"Type {shown} does not exist.", written.at)
        elif written.modifiers:
            self.refuse(f"Type modifiers are not supported for the type {shown}.", written.at)
        elif written.dimensions:
            self.refuse(f"Arrays are not supported for the type {shown}.", written.at)
        type_ = self._scalar(name or "INT64", written)
        if name != "TIMESTAMP":
            return ColumnType(type_)
        option = Option("allow_commit_timestamp", True, at=written.at, end=written.end)
        return ColumnType(type_, options=(option,))

    def _named(self, name: str, written: TypeReference) -> TypeName:
        """Return a type or an array of it, with the length of varchar(n)."""
        if written.dimensions > 1:
            self.refuse("Multi-dimensional arrays are not supported.", written.at)
        scalar = self._scalar(name, written, self._length(written, name))
        if not written.dimensions:
            return scalar
        return TypeName(element=scalar, at=written.at, end=written.end)

    def _length(self, written: TypeReference, name: str) -> int | str | None:
        if written.name == "varchar" and written.modifiers:
            (length,) = written.modifiers
            if length > _LENGTH_MAX:
                message = f"Maximum length for <varchar> fields is {_LENGTH_MAX}."
                self.refuse(message, written.at)
            return length
        if written.modifiers:
            message = f"Type modifier is not supported for type <{written.name}>."
            self.refuse(message, written.at)
        return "MAX" if name in ("STRING", "BYTES") else None

    def _scalar(
        self, name: str, written: TypeReference, length: int | str | None = None
    ) -> TypeName:
        path = Path((Identifier(name, at=written.at, end=written.end),))
        return TypeName(path=path, length=length, at=written.at, end=written.end)


def _missing(name: str) -> str:
    if instead := _INSTEAD.get(name):
        return f"Type <{name}> is not supported; use {instead} instead."
    return f"Type <{name}> {'is not supported' if name in _LACKING else 'does not exist'}."
