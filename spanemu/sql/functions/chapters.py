"""The chapters of a catalog, of which a search imports as few as it can.

A chapter is a module of `sql.functions` with a table FUNCTIONS, or AGGREGATES.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from threading import RLock
from typing import TypeVar

from spanemu.sql.functions.registry import AggregateFunction, Function

F = TypeVar("F", bound=Function | AggregateFunction)


class ChapterSearch:
    """The search for functions by name and by each alias, in chapter after chapter.

    The chapters of `rare` are imported when one of their functions is searched for. No two
    functions of the chapters have the same name.
    """

    def __init__(
        self, chapters: Sequence[str], rare: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.functions: dict[str, Function] = {}
        self.aggregates: dict[str, AggregateFunction] = {}
        self.rare = {name: chapter for chapter, names in (rare or {}).items() for name in names}
        self._mutex = RLock()  # Guards the fields.
        self._chapters = list(chapters)  # not imported yet

    def find(self, name: str) -> None:
        """Import chapters up to that of a function or an aggregate."""
        with self._mutex:
            if name in self.rare and name not in self.functions:
                self._import(self.rare[name])
            while name not in self.functions and name not in self.aggregates and self._chapters:
                self._import(self._following(name))

    def find_all(self) -> None:
        """Import all chapters but the rare ones."""
        with self._mutex:
            while self._chapters:
                self._import(self._chapters[0])

    def _following(self, name: str) -> str:
        """Return the chapter to import next. No aggregate is an operator, such as "$add"."""
        first, *others = self._chapters
        is_needless = name.startswith("$") and "aggregates" in first.split(".")
        return others[0] if is_needless and others else first

    def _import(self, chapter: str) -> None:
        module = import_module(f"spanemu.sql.functions.{chapter}")
        _add(self.functions, getattr(module, "FUNCTIONS", ()))
        _add(self.aggregates, getattr(module, "AGGREGATES", ()))
        if chapter in self._chapters:
            self._chapters.remove(chapter)


def _add(known: dict[str, F], functions: Iterable[F]) -> None:
    for function in functions:
        known.update(dict.fromkeys((function.name, *function.aliases), function))


class Found(Mapping[str, F]):
    """The functions, or the aggregates, that a search finds.

    `rare` are the names in rare chapters, which are listed without importing them.
    """

    def __init__(
        self, search: ChapterSearch, found: dict[str, F], rare: Iterable[str] = ()
    ) -> None:
        self._search = search
        self._found = found
        self._rare = tuple(rare)

    def __getitem__(self, name: str) -> F:
        function = self._found.get(name)
        if function is None:
            self._search.find(name)
            function = self._found[name]
        return function

    def _names(self) -> dict[str, None]:
        self._search.find_all()
        return dict.fromkeys((*self._found, *self._rare))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())
