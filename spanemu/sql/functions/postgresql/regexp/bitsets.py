"""All positions of a text that an expression reaches at once, as bits of an integer.

Position p, before the character with index p, is bit p. From the positions S, a character of a set
with the mask M (bit i for each index i whose character is in the set) reaches

    (S & M) << 1

and any number of them reaches S and the end of each run of ones that begins in S, by one addition.
All operations are on whole integers: their time grows with the length of the text, and their number
with the size of the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spanemu.base.deadline_checks import interruptible_calls
from spanemu.sql.functions.postgresql.regexp.characters import WORD, CharacterSet
from spanemu.sql.functions.postgresql.regexp.syntax import (
    Alternation,
    BackReference,
    Characters,
    Concatenation,
    Constraint,
    Group,
    Look,
    Node,
    Position,
    Repetition,
)

_NEWLINE = CharacterSet(frozenset("\n"))


class Positions:
    """The positions of one text. `all` has the bit of every position, the end included."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._distinct: frozenset[str] | None = None
        self._masks: dict[CharacterSet, int] = {}
        self._looks: dict[Look, int] = {}
        self.all = (1 << (len(text) + 1)) - 1
        self._end = 1 << len(text)
        self.forward: Callable[[Node, int], int] = interruptible_calls(self._forward)
        self.backward: Callable[[Node, int], int] = interruptible_calls(self._backward)

    # ------------------------------------------------------------------------ masks

    def mask(self, characters: CharacterSet) -> int:
        """Return the bits of the indexes whose characters are in a set."""
        known = self._masks.get(characters)
        if known is None:
            if self._distinct is None:
                self._distinct = frozenset(self._text)
            table = {ord(c): "1" if c in characters else "0" for c in self._distinct}
            known = int(self._text.translate(table)[::-1] or "0", 2)
            self._masks[characters] = known
        return known

    def _constraint(self, constraint: Constraint) -> int:
        """Return the positions at which a constraint holds."""
        match constraint:
            case Constraint.TEXT_START:
                return 1
            case Constraint.TEXT_END:
                return self._end
            case Constraint.LINE_START:
                return 1 | self.mask(_NEWLINE) << 1
            case Constraint.LINE_END:
                return self._end | self.mask(_NEWLINE)
        after = self.mask(WORD)  # positions before a word character
        before = after << 1
        match constraint:
            case Constraint.WORD_START:
                return after & ~before
            case Constraint.WORD_END:
                return before & ~after
            case Constraint.WORD_BOUNDARY:
                return before ^ after
        return self.all & ~(before ^ after)

    def _look(self, node: Look) -> int:
        known = self._looks.get(node)
        if known is None:
            reach = self.backward if node.ahead else self.forward
            reached = reach(node.inner, self.all)
            known = reached if node.positive else self.all & ~reached
            self._looks[node] = known
        return known

    # ------------------------------------------------------------------------ forward

    def _forward(self, node: Node, starts: int) -> int:
        """Return the positions at which matches end that begin at one of `starts`."""
        match node:
            case Characters(characters):
                return (starts & self.mask(characters)) << 1
            case Position(constraint):
                return starts & self._constraint(constraint)
            case Concatenation(items):
                for item in items:
                    if not starts:
                        break
                    starts = self.forward(item, starts)
                return starts
            case Alternation(branches):
                ends = 0
                for branch in branches:
                    ends |= self.forward(branch, starts)
                return ends
            case Repetition(inner, least, most):
                return self._repeated(self.forward, self._run_ends, inner, (least, most), starts)
            case BackReference(_, inner, least, most):
                return self._repeated(self.forward, self._run_ends, inner, (least, most), starts)
            case Group(inner):
                return self.forward(inner, starts)
            case Look():
                return starts & self._look(node)
        raise AssertionError(node)

    def _backward(self, node: Node, ends: int) -> int:
        """Return the positions at which matches begin that end at one of `ends`."""
        match node:
            case Characters(characters):
                return (ends >> 1) & self.mask(characters)
            case Position(constraint):
                return ends & self._constraint(constraint)
            case Concatenation(items):
                for item in reversed(items):
                    if not ends:
                        break
                    ends = self.backward(item, ends)
                return ends
            case Alternation(branches):
                starts = 0
                for branch in branches:
                    starts |= self.backward(branch, ends)
                return starts
            case Repetition(inner, least, most):
                return self._repeated(self.backward, self._run_starts, inner, (least, most), ends)
            case BackReference(_, inner, least, most):
                return self._repeated(self.backward, self._run_starts, inner, (least, most), ends)
            case Group(inner):
                return self.backward(inner, ends)
            case Look():
                return ends & self._look(node)
        raise AssertionError(node)

    def _repeated(
        self,
        reach: Callable[[Node, int], int],
        run: Callable[[int, int], int],
        inner: Node,
        counts: tuple[int, int | None],
        positions: int,
    ) -> int:
        least, most = counts
        for _ in range(least):
            if not positions:
                return 0
            positions = reach(inner, positions)
        if most is None and isinstance(inner, Characters):
            return run(positions, self.mask(inner.characters))
        reached = new = positions
        left = -1 if most is None else most - least
        while new and left:
            new = reach(inner, new) & ~reached
            reached |= new
            left -= 1
        return reached

    def _run_ends(self, starts: int, mask: int) -> int:
        """Return the positions that any number of characters of a mask reaches."""
        return (((starts & mask) + mask) ^ mask) | starts

    def _run_starts(self, ends: int, mask: int) -> int:
        """Return the positions from which any number of characters of a mask reaches `ends`."""
        reached, size = ends, 1
        while mask:  # bit i: `size` characters from index i on are in the set
            reached |= (reached >> size) & mask
            mask &= mask >> size
            size *= 2
        return reached


def ascending(bits: int) -> Iterator[int]:
    """Yield the positions of the bits from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def descending(bits: int) -> Iterator[int]:
    """Yield the positions of the bits from the highest."""
    while bits:
        highest = bits.bit_length() - 1
        yield highest
        bits ^= 1 << highest
