"""The evaluation of search conditions over postings: documents as bits of integers.

A condition of calls of search functions becomes a program. For a segment of documents it gives two
integers, the documents for which the condition is TRUE and those for which it is FALSE; for the
others it is NULL. So NOT swaps them, AND and OR combine them, each in one operation on integers.

The tree of a query (`functions.search.query_tree`) decides by tokens and positions. What it leaves
open, the `check` of a query, is tested for the documents that fulfil it, with their token lists.

A program gives up (`Unsuited`) where postings cannot tell; then the condition is evaluated document
by document, by the functions themselves.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from spanemu.base.bits import Counters, bits_of, numbers_in
from spanemu.base.deadline_checks import interruptible
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.documents import (
    Found,
    Postings,
    Program,
    Segment,
    Unsuited,
    tokenizer_of,
    vocabulary_of,
)
from spanemu.sql.executor.implied import compile_implied
from spanemu.sql.executor.relation import Layout
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.registry import IMPLIED, SEARCHES
from spanemu.sql.functions.search import query_tree
from spanemu.sql.functions.search.enhancement import resolved
from spanemu.sql.functions.search.matcher import fulfils
from spanemu.sql.functions.search.queries import search_query
from spanemu.sql.functions.search.query_tree import tokens_of
from spanemu.sql.plan.conditions import negated
from spanemu.sql.resolved import And, ColumnRef, Expr, FunctionCall, MakeArray, Or
from spanemu.values.token_finder import has_part
from spanemu.values.token_list import POSITION_SHIFT, TokenList

_NUMBER_SHIFT = 32 - POSITION_SHIFT  # of a posting without its attributes
_LOOKED_AT = 8  # postings that are read in the time of a look at a list
_BISECTED = 8  # a list so many times longer is searched, not copied


def compile_search(condition: Expr, layout: Layout, compiler: Compiler) -> Program:
    """Compile a condition that calls search functions, perhaps with others by AND, OR and NOT."""
    if isinstance(condition, And | Or):
        operands = sorted(condition.operands, key=_is_tested)
        programs = [compile_search(each, layout, compiler) for each in operands]
        return _combined(programs, is_and=isinstance(condition, And))
    inside = negated(condition)
    if inside is not None:
        operand = compile_search(inside, layout, compiler)
        return lambda run, segment, visible: operand(run, segment, visible)[::-1]
    if isinstance(condition, FunctionCall) and condition.signature.operation in IMPLIED:
        return compile_implied(condition, layout, compiler)
    if isinstance(condition, FunctionCall) and condition.signature.operation in SEARCHES:
        return _call(condition, layout, compiler)
    return _tested(condition, layout, compiler)


def _tested(condition: Expr, layout: Layout, compiler: Compiler) -> Program:
    """Compile a condition on other columns of the documents, each of which is tested."""
    test = compiler.value(condition, layout)

    def program(run: Run, segment: Segment, visible: int) -> Found:
        rows = segment.rows
        true: list[int] = []
        false: list[int] = []
        for number in interruptible(numbers_in(visible)):
            result = test(rows[number], run)
            if result is not None:
                (true if result else false).append(number)
        return bits_of(true), bits_of(false)

    return program


def _is_tested(condition: Expr) -> bool:
    """Return whether a condition looks at each document, so that others come first."""
    if isinstance(condition, And | Or):
        return any(map(_is_tested, condition.operands))
    inside = negated(condition)
    if inside is not None:
        return _is_tested(inside)
    return not (
        isinstance(condition, FunctionCall) and condition.signature.operation in SEARCHES | IMPLIED
    )


def _combined(programs: Sequence[Program], *, is_and: bool) -> Program:
    def program(run: Run, segment: Segment, visible: int) -> Found:
        first, *others = programs
        true, false = first(run, segment, visible)
        for operand in others:
            # A document that is decided needs no look at the other operands.
            undecided = visible & ~(false if is_and else true)
            more, less = operand(run, segment, undecided)
            true, false = (true & more, false | less) if is_and else (true | more, false & less)
        return true, false

    return program


def _call(call: FunctionCall, layout: Layout, compiler: Compiler) -> Program:
    tokens, *constants = call.arguments
    operation = call.signature.operation
    assert operation is not None
    positions = [layout[column.column.id] for column in _columns(tokens)]
    is_concatenated = not isinstance(tokens, ColumnRef)
    values = [compiler.value(each, {}) for each in constants]

    def program(run: Run, segment: Segment, visible: int) -> Found:
        lists = [segment.columns[position] for position in positions]
        tokenizer = tokenizer_of(lists)
        if tokenizer is None:
            return 0, 0
        if is_concatenated:
            tokenizer = tokenizer._replace(concatenated=True)
            has_list = visible
        else:
            has_list = visible & ~lists[0].without_list()
        query = search_query(operation.value, tokenizer, [value((), run) for value in values])
        if query is None:
            return 0, 0
        tree = resolved(query.tree, vocabulary_of(lists)) if query.is_open else query.tree
        true = Documents(segment.rows, positions, lists, has_list).fulfilling(tree)
        if query.check is not None and true:
            if is_concatenated:
                raise Unsuited
            rows, position = segment.rows, positions[0]
            check = query.check
            true = _kept(true, lambda number: check(TokenList.decode(rows[number][position])))
        return true, has_list & ~true

    return program


def _columns(tokens: Expr) -> Iterable[ColumnRef]:
    """Return the columns of a token list, or of the parts of a concatenation."""
    if isinstance(tokens, ColumnRef):
        return (tokens,)
    assert isinstance(tokens, FunctionCall)
    (parts,) = tokens.arguments
    if not isinstance(parts, MakeArray):
        raise Unsuited
    for part in parts.items:
        if not isinstance(part, ColumnRef):
            raise Unsuited
    return [part for part in parts.items if isinstance(part, ColumnRef)]


def _kept(bits: int, test: Callable[[int], bool]) -> int:
    """Return the documents that pass a test."""
    kept = [number for number in interruptible(numbers_in(bits)) if test(number)]
    return bits_of(kept)


class Documents:
    """The documents of a segment that may fulfil a query, by one token list or several.

    A document has a token if one of its lists has it. Neither a phrase nor AROUND crosses lists.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        positions: Sequence[int],
        lists: Sequence[Postings],
        everything: int,
    ) -> None:
        self._rows = rows
        self._positions = positions
        self._lists = lists
        self._everything = everything

    def fulfilling(self, tree: query_tree.Node) -> int:
        """Return the documents that fulfil a tree, a bit for each."""
        return _EVALUATE[type(tree)](self, tree) & self._everything

    def _of_token(self, token: bytes) -> int:
        return reduce(or_, [each.documents(token) for each in self._lists])

    def _term(self, tree: query_tree.Term) -> int:
        return self._of_token(tree.token)

    def _similar(self, _tree: query_tree.Similar) -> int:
        return 0

    def _all(self, tree: query_tree.AllOf) -> int:
        bits = self._everything
        for operand in sorted(tree.operands, key=_effort):
            bits &= self.fulfilling(operand)
            if not bits:
                break
        return bits

    def _any(self, tree: query_tree.AnyOf) -> int:
        return reduce(or_, map(self.fulfilling, tree.operands), 0)

    def _not(self, tree: query_tree.Not) -> int:
        return self._everything & ~self.fulfilling(tree.operand)

    def _at_least(self, tree: query_tree.AtLeast) -> int:
        of_tokens = [self._of_token(token) & self._everything for token in tree.tokens]
        if tree.count <= 1:
            return reduce(or_, of_tokens, 0) if tree.count == 1 else self._everything
        if tree.count > len(of_tokens):
            return 0
        return Counters(of_tokens).at_least(tree.count)

    def _phrase(self, tree: query_tree.Phrase) -> int:
        return reduce(or_, [_phrase_in(each, tree) for each in self._lists])

    def _part(self, tree: query_tree.Part) -> int:
        pairs = zip(self._positions, self._lists, strict=True)
        return reduce(or_, [self._part_in(*pair, tree) for pair in pairs])

    def _part_in(self, position: int, postings: Postings, tree: query_tree.Part) -> int:
        """Return the documents with a part of a word in one list.

        The n-grams say which lists to look at, the rarest ones first.
        """
        rarest, *others = sorted(tokens_of(tree), key=postings.size)
        bits = self._everything & postings.documents(rarest)
        for token in others:
            if bits.bit_count() * _LOOKED_AT < postings.size(token):
                break
            bits &= postings.documents(token)
        rows, text = self._rows, tree.text
        numbers = interruptible(numbers_in(bits))
        likely = [number for number in numbers if text in rows[number][position]]
        return bits_of([number for number in likely if has_part(rows[number][position], text)])

    def _around(self, tree: query_tree.Around) -> int:
        if len(self._lists) > 1:
            raise Unsuited
        (postings,) = self._lists
        with_all = reduce(and_, map(self.fulfilling, tree.operands))
        return _kept(
            with_all,
            lambda number: fulfils(tree, lambda token: postings.occurrences(token, number)),
        )


