"""`--spanner-check`: tests that every project would write, made ready.

    ::spanemu::schema_applies                 the template is built: schema and seeds
    ::spanemu::schema_lints                   as `spanner_fail_on` says of lint, or no warning
    ::spanemu::migrations_apply_from_empty    each migration, the first one first
    ::spanemu::migrations_reach_schema        they come to the schema that tests start with
    ::spanemu::queries_compile                every .sql file under `spanner_queries`

They use the project's fixtures, a `spanner_schema` of its own too. What a project does not have is
skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from pytest_spanemu.lint import WORDS, problems
from pytest_spanemu.migrator import SpannerMigrator
from pytest_spanemu.plans import PlanCheck
from pytest_spanemu.run import run_of
from pytest_spanemu.sources import SourceError
from pytest_spanemu.sources.files import natural_order
from pytest_spanemu.template import Template
from spanemu import ddl

PARENT = "::spanemu"


def schema_applies(spanner_template: Template) -> None:
    """Building the template is the test."""
    if not spanner_template.handle.ddl():
        pytest.skip("there is no schema")


def schema_lints(pytestconfig: pytest.Config, spanner_template: Template) -> None:
    """The linter has nothing against the schema."""
    run = run_of(pytestconfig)
    fail_on = run.settings.fail_on.intersection(WORDS) or {"lint:warning"}
    statements = spanner_template.handle.ddl()
    found = problems(spanner_template.schema, statements, run.root, fail_on)
    _tell("The linter says:", found)


def migrations_apply_from_empty(request: pytest.FixtureRequest) -> None:
    """Every migration runs, over what those before it left."""
    _migrator(request).head()


def migrations_reach_schema(request: pytest.FixtureRequest, spanner_template: Template) -> None:
    """After all migrations the schema is the one that tests start with."""
    migrator = _migrator(request)
    migrator.head()
    reached, wanted = (
        ddl.schema_of(";\n".join(_statements(each)))
        for each in (migrator.database, spanner_template.database)
    )
    _tell("The migrations lack:", [str(each) for each in ddl.diff(reached, wanted)])


def queries_compile(pytestconfig: pytest.Config, spanner_template: Template) -> None:
    """Every statement in the project's files of queries can be planned."""
    run, wrong = run_of(pytestconfig), []
    files = _query_files(run.settings.queries, run.root)
    for path in files:
        for statement in spanemu.split_schema(path.read_text(encoding="utf-8"), str(path)):
            try:
                PlanCheck.of(spanner_template.database, statement.text, {})
            except GoogleAPICallError as problem:
                told = problem.message.partition(", request_id")[0]  # The client's, for support.
                wrong.append(f"{path}:{statement.line}: {told}")
    _tell("Statements that do not compile:", wrong)


CHECKS = (
    schema_applies,
    schema_lints,
    migrations_apply_from_empty,
    migrations_reach_schema,
    queries_compile,
)


def collected(session: pytest.Session, items: Sequence[pytest.Item]) -> list[pytest.Item]:
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
        found: SpannerMigrator = request.getfixturevalue("spanner_migrator")
    except SourceError as problem:
        pytest.skip(str(problem))
    return found


def _statements(database: Any) -> list[str]:
    database.reload()
    return list(database.ddl_statements)


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
