"""A schema as canonical DDL text (behaviour of GetDatabaseDdl)."""

from __future__ import annotations

from spanemu.schema.schema import Schema


def ddl_statements(schema: Schema) -> list[str]:
    """Statements that recreate `schema`, in order."""
    return []
