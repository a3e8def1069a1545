"""Rows of pg_constraint: checks, foreign keys and primary keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanemu.base.identifiers import constraint_full_name
from spanemu.database.system_tables.constraints import checked_columns, primary_key_name
from spanemu.database.system_tables.declaration import Source, last_part
from spanemu.database.system_tables.postgresql.declaration import NamedRows, home_and_name
from spanemu.database.system_tables.postgresql.oids import (
    key_constraint_oid,
    named_oids,
    relation_oid,
)
from spanemu.schema.table import Table

_NO_ACTION = " "  # the action of a constraint other than a foreign key


def pg_constraint(source: Source) -> NamedRows:
    """Yield the constraints of the tables of users."""
    schema = source.schema
    oids = named_oids(source)
    checked = checked_columns(source)
    for table in schema.tables.values():
        namespace = oids.namespace(home_and_name(table.name)[0])
        common = {
            "connamespace": namespace,
            "convalidated": True,
            "conrelid": relation_oid(table),
            "confrelid": 0,
            "confupdtype": _NO_ACTION,
            "confdeltype": _NO_ACTION,
        }
        for check in table.checks:
            yield {
                **common,
                "oid": oids["constraint", constraint_full_name(table.name, check.name)],
                "conname": last_part(check.name),
                "contype": "c",
                "conkey": _numbers(table, checked.get((table.id, check.name), ())),
            }
        for key in table.foreign_keys:
            referenced = schema.tables[schema.fold(key.referenced_table)]
            yield {
                **common,
                "oid": oids["constraint", key.full_name],
                "conname": last_part(key.name),
                "contype": "f",
                "confrelid": relation_oid(referenced),
                "confdeltype": "c" if key.cascade else "a",
                "conkey": _numbers(table, key.columns),
                "confkey": _numbers(referenced, key.referenced_columns),
            }
        yield {
            **common,
            "oid": key_constraint_oid(table),
            "conname": primary_key_name(table.name),
            "contype": "p",
            "conkey": _numbers(table, (column.name for column in table.key_columns)),
        }


def _numbers(table: Table, columns: Iterable[str]) -> list[Any]:
    """Return the positions of columns in their table."""
    numbers = {column.name: number for number, column in enumerate(table.columns, 1)}
    return [numbers[table.by_name[table.fold(name)].name] for name in columns]
