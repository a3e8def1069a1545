"""Django on a test's database: points `DATABASES` at it, and patches Django for Spanner.

settings           NAME and INSTANCE, and the emulator's client in OPTIONS. No environment variable
                   names the emulator: the backend would switch features off
project            GOOGLE_CLOUD_PROJECT, where the backend reads the project
features           JSON fields and check constraints, which the backend disables on emulators
flush              a restore of the state before the test replaces the statements by which
                   TransactionTestCase empties every table
TestCase           is isolated by a flush as well. Django would run each test in a transaction,
                   within which no `atomic` block could roll back: Spanner has no savepoints
other aliases      aliases on Spanner have their own databases; a mirror has that of its original
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

ALIAS = "default"
ENGINE = "django_spanner"
FEATURES = (
    "supports_json_field",
    "supports_column_check_constraints",
    "supports_table_check_constraints",
)

Undo = Callable[[], object] | None
Callback = Callable[[], object]


class DjangoMissing(RuntimeError):
    """Django, its backend for Spanner, or the project's settings are missing."""


class MigrationsMissing(DjangoMissing):
    """Apps with a package for migrations and with models, but without a migration."""

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        apps = " ".join(labels)
        super().__init__(
            f"no tables for the models of {', '.join(labels)}, which have no migrations: run "
            f"`python -m django makemigrations {apps}`, or set spanner_schema = django:syncdb"
        )


class SpannerDjango:
    """Django's databases while the object is open.

    `use` points an alias at a database; `close` restores the settings. A test that opens further
    connections closes them, or calls `close_connections`.
    """

    def __init__(self, emulator: Any) -> None:
        self._emulator = emulator
        self._patches = pytest.MonkeyPatch()
        self._current: dict[str, tuple[Any, Undo]] = {}  # by alias
        self._connections = _library("django.db").connections

    def use(self, handle: Any, undo: Undo = None, alias: str = ALIAS) -> None:
        """Point an alias and its mirrors at a database.

        A flush calls `undo`; without `undo`, a flush deletes all rows.
        """
        is_first = not self._current
        for name in (alias, *_mirrors(alias)):
            before = self._current.get(name)
            if before is None or before[0].name != handle.name:
                self._point(name, handle)
            self._current[name] = handle, undo
        if is_first:
            _set_up_apps()
            self._enable_features()
            self._replace_flush()
            self._isolate_by_flush()

    @contextmanager
    def using(self, handle: Any, undo: Undo, alias: str) -> Iterator[None]:
        """Point an alias at a database for a block; then close connections and point back."""
        before = self._current[alias]
        self.use(handle, undo, alias)
        yield
        self.close_connections()
        self.use(*before, alias)

    @property
    def others(self) -> list[str]:
        """The aliases on Spanner, without the default alias and without mirrors."""
        return [
            alias
            for alias, database in _databases().items()
            if alias != ALIAS and database.get("ENGINE") == ENGINE and not _original(database)
        ]

    def migrate(self, alias: str = ALIAS, *, by_models: bool = False) -> None:
        """Run the project's migrations, or create the tables of its models if `by_models`.

        Apps without a package for migrations get the tables of their models, as in Django's own
        tests. Raises MigrationsMissing.
        """
        if by_models:
            labels = [each.label for each in _library("django.apps").apps.get_app_configs()]
            conf = _library("django.conf").settings
            self._patches.setattr(conf, "MIGRATION_MODULES", dict.fromkeys(labels))
        if labels := _apps_without_migrations():
            raise MigrationsMissing(labels)
        _library("django.core.management").call_command(
            "migrate", database=alias, verbosity=0, interactive=False, run_syncdb=True
        )

    def close_connections(self) -> None:
        """Close this thread's connections, so that they hold no transaction."""
        self._connections.close_all()

    def close(self) -> None:
        """Close the connections and restore settings and patches."""
        if self._current:
            self.close_connections()
        for alias in self._current:
            self._forget_connection(alias)
        self._patches.undo()

    def __enter__(self) -> SpannerDjango:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    # ------------------------------------------------------------------ parts

    def _point(self, alias: str, handle: Any) -> None:
        database = _databases().setdefault(alias, {})
        self._patches.setenv("GOOGLE_CLOUD_PROJECT", self._emulator.project)
        _library(ENGINE)
        self._forget_connection(alias)
        options: Mapping[str, Any] = database.get("OPTIONS", {})
        for name, value in {
            "ENGINE": ENGINE,
            "PROJECT": self._emulator.project,
            "INSTANCE": self._emulator.instance,
            "NAME": handle.database_id,
            "OPTIONS": {**options, "client": self._emulator.client()},
        }.items():
            self._patches.setitem(database, name, value)

    def _forget_connection(self, alias: str) -> None:
        """Close the connection of an alias. The next use connects with the current settings."""
        if hasattr(self._connections._connections, alias):
            self._connections[alias].close()
            del self._connections[alias]

    def _enable_features(self) -> None:
        features = _library("django_spanner.features").DatabaseFeatures
        for name in FEATURES:
            self._patches.setattr(features, name, True)
        self._patches.setattr(_library("django_spanner.schema"), "USE_EMULATOR", False)

    def _replace_flush(self) -> None:
        operations_class = _library("django_spanner.operations").DatabaseOperations
        flush = operations_class.execute_sql_flush

        def execute_sql_flush(operations: Any, sql_list: Any) -> Any:
            _, undo = self._current.get(operations.connection.alias, (None, None))
            if undo is None:
                return flush(operations, sql_list)
            operations.connection.close()
            return undo()

        self._patches.setattr(operations_class, "execute_sql_flush", execute_sql_flush)

    def _isolate_by_flush(self) -> None:
        """Make `TestCase` treat Spanner's databases like databases without transactions."""
        testcases = _library("django.test.testcases")
        support_transactions = testcases.connections_support_transactions

        def connections_support_transactions(aliases: Any = None) -> bool:
            if self._current.keys() & set(self._connections if aliases is None else aliases):
                return False
            return bool(support_transactions(aliases))

        name = connections_support_transactions.__name__
        self._patches.setattr(testcases, name, connections_support_transactions)
        capture = testcases.TestCase.captureOnCommitCallbacks

        def capture_callbacks(*, using: str = ALIAS, execute: bool = False) -> Any:
            if using not in self._current:
                return capture(using=using, execute=execute)
            return capture_commit_callbacks(self._connections[using], execute=execute)

        replaced = staticmethod(capture_callbacks)
        self._patches.setattr(testcases.TestCase, "captureOnCommitCallbacks", replaced)


