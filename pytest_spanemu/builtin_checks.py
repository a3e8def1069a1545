"""`--spanner-check`: tests that every project would write, made ready.

    ::spanemu::schema_applies                 the schema is accepted, from nothing
    ::spanemu::schema_lints                   as `spanner_fail_on` says of lint, or no warning
    ::spanemu::seeds_load                     into that schema, without its template's other rows
    ::spanemu::migrations_apply_from_empty    each migration, the first one first
    ::spanemu::migrations_reach_schema        they come to the schema that tests start with
    ::spanemu::models_match_schema            what `spanner_models` declare is in that schema
    ::spanemu::queries_compile                every .sql file under `spanner_queries`

They use the project's fixtures, a `spanner_schema` of its own too. What a project does not have is
skipped.
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
from pytest_spanemu.sources.files import natural_order, read
from pytest_spanemu.targets.target import SpannerEmulator
from spanemu import ddl
from spanemu.api.client import server_message

PARENT = "::spanemu"


def schema_applies(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_schema: Any
) -> None:
    """Making a database of the schema is the test."""
    with run_of(pytestconfig).templates.scratch(spanner_emulator, spanner_schema) as made:
        if not made.handle.ddl():
            pytest.skip("there is no schema")


def seeds_load(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_schema: Any
) -> None:
    """The seeds fit the schema."""
    templates = run_of(pytestconfig).templates
    if not templates.seeds:
        pytest.skip("there are no seeds")
    with templates.scratch(spanner_emulator, spanner_schema) as made, clean_errors():
        load_seeds(made.database, templates.seeds, pytestconfig.rootpath)


_TAKES_AWAY = re.compile(r"DROP |ALTER TABLE \S+ DROP ")
_NAMED = re.compile(r"ADD (?:CONSTRAINT \S+ )?(?=FOREIGN KEY)")


def schema_lints(pytestconfig: pytest.Config, spanner_template: Template) -> None:
    """The linter has nothing against the schema."""
    run = run_of(pytestconfig)
    fail_on = run.settings.fail_on.intersection(LINT_CONDITIONS) or {"lint:warning"}
    statements = spanner_template.handle.ddl()
    with clean_errors():
        found = lint_failures(spanner_template.schema, statements, run.root, fail_on)
    _tell("The linter says:", found)


def migrations_apply_from_empty(request: pytest.FixtureRequest) -> None:
    """Every migration runs, over what those before it left."""
    _migrator(request).head()


def migrations_reach_schema(request: pytest.FixtureRequest, spanner_template: Template) -> None:
    """After all migrations the schema is the one that tests start with."""
    migrator = _migrator(request)
    migrator.head()
    reached, wanted = (_schema_of(each) for each in (migrator.database, spanner_template.database))
    _tell("The migrations lack:", _way(reached, wanted))


def models_match_schema(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_template: Template
) -> None:
    """Everything that models declare is in the schema, as they declare it.

    A schema may have more: tables, columns and constraints that no model speaks of; and names for
    foreign keys.
    """
    run = run_of(pytestconfig)
    if not run.settings.models:
        pytest.skip("spanner_models names no models")
    models = run.templates.schema_of(run.settings.models)
    with run.templates.scratch(spanner_emulator, models) as made:
        declared = _schema_of(made.database)
    schema = _schema_of(spanner_template.database)
    keys = {
        f"ALTER TABLE {key.table} ADD {{}}FOREIGN KEY({', '.join(key.columns)}) REFERENCES "
        f"{key.referenced_table}({', '.join(key.referenced_columns)})"
        for table in schema.tables.values()
        for key in table.foreign_keys
    }
    missing = [
        each
        for each in _way(schema, declared)
        if not _TAKES_AWAY.match(each) and _NAMED.sub("ADD {}", each) not in keys
    ]
    _tell("The schema lacks:", missing)


def queries_compile(pytestconfig: pytest.Config, spanner_template: Template) -> None:
    """Every statement in the project's files of queries can be planned."""
    run, wrong = run_of(pytestconfig), []
    files = _query_files(run.settings.queries, run.root)
    for path in files:
        for statement in spanemu.split_schema(read(path), str(path)):
            try:
                PlanCheck.of(spanner_template.database, statement.text, {})
            except GoogleAPICallError as problem:
                said = server_message(problem)
                shown = textwrap.indent(statement_text(statement.text, said), "  ")
                wrong.append(f"{path}:{statement.line}: {said}\n{shown}")
    _tell("Statements that do not compile:", wrong)


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
    """The checks, where the conftest files of all collected tests reach them."""
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
    found: SpannerMigrator = request.getfixturevalue("spanner_migrator")
    return found


def _schema_of(database: Any) -> Any:
    database.reload()
    return ddl.schema_of(";\n".join(database.ddl_statements))


def _way(before: Any, after: Any) -> list[str]:
    """The statements that lead from one schema to another."""
    return [each.statement for each in ddl.diff(before, after)]


def _query_files(sources: Sequence[str], root: Path) -> list[Path]:
    if not sources:
        pytest.skip("spanner_queries names no files")
    found: list[Path] = []
    for source in sources:
        path = root / source
        files = sorted(path.rglob("*.sql"), key=natural_order) if path.is_dir() else [path]
        found += files
    return found


def _tell(title: str, found: Sequence[str]) -> None:
    __tracebackhide__ = True
    if found:
        pytest.fail("\n".join([title, *(f"  {each}" for each in found)]), pytrace=False)
