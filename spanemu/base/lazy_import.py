"""Modules that run when they are first used, though import statements name them.

Most test runs use a small part of the engine, and every module that runs costs its share of the
time before the first test. An import statement binds a module of `spanemu.lazy_modules` without
running its code; reading an attribute of it runs it:

    from spanemu.frontend.admin import backups   # has not run

    backups.create_backup(...)                   # runs it

Until then it is a module with the attributes that the import system sets (`__name__`, `__file__`,
`__spec__`), which is all that a walk of `sys.modules` reads. `importlib.util.LazyLoader` of the
standard library runs a module when any attribute is read, those too.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Container, Sequence
from contextlib import nullcontext
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_LOADER = "__lazy_loader__"  # an attribute of a module that has not run
_PARTS = "__lazy_parts__"  # the submodules of a package that has not run, by name


class LazyModule(ModuleType):
    """A module whose code has not run: it runs when an attribute is read, set or deleted."""

    def __getattr__(self, name: str) -> Any:
        if _is_of_import_system(name):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        run(self)
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            self._add_part(name, value)
            return
        if not _is_of_import_system(name):
            run(self)
        super().__setattr__(name, value)

    def _add_part(self, name: str, part: ModuleType) -> None:
        """Keep a submodule, which the import system sets, until the code of its package runs.

        The code may bind the name to something else, such as a function of the submodule.
        """
        vars(self).setdefault(_PARTS, {})[name] = part
        if type(self) is not LazyModule:  # Another thread runs it, or has run it.
            vars(self).setdefault(name, part)

    def __delattr__(self, name: str) -> None:
        if not _is_of_import_system(name):
            run(self)
        super().__delattr__(name)


class RunningModule(ModuleType):
    """A module whose code runs: other threads wait for its end, as at an import statement."""

    def __getattribute__(self, name: str) -> Any:
        if not _is_of_import_system(name):
            loader: LazyLoader | None = vars(self).get(_LOADER)
            with nullcontext() if loader is None else loader.mutex:
                pass
        return ModuleType.__getattribute__(self, name)  # Its class may be another by now.


class LazyLoader(Loader):
    """The loader of a lazy module, until its code runs by the loader that is its own."""

    def __init__(self, own: Loader) -> None:
        self.own = own
        self.mutex = threading.RLock()  # Held while the code of the module runs.

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that has not run.

        It knows this loader itself: an import hook may put a loader of its own in front.
        """
        module = LazyModule(spec.name)
        vars(module)[_LOADER] = self
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the code of the module for later."""

    def __getattr__(self, name: str) -> Any:
        """Return what only some loaders have: `get_source`, `get_code`, `is_package`."""
        return getattr(self.own, name)


class LazyFinder(MetaPathFinder):
    """A finder of the modules of a table, which makes them lazy."""

    def __init__(self, names: Container[str]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification that the finders behind this one have, with a lazy loader.

        None for modules that are not in the table, and for one that is loaded again.
        """
        if fullname not in self._names or target is not None:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(fullname, path)
            if spec is not None and spec.loader is not None:
                spec.loader = LazyLoader(spec.loader)
                return spec
        return None


def make_lazy(names: Container[str]) -> None:
    """Make the modules of these names lazy when they are imported from now on."""
    sys.meta_path.insert(0, LazyFinder(names))


def ask_first() -> None:
    """Move the finder of lazy modules before finders that were installed later."""
    sys.meta_path.sort(key=lambda finder: not isinstance(finder, LazyFinder))


def run(module: ModuleType) -> ModuleType:
    """Return a module whose code has run. If the code raises, the module stays lazy."""
    lazy: LazyLoader | None = vars(module).get(_LOADER)
    if lazy is None:
        return module  # It is not lazy, or another thread has run it in the meantime.
    with lazy.mutex:
        if type(module) is not LazyModule:
            return module
        changing: Any = module
        set_by_imports = dict(vars(module))
        changing.__class__ = RunningModule
        vars(module).update(vars(module).pop(_PARTS, {}))
        try:
            lazy.own.exec_module(module)
        except BaseException:
            vars(module).clear()
            vars(module).update(set_by_imports)
            changing.__class__ = LazyModule
            raise
        changing.__class__ = ModuleType
        if module.__spec__ is not None and module.__spec__.loader is lazy:
            module.__loader__ = module.__spec__.loader = lazy.own
        del vars(module)[_LOADER]
        return module


def _is_of_import_system(name: str) -> bool:
    return name.startswith("__")
