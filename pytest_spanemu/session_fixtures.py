"""Fixtures of session scope: the emulator, the schema, the template and clients of a run.

    spanner_emulator   spanner_schema            spanner_template   spanner_client
    spanner_instance   spanner_factory_session   spanner_django

A project overrides a fixture by a fixture of the same name. Nothing of Spanner is imported before
a test uses a fixture.

The fixtures do not request `pytestconfig`: pytest evaluates the arguments of a session fixture
again for each test, although the value is cached, and `pytestconfig` would add 30 µs to each test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.run import current_run

if TYPE_CHECKING:
    from google.cloud.spanner import Client
    from google.cloud.spanner_v1.instance import Instance

    from pytest_spanemu.databases.template import Schema, Template
    from pytest_spanemu.django.setup import SpannerDjango
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.targets.target import SpannerEmulator


@pytest.fixture(scope="session")
def spanner_emulator() -> Iterator[SpannerEmulator]:
    """Provide the emulator of the run, or of the xdist worker; all tests share it.

    Example:
        spanner_emulator.uri
    """
    with current_run().emulator() as emulator:
        yield emulator


@pytest.fixture(scope="session")
def spanner_schema() -> Schema:
    """Return the schema of the template. Override the fixture to return a schema from code:
    statements as one text or as a list of texts.
    """
    run = current_run()
    return run.templates.schema_of(run.settings.schema)


@pytest.fixture(scope="session")
def _spanner_template(spanner_emulator: SpannerEmulator, spanner_schema: Schema) -> Template:
    return current_run().templates.for_schema(spanner_emulator, spanner_schema)


@pytest.fixture(scope="session")
def spanner_template(_spanner_template: Template) -> Template:
    """Return the template: the database with schema and seeds that every test starts from.

    To add rows, override the fixture by one that requests it and `spanner_factory_session`.
    """
    return _spanner_template


@pytest.fixture(scope="session")
def spanner_factory_session(_spanner_template: Template) -> SpannerFactory:
    """Return row factories that write into the template, so that every test has the rows.

    Example:
        spanner_factory_session.Singers(FirstName="Marc")
    """
    _spanner_template.is_extended = True
    return current_run().templates.factory(_spanner_template.database)


@pytest.fixture(scope="session")
def spanner_client(spanner_emulator: SpannerEmulator) -> Client:
    """Return the official client, a `google.cloud.spanner.Client` connected to the emulator."""
    return spanner_emulator.client()


@pytest.fixture(scope="session")
def spanner_instance(spanner_client: Any, spanner_template: Template) -> Instance:
    """Return the official client's `Instance` that contains the test databases."""
    return spanner_client.instance(spanner_template.emulator.instance)


@pytest.fixture(scope="session")
def spanner_django(spanner_template: Template) -> Iterator[SpannerDjango]:
    """Point Django's `DATABASES["default"]` at the template's database, and the other aliases on
    Spanner at databases of their own. JSON fields and check constraints are enabled, and a restore
    replaces Django's flush. pytest-django uses these databases; without pytest-django, use the
    fixture `spanner_django_db`.
    """
    from pytest_spanemu.django.databases import open_django

    with open_django(current_run(), spanner_template) as django:
        yield django
