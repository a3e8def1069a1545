"""Schema statements: a library of its own, and what a database does with them.

For tools:

    parse(text), format_ddl(text)            statements with their trees; text laid out
    schema_of(text), statements_of(schema)   the schema that statements make, and back
    diff(before, after)                      the statements that lead from one to the other
    dependencies(schema)                     what depends on what

Inside, from DDL text to the next generation of a schema and the data work it needs, in reading
order: `apply` (a batch of statements as steps; `memory` keeps the last ones), `change` (what a
statement does, and how its work on rows is run), `statements` (what each one changes; one table
from syntax to function), `lookup` (what a statement refers to), `edit` (steps from schema to
schema), `naming` (names that nobody chose), `expressions` (what SQL inside a schema refers to),
`dependents` (views over what changes), `mentions` (what follows a table to its new name),
`validators` (what may not be, judged on the schema alone), `verifiers` (what rows must satisfy),
`backfill` and `conversion` (rows that a change writes), `errors`. The library is `library`,
`layout`, `difference` with `table_difference`, `object_difference` and `settings_difference`, and
`dependency_graph`.

The names of the library are imported when they are first used: a database needs none of them.

Modules: `references`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanemu.ddl.api import ParsedStatement, parse, schema_of, statements_of
    from spanemu.ddl.dependency_graph import Dependency, dependencies
    from spanemu.ddl.difference import Migration, diff
    from spanemu.ddl.formatter import format_ddl

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
    "Dependency": "spanemu.ddl.dependency_graph",
    "Migration": "spanemu.ddl.difference",
    "ParsedStatement": "spanemu.ddl.api",
    "dependencies": "spanemu.ddl.dependency_graph",
    "diff": "spanemu.ddl.difference",
    "format_ddl": "spanemu.ddl.formatter",
    "parse": "spanemu.ddl.api",
    "schema_of": "spanemu.ddl.api",
    "statements_of": "spanemu.ddl.api",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
