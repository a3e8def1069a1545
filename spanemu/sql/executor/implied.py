"""The documents whose tokens fulfil a condition that follows from a condition on another column.

A program finds a superset of the documents that fulfil the original condition
(`functions.search.implied`), and never says that it is FALSE for a document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from math import isnan
from operator import and_, or_
from typing import Any

from spanemu.base.bits import bits_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.documents import Found, Postings, Program, Segment, tokenizer_of
from spanemu.sql.executor.relation import Layout
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.search import implied
from spanemu.sql.resolved import ColumnRef, FunctionCall
from spanemu.values.token_list import Tokenizer, TokenKind

_NUMBER_SHIFT = 32  # of a posting


def compile_implied(call: FunctionCall, layout: Layout, compiler: Compiler) -> Program:
    """Compile a condition on tokens that follows from another condition."""
    tokens, *constants = call.arguments
    assert isinstance(tokens, ColumnRef)
    assert call.signature.operation is not None
    position = layout[tokens.column.id]
    values = [compiler.value(each, {}) for each in constants]
    find = _FINDERS[call.signature.operation]

    def program(run: Run, segment: Segment, visible: int) -> Found:
        postings = segment.columns[position]
        tokenizer = tokenizer_of([postings])
        if tokenizer is None:
            return 0, 0  # The columns of all documents are NULL.
        present = visible & ~postings.without_list()
        true = find(postings, tokenizer, present, *[value((), run) for value in values])
        return true & present, 0

    return program


def _with_value(postings: Postings, tokenizer: Tokenizer, present: int, value: Any) -> int:
    tokens = implied.tokens_of_value(tokenizer, value)
    return present if tokens is None else _with_one_of(postings, tokens)


def _with_one_of(postings: Postings, tokens: Iterable[bytes]) -> int:
    return reduce(or_, map(postings.documents, tokens), 0)


def _with_all_of(postings: Postings, tokens: Iterable[bytes], present: int) -> int:
    return reduce(and_, map(postings.documents, tokens), present)


def _with_any_value(postings: Postings, tokenizer: Tokenizer, present: int, values: Any) -> int:
    known = [implied.tokens_of_value(tokenizer, value) for value in values or (None,)]
    if values is None or (None in known and None not in values):
        return present
    return _with_one_of(postings, [token for tokens in known for token in tokens or ()])


def _with_all_values(postings: Postings, tokenizer: Tokenizer, present: int, values: Any) -> int:
    for value in values or ():
        present &= _with_value(postings, tokenizer, present, value)
    return present


def _without_values(postings: Postings, tokenizer: Tokenizer, present: int, values: Any) -> int:
    known = [value for value in values or () if value is not None and not _is_nan(value)]
    tokens = [token for each in known for token in implied.tokens_of_value(tokenizer, each) or ()]
    return present & ~_with_one_of(postings, tokens)


def _with_document(
    postings: Postings, tokenizer: Tokenizer, present: int, document: Any, keys: Any
) -> int:
    tokens = implied.tokens_of_document(tokenizer, document, keys)
    return 0 if tokens is None else _with_all_of(postings, tokens, present)


def _with_path(postings: Postings, tokenizer: Tokenizer, present: int, keys: Any) -> int:
    tokens = implied.tokens_of_path(tokenizer, keys)
    return 0 if tokens is None else _with_all_of(postings, tokens, present)


def _with_any_key(
    postings: Postings, tokenizer: Tokenizer, present: int, names: Any, keys: Any
) -> int:
    found = _with_each_key(postings, tokenizer, present, names, keys)
    return reduce(or_, found, 0)


def _with_all_keys(
    postings: Postings, tokenizer: Tokenizer, present: int, names: Any, keys: Any
) -> int:
    found = _with_each_key(postings, tokenizer, present, names, keys)
    return reduce(and_, found, _with_path(postings, tokenizer, present, keys))


def _with_each_key(
    postings: Postings, tokenizer: Tokenizer, present: int, names: Any, keys: Any
) -> Iterator[int]:
    for name in names or ():
        if name is not None:
            tokens = implied.tokens_of_key(tokenizer, name, keys)
            yield present if tokens is None else _with_one_of(postings, tokens)


def _with_texts(postings: Postings, tokenizer: Tokenizer, present: int, texts: Any) -> int:
    return _with_all_of(postings, implied.tokens_of_texts(tokenizer, texts), present)


def _within(postings: Postings, tokenizer: Tokenizer, present: int, low: Any, high: Any) -> int:
    """Return the documents with a number from `low` to `high`; None stands for no limit."""
    if tokenizer.kind is not TokenKind.NUMBER or any(map(_is_nan, (low, high))):
        return present
    ordered = postings.ordered(implied.number_of)
    first = 0 if low is None else bisect_left(ordered, low, key=_first)
    end = len(ordered) if high is None else bisect_right(ordered, high, key=_first)
    numbers = {
        posting >> _NUMBER_SHIFT
        for _, token in ordered[first:end]
        for posting in postings.tokens[token]
    }
    return bits_of(numbers) | postings.documents(_NAN)


_NAN = b"==nan"  # which some dialects take for the greatest number


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _first(pair: tuple[Any, bytes]) -> Any:
    return pair[0]


_FINDERS: Mapping[Operation, Callable[..., int]] = {
    Operation.HAS_VALUE: _with_value,
    Operation.HAS_ANY_VALUE: _with_any_value,
    Operation.HAS_ALL_VALUES: _with_all_values,
    Operation.LACKS_VALUES: _without_values,
    Operation.HAS_DOCUMENT: _with_document,
    Operation.HAS_PATH: _with_path,
    Operation.HAS_ANY_KEY: _with_any_key,
    Operation.HAS_ALL_KEYS: _with_all_keys,
    Operation.HAS_TEXTS: _with_texts,
    Operation.HAS_NUMBER_WITHIN: _within,
}
