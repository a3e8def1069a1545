"""Schema statements: a library for tools, and the changes of a database's schema.

For tools:

    parse(text), format_ddl(text)            statements with their trees; formatted text
    schema_of(text), statements_of(schema)   the schema that statements create, and the reverse
    diff(before, after)                      the statements that lead from one schema to another
    dependencies(schema)                     the dependencies between the objects of a schema

Inside, from DDL text to the next generation of a schema and the data work that it needs, in reading
order: `apply` (a batch of statements as steps, with a cache of the latest batches), `change` (the
effect of a statement: the next schema, and how the work on rows runs), `statements` (the effect of
each statement; one table from syntax to function), `kinds` (named objects without rows, one
description for each kind), `schema_text` (a schema as canonical DDL), `naming` (the objects that a
statement names, rules for names, and generated names), `expressions` (the objects that SQL inside a
schema refers to, and dependent views), `validators` (rules that the schema alone decides), `jobs`
(rules that stored rows must satisfy, and rows that a change writes), `errors`. The library for
tools is `api`, and `difference` with `column_difference`, `function_difference` and
`object_difference` (the statements of a migration, which the dialect writes).

The names of the library are imported on first use, because a database needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanemu.base.deferred import lazy_names

if TYPE_CHECKING:
    from spanemu.ddl.api import (
        Dependency,
        ParsedStatement,
        dependencies,
        format_ddl,
        parse,
        schema_of,
        statements_of,
    )
    from spanemu.ddl.difference import Migration, diff

__all__ = [
    "Dependency",
    "Migration",
    "ParsedStatement",
    "dependencies",
    "diff",
    "format_ddl",
    "parse",
    "schema_of",
    "statements_of",
]

# The module of each public name.
_HOMES = {
    "Dependency": "spanemu.ddl.api",
    "Migration": "spanemu.ddl.difference",
    "ParsedStatement": "spanemu.ddl.api",
    "dependencies": "spanemu.ddl.api",
    "diff": "spanemu.ddl.difference",
    "format_ddl": "spanemu.ddl.api",
    "parse": "spanemu.ddl.api",
    "schema_of": "spanemu.ddl.api",
    "statements_of": "spanemu.ddl.api",
}


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
