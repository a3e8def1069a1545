"""Schema sources: where the template's schema, and rows that belong to it, come from.

    schema.sql, db/*.ddl            files and globs, in natural order
    db/                             a directory: migrations as wrench or golang-migrate lay
                                    them out, or just its files
    goose:DIR                       goose migrations, their Up sections
    alembic:alembic.ini[@REV]       Alembic, up to a revision (default: head)
    metadata:MODULE:NAME            SQLAlchemy metadata, or a declarative base
    call:MODULE:FUNCTION            a function that returns statements, or takes a `Database`
    spanner://projects/P/...        the schema of a database that is running

In reading order: `source` (what a source is), `files`, `migrations`, `programs`,
`choice` (which text means which source, and the sample schemas), `choices` (values that models
admit). A source is read into steps; the template runs them.
"""

from pytest_spanemu.sources.choice import default_sources, source_of
from pytest_spanemu.sources.source import (
    Ddl,
    Dml,
    Ladder,
    Program,
    Rung,
    Source,
    SourceError,
    Step,
)

__all__ = [
    "Ddl",
    "Dml",
    "Ladder",
    "Program",
    "Rung",
    "Source",
    "SourceError",
    "Step",
    "default_sources",
    "source_of",
]