@contextmanager
def capture_commit_callbacks(connection: Any, *, execute: bool) -> Iterator[list[Callback]]:
    """Yield the callbacks of `on_commit` that the commits within a block would call.

    Replaces `TestCase.captureOnCommitCallbacks`, which collects the callbacks of a transaction
    around the test. Tests on Spanner really commit. The callbacks are called, if `execute` is set,
    when the block ends.
    """
    callbacks: list[Callback] = []
    on_commit = connection.on_commit

    def add(callback: Callback, robust: bool = False) -> None:
        if connection.in_atomic_block:
            on_commit(callback, robust)
        else:
            callbacks.append(callback)

    def collect() -> None:
        callbacks.extend(callback for _, callback, _ in connection.run_on_commit)
        connection.run_on_commit = []

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(connection, "on_commit", add)
        patches.setattr(connection, "run_and_clear_commit_hooks", collect)
        yield callbacks
        if execute:
            for callback in callbacks:  # a callback may append another callback
                callback()


def _databases() -> dict[str, dict[str, Any]]:
    """Return the setting DATABASES, which Django reads when it connects."""
    try:
        databases: dict[str, dict[str, Any]] = _library("django.conf").settings.DATABASES
    except _library("django.core.exceptions").ImproperlyConfigured as problem:
        raise DjangoMissing(f"spanner_django needs the project's settings: {problem}") from None
    return databases


def _original(database: Mapping[str, Any]) -> str | None:
    """Return the alias that a database mirrors in tests, by Django's setting TEST."""
    alias: str | None = database.get("TEST", {}).get("MIRROR")
    return alias


def _mirrors(alias: str) -> list[str]:
    return [name for name, database in _databases().items() if _original(database) == alias]


def _apps_without_migrations() -> list[str]:
    """Return the labels of apps whose package for migrations is empty, though they have models."""
    loader = _library("django.db.migrations.loader").MigrationLoader(None)
    empty = loader.migrated_apps - {label for label, _ in loader.disk_migrations}
    return [
        app.label
        for app in _library("django.apps").apps.get_app_configs()
        if app.label in empty
        and any(model._meta.managed and not model._meta.proxy for model in app.get_models())
    ]


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
