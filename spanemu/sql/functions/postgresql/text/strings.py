"""String functions that only PostgreSQL has."""

from __future__ import annotations

import re

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
