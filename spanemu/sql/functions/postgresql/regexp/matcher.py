"""Where an expression matches a text, and what its groups match.

The match begins as far left as possible. Its end, and then the ends of its parts from left to
right, are the last or first possible ones, as each part prefers. Adjacent parts without groups
count as a single part, as far as they prefer the same length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from string import ascii_lowercase, ascii_uppercase

from spanemu.base.call import current
from spanemu.sql.functions.postgresql.regexp.bitsets import Positions, ascending, descending
from spanemu.sql.functions.postgresql.regexp.options import TOO_COMPLEX, BadRegexp
from spanemu.sql.functions.postgresql.regexp.syntax import (
    Alternation,
    BackReference,
    Concatenation,
    Group,
    Node,
    Preference,
    Regexp,
    Repetition,
)

Span = tuple[int, int]
Groups = dict[int, Span]

_ITERATIONS_MAX = 200  # of a node with a back-reference
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


class Matcher:
    """The matches of one expression in one text."""

    def __init__(self, regexp: Regexp, text: str) -> None:
        self._regexp = regexp
        self._text = text.translate(_LOWER) if regexp.ignores_case else text
        self._positions = Positions(text)
        self._starts: int | None = None
        self.groups: Groups = {}

    def search(self, begin: int = 0, with_groups: bool = True) -> Span | None:
        """Return the first match that begins at `begin` or later; `groups` are set as well."""
        root, positions = self._regexp.root, self._positions
        if self._starts is None:
            self._starts = positions.backward(root, positions.all)
        verified = root.has_back_reference
        for start in ascending(self._starts >> begin << begin):
            ends = positions.forward(root, 1 << start)
            for end in _ordered(ends, root.preference):
                self.groups = {}
                if not (verified or (with_groups and root.has_group)):
                    return start, end
                if self._dissect(root, start, end):
                    return start, end
        return None

    def matches(self) -> bool:
        """Return whether the expression matches anywhere in the text."""
        if self._regexp.root.has_back_reference:
            return self.search() is not None
        return self._positions.forward(self._regexp.root, self._positions.all) != 0

    # ------------------------------------------------------------------------ groups

    def _dissect(self, node: Node, begin: int, end: int) -> bool:
        """Set the groups of a node that matches from `begin` to `end`.

        Return whether it does match: of back-references, the positions alone cannot tell.
        """
        current().check()
        if not (node.has_group or node.has_back_reference):
            return True
        match node:
            case Group(inner, number):
                if not self._dissect(inner, begin, end):
                    return False
                self.groups[number] = (begin, end)
                return True
            case Concatenation():
                return self._dissect_all(node.elements, begin, end)
            case Alternation(branches):
                return self._dissect_any(branches, begin, end)
            case Repetition():
                return self._dissect_repetition(node, begin, end)
            case BackReference():
                return self._equals_group(node, begin, end)
        raise AssertionError(node)

    def _dissect_any(self, branches: Sequence[Node], begin: int, end: int) -> bool:
        for branch in branches:
            if self._reaches(branch, begin, end) and self._dissect(branch, begin, end):
                return True
        return False

    def _dissect_all(self, elements: Sequence[Node], begin: int, end: int) -> bool:
        """Divide a text among elements, each as long or as short as it prefers."""
        reachable = [1 << end]  # from which the elements after each element reach the end
        for element in reversed(elements[1:]):
            reachable.append(self._positions.backward(element, reachable[-1]))
        reachable.reverse()
        return self._divide(elements, reachable, 0, (begin, end))

    def _divide(
        self, elements: Sequence[Node], reachable: Sequence[int], index: int, span: Span
    ) -> bool:
        begin, end = span
        if index == len(elements) - 1:
            return self._dissect(elements[index], begin, end)
        element = elements[index]
        middles = self._positions.forward(element, 1 << begin) & reachable[index]
        for middle in _ordered(middles, element.preference):
            kept = self.groups.copy()
            if self._dissect(element, begin, middle) and self._divide(
                elements, reachable, index + 1, (middle, end)
            ):
                return True
            self.groups = kept
        return False

    def _dissect_repetition(self, node: Repetition, begin: int, end: int) -> bool:
        """Divide a text among the iterations; the last iteration sets the groups."""
        inner, least, most = node.inner, node.least, node.most
        if least == most == 1:
            return self._dissect(inner, begin, end)
        if least > 0 and not inner.has_back_reference:
            fewer = None if most is None else most - 1
            before = Repetition(inner, least - 1, fewer, True, preference=node.preference)
            return self._dissect_all((before, inner), begin, end)
        return self._iterate(node, begin, end)

    def _iterate(self, node: Repetition, begin: int, end: int) -> bool:
        """Divide a text among iterations of a node, of which the last sets the groups."""
        if begin == end and not node.least:
            # An iteration that matches nothing sets the groups, where that is possible.
            is_greedy = node.inner.preference is not Preference.SHORTEST
            if is_greedy and self._reaches(node.inner, begin, end):
                self._dissect(node.inner, begin, end)
            return True
        if node.has_back_reference:
            return self._iterate_verified(node, (begin, end), 1)
        last = begin
        for position in self._iteration_ends(node, begin, end):
            begin, last = last, position
        return self._dissect(node.inner, begin, end)

    def _iteration_ends(self, node: Repetition, begin: int, end: int) -> Iterator[int]:
        """Yield the ends of non-empty iterations, as long or as short as they prefer."""
        reachable = self._reachable_in(node, end)
        while begin != end:
            # The last iteration allowed has to reach the end.
            rest = next(reachable)
            ends = self._positions.forward(node.inner, 1 << begin) & rest & ~(1 << begin)
            begin = next(_ordered(ends, node.inner.preference))
            yield begin

    def _reachable_in(self, node: Repetition, end: int) -> Iterator[int]:
        """Yield from where the iterations after the first, the second and so on reach `end`."""
        backward = self._positions.backward
        if node.most is None:
            return repeat(backward(Repetition(node.inner, 0, None), 1 << end))
        reachable = [1 << end]
        for _ in range(node.most - 1):
            reachable.append(reachable[-1] | backward(node.inner, reachable[-1]))
        return reversed(reachable)

    def _iterate_verified(self, node: Repetition, span: Span, number: int) -> bool:
        """Divide a text among the iterations from `number` on, where each has to be verified."""
        begin, end = span
        if number > _ITERATIONS_MAX:
            raise BadRegexp(TOO_COMPLEX)
        rest = self._positions.backward(Repetition(node.inner, 0, None), 1 << end)
        if number == node.most:
            rest = 1 << end
        ends = self._positions.forward(node.inner, 1 << begin) & rest
        for middle in _ordered(ends, node.inner.preference):
            is_enough = number >= node.least
            if middle == begin != end and is_enough:
                continue  # An empty iteration is of use only to reach the least number.
            kept = self.groups.copy()
            for group in node.group_numbers:
                self.groups.pop(group, None)
            if self._dissect(node.inner, begin, middle) and (
                (middle == end and is_enough)
                or (number != node.most and self._iterate_verified(node, (middle, end), number + 1))
            ):
                return True
            self.groups = kept
        return False

    def _equals_group(self, node: BackReference, begin: int, end: int) -> bool:
        span = self.groups.get(node.number)
        if span is None:
            return False
        part = self._text[span[0] : span[1]]
        if not part or begin == end:
            return begin == end and (not part or node.least == 0)
        count, rest = divmod(end - begin, len(part))
        is_count = not rest and node.least <= count <= (count if node.most is None else node.most)
        return is_count and self._text[begin:end] == part * count

    def _reaches(self, node: Node, begin: int, end: int) -> bool:
        return bool(self._positions.forward(node, 1 << begin) >> end & 1)


def _ordered(bits: int, preference: Preference) -> Iterator[int]:
    """Yield the positions of the bits, the preferred ones first."""
    return ascending(bits) if preference is Preference.SHORTEST else descending(bits)
