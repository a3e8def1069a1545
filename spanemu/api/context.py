"""An emulator around a piece of code, for suites without pytest.

    with spanemu.emulated(schema="schema.sql") as shop: ...       a block

    @spanemu.emulated(schema="schema.sql")                        a function, each time anew
    def test_orders(): ...

    @spanemu.emulated(schema="schema.sql")                        a class of tests: one emulator,
    class TestOrders(unittest.TestCase): ...                      every test sees it as setUpClass
                                                                  left it; `self.spanner`
    emulation = spanemu.emulated(); emulation.start(); emulation.stop()

While it lasts the environment says where the database is, so that code that makes its own client
finds it. `spanner` and what a block gives is the database's handle: `.client()`, `.snapshot()`...
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
from spanemu.schema_source import Source

DATABASE = "test-database"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def emulated(
    schema: Source | Iterable[Source] = (),
    *,
    database: str = DATABASE,
    **settings: Unpack[ConfigChanges],
) -> Emulated:
    """An emulator with one database, for a block, a function or a class of tests.

    `schema` is what `Emulator.create_database` takes, `settings` what `Emulator` takes.
    """
    return Emulated(schema, database, settings)


class Emulated:
    """What `emulated` gives: a context manager, a decorator, or started and stopped by hand."""

    def __init__(
        self, schema: Source | Iterable[Source], database: str, settings: ConfigChanges
    ) -> None:
        # A decorated function runs many times; an iterator would be used up after the first.
        self._schema = tuple(schema) if isinstance(schema, Iterator) else schema
        self._database = database
        self._settings = settings
        self._open: ExitStack | None = None

    def start(self) -> EmbeddedDatabase:
        """Start the emulator and make the database. Raises RuntimeError when it runs already."""
        if self._open is not None:
            raise RuntimeError("this emulation has been started already")
        with ExitStack() as opened:
            emulator = opened.enter_context(Emulator(**self._settings))
            handle = emulator.create_database(self._database, schema=self._schema)
            opened.callback(_restore_environment, _set_environment(handle.environ()))
            self._open = opened.pop_all()
        return handle

    def stop(self) -> None:
        """End it and give the environment back. Stopping twice does nothing."""
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
        found: Any = decorated
        if not inspect.isclass(found):
            return self._function(found)  # type: ignore[no-any-return]
        if issubclass(found, unittest.TestCase):
            self._test_case(found)
        else:
            for name, member in list(vars(found).items()):
                if name.startswith("test") and inspect.isfunction(member):
                    setattr(found, name, self._function(member))
        return decorated

    def _function(self, function: Any) -> Any:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: Any, **named: Any) -> Any:
                with self._another():
                    return await function(*args, **named)

            return run_async

        @functools.wraps(function)
        def run(*args: Any, **named: Any) -> Any:
            with self._another():
                return function(*args, **named)

        return run

    def _another(self) -> Emulated:
        return Emulated(self._schema, self._database, self._settings)

    def _test_case(self, case: Any) -> None:
        set_up, run = case.setUpClass.__func__, case.run

        def set_up_class(cls: Any) -> None:
            another = self._another()
            cls.spanner = another.start()
            cls.addClassCleanup(another.stop)
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
