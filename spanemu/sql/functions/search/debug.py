"""DEBUG_TOKENLIST: a token list as text.

    hello(boundary), db, [#world, world](boundary)      words; tokens at one position in brackets
    [al, av, he], heav, eavy, <gap(1)>, meta            n-grams; positions without a token
    ==1, ==10, [1, 1], [1, 2]                           numbers and their ranges

A word of a higher category than small has its name as another attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from spanemu.sql.functions.search.number_tokens import debug_tokens
from spanemu.values.token_list import (
    FIRST,
    LAST,
    Category,
    TokenKind,
    TokenList,
    category_of,
    position_of,
)


def debug_text(tokens: TokenList) -> str:
    """Return `DEBUG_TOKENLIST(tokens)`."""
    if tokens.tokenizer.kind is TokenKind.NUMBER:
        numbers = [word for value in tokens.values for word in value.words]
        return ", ".join(debug_tokens(tokens.tokenizer.detail, numbers))
    return ", ".join(_positions(tokens))


def _positions(tokens: TokenList) -> Iterator[str]:
    expected = 0
    for position, group in groupby(tokens.occurrences(), key=lambda each: position_of(each[1])):
        if position > expected:
            yield f"<gap({position - expected})>"
        expected = position + 1
        here = list(group)
        texts = [token.decode(errors="backslashreplace") for token, _ in here]
        shown = texts[0] if len(texts) == 1 else f"[{', '.join(sorted(texts))}]"
        yield shown + _attributes(here[0][1])


def _attributes(occurrence: int) -> str:
    names = ["boundary"] if occurrence & (FIRST | LAST) else []
    if category := category_of(occurrence):
        names.append(Category(category).name.lower())
    return f"({', '.join(names)})" if names else ""
