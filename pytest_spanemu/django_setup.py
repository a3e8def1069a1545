"""Django on a test's database: `DATABASES` pointed at it, features given back, flush replaced.

settings           NAME and INSTANCE, and the emulator's client in OPTIONS: no environment
                   variable tells Django of an emulator, which would switch features off
project            GOOGLE_CLOUD_PROJECT, the only place where the backend looks for it
features           JSON and check constraints, which the backend denies to emulators
flush              the statements by which TransactionTestCase empties every table become a
                   restore of the state that the test began with
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

import pytest

ALIAS = "default"
FEATURES = (
    "supports_json_field",
    "supports_column_check_constraints",
    "supports_table_check_constraints",
)


class DjangoMissing(RuntimeError):
    """Django, its backend for Spanner, or the project's settings are not there."""


class SpannerDjango:
    """Django's default database, as long as this is open.

    `use` points it at a database; what it was before comes back with `close`. Tests that make
    connections of their own close them, or leave that to `close_connections`.
    """

    def __init__(self, emulator: Any, alias: str = ALIAS) -> None:
        self._emulator = emulator
        self._alias = alias
        self._patches = pytest.MonkeyPatch()
        self._undo: Callable[[], None] | None = None
        self._used = ""  # the name of the database that settings point at
        self._connections = _library("django.db").connections

    def use(self, handle: Any, undo: Callable[[], None] | None = None) -> None:
        """Point at a database; `undo` is what a flush does, None for deleting all rows."""
        self._undo = undo
        is_first = not self._used
        if self._used != handle.name:
            self._point(handle)
            self._used = handle.name
        if is_first:
            _set_up_apps()
            self._give_features_back()
            self._replace_flush()

    def migrate(self) -> None:
        """Run the project's migrations."""
        _library("django.core.management").call_command(
            "migrate", database=self._alias, verbosity=0, interactive=False
        )

    def close_connections(self) -> None:
        """Close this thread's connections, so that they hold no transaction."""
        self._connections.close_all()

    def close(self) -> None:
        """Give back everything as it was."""
        if self._used:
            self.close_connections()
            self._forget_connection()
        self._patches.undo()

    def __enter__(self) -> SpannerDjango:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    # ------------------------------------------------------------------ parts

    def _point(self, handle: Any) -> None:
        conf = _library("django.conf").settings
        try:
            database: dict[str, Any] = conf.DATABASES.setdefault(self._alias, {})
        except _library("django.core.exceptions").ImproperlyConfigured as problem:
            raise DjangoMissing(f"spanner_django needs the project's settings: {problem}") from None
        self._patches.setenv("GOOGLE_CLOUD_PROJECT", self._emulator.project)
        _library("django_spanner")
        self._forget_connection()
        options: Mapping[str, Any] = database.get("OPTIONS", {})
        for name, value in {
            "ENGINE": "django_spanner",
            "PROJECT": self._emulator.project,
            "INSTANCE": self._emulator.instance,
            "NAME": handle.database_id,
            "OPTIONS": {**options, "client": self._emulator.client()},
        }.items():
            self._patches.setitem(database, name, value)

    def _forget_connection(self) -> None:
        """The next use of the alias connects anew, with what the settings say by then."""
        if hasattr(self._connections._connections, self._alias):
            self._connections[self._alias].close()
            del self._connections[self._alias]

    def _give_features_back(self) -> None:
        features = _library("django_spanner.features").DatabaseFeatures
        for name in FEATURES:
            self._patches.setattr(features, name, True)
        self._patches.setattr(_library("django_spanner.schema"), "USE_EMULATOR", False)

    def _replace_flush(self) -> None:
        operations = _library("django_spanner.operations").DatabaseOperations
        flush = operations.execute_sql_flush

        def execute_sql_flush(its: Any, sql_list: Any) -> Any:
            if self._undo is None or its.connection.alias != self._alias:
                return flush(its, sql_list)
            its.connection.close()
            return self._undo()

        self._patches.setattr(operations, "execute_sql_flush", execute_sql_flush)


def unblocked(config: pytest.Config) -> AbstractContextManager[None]:
    """A block in which Django may use its database, also where pytest-django forbids it by default:
    the migrations of a schema source run before any test has asked for a database.
    """
    plugin = config.pluginmanager.get_plugin("django")
    key = getattr(plugin, "blocking_manager_key", None)
    if key is None or key not in config.stash:
        return nullcontext()
    return config.stash[key].unblock()  # type: ignore[no-any-return]


def _set_up_apps() -> None:
    if not _library("django.apps").apps.ready:
        _library("django").setup()


def _library(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as problem:
        raise DjangoMissing(
            f"spanner_django needs Django and django-google-spanner: {problem}"
        ) from problem
