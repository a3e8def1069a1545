"""The cases of the other test modules, evaluated by ZetaSQL as an oracle.

Each case becomes an expression, `FORMAT('%T', f(literal, ...))`, that the oracle evaluates. The text
must equal our text of the expected value. A case that fails here must fail in the oracle, with the
same code. The module is skipped without the package `zetasql`, a case where the oracle lacks a feature.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

import pytest

from spanemu.sql.functions.text import sql_text
from spanemu.values.types import FLOAT32, FLOAT64, Type
from tests.installed import needs
from tests.oracle import MISSING, evaluator, translated
from tests.unit.sql.functions import test_conditional, test_conversion, test_operators
from tests.unit.sql.functions.aggregates import test_aggregate
from tests.unit.sql.functions.calling import fold_type, guess, result_type
from tests.unit.sql.functions.numbers import test_mathematical
from tests.unit.sql.functions.text import test_format_text, test_like, test_regexp, test_string

needs("zetasql")
pytestmark = pytest.mark.oracle

_INFIX = {
    "$add": "{} + {}",
    "$subtract": "{} - {}",
    "$multiply": "{} * {}",
    "$divide": "{} / {}",
    "$unary_minus": "-({})",
    "$unary_plus": "+({})",
    "$concat_op": "{} || {}",
    "$bitwise_and": "{} & {}",
    "$bitwise_or": "{} | {}",
    "$bitwise_xor": "{} ^ {}",
    "$bitwise_not": "~({})",
    "$shift_left": "{} << {}",
    "$shift_right": "{} >> {}",
    "$equal": "{} = {}",
    "$not_equal": "{} != {}",
    "$less": "{} < {}",
    "$less_or_equal": "{} <= {}",
    "$greater": "{} > {}",
    "$greater_or_equal": "{} >= {}",
    "$between": "{} BETWEEN {} AND {}",
    "$is_distinct_from": "{} IS DISTINCT FROM {}",
    "$is_null": "{} IS NULL",
    "$is_true": "{} IS TRUE",
    "$is_false": "{} IS FALSE",
    "$not": "NOT {}",
    "$like": "{} LIKE {}",
}


# A call of the oracle takes 30 ms, even for a small expression.
_TOGETHER = 20
_SEPARATOR = "<|>"


def _type_name(type_: Type) -> str:
    return translated(str(type_))


def constant(argument: Any) -> str:
    """Return an argument as a constant of exactly its type."""
    argument_value = guess(argument)
    if argument_value.value is None:
        return f"CAST(NULL AS {_type_name(argument_value.type)})"
    if argument_value.type.is_array:
        inside = ", ".join(_item(item, argument_value.type.item()) for item in argument_value.value)
        return f"{_type_name(argument_value.type)}[{inside}]"
    if argument_value.type.is_struct:
        pairs = zip(argument_value.value, argument_value.type.fields, strict=True)
        inside = ", ".join(_item(item, field.type) for item, field in pairs)
        return f"{_type_name(argument_value.type)}({inside})"
    text = sql_text.literal(argument_value.type)(argument_value.value)
    if argument_value.type in (FLOAT32, FLOAT64):
        return f"CAST({text.replace('FLOAT64', 'DOUBLE')} AS {_type_name(argument_value.type)})"
    return text


def _item(value: Any, type_: Type) -> str:
    return "NULL" if value is None else constant(guess_as(value, type_))


def guess_as(value: Any, type_: Type) -> Any:
    """Return `value` with the type `type_`."""
    typed_value = guess(0)
    typed_value.value, typed_value.type = value, type_
    return typed_value


def expression(name: str, arguments: tuple[Any, ...]) -> str:
    """Return the call as SQL."""
    constants = [constant(argument) for argument in arguments]
    if name.startswith("NORMALIZE"):
        return f"{name}({', '.join([constants[0], *map(str, arguments[1:])])})"
    if name == "$in":
        return f"{constants[0]} IN ({', '.join(constants[1:])})"
    if name == "$in_unnest":
        return f"{constants[0]} IN UNNEST({constants[1]})"
    if name in _INFIX:
        return _INFIX[name].format(*constants)
    return f"{name}({', '.join(constants)})"


def _evaluate(sql: str) -> str:
    try:
        return evaluator()(_shown(sql))
    except Exception as failure:
        if MISSING.search(str(failure)):
            pytest.skip(str(failure))
        raise


def _shown(sql: str) -> str:
    return f"FORMAT('%T', {sql})"


@lru_cache(maxsize=1)
def _answers() -> dict[str, str]:
    """Return the oracle's results of most cases.

    The oracle evaluates many cases at a time; a group in which a case fails is left out.
    """
    results: dict[str, str] = {}
    cases = [sql for sql, _, _ in _cases()]
    for start in range(0, len(cases), _TOGETHER):
        part = cases[start : start + _TOGETHER]
        items = ", ".join(map(_shown, part))
        with suppress(Exception):
            texts = evaluator()(f"ARRAY_TO_STRING([{items}], {_SEPARATOR!r})")
            results |= zip(part, texts.split(_SEPARATOR), strict=True)
    return results


def _calls() -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    yield from test_string.CASES
    yield from test_regexp.CASES
    yield from test_mathematical.CASES
    yield from test_conditional.CASES
    yield from test_operators.ARITHMETIC
    yield from test_operators.COMPARISON
    for arguments, formatted in test_format_text.CASES:
        yield "FORMAT", arguments, formatted
    for text, pattern, matches in test_like.CASES:
        yield "$like", (text, pattern), matches


def _cases() -> Iterator[tuple[str, Type, Any]]:
    for name, arguments, expected in _calls():
        yield expression(name, arguments), result_type(name, *arguments), expected
    for value, from_, to, expected in test_conversion.CASES:
        if not (from_.proto_name or to.proto_name):
            yield _cast(value, from_, to), to, expected
    for name, rows, expected in test_aggregate.CASES:
        if name == "ANY_VALUE" and None in rows:
            continue  # Spanner documents a preference for other values; ZetaSQL may choose the NULL.
        yield _aggregate(name, rows), _aggregate_type(name, rows), expected


def _failures() -> Iterator[str]:
    for name, arguments, _ in (*test_mathematical.FAILURES, *test_operators.FAILURES):
        yield expression(name, arguments)
    for name, arguments in test_string.FAILURES:
        yield expression(name, arguments)
    for arguments in test_format_text.FAILURES:
        yield expression("FORMAT", arguments)
    for value, from_, to, _ in test_conversion.FAILURES:
        yield _cast(value, from_, to)


def _cast(value: Any, from_: Type, to: Type) -> str:
    return f"CAST({constant(guess_as(value, from_))} AS {_type_name(to)})"


def _row_type(rows: tuple[Any, ...]) -> Type:
    return next(guess(row).type for row in rows if row is not None)


def _aggregate(name: str, rows: tuple[Any, ...]) -> str:
    type_ = _row_type(rows)
    items = " UNION ALL ".join(
        f"SELECT {position} AS place, {constant(guess_as(row, type_))} AS x"
        for position, row in enumerate(rows)
    )
    ordered = " ORDER BY place" if name in ("ARRAY_AGG", "ARRAY_CONCAT_AGG", "STRING_AGG") else ""
    return f"(SELECT {name}(x{ordered}) FROM ({items}))"


def _aggregate_type(name: str, rows: tuple[Any, ...]) -> Type:
    return fold_type(name, _row_type(rows))


@pytest.mark.parametrize(("sql", "type_", "expected"), list(_cases()))
def test_oracle_agrees(sql: str, type_: Type, expected: Any) -> None:
    shown = "NULL" if expected is None else sql_text.literal(type_)(expected)
    assert (_answers().get(sql) or _evaluate(sql)) == shown


@pytest.mark.parametrize("sql", list(_failures()))
def test_oracle_fails_too(sql: str) -> None:
    with pytest.raises(Exception, match=r"OUT_OF_RANGE|INVALID_ARGUMENT"):
        _evaluate(sql)
