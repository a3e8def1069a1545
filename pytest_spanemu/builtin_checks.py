"""`--spanner-check`: built-in tests of schema, seeds, migrations, models and queries.

    ::spanemu::schema_applies                 an empty database accepts the schema
    ::spanemu::schema_lints                   no finding by `spanner_fail_on`, or no warning
    ::spanemu::seeds_load                     the seeds load into the schema, without other rows
    ::spanemu::migrations_apply_from_empty    all migrations run in order on an empty database
    ::spanemu::migrations_reach_schema        the migrations lead to the schema of the template
    ::spanemu::models_match_schema            the schema contains what `spanner_models` declares
    ::spanemu::queries_compile                the statements of `spanner_queries` compile

The tests use the project's fixtures, such as an overridden `spanner_schema`. A test whose subject
the project does not have is skipped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.clean_errors import clean_errors, statement_text
from pytest_spanemu.databases.template import Template
from pytest_spanemu.lint import LINT_CONDITIONS, lint_failures
from pytest_spanemu.migrator import SpannerMigrator
from pytest_spanemu.requested_options import requested_options_of
from pytest_spanemu.run import run_of
from pytest_spanemu.seeds import load_seeds
from pytest_spanemu.sources import SourceError
from pytest_spanemu.sources.source import natural_order, read
from pytest_spanemu.targets.target import SpannerEmulator
from spanemu import ddl
from spanemu.api.client import message_with_position
from spanemu.schema.dialect import DATABASE_DIALECTS, dialect_named

PARENT = "::spanemu"


def schema_applies(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_schema: Any
) -> None:
    """Create a database with the schema."""
    with run_of(pytestconfig).templates.scratch(spanner_emulator, spanner_schema) as scratch:
        if not scratch.handle.ddl():
            pytest.skip("there is no schema")


def seeds_load(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_schema: Any
) -> None:
    """Load the seeds into a database with the schema."""
    templates = run_of(pytestconfig).templates
    if not templates.seeds:
        pytest.skip("there are no seeds")
    with templates.scratch(spanner_emulator, spanner_schema) as scratch, clean_errors():
        load_seeds(scratch.database, templates.seeds, pytestconfig.rootpath)


_DROP_STATEMENT = re.compile(r"DROP |ALTER TABLE \S+ DROP ")
_CONSTRAINT_NAME = re.compile(r"ADD (?:CONSTRAINT \S+ )?(?=FOREIGN KEY)")


def schema_lints(pytestconfig: pytest.Config, spanner_template: Template) -> None:
    """Check the schema by the linter."""
    run = run_of(pytestconfig)
    fail_on = run.settings.fail_on.intersection(LINT_CONDITIONS) or {"lint:warning"}
    statements = spanner_template.handle.ddl()
    with clean_errors():
        findings = lint_failures(spanner_template.schema, statements, run.root, fail_on)
    _fail_for("Findings of the linter:", findings)


def migrations_apply_from_empty(request: pytest.FixtureRequest) -> None:
    """Run all migrations in order on an empty database."""
    _migrator(request).head()


def migrations_reach_schema(request: pytest.FixtureRequest, spanner_template: Template) -> None:
    """Compare the schema after all migrations with the template's schema."""
    migrator = _migrator(request)
    migrator.head()
    databases = (migrator.database, spanner_template.database)
    migrated, expected = (_schema_of(database) for database in databases)
    _fail_for("The migrations lack:", _statements_between(migrated, expected))


def models_match_schema(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_template: Template
) -> None:
    """Check that the schema contains everything that the models declare.

    The schema may contain further tables, columns and constraints, and names for foreign keys.
    """
    run = run_of(pytestconfig)
    if not run.settings.models:
        pytest.skip("spanner_models names no models")
    models = run.templates.schema_of(run.settings.models)
    with run.templates.scratch(spanner_emulator, models) as scratch:
        declared = _schema_of(scratch.database)
    schema = _schema_of(spanner_template.database)
    keys = {
        f"ALTER TABLE {key.table} ADD {{}}FOREIGN KEY({', '.join(key.columns)}) REFERENCES "
        f"{key.referenced_table}({', '.join(key.referenced_columns)})"
        for table in schema.tables.values()
        for key in table.foreign_keys
    }
    missing = [
        each
        for each in _statements_between(schema, declared)
        if not _DROP_STATEMENT.match(each) and _CONSTRAINT_NAME.sub("ADD {}", each) not in keys
    ]
    _fail_for("The schema lacks:", missing)


def queries_compile(pytestconfig: pytest.Config, spanner_template: Template) -> None:
    """Plan every statement in the files of `spanner_queries`."""
    run, problems = run_of(pytestconfig), []
    files = _query_files(run.settings.queries, run.root)
    dialect = dialect_named(run.settings.dialect)
    for path in files:
        for statement in spanemu.split_schema(read(path), str(path), dialect=dialect):
            try:
                PlanCheck.of(spanner_template.database, statement.text, {})
            except GoogleAPICallError as problem:
                message = message_with_position(problem)
                shown = textwrap.indent(statement_text(statement.text, message), "  ")
                problems.append(f"{path}:{statement.line}: {message}\n{shown}")
    _fail_for("Statements that do not compile:", problems)


CHECKS = (
    schema_applies,
    schema_lints,
    seeds_load,
    migrations_apply_from_empty,
    migrations_reach_schema,
    models_match_schema,
    queries_compile,
)


def collect_checks(session: pytest.Session, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the checks, collected where the conftest files of all collected tests apply."""
    parent: Any = session
    for nodes in zip(*(item.listchain() for item in items), strict=False):
        if any(node is not nodes[0] for node in nodes) or not isinstance(
            nodes[0], pytest.Session | pytest.Directory
        ):
            break
        parent = nodes[0]
    module = pytest.Module.from_parent(parent, path=Path(__file__), nodeid=PARENT)
    return [
        pytest.Function.from_parent(module, name=check.__name__, callobj=check) for check in CHECKS
    ]


# ---------------------------------------------------------------------------- helpers


def _migrator(request: pytest.FixtureRequest) -> SpannerMigrator:
    try:
        run_of(request.config).templates.migration_source(requested_options_of(request.node))
    except SourceError as problem:
        pytest.skip(str(problem))
    migrator: SpannerMigrator = request.getfixturevalue("spanner_migrator")
    return migrator


def _schema_of(database: Any) -> Any:
    database.reload()
    dialect = DATABASE_DIALECTS[database.database_dialect]
    return ddl.schema_of(";\n".join(database.ddl_statements), dialect=dialect)


def _statements_between(before: Any, after: Any) -> list[str]:
    """Return the statements that change the first schema into the second."""
    return [each.statement for each in ddl.diff(before, after)]


def _query_files(sources: Sequence[str], root: Path) -> list[Path]:
    if not sources:
        pytest.skip("spanner_queries names no files")
    listed: list[Path] = []
    for source in sources:
        path = root / source
        files = sorted(path.rglob("*.sql"), key=natural_order) if path.is_dir() else [path]
        listed += files
    return listed


def _fail_for(title: str, problems: Sequence[str]) -> None:
    __tracebackhide__ = True
    if problems:
        pytest.fail("\n".join([title, *(f"  {each}" for each in problems)]), pytrace=False)
