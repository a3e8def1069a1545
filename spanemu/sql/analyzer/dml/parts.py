"""What SET assigns to one value: all of it at once, or its fields one by one.

A value is a column, or an element of an array in nested DML. Statements on one array are kept
together; whatever else is said twice, or of a message and of a field of it, is a contradiction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spanemu.sql.analyzer.errors.writing import AssignedTwice, AssignmentsOverlap
from spanemu.sql.syntax import ast

Item = ast.Assignment | ast.NestedStatement
FieldPath = tuple[ast.Identifier, ...]


@dataclass(slots=True)
class Part:
    """What is assigned to the value, or to one of its fields; several nested statements."""

    path: FieldPath
    items: list[Item]

    @property
    def key(self) -> tuple[str, ...]:
        return tuple([name.name.lower() for name in self.path])

    @property
    def assignment(self) -> ast.Assignment | None:
        """The assignment, unless there are nested statements."""
        item = self.items[0]
        return item if isinstance(item, ast.Assignment) else None

    @property
    def statements(self) -> list[ast.NestedStatement]:
        return [item for item in self.items if not isinstance(item, ast.Assignment)]


@dataclass(slots=True)
class Parts:
    """A value that messages call `name`, with all that is assigned to it."""

    name: str
    parts: list[Part] = field(default_factory=list)

    @property
    def whole(self) -> Part | None:
        """What is assigned to the value itself; then nothing is to its fields."""
        first = self.parts[0]
        return None if first.path else first

    def add(self, path: FieldPath, item: Item) -> None:
        """Take one item. Raises what assignments that contradict each other are."""
        added = Part(path, [item])
        for part in self.parts:
            if part.key == added.key:
                if part.assignment is not None or added.assignment is not None:
                    raise AssignedTwice(self.shown(path), at=item.at)
                part.items.append(item)
                return
            shorter, longer = sorted((part.key, added.key), key=len)
            if longer[: len(shorter)] == shorter:
                raise AssignmentsOverlap(self.shown(path), self.shown(part.path), at=item.at)
        self.parts.append(added)

    def shown(self, path: FieldPath) -> str:
        """How messages call a part."""
        return ".".join((self.name, *(name.name for name in path)))
