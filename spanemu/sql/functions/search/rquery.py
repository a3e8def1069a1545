"""Parses search queries: rquery, Google's language for what a user types, and two simpler dialects.

    query  := { clause }                                    all of them
    clause := or { AROUND [ "(" n ")" | n ] or }
    or     := not { ( OR | "|" ) not }                      binds tighter than the blank
    not    := "-" not | word | '"' phrase '"' | "(" query ")"

User input goes straight into a search, so nothing fails: an operator without an operand is ignored,
and a quote or a parenthesis that is never closed ends with the text. Words that are joined by one
of - = . / \\ ' : without blanks are a phrase, and so are the characters of scripts without blanks.

A phrase knows two more signs: `a|b` for either word, and `*` for any one word. Words joined without
blanks know the first: `a|b-c` is the phrase "a|b c". A quote behind a backslash is punctuation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.search.query_tree import (
    NOTHING,
    AllOf,
    AnyOf,
    Around,
    Node,
    Not,
    Phrase,
    Term,
)
from spanemu.sql.functions.search.segmentation import is_unspaced
from spanemu.sql.functions.search.words import Word, located_words
from spanemu.values.token_list import GAP

AROUND_DEFAULT = 5
NESTING_MAX = 64  # Deeper parentheses are ignored, like other punctuation.

_JOINERS = frozenset("-=./\\':")
_QUOTE = '"'
_BAR = "|"
_BREAKS = frozenset('"()|')
_ESCAPED_QUOTE = '\\"'
_STAR = "*"
_OPERAND_CHARACTERS = frozenset('#"(-')

# From the text of a word to the node that finds it.
WordNode = Callable[[str], Node]
Place = tuple[str, ...] | None


class _Sign(Enum):
    PHRASE = auto()  # quoted words, or words without blanks between them
    OPEN = auto()
    CLOSE = auto()
    OR = auto()
    MINUS = auto()
    AROUND = auto()


class _Token(NamedTuple):
    sign: _Sign
    places: tuple[Place, ...] = ()
    number: int | None = None  # of a token that is digits alone
    is_quoted: bool = False


def parse_rquery(text: str, word_node: WordNode) -> Node:
    """Return the tree of a query in the dialect rquery."""
    unescaped = text.replace(_ESCAPED_QUOTE, "  ")
    return _Parser(list(_tokens(unescaped)), word_node).query() or NOTHING


def parse_words(text: str, word_node: WordNode) -> Node:
    """Return the tree of a query in the dialect words: all words, anywhere."""
    operands = [_node(places, word_node) for places in _joined(text, frozenset())]
    return _all_of(operands) or NOTHING


def parse_words_phrase(text: str) -> Node:
    """Return the tree of a query in the dialect words_phrase: all words, side by side."""
    places = [(word.text,) for word in located_words(text)]
    return phrase(places) if places else NOTHING


def phrase(places: Sequence[Place]) -> Node:
    """Return the node of words side by side: a term if it is only one."""
    encoded = tuple(
        None if place is None else tuple(word.encode() for word in place) for place in places
    )
    if len(encoded) == 1 and encoded[0] is not None:
        return either([Term(token) for token in encoded[0]])
    return Phrase(encoded)


def _node(places: Sequence[Place], word_node: WordNode) -> Node:
    """Return the node of words side by side; a word alone may stand for others."""
    if len(places) == 1 and places[0] is not None:
        return either([word_node(word) for word in places[0]])
    return phrase(places)


def either(operands: Sequence[Node]) -> Node:
    """Return the node of any of some operands."""
    return operands[0] if len(operands) == 1 else AnyOf(tuple(operands))


def _all_of(operands: Sequence[Node]) -> Node | None:
    if not operands:
        return None
    return operands[0] if len(operands) == 1 else AllOf(tuple(operands))


# ---------------------------------------------------------------------------- tokens


def _tokens(text: str) -> Iterator[_Token]:
    at, depth = 0, 0
    is_apart = True  # behind a blank or an operator, where a minus is a negation
    while at < len(text):
        character = text[at]
        if character == _QUOTE:
            end = text.find(_QUOTE, at + 1)
            end = len(text) if end < 0 else end
            if places := _quoted(text[at + 1 : end]):
                yield _Token(_Sign.PHRASE, places, is_quoted=True)
            at, is_apart = end + 1, True
        elif character in _BREAKS:
            if character == _BAR:
                yield _Token(_Sign.OR)
            elif character == "(":
                depth += 1
                if depth <= NESTING_MAX:
                    yield _Token(_Sign.OPEN)
            else:
                if 0 < depth <= NESTING_MAX:
                    yield _Token(_Sign.CLOSE)
                depth = max(0, depth - 1)
            at, is_apart = at + 1, True
        elif character.isspace():
            at, is_apart = at + 1, True
        elif character == "-" and is_apart:
            at += 1
            if at < len(text) and (text[at].isalnum() or text[at] in _OPERAND_CHARACTERS):
                yield _Token(_Sign.MINUS)
        else:
            end = _end_of_chunk(text, at)
            yield from _chunk_tokens(text[at:end])
            at, is_apart = end, False


def _end_of_chunk(text: str, at: int) -> int:
    while at < len(text) and not text[at].isspace():
        if text[at] in _BREAKS and not _joins_alternatives(text, at):
            break
        at += 1
    return at


def _joins_alternatives(text: str, at: int) -> bool:
    """Return whether the character at an offset is a bar between two words, without blanks."""
    beside = (text[at - 1 : at], text[at + 1 : at + 2])
    return text[at] == _BAR and all(each.isalnum() and not is_unspaced(each) for each in beside)


def _chunk_tokens(chunk: str) -> Iterator[_Token]:
    if chunk == "OR":
        yield _Token(_Sign.OR)
    elif chunk == "AROUND":
        yield _Token(_Sign.AROUND)
    else:
        number = int(chunk) if chunk.isascii() and chunk.isdigit() and len(chunk) < 10 else None
        for places in _joined(chunk):
            yield _Token(_Sign.PHRASE, tuple(places), number)


def _joined(text: str, joiners: frozenset[str] = _JOINERS) -> Iterator[list[Place]]:
    """Yield the words of a text; those joined by `joiners` or by nothing stand together."""
    run: list[Place] = []
    previous: Word | None = None
    for word in located_words(text):
        between = "" if previous is None else text[previous.end : word.start]
        if between == _BAR and joiners:
            run[-1] = (*(run[-1] or ()), word.text)
        else:
            if previous is not None and not _joins(between, word, joiners):
                yield run
                run = []
            run.append((word.text,))
        previous = word
    if run:
        yield run


def _joins(between: str, right: Word, joiners: frozenset[str]) -> bool:
    return joiners.issuperset(between) if between else not right.text.startswith("#")


def _quoted(text: str) -> tuple[Place, ...]:
    """Return the places of a phrase: words, alternatives joined by |, and * for any word."""
    places: list[Place] = []
    previous_end = 0
    for word in located_words(text):
        between = text[previous_end : word.start]
        last = places[-1] if places else None
        if between == "|" and last is not None:
            places[-1] = (*last, word.text)
        else:
            if places:
                places += [None] * _stars(between)
            places.append((word.text,))
        previous_end = word.end
    return tuple(places)


def _stars(between: str) -> int:
    return sum(part == _STAR for part in between.split())


# ---------------------------------------------------------------------------- parser


class _Parser:
    """A parser of the tokens of one query, which skips what does not fit."""

    def __init__(self, tokens: Sequence[_Token], word_node: WordNode) -> None:
        self._tokens = tokens
        self._next = 0
        self._word_node = word_node

    def query(self) -> Node | None:
        """Parse clauses up to a closing parenthesis or the end."""
        operands: list[Node] = []
        while self._sign() not in (None, _Sign.CLOSE):
            operand = self._clause()
            if operand is not None:
                operands.append(operand)
        return _all_of(operands)

    def _clause(self) -> Node | None:
        self._skip(_Sign.AROUND)
        operands = [self._or()]
        distances: list[int] = []
        while self._sign() is _Sign.AROUND:
            distance = self._distance()
            operand = self._or()
            if operand is not None and operands[-1] is not None:
                distances.append(distance)
                operands.append(operand)
            elif operand is not None:
                operands[-1] = operand
        present = [operand for operand in operands if operand is not None]
        if len(present) < 2:
            return present[0] if present else None
        return Around(tuple(present), tuple(distances))

    def _distance(self) -> int:
        """Parse AROUND with its number; a number without an operand behind is the operand."""
        self._skip(_Sign.AROUND)
        if self._sign() is _Sign.OPEN and self._number(1) is not None:
            if self._sign(2) is _Sign.CLOSE:
                number = self._number(1)
                self._next += 3
                return min(number or 0, GAP - 1)
        elif self._number() is not None and self._sign(1) in _OPERAND_STARTS:
            number = self._number()
            self._next += 1
            return min(number or 0, GAP - 1)
        return AROUND_DEFAULT

    def _or(self) -> Node | None:
        self._skip(_Sign.OR)
        operands = [self._not()]
        while self._sign() is _Sign.OR:
            self._skip(_Sign.OR)
            operands.append(self._not())
        present = [operand for operand in operands if operand is not None]
        return either(present) if present else None

    def _not(self) -> Node | None:
        negations = self._next
        self._skip(_Sign.MINUS)
        is_negated = (self._next - negations) % 2 == 1
        operand = self._operand()
        return Not(operand) if is_negated and operand is not None else operand

    def _operand(self) -> Node | None:
        sign = self._sign()
        if sign is _Sign.OPEN:
            self._next += 1
            inner = self.query()
            if self._sign() is _Sign.CLOSE:
                self._next += 1
            return inner
        if sign is not _Sign.PHRASE:
            return None
        token = self._tokens[self._next]
        self._next += 1
        return phrase(token.places) if token.is_quoted else _node(token.places, self._word_node)

    def _sign(self, ahead: int = 0) -> _Sign | None:
        at = self._next + ahead
        return self._tokens[at].sign if at < len(self._tokens) else None

    def _number(self, ahead: int = 0) -> int | None:
        at = self._next + ahead
        return self._tokens[at].number if at < len(self._tokens) else None

    def _skip(self, sign: _Sign) -> None:
        while self._sign() is sign:
            self._next += 1


_OPERAND_STARTS = (_Sign.PHRASE, _Sign.OPEN, _Sign.MINUS)
