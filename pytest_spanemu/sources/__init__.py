"""Schema sources: the origins of the template's schema, and of rows that belong to the schema.

    schema.sql, db/*.ddl            files and globs, in natural order
    db/                             a directory: migrations in the layout of wrench or
                                    golang-migrate, or plain files
    goose:DIR                       goose migrations, their Up sections
    alembic:alembic.ini[@REV]       Alembic, up to a revision (default: head)
    metadata:MODULE:NAME            SQLAlchemy metadata, or a declarative base
    call:MODULE:FUNCTION            a function that returns statements, or takes a `Database`
    spanner://projects/P/...        the schema of an existing database

In reading order: `source` (what a source is, and files of SQL), `migrations`, `code_facts`
(what Python code depends on), `known_facts` (kept from one run to the next), `revisions` (those of
Alembic, and a key for the state after each), `programs`, `registry` (which source a setting names,
and the sample schemas). A source is read into steps; the template runs the steps.
"""

from pytest_spanemu.sources.registry import default_sources, source_of
from pytest_spanemu.sources.source import (
    Ddl,
    Dml,
    Migration,
    MigrationSource,
    Program,
    Source,
    SourceError,
    Step,
)

__all__ = [
    "Ddl",
    "Dml",
    "Migration",
    "MigrationSource",
    "Program",
    "Source",
    "SourceError",
    "Step",
    "default_sources",
    "source_of",
]
