"""Identifiers of SQL, and the dotted names of objects in schemas."""

from __future__ import annotations

from spanemu.base.deferred import lazy_pattern

IDENTIFIER_CHARS_MAX = 128

_IDENTIFIER = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def fold(identifier: str) -> str:
    """Return the form that identifiers share if they differ only in case."""
    return identifier.lower()


def is_identifier(text: str) -> bool:
    """Return whether `text` is an identifier without backticks, keywords aside."""
    return len(text) <= IDENTIFIER_CHARS_MAX and _IDENTIFIER.fullmatch(text) is not None


_WORDS = """
    ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE
    CROSS CUBE CURRENT DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS
    EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL GRAPH_TABLE GROUP GROUPING GROUPS HASH HAVING IF
    IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP MERGE NATURAL
    NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO RANGE RECURSIVE
    RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED
    UNION UNNEST USING WHEN WHERE WINDOW WITH WITHIN
"""
RESERVED_WORDS = frozenset(_WORDS.split())


def quoted(identifier: str) -> str:
    """Return an identifier as SQL writes it: in backticks if necessary."""
    if is_identifier(identifier) and identifier.upper() not in RESERVED_WORDS:
        return identifier
    return f"`{identifier}`"


# Functions that are called without parentheses, unless their name is quoted.
CALLED_BY_NAME = frozenset(
    {"CURRENT_DATE", "CURRENT_DATETIME", "CURRENT_TIME", "CURRENT_TIMESTAMP"}
)


def quoted_column(name: str) -> str:
    """Return the expression that reads a column."""
    return f"`{name}`" if name.upper() in CALLED_BY_NAME else quoted(name)


def quoted_path(path: str) -> str:
    """Return a dotted name as SQL writes it."""
    return ".".join(quoted(part) for part in path.split("."))


def split_name(name: str) -> tuple[str, str]:
    """Return (schema, name) of "[schema.]name"; the default schema is ""."""
    schema, _, last = name.rpartition(".")
    return schema, last


def constraint_full_name(table: str, name: str) -> str:
    """Return the full name of a constraint, which has the schema of its table."""
    home = table.rpartition(".")[0]
    return f"{home}.{name}" if home else name