_EVALUATE: Mapping[type, Callable[[Documents, Any], int]] = {
    query_tree.Term: Documents._term,
    query_tree.Similar: Documents._similar,
    query_tree.Phrase: Documents._phrase,
    query_tree.Part: Documents._part,
    query_tree.Around: Documents._around,
    query_tree.AllOf: Documents._all,
    query_tree.AnyOf: Documents._any,
    query_tree.Not: Documents._not,
    query_tree.AtLeast: Documents._at_least,
}


def _effort(tree: query_tree.Node) -> int:
    """Return a rank: what is looked up comes before what compares positions."""
    if isinstance(tree, query_tree.Term):
        return 0
    return 2 if isinstance(tree, query_tree.Around) else 1


def _phrase_in(postings: Postings, tree: query_tree.Phrase) -> int:
    """Return the documents with a phrase in one list.

    A place is a number and a position in one integer, so that the next place is one greater.
    """
    needed = [(offset, place) for offset, place in enumerate(tree.places) if place is not None]
    if not needed:
        return 0
    first = needed[0][0]
    places: list[tuple[int, int, list[array[int]]]] = []
    for offset, tokens in needed:
        known = [postings.tokens[token] for token in tokens if token in postings.tokens]
        if not known:
            return 0
        places.append((sum(map(len, known)), offset - first, known))
    places.sort(key=lambda each: each[:2])
    _, offset, known = places[0]
    starts = set(_starts(known, offset))
    for size, offset, known in places[1:]:
        if size > _BISECTED * len(starts):
            starts = set().union(*[_placed(starts, offset, each) for each in known])
        else:
            starts.intersection_update(_starts(known, offset))
        if not starts:
            return 0
    return bits_of({start >> _NUMBER_SHIFT for start in starts})


def _starts(known: Iterable[array[int]], offset: int) -> list[int]:
    if not offset:
        return [posting >> POSITION_SHIFT for each in known for posting in each]
    return [(posting >> POSITION_SHIFT) - offset for each in known for posting in each]


def _placed(starts: Iterable[int], offset: int, postings: array[int]) -> list[int]:
    """Return the starts of phrases that have a token at an offset."""
    placed = []
    last = len(postings) - 1
    for start in starts:
        token_place = start + offset
        at = bisect_left(postings, token_place << POSITION_SHIFT)
        if at <= last and postings[at] >> POSITION_SHIFT == token_place:
            placed.append(start)
    return placed
