"""The answer of a model without a registered function, as by Google's emulator.

The fingerprints of all inputs of a row are added, modulo 2**64; each output is that number as a
value of its type. The page "Generate ML predictions using the Spanner emulator" documents one such
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from spanemu.sql.functions.farm_hash import fingerprint64
from spanemu.sql.remote_calls import Row, TargetColumn
from spanemu.values.floats import round32
from spanemu.values.types import Type, TypeCode

_MASK = (1 << 64) - 1
_SIGN = 1 << 63
_MULTIPLIER = 0x9DDFEA08EB382D69


def default_outputs(
    rows: Sequence[Row], inputs: Sequence[TargetColumn], outputs: Sequence[TargetColumn]
) -> list[Row]:
    """Return the outputs for each row of inputs."""
    prints = [_fingerprint_of(column.type) for column in inputs]
    makers = [_maker_of(column.type) for column in outputs]
    answers: list[Row] = []
    for row in rows:
        total = sum([take(cell) for take, cell in zip(prints, row, strict=True)]) & _MASK
        answers.append(tuple([make(total) for make in makers]))
    return answers


def default_prediction(instance: Any) -> dict[str, Any]:
    """Return the prediction for an instance of `spanner.ml_predict_row`."""
    return {"Outcome": _of_plain(instance) % 2 == 0}


# ---------------------------------------------------------------------------- fingerprints


def _of_number(number: float) -> int:
    """Return the fingerprint of a number, which FarmHash takes as an unsigned integer."""
    value = int(number) & _MASK if isfinite(number) else _SIGN
    value = value * _MULTIPLIER & _MASK
    value ^= value >> 44
    value = value * _MULTIPLIER & _MASK
    value ^= value >> 41
    return value * _MULTIPLIER & _MASK


def _fingerprint_of(type_: Type) -> Callable[[Any], int]:
    if type_.element is not None:
        item = _fingerprint_of(type_.element)
        return lambda array: 0 if array is None else sum(map(item, array)) & _MASK
    if type_.is_struct:
        items = [_fingerprint_of(field.type) for field in type_.fields]
        return lambda struct: (
            0
            if struct is None
            else sum([take(each) for take, each in zip(items, struct, strict=True)]) & _MASK
        )
    known = _FINGERPRINTS[type_.code]
    return lambda value: 0 if value is None else known(value)


_FINGERPRINTS: Mapping[TypeCode, Callable[[Any], int]] = {
    TypeCode.INT64: lambda value: fingerprint64(str(value)),
    TypeCode.BOOL: _of_number,
    TypeCode.FLOAT32: _of_number,
    TypeCode.FLOAT64: _of_number,
    TypeCode.STRING: fingerprint64,
    TypeCode.BYTES: fingerprint64,
}


def _of_plain(value: Any) -> int:
    """Return the fingerprint of plain JSON data."""
    if isinstance(value, str):
        return fingerprint64(value)
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        return sum(map(_of_plain, items)) & _MASK
    return 0 if value is None else _of_number(value)


# ---------------------------------------------------------------------------- outputs


def _maker_of(type_: Type) -> Callable[[int], Any]:
    if type_.element is not None:
        item = _maker_of(type_.element)
        return lambda total: (item(total),)
    if type_.is_struct:
        items = [_maker_of(field.type) for field in type_.fields]
        return lambda total: tuple([make(total) for make in items])
    return _MAKERS[type_.code]


_MAKERS: Mapping[TypeCode, Callable[[int], Any]] = {
    TypeCode.INT64: lambda total: total - (1 << 64) if total & _SIGN else total,
    TypeCode.BOOL: lambda total: total % 2 == 0,
    TypeCode.FLOAT32: lambda total: round32(float(total)),
    TypeCode.FLOAT64: float,
    TypeCode.STRING: str,
    TypeCode.BYTES: lambda total: str(total).encode(),
}
