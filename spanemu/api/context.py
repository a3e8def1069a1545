"""An emulator that runs for the duration of a piece of code, for suites without pytest.

    with spanemu.emulated(schema="schema.sql") as shop: ...       a block

    @spanemu.emulated(schema="schema.sql")                        a new emulator for each call
    def test_orders(): ...

    @spanemu.emulated(schema="schema.sql")                        a class of tests: one emulator,
    class TestOrders(unittest.TestCase): ...                      restored after each test to its
                                                                  state after setUpClass
    emulation = spanemu.emulated(); emulation.start(); emulation.stop()

While the emulator runs, environment variables name its database, so that code that creates its own
client connects to it. A block yields the database's handle (`.client()`, `.snapshot()`...); the
tests of a class find the handle in `self.spanner`.
"""

from __future__ import annotations

import functools
import inspect
import os
import unittest
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Any, TypeVar, Unpack

from spanemu.api.embedded import EmbeddedDatabase, Emulator
from spanemu.config import ConfigChanges
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema_source import Source

DATABASE = "test-database"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def emulated(
    schema: Source | Iterable[Source] = (),
    *,
    database: str = DATABASE,
    dialect: str = GOOGLE_STANDARD_SQL.option,
    **settings: Unpack[ConfigChanges],
) -> Emulated:
    """Return an emulator with one database, for a block, a function or a class of tests.

    `schema` and `dialect` are those of `Emulator.create_database`; `settings` are those of
    `Emulator`. Raises TypeError for what a decorator without parentheses is given.
    """
    if callable(schema):
        raise TypeError("the decorator needs parentheses: @spanemu.emulated(schema=...)")
    return Emulated(schema, database, dialect, settings)


class Emulated:
    """An emulator with one database: a context manager, a decorator, and `start` and `stop`."""

    def __init__(
        self,
        schema: Source | Iterable[Source],
        database: str,
        dialect: str,
        settings: ConfigChanges,
    ) -> None:
        # A decorated function runs many times; an iterator would be used up after the first.
        self._schema = tuple(schema) if isinstance(schema, Iterator) else schema
        self._database = database
        self._dialect = dialect
        self._settings = settings
        self._open: ExitStack | None = None

    def start(self) -> EmbeddedDatabase:
        """Start the emulator and create the database. Raises RuntimeError if already started."""
        if self._open is not None:
            raise RuntimeError("this emulation has been started already")
        with ExitStack() as opened:
            emulator = opened.enter_context(Emulator(**self._settings))
            handle = emulator.create_database(self._database, self._schema, dialect=self._dialect)
            opened.callback(_restore_environment, _set_environment(handle.environ()))
            self._open = opened.pop_all()
        return handle

    def stop(self) -> None:
        """Stop the emulator and restore the environment. Stopping twice does nothing."""
        opened, self._open = self._open, None
        if opened is not None:
            opened.close()

    def __enter__(self) -> EmbeddedDatabase:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    # ------------------------------------------------------------------ decorators

    def __call__(self, decorated: Decorated) -> Decorated:
        """Decorate a function, a `unittest.TestCase`, or a class with methods `test...`."""
        target: Any = decorated
        if not inspect.isclass(target):
            return self._function(target)  # type: ignore[no-any-return]
        if issubclass(target, unittest.TestCase):
            self._test_case(target)
        else:
            for name, member in list(vars(target).items()):
                if name.startswith("test") and inspect.isfunction(member):
                    setattr(target, name, self._function(member))
        return decorated

    def _function(self, function: Any) -> Any:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: Any, **named: Any) -> Any:
                with self._copy():
                    return await function(*args, **named)

            return run_async

        @functools.wraps(function)
        def run(*args: Any, **named: Any) -> Any:
            with self._copy():
                return function(*args, **named)

        return run

    def _copy(self) -> Emulated:
        return Emulated(self._schema, self._database, self._dialect, self._settings)

    def _test_case(self, case: Any) -> None:
        set_up, run = case.setUpClass.__func__, case.run

        def set_up_class(cls: Any) -> None:
            emulation = self._copy()
            cls.spanner = emulation.start()
            cls.addClassCleanup(emulation.stop)
            set_up(cls)
            cls._spanner_before = cls.spanner.snapshot()

        @functools.wraps(run)
        def run_and_restore(test: Any, result: Any = None) -> Any:
            try:
                return run(test, result)
            finally:
                test.spanner.restore(test._spanner_before)

        case.setUpClass = classmethod(set_up_class)
        case.run = run_and_restore


def _set_environment(variables: dict[str, str]) -> dict[str, str | None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    return before


def _restore_environment(before: dict[str, str | None]) -> None:
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
