"""Work of a start that is postponed: modules are imported, and patterns compiled, when first used.

Most test runs use a small part of the engine, and every module that is imported costs its share of
the time before the first test. A table of handlers therefore names the handlers of rare requests
without importing them. The type checker sees the real module:

    if TYPE_CHECKING:
        from spanemu.frontend.admin import backups
    else:
        backups = deferred("spanemu.frontend.admin.backups")

    Method("CreateBackup", ..., backups.create_backup)

Compiling a regular expression takes longer than importing the rest of many a module: `lazy_pattern`
stands in for `re.compile`.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

T = TypeVar("T")


class DeferredModule:
    """A stand-in for a module: its attributes are functions that import the module when called.

    Once the module is imported, they are the functions themselves.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        function: Callable[..., Any] | None = getattr(sys.modules.get(self._name), name, None)
        if function is None:
            return DeferredFunction(self._name, name)
        setattr(self, name, function)
        return function


class DeferredFunction:
    """A function or a class of a module that is imported at the first call.

    An attribute imports the module as well: an alternative constructor of a class.
    """

    __slots__ = ("__name__", "_function", "module")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.__name__ = name
        self._function: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.resolve()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.resolve(), name)

    def __repr__(self) -> str:
        return f"<deferred {self.module}.{self.__name__}>"

    def resolve(self) -> Callable[..., Any]:
        """Import the module and return the function itself."""
        if self._function is None:
            self._function = getattr(import_module(self.module), self.__name__)
        return self._function


def deferred(module: str) -> DeferredModule:
    """Return a stand-in for the module of that name, which is not imported yet."""
    return DeferredModule(module)


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


def imported(stand_in: DeferredModule) -> ModuleType:
    """Import the module that `stand_in` stands for, and return it."""
    return import_module(vars(stand_in)["_name"])


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
