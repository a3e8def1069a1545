"""Functions of text and bytea: strings, binary strings and pattern matching.

Functions with the same name in both dialects are GoogleSQL's, as in Spanner: a position below 1
counts from the end, and a negative length is an error.
"""

from __future__ import annotations

import re

from spanemu.sql.functions.notation import Rows, chapter, function, overload
from spanemu.sql.functions.postgresql.regexp import functions as regexps
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.text import string
from spanemu.sql.functions.text.concatenation import concat, concat_two
from spanemu.sql.functions.text.like import like, like_bytes
from spanemu.sql.functions.value_size import bounded

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)

# PostgreSQL's keywords, without the unreserved ones: names that need quotes.
_QUOTED_WORDS_TEXT = """
    all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
    boolean both case cast char character check coalesce collate collation column concurrently
    constraint create cross current_catalog current_date current_role current_schema current_time
    current_timestamp current_user dec decimal default deferrable desc distinct do else end except
    exists extract false fetch float for foreign freeze from full grant greatest group grouping
    having ilike in initially inner inout int integer intersect interval into is isnull join lateral
    leading least left like limit localtime localtimestamp national natural nchar none normalize not
    notnull null nullif numeric offset on only or order out outer overlaps overlay placing position
    precision primary real references returning right row select session_user setof similar smallint
    some substring symmetric table tablesample then time timestamp to trailing treat trim true union
    unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat
    xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
"""
QUOTED_WORDS = frozenset(_QUOTED_WORDS_TEXT.split())


def quote_ident(name: str) -> str:
    """Return `quote_ident(text)`: the name as SQL writes it, in quotes where it needs them."""
    if _PLAIN_NAME.fullmatch(name) and name not in QUOTED_WORDS:
        return name
    doubled = name.replace('"', '""')
    return bounded(f'"{doubled}"', "quote_ident")


_SUBSTRINGS = (
    overload("(STRING, INT64, [INT64]) -> STRING", string.substring),
    overload("(BYTES, INT64, [INT64]) -> BYTES", string.substring),
)
_LIKES = (
    overload("(STRING, STRING) -> BOOL", like),
    overload("(BYTES, BYTES) -> BOOL", like_bytes),
)

_STRINGS: Rows = {
    "btrim": (
        overload("(STRING, [STRING]) -> STRING", string.trim),
        overload("(BYTES, BYTES) -> BYTES", bytes.strip),
    ),
    "concat": (overload("(STRING, STRING...) -> STRING", concat),),
    "length": function(
        (overload("(STRING) -> INT64", len), overload("(BYTES) -> INT64", len)), cannot_fail=True
    ),
    "lower": function((overload("(STRING) -> STRING", str.lower),), cannot_fail=True),
    "lpad": (overload("(STRING, INT64, [STRING]) -> STRING", string.left_pad),),
    "ltrim": (overload("(STRING, [STRING]) -> STRING", string.left_trim),),
    "quote_ident": (overload("(STRING) -> STRING", quote_ident),),
    "repeat": (overload("(STRING, INT64) -> STRING", string.repeat),),
    "replace": (overload("(STRING, STRING, STRING) -> STRING", string.replace),),
    "reverse": (overload("(STRING) -> STRING", string.reverse),),
    "rpad": (overload("(STRING, INT64, [STRING]) -> STRING", string.right_pad),),
    "rtrim": (overload("(STRING, [STRING]) -> STRING", string.right_trim),),
    "starts_with": function(
        (overload("(STRING, STRING) -> BOOL", str.startswith),),
        operation=Operation.STARTS_WITH,
        cannot_fail=True,
    ),
    "strpos": function(
        (overload("(STRING, STRING) -> INT64", string.position_of),), cannot_fail=True
    ),
    "substr": _SUBSTRINGS,
    "substring": function(
        (
            *_SUBSTRINGS,
            overload("(STRING, STRING) -> STRING", regexps.substring_matching),
        ),
        is_slow=True,
    ),
    "textcat": function(
        (overload("(STRING, STRING) -> STRING", concat_two),), operation=Operation.CONCATENATE
    ),
    "byteacat": function(
        (overload("(BYTES, BYTES) -> BYTES", concat_two),), operation=Operation.CONCATENATE
    ),
    "upper": function((overload("(STRING) -> STRING", str.upper),), cannot_fail=True),
    "spanner.soundex": (overload("(STRING) -> STRING", string.soundex),),
    "spanner.split_substr": (
        overload("(STRING, STRING, INT64, [INT64]) -> STRING", string.split_substring),
    ),
}

_PATTERNS: Rows = {
    "like": function(_LIKES, operation=Operation.LIKE),
    "textlike": function(_LIKES[:1], operation=Operation.LIKE),
    "bytealike": function(_LIKES[1:], operation=Operation.LIKE),
    "textregexeq": function((overload("(STRING, STRING) -> BOOL", regexps.matches),), is_slow=True),
    "textregexne": function(
        (overload("(STRING, STRING) -> BOOL", regexps.does_not_match),), is_slow=True
    ),
    "regexp_match": function(
        (overload("(STRING, STRING, [STRING]) -> ARRAY<STRING>", regexps.regexp_match),),
        is_slow=True,
    ),
    "regexp_replace": function(
        (
            overload("(STRING, STRING, STRING, STRING) -> STRING", regexps.regexp_replace),
            overload("(STRING, STRING, STRING) -> STRING", regexps.regexp_replace),
        ),
        is_slow=True,
    ),
    "regexp_split_to_array": function(
        (overload("(STRING, STRING, [STRING]) -> ARRAY<STRING>", regexps.regexp_split_to_array),),
        is_slow=True,
    ),
}


FUNCTIONS = (
    *chapter("string", _STRINGS, safe_allowed=False),
    *chapter("pattern matching", _PATTERNS, safe_allowed=False),
)
