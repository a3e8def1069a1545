"""Differences from the official emulator that a document settles in spanemu's favour."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spanemu.sql.googlesql.catalog import CATALOG
from tests.differential.outcome import Outcome


@dataclass(frozen=True)
class Documented:
    """A difference: where it shows, and which document says that spanemu is right."""

    query: str  # a pattern that the query matches
    reference: str  # a pattern that the reference's answer matches
    document: str
    ours: str = ""  # a pattern that spanemu's answer matches

    def explains(self, sql: str, ours: Outcome, theirs: Outcome) -> bool:
        """Return whether this is the difference between the two answers."""
        patterns = ((self.query, sql), (self.reference, str(theirs)), (self.ours, str(ours)))
        return all(re.search(pattern, text, re.I | re.S) for pattern, text in patterns)


_FUNCTIONS = "GoogleSQL functions of Spanner, the function's own page"
_ANY = ""
# Every function that the pages list is in the catalog: `tests.conformance.test_functions`.
_LISTED = "|".join(
    re.escape(name)
    for name in (*CATALOG.scalars, *CATALOG.aggregates, *CATALOG.unsupported)
    if not name.startswith("$")
)
DOCUMENTED: tuple[Documented, ...] = (
    # Newer than the reference, or never built into it.
    Documented(_ANY, rf"INVALID_ARGUMENT: Function not found: ({_LISTED})\b", _FUNCTIONS),
    Documented(_ANY, r"Type not found: UUID", "Data types: UUID"),
    Documented(r"DATE\(", r"function DATE for argument types: DATE", "DATE: a date_expression"),
    Documented(_ANY, r"UNIMPLEMENTED: Unsupported built-in function", _FUNCTIONS),
    Documented(_ANY, r"Supported signature: \w+_ARRAY\(PG\.JSONB\)", "JSON functions"),
    Documented(_ANY, r"Date part arguments are not supported", "Date functions: WEEK(<WEEKDAY>)"),
    Documented(r"WEEK\(\w+ ?\w*\)", r"EXTRACT does not support arguments", "the same"),
    Documented(
        _ANY, r"ORDER BY in aggregate function is not supported", "Aggregate function calls"
    ),
    Documented(
        r"CAST.* FORMAT", r"CAST with FORMAT is not supported", "CAST with FORMAT: refused by both"
    ),
    # The reference's evaluator has a limit of its own, a hundredth of Spanner's.
    Documented(
        _ANY,
        r"1048576 bytes",
        "Quotas & limits: a row may reach 100 MiB",
        r" rows ",
    ),
    Documented(r"%C", r" rows ", "Format elements: %C is 00-99", r" rows "),
    Documented(r"NANOSECOND", r"99900", "Data types: TIMESTAMP has nanosecond precision"),
    # Spanner promises no order in which the arguments of a function are evaluated.
    Documented(
        r"NULL|CASE|_null|SAFE|JSON '",
        r"^(FAILED: \[)?OUT_OF_RANGE",
        "Functions: a NULL argument gives NULL",
        r": 1 rows \[(.\((None|True|False)|'NULL')",
    ),
    # A statement with two faults may be told either.
    Documented(
        r"^INSERT",
        r"^ALREADY_EXISTS",
        "none says which fault is told first",
        r"^FAILED_PRECONDITION.*(null value|maximum size)|^NOT_FOUND.*parent|inserted twice"
        r"|ASSERT_ROWS_MODIFIED",
    ),
    Documented(
        r"^INSERT",
        r"ASSERT_ROWS_MODIFIED expected",
        "none says which fault is told first",
        r"second time|^ALREADY_EXISTS|^NOT_FOUND.*parent|^FAILED_PRECONDITION",
    ),
    Documented(
        r"^INSERT",
        r"^NOT_FOUND.*parent",
        "none says which fault is told first",
        r"^FAILED_PRECONDITION.*null value",
    ),
    Documented(
        r"@x_(date|timestamp)_text\)",
        r"No matching signature for operator IN for argument types STRUCT<",
        "Conversion rules: a STRING parameter becomes a DATE or a TIMESTAMP",
        r" rows ",
    ),
    Documented(
        r"\.\d{7,9}\+00", r" rows ", "Data types: TIMESTAMP has nanosecond precision", r" rows "
    ),
    Documented(_ANY, r"Unexpected INTERVAL expression", "Data types: INTERVAL"),
    Documented(r"AVG", r"nan", "AVG: an infinity gives an infinity or NaN", r"inf"),
    Documented(
        _ANY, r" rows ", "Query syntax: Using STRUCTs with SELECT", r"null-valued array of struct"
    ),
    # Which places give an undeclared parameter its type: spanemu knows two more of them, the
    # columns of a set operation and tuples beside tuples of literals.
    Documented(
        r"(UNION|INTERSECT|EXCEPT) .*@u_|@u_.*(UNION|INTERSECT|EXCEPT) ",
        r"^INVALID_ARGUMENT: (Invalid cast from INT64 to|Could not parse .* as (an integer|INT64)"
        r"|Undeclared parameter 'u_\w+' is used assuming different types)",
        "Data types: a parameter has the type of its place",
        r" rows ",
    ),
    Documented(
        r"\(@u_|, @u_",
        r"^INVALID_ARGUMENT: No matching signature for operator (IN|IN UNNEST|=) for argument "
        r"types:? STRUCT<",
        "Data types: a parameter has the type of its place",
        r" rows ",
    ),
    Documented(
        r"ROUND|TRUNC|CEIL|FLOOR", r"FLOAT32", "Mathematical functions: ROUND", r"FLOAT64.* rows "
    ),
    Documented(_ANY, r"Alias not allowed on parenthesized outer query", "Query syntax: FROM"),
    Documented(_ANY, r"Unsupported DateTimestampPart", "Date functions: the parts of each"),
    Documented(
        r"_TRUNC.*NANOSECOND", r"to NANOSECOND|None", "TIMESTAMP_TRUNC: NANOSECOND changes nothing"
    ),
    Documented(_ANY, r"does not support SAFE error mode", "later builds of the reference"),
    # ZetaSQL's own engine has more than Spanner takes over.
    Documented(r"TO_JSON_STRING", r"", "JSON functions", r"^FAILED.*function TO_JSON_STRING"),
    Documented(r"ZSTD_COMPRESS", r" rows ", "Compression functions", r" rows "),
    Documented(
        r"ZSTD_DECOMPRESS",
        r" rows ",
        "Compression functions: bytes that are not compressed",
        r"^FAILED.*ZSTD decompression failed",
    ),
    Documented(r"[+-]", r"", "Operators", r"^FAILED.*operator [+-] for argument types: .*DATE"),
    Documented(r"FORMAT", r"", "Conversion functions", r"^FAILED.*CAST with FORMAT"),
    Documented(_ANY, r"Lambda is not supported", "Functions reference: lambdas"),
    Documented(
        _ANY, r"empty array where array elements are Structs", "later builds of the reference"
    ),
    # TO_JSON_STRING takes a JSON value alone: there is no such signature, whatever the type.
    Documented(
        r"TO_JSON_STRING", r"UNIMPLEMENTED: TO_JSON_STRING is not supported", "JSON functions"
    ),
)


def explanation(sql: str, ours: Outcome, theirs: Outcome) -> str | None:
    """Return the document that settles a difference, if there is one."""
    return next((each.document for each in DOCUMENTED if each.explains(sql, ours, theirs)), None)
