"""The catalog of the PostgreSQL dialect's functions, by name in lower case, and its operators.

This module alone lists the chapter modules of `sql.functions.postgresql`. Names are those of
PostgreSQL ("int8pl", "upper"), with the schema for Spanner's own ("spanner.date_bin"). What
PostgreSQL 15 has is in `known/functions.txt`: each line has a name and the argument types of each
signature, where "=" marks an argument with a default and "*" a variadic one. A call of a function
in the file that is not in the catalog is refused as not supported; any other is unknown.

An operator stands for a function. `known/operators.txt` lists pg_operator of PostgreSQL 15 as
Spanner changes it: shifts, subscripts of jsonb, and additions to dates take a bigint, and no
operator mixes float4 with float8. Each line has a symbol, the types of the operands ("." for a
prefix operator's missing one), and the function:

    + int8 int8 int8pl          bigint + bigint
    - . int8 int8um             - bigint
    || text anynonarray textanycat
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from spanemu.base.record import NamedTuple, record
from spanemu.sql.functions.chapters import ChapterSearch, Found
from spanemu.sql.functions.registry import AggregateFunction, Catalog, Function
from spanemu.sql.postgresql.types import type_called
from spanemu.values.types import Type

_KNOWN = Path(__file__).with_name("known")

# The modules of `sql.functions` with a table FUNCTIONS, or AGGREGATES, in the order in which a name
# is searched for. Three are GoogleSQL's: the analyzer uses the forms such as "$not" and COALESCE.
CHAPTERS: tuple[str, ...] = (
    "comparison_operators",
    "postgresql.comparison",
    "postgresql.numbers",
    "postgresql.aggregates",
    "conditional",
    "operators",
    "postgresql.arrays",
    "postgresql.text",
    "postgresql.time.functions",
    "postgresql.json.functions",
    "postgresql.shared",
)
# Chapters that are slow to import or rarely used, with their functions.
RARE_CHAPTERS: Mapping[str, tuple[str, ...]] = {
    "postgresql.search": (
        "spanner.debug_tokenlist",
        "spanner.score",
        "spanner.score_ngrams",
        "spanner.search",
        "spanner.search_ngrams",
        "spanner.search_substring",
        "spanner.snippet",
        "spanner.token",
        "spanner.tokenize_bool",
        "spanner.tokenize_fulltext",
        "spanner.tokenize_jsonb",
        "spanner.tokenize_ngrams",
        "spanner.tokenize_number",
        "spanner.tokenize_substring",
        "spanner.tokenlist_concat",
    ),
    "postgresql.formatting.functions": ("to_char", "to_date", "to_number", "to_timestamp"),
    "postgresql.remote_calls": ("spanner.ml_predict_row",),
}
# Functions that return an array here, and rows in SQL.
_SET_RETURNING = frozenset(
    {"unnest", "generate_series", "jsonb_array_elements", "jsonb_object_keys"}
)
# The functions of Spanner that are not implemented, by their chapters.
_UNSUPPORTED: Mapping[str, str] = {}


class KnownSignature(NamedTuple):
    """The argument types of a function of PostgreSQL; the last `defaults` arguments are optional.

    With `variadic`, the last type is that of each further argument, or of the array of them.
    """

    types: tuple[Type, ...]
    defaults: int
    variadic: bool


@record
class PostgreSqlCatalog(Catalog):
    """The functions of the dialect. `set_returning` are those that give rows, in FROM only."""

    set_returning: frozenset[str] = frozenset()

    def lookup(self, name: str) -> Function | AggregateFunction | None:
        """Return the function with exactly this name, or None if Spanner has none."""
        return self.scalars.get(name) or self.aggregates.get(name)


_SEARCH = ChapterSearch(CHAPTERS, RARE_CHAPTERS)
CATALOG = PostgreSqlCatalog(
    Found(_SEARCH, _SEARCH.functions, _SEARCH.rare),
    Found(_SEARCH, _SEARCH.aggregates),
    _UNSUPPORTED,
    set_returning=_SET_RETURNING,
)


@cache
def _known(kind: str) -> str:
    return "\n" + (_KNOWN / f"{kind}.txt").read_text(encoding="ascii")


@cache
def known_signatures(name: str) -> tuple[KnownSignature, ...]:
    """Return the signatures of PostgreSQL's function `name`; none if it has no such function."""
    text = _known("functions")
    start = text.find(f"\n{name} ")
    if start < 0 or "\n" in name:
        return ()
    line = text[start + len(name) + 2 : text.index("\n", start + 1)]
    return tuple(_signature(written[1:-1]) for written in line.split(" "))


def _signature(written: str) -> KnownSignature:
    words = written.split(",") if written else []
    types = tuple(type_called(word.strip("*=")) for word in words)
    defaults = sum(word.endswith("=") for word in words)
    return KnownSignature(types, defaults, bool(words) and words[-1].startswith("*"))


class Operator(NamedTuple):
    """An operator: the types of its operands, one for a prefix operator, and its function."""

    operands: tuple[Type, ...]
    function: str


def _lines(symbol: str) -> list[str]:
    """Return the lines of a symbol, which stand together in the file."""
    text, line_start = _known("operators"), f"\n{symbol} "
    first, last = text.find(line_start), text.rfind(line_start)
    return [] if first < 0 else text[first + 1 : text.index("\n", last + 1)].split("\n")


@cache
def operators(symbol: str, operands: int) -> Mapping[tuple[Type, ...], Operator]:
    """Return the operators written `symbol` with one or two operands, by their operand types.

    There are none if PostgreSQL has no such operator.
    """
    result: dict[tuple[Type, ...], Operator] = {}
    for line in _lines(symbol):
        _, *names, function = line.split(" ")
        types = tuple(type_called(name) for name in names if name != ".")
        if len(types) == operands:
            result[types] = Operator(types, function)
    return result


def function_of(symbol: str, *operands: Type) -> str | None:
    """Return the name of the function behind the operator with exactly these operand types."""
    operator = operators(symbol, len(operands)).get(operands)
    return None if operator is None else operator.function
