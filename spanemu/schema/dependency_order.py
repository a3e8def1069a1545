"""Topological order of objects by their dependencies, with cycles grouped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence


def dependency_order(needs: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return groups of keys, each group after the groups that it needs.

    Keys that need each other form one group. Otherwise the given order is kept, within groups as
    well. Needed names that are not keys are ignored. (Tarjan's algorithm, with an explicit stack,
    because dependencies may be deep.)
    """
    walk = _Walk(needs)
    for key in needs:
        if key not in walk.low:
            walk.visit(key)
    positions = {key: position for position, key in enumerate(needs)}
    return [sorted(group, key=positions.__getitem__) for group in walk.groups]


class _Walk:
    """A depth-first search; `low` is the earliest key on the path that is reachable from a key."""

    def __init__(self, needs: Mapping[str, Iterable[str]]) -> None:
        self._needs = needs
        self.low: dict[str, int] = {}
        self.groups: list[Sequence[str]] = []
        self._open: list[str] = []  # visited keys that have no group yet
        self._is_open: set[str] = set()

    def visit(self, first: str) -> None:
        """Group all keys that are reachable from a key."""
        path: list[tuple[str, int, Iterator[str]]] = [self._enter(first)]
        while path:
            key, number, rest = path[-1]
            following = next((n for n in rest if n in self._needs), None)
            if following is None:
                path.pop()
                self._leave(key, number)
                if path:
                    self._lower(path[-1][0], key)
            elif following not in self.low:
                path.append(self._enter(following))
            else:
                self._lower(key, following)

    def _enter(self, key: str) -> tuple[str, int, Iterator[str]]:
        number = self.low[key] = len(self.low)
        self._open.append(key)
        self._is_open.add(key)
        return key, number, iter(self._needs[key])

    def _lower(self, key: str, other: str) -> None:
        if other in self._is_open:
            self.low[key] = min(self.low[key], self.low[other])

    def _leave(self, key: str, number: int) -> None:
        if self.low[key] != number:
            return
        start = self._open.index(key) if self._open[-1] != key else len(self._open) - 1
        group = self._open[start:]
        del self._open[start:]
        self._is_open.difference_update(group)
        self.groups.append(group)
