"""The nodes of a parsed regular expression.

A node prefers the longest match, the shortest, or neither (`Preference`). A branch prefers what its
first part with a preference does; several branches prefer the longest; a quantifier overrides the
preference of its operand, except {m}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property

from spanemu.sql.functions.postgresql.regexp.characters import CharacterSet


class Preference(Enum):
    """The length of the match that a node prefers."""

    NONE = auto()
    LONGEST = auto()
    SHORTEST = auto()


class Constraint(Enum):
    """A condition on a position of the text."""

    TEXT_START = auto()
    TEXT_END = auto()
    LINE_START = auto()
    LINE_END = auto()
    WORD_START = auto()
    WORD_END = auto()
    WORD_BOUNDARY = auto()
    NO_WORD_BOUNDARY = auto()


@dataclass(eq=False)
class Node:
    """A part of an expression."""

    preference: Preference = field(default=Preference.NONE, kw_only=True)

    @property
    def parts(self) -> Sequence[Node]:
        """The nodes that this node consists of."""
        return ()

    @cached_property
    def has_group(self) -> bool:
        """Return whether a capturing group is in the node."""
        return any(part.has_group for part in self.parts)

    @cached_property
    def has_back_reference(self) -> bool:
        """Return whether a back-reference is in the node."""
        return any(part.has_back_reference for part in self.parts)

    @cached_property
    def is_mixed(self) -> bool:
        """Return whether parts of the node prefer different lengths."""
        preferences = {part.preference for part in self.parts} - {Preference.NONE}
        return len(preferences) > 1 or any(part.is_mixed for part in self.parts)

    @cached_property
    def group_numbers(self) -> frozenset[int]:
        """Return the numbers of the groups in the node."""
        return frozenset(number for part in self.parts for number in part.group_numbers)


@dataclass(eq=False)
class Characters(Node):
    """One character of a set."""

    characters: CharacterSet


@dataclass(eq=False)
class Position(Node):
    """A constraint."""

    constraint: Constraint


@dataclass(eq=False)
class Look(Node):
    """A look-ahead or look-behind, positive or negative."""

    inner: Node
    ahead: bool
    positive: bool


@dataclass(eq=False)
class Concatenation(Node):
    """Parts one after the other; none match the empty text."""

    items: Sequence[Node]

    @property
    def parts(self) -> Sequence[Node]:
        return self.items

    @cached_property
    def elements(self) -> Sequence[Node]:
        """Return the items, with adjacent ones joined where only their common end matters.

        Items with groups or back-references stand alone; joined items prefer the same length.
        """
        elements: list[Node] = []
        joined: list[Node] = []
        preference = Preference.NONE
        for item in self.items:
            preferred = {preference, item.preference} - {Preference.NONE}
            alone = item.has_group or item.has_back_reference
            if alone or item.is_mixed or len(preferred) > 1:
                if joined:
                    elements.append(Concatenation(joined, preference=preference))
                elements.append(item)
                joined, preference = [], Preference.NONE
            else:
                joined.append(item)
                preference = next(iter(preferred), Preference.NONE)
        if joined:
            elements.append(Concatenation(joined, preference=preference))
        return elements


@dataclass(eq=False)
class Alternation(Node):
    """At least two branches."""

    branches: Sequence[Node]

    @property
    def parts(self) -> Sequence[Node]:
        return self.branches


@dataclass(eq=False)
class Repetition(Node):
    """A quantified node; `most` is None without a limit.

    The groups in an opaque repetition do not count.
    """

    inner: Node
    least: int
    most: int | None
    is_opaque: bool = False

    @property
    def parts(self) -> Sequence[Node]:
        return (self.inner,)

    @cached_property
    def has_group(self) -> bool:
        return not self.is_opaque and self.inner.has_group

    @cached_property
    def is_mixed(self) -> bool:
        inner = self.inner
        return inner.is_mixed or inner.preference not in (Preference.NONE, self.preference)


@dataclass(eq=False)
class Group(Node):
    """A capturing group by its number."""

    inner: Node
    number: int

    @property
    def parts(self) -> Sequence[Node]:
        return (self.inner,)

    @cached_property
    def has_group(self) -> bool:
        return True

    @cached_property
    def group_numbers(self) -> frozenset[int]:
        return self.inner.group_numbers | {self.number}


@dataclass(eq=False)
class BackReference(Node):
    """The text that a group matched. `inner` is what the group can match, without constraints."""

    number: int
    inner: Node
    least: int = 1
    most: int | None = 1

    @cached_property
    def has_back_reference(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Regexp:
    """A parsed expression with the number of its groups."""

    root: Node
    groups: int
    ignores_case: bool
