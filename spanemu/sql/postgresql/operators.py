"""The operators of PostgreSQL: symbol and operand types -> the name of the function behind them.

`known/operators.txt` lists pg_operator of PostgreSQL 15 as Spanner changes it: shifts, subscripts
of jsonb, and additions to dates take a bigint, and no operator mixes float4 with float8. Each line
has a symbol, the types of the operands ("." for a prefix operator's missing one), and the function.
The catalog says which of the functions Spanner has.

    + int8 int8 int8pl          bigint + bigint
    - . int8 int8um             - bigint
    || text anynonarray textanycat
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spanemu.sql.postgresql.foreign_types import type_called
from spanemu.values.types import Type

_FILE = Path(__file__).with_name("known") / "operators.txt"


class Operator(NamedTuple):
    """An operator: the types of its operands, one for a prefix operator, and its function."""

    operands: tuple[Type, ...]
    function: str


@cache
def _text() -> str:
    return "\n" + _FILE.read_text(encoding="ascii")


def _lines(symbol: str) -> list[str]:
    """Return the lines of a symbol, which stand together in the file."""
    text, line_start = _text(), f"\n{symbol} "
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
