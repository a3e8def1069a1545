"""What the lexer hands to the parser: tokens, and the words that cannot be names.

A token is known by its `symbol`, the one thing that grammar rules compare: the upper-cased word of
a keyword or an unquoted name, the characters of punctuation, and the name of the kind for all
else. A quoted name's symbol is never a word, so `select` in backticks is only ever a name.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from spanemu.base.reserved import RESERVED_WORDS


class Kind(StrEnum):
    """Sorts of token; the values are the words that error messages use."""

    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    PUNCTUATION = "punctuation"
    INTEGER = "integer literal"
    FLOAT = "floating point literal"
    STRING = "string literal"
    BYTES = "bytes literal"
    END = "end of statement"


class Token(NamedTuple):
    """`text` as written, standing at `[at:end]` of the statement."""

    kind: Kind
    symbol: str
    text: str
    at: int
    end: int


RESERVED = RESERVED_WORDS

# Words that the grammar knows but that may also be names; error messages call them keywords.
_UNRESERVED_WORDS = """
    ABORT ACTION ADD AGGREGATE ALTER ANALYZE ASSERT BATCH BEGIN CALL CASCADE CHECK CLONE CLUSTER
    COLUMN COLUMNS COMMIT CONFLICT CONSTRAINT COPY DATA DATABASE DELETE DETERMINISTIC DO DROP
    ENFORCED EXECUTE EXPLAIN EXPORT EXTEND FILTER FIRST FOREIGN FORMAT FUNCTION GENERATED GRANT
    GRAPH HIDDEN IDENTITY IMMEDIATE IMPORT INDEX INPUT INSERT INVOKER ISOLATION KEY LANGUAGE LAST
    LEVEL LIST LOAD MATCH MATCHED MODEL NODE NOTHING OFFSET ONLY OPTIONS OUTPUT OVERWRITE
    PERCENT PIVOT POLICY PRIMARY PRIVILEGES PROCEDURE PROPERTIES PROPERTY PUBLIC QUALIFY RAISE
    READ REFERENCES REMOTE REMOVE RENAME REPEAT REPEATABLE REPLACE RESTRICT RETURN RETURNS REVOKE
    ROLE ROLLBACK ROW RUN SAFE_CAST SCHEMA SECURITY SEQUENCE SHOW SQL STORED STORING SYSTEM
    SYSTEM_TIME TABLE TRANSACTION TRUNCATE TYPE UNIQUE UNPIVOT UPDATE VALUE VALUES VECTOR VIEW
    VIEWS WEIGHT ZONE
"""
UNRESERVED = frozenset(_UNRESERVED_WORDS.split())


def describe(token: Token) -> str:
    """A token in the words of an error message."""
    match token.kind:
        case Kind.END:
            return "end of statement"
        case Kind.PUNCTUATION:
            return f'"{token.text}"'
        case Kind.KEYWORD:
            return f"keyword {token.symbol}"
        case Kind.IDENTIFIER if token.symbol in UNRESERVED:
            return f"keyword {token.symbol}"
        case Kind.IDENTIFIER if token.text.startswith("`"):
            return f"identifier {token.text}"
        case Kind.STRING | Kind.BYTES:
            return f"{token.kind} {token.text}"
        case _:
            return f'{token.kind} "{token.text}"'


def describe_symbol(symbol: str) -> str:
    """A symbol that was expected, in the words of an error message."""
    if symbol[:1].isalpha() and symbol.isupper():
        return f"keyword {symbol}"
    return symbol if symbol[:1].isalpha() else f'"{symbol}"'
