"""The truth about search queries: whether a token list fulfils one.

`matches` is what SEARCH, SEARCH_SUBSTRING and SEARCH_NGRAMS answer for a row. `fulfils` is the same
for one tree and the occurrences of its tokens, wherever these come from: a decoded list or the
postings of a search index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.sql.functions.search.query_tree import Node, SearchQuery
from spanemu.values.token_list import TokenList

# From a token to its occurrences in one list, in ascending order; empty for a token it lacks.
Occurrences = Callable[[bytes], Sequence[int]]


def matches(query: SearchQuery, tokens: TokenList) -> bool:
    """Return whether a token list fulfils a query."""
    raise NotImplementedError


def fulfils(tree: Node, occurrences: Occurrences) -> bool:
    """Return whether a list with these occurrences fulfils a tree."""
    raise NotImplementedError
