"""Takes the place of pytest-django's databases, where the run's schema is Django's.

Whatever asks pytest-django for the database (the marker `django_db`, the fixtures `db` and kin) is
isolated, counted and reported like a test that asks for `spanner_django_db`.

A plugin of its own, registered after pytest-django: the later of two fixtures of a name counts.
"""

from __future__ import annotations

import pytest

SOURCE = "django:"  # how schema sources that are Django's begin
ASKING = frozenset({"db", "transactional_db", "live_server"})  # fixtures of pytest-django
OURS = "spanner_django_db"


@pytest.fixture(scope="session")
def django_db_setup(spanner_django: object) -> None:
    """Django's databases are those of `spanner_django`."""


@pytest.hookimpl(tryfirst=True)  # before tests are marked by the fixtures they use
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Functions that ask for Django's database get one as `spanner_django_db` gives it.

    Classes of `django.test` keep to Django's own isolation: what `setUpTestData` made has to
    outlive a test.
    """
    for item in items:
        if not isinstance(item, pytest.Function) or _is_of_unittest(item):
            continue
        asks = ASKING & {*item.fixturenames} or item.get_closest_marker("django_db")
        if asks and OURS not in item.fixturenames:
            item.fixturenames.insert(0, OURS)


def _is_of_unittest(item: pytest.Function) -> bool:
    made = item.cls
    return made is not None and any(each.__module__ == "unittest.case" for each in made.__mro__)
