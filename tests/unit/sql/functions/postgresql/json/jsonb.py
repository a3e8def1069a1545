"""Calls of functions on JSONB with documents as texts."""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.postgresql.json.functions import FUNCTIONS
from spanemu.values.pg_jsonb import Jsonb, parse
from tests.unit.sql.functions.postgresql.calling import call


def result_of(name: str, document: str, types: str = "", *arguments: Any) -> Any:
    """Return the result for a document and arguments of `types`, documents as texts."""
    names = [type_.strip() for type_ in types.split(",") if type_]
    values = [
        parse(value) if type_ == "PG_JSONB" and value is not None else value
        for type_, value in zip(names, arguments, strict=True)
    ]
    return plain(call(FUNCTIONS, name, ", ".join(["PG_JSONB", *names]), parse(document), *values))


def plain(value: Any) -> Any:
    """Return a result with documents as texts."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value.text if isinstance(value, Jsonb) else value
