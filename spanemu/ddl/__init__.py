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
"""

from spanemu.ddl.dependency_graph import Dependency, dependencies
from spanemu.ddl.difference import Migration, diff
from spanemu.ddl.layout import format_ddl
from spanemu.ddl.library import ParsedStatement, parse, schema_of, statements_of

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
