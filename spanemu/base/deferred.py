"""Work of a start that is postponed: functions are looked up, patterns compiled, at the first use.

A table of handlers names the handlers of rare requests without running their modules, which
`base.lazy_import` loads when an attribute of theirs is read:

    from spanemu.frontend.admin import backups

    Method("CreateBackup", ..., deferred(lambda: backups.create_backup))

Compiling a regular expression takes longer than importing the rest of many a module: `lazy_pattern`
stands in for `re.compile`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

T = TypeVar("T")


class Deferred:
    """A function or a class of a lazy module, which is looked up at the first call.

    An attribute looks it up as well: an alternative constructor of a class.
    """

    __slots__ = ("_find", "_function")

    def __init__(self, find: Callable[[], Callable[..., Any]]) -> None:
        self._find = find
        self._function: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.resolve()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.resolve(), name)

    def resolve(self) -> Callable[..., Any]:
        """Return the function itself, whose module runs if it has not."""
        if self._function is None:
            self._function = self._find()
        return self._function


def deferred(find: Callable[[], T]) -> T:
    """Return a stand-in for the function that `find` returns, for a table of functions."""
    return cast("T", Deferred(cast("Callable[[], Callable[..., Any]]", find)))


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package that imports the home of a name when it is first used.

    `homes` has the module that defines each name.
    """

    def get(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home), name)

    return get


class Once(Generic[T]):
    """A function without arguments that makes its result at the first call, in any thread."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._mutex = threading.Lock()  # Guards the field below.
        self._made: list[T] = []

    @property
    def made(self) -> T | None:
        """The result if it was made, None before."""
        return next(iter(self._made), None)

    def __call__(self) -> T:
        with self._mutex:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class LazyPattern:
    """A stand-in for a compiled pattern: each of its attributes is kept when it is first used."""

    def __init__(self, text: str | bytes, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        attribute = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, attribute)
        return attribute


if TYPE_CHECKING:
    lazy_pattern = re.compile
else:
    lazy_pattern = LazyPattern
