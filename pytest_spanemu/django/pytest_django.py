"""A plugin that replaces pytest-django's databases, if the run's schema comes from Django.

A test with the marker `django_db`, or with a fixture such as `db`, is isolated, counted and
reported like a test with the fixture `spanner_django_db`.

The plugin is registered after pytest-django: of two fixtures with one name, pytest uses the later.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pytest

SOURCE = "django:"  # prefix of Django's schema sources
FIXTURES = frozenset({"db", "transactional_db", "live_server"})  # of pytest-django
REPLACEMENT = "spanner_django_db"


@pytest.fixture(scope="session")
def django_db_setup(spanner_django: object) -> None:
    """Use the databases of `spanner_django`."""


@pytest.hookimpl(tryfirst=True)  # before tests are marked by the fixtures they use
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give test functions that use Django's database the fixture `spanner_django_db`.

    Classes of `django.test` keep Django's own isolation: rows of `setUpTestData` must outlive a
    test.
    """
    for item in items:
        if not isinstance(item, pytest.Function) or _is_of_unittest(item):
            continue
        uses_database = FIXTURES & {*item.fixturenames} or item.get_closest_marker("django_db")
        if uses_database and REPLACEMENT not in item.fixturenames:
            item.fixturenames.insert(0, REPLACEMENT)


def _is_of_unittest(item: pytest.Function) -> bool:
    bases = item.cls.__mro__ if item.cls is not None else ()
    return any(base.__module__ == "unittest.case" for base in bases)


def allow_django_database(config: pytest.Config) -> AbstractContextManager[None]:
    """Return a context in which Django may use its database.

    pytest-django blocks the database outside of tests that use it, but the migrations of a schema
    source run before such a test.
    """
    plugin = config.pluginmanager.get_plugin("django")
    key = getattr(plugin, "blocking_manager_key", None)
    if key is None or key not in config.stash:
        return nullcontext()
    return config.stash[key].unblock()  # type: ignore[no-any-return]
