"""Puts things after those that they depend on, and side by side if they depend on each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence


def dependency_order(needs: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups of keys: each key in a group with those it needs and that need it, in given order.

    A group comes after the groups that it needs; otherwise the given order is kept. Needs that are
    no keys are left out. (Tarjan's algorithm, with a stack of its own, since schemas may be deep.)
    """
    walk = _Walk(needs)
    for key in needs:
        if key not in walk.low:
            walk.visit(key)
    places = {key: place for place, key in enumerate(needs)}
    return [sorted(group, key=places.__getitem__) for group in walk.groups]


class _Walk:
    """Depth-first over the needs; `low` is the earliest key on the path that a key leads to."""

    def __init__(self, needs: Mapping[str, Iterable[str]]) -> None:
        self._needs = needs
        self.low: dict[str, int] = {}
        self.groups: list[Sequence[str]] = []
        self._open: list[str] = []  # visited, and not in a group yet
        self._is_open: set[str] = set()

    def visit(self, first: str) -> None:
        """Group everything that can be reached from a key."""
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
        place = self._open.index(key) if self._open[-1] != key else len(self._open) - 1
        group = self._open[place:]
        del self._open[place:]
        self._is_open.difference_update(group)
        self.groups.append(group)
