"""Calls of search functions as prepared queries.

A search function has one token list and constants after it. `search_query` prepares the constants
for lists of one tokenizer, once for many lists:

    search_query("SEARCH", tokenizer, ("big car", None, "en"))      arguments in the order of the
                                                                    signature, omitted ones at the
                                                                    end left out
    None                                                            the query is NULL: no list
                                                                    matches, nor fails to

`score_query` does the same for SCORE. Both raise BadArgument (INVALID_ARGUMENT at the client) for
what Spanner refuses, and keep what they have prepared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.sql.functions.search.matcher import Occurrences
from spanemu.sql.functions.search.query_tree import SearchQuery
from spanemu.values.token_list import Tokenizer

# From a term in lower case to its values in a dictionary table.
Dictionary = Callable[[str], Sequence[str]]

SEARCH_FUNCTIONS = ("SEARCH", "SEARCH_SUBSTRING", "SEARCH_NGRAMS")


def search_query(
    function: str,
    tokenizer: Tokenizer,
    arguments: Sequence[Any],
    dictionary: Dictionary | None = None,
) -> SearchQuery | None:
    """Return the query of a call of one of `SEARCH_FUNCTIONS`."""
    raise NotImplementedError


def score_query(
    tokenizer: Tokenizer, arguments: Sequence[Any], dictionary: Dictionary | None = None
) -> Callable[[Occurrences], float]:
    """Return the function from a list's occurrences to its SCORE."""
    raise NotImplementedError


def check_tokenizer(function: str, tokenizer: Tokenizer) -> None:
    """Raise BadArgument if a search or score function does not accept lists of a tokenizer."""
    raise NotImplementedError
