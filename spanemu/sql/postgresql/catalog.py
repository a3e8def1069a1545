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

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from spanemu.base.record import NamedTuple, record
from spanemu.sql.functions.registry import AggregateFunction, Catalog, Function
from spanemu.sql.postgresql.types import type_called
from spanemu.values.types import Type

F = TypeVar("F", bound=Function | AggregateFunction)

_KNOWN = Path(__file__).with_name("known")

# The modules of `sql.functions` with a table FUNCTIONS, and those with a table AGGREGATES. Of the
# first three, which are GoogleSQL's, the analyzer uses the forms such as "$not" and COALESCE.
_SCALAR_CHAPTERS: tuple[str, ...] = (
    "comparison_operators",
    "operators",
    "conditional",
    "postgresql.comparison",
    "postgresql.numbers",
    "postgresql.arrays",
    "postgresql.text",
    "postgresql.time.functions",
    "postgresql.shared",
    "postgresql.json.functions",
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
_AGGREGATE_CHAPTERS: tuple[str, ...] = ("postgresql.aggregates",)
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


class _Chapters(Mapping[str, F]):
    """The functions of some chapters by name and by each alias.

    The chapters are imported at the first lookup, those of `rare` when one of their functions is
    looked up.
    """

    def __init__(
        self, table: str, chapters: Sequence[str], rare: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._table = table
        self._chapters = chapters
        self._rare = {name: chapter for chapter, names in rare.items() for name in names}

    @cached_property
    def _functions(self) -> dict[str, F]:
        functions: dict[str, F] = {}
        for chapter in self._chapters:
            functions |= self._functions_of(chapter)
        return functions

    def _functions_of(self, chapter: str) -> dict[str, F]:
        functions: dict[str, F] = {}
        for function in getattr(import_module(f"spanemu.sql.functions.{chapter}"), self._table):
            functions |= dict.fromkeys((function.name, *function.aliases), function)
        return functions

    def __getitem__(self, name: str) -> F:
        chapter = self._rare.get(name)
        if chapter is not None and name not in self._functions:
            self._functions.update(self._functions_of(chapter))
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._functions, *self._rare)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@record
class PostgreSqlCatalog(Catalog):
    """The functions of the dialect. `set_returning` are those that give rows, in FROM only."""

    set_returning: frozenset[str] = frozenset()

    def lookup(self, name: str) -> Function | AggregateFunction | None:
        """Return the function with exactly this name, or None if Spanner has none."""
        return self.scalars.get(name) or self.aggregates.get(name)


CATALOG = PostgreSqlCatalog(
    _Chapters[Function]("FUNCTIONS", _SCALAR_CHAPTERS, RARE_CHAPTERS),
    _Chapters[AggregateFunction]("AGGREGATES", _AGGREGATE_CHAPTERS, {}),
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
