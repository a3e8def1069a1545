"""Binds overloads of functions to argument types."""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.registry import Function, Overload, Signature
from spanemu.values.types import Type

# Binding an overload can build closures, so all calls with the same types share one signature.
# Dialects share overloads under names of their own. An entry holds the function, and with it the
# overload, so that their ids are not reused.
_SIGNATURES_MAX = 20_000
_signatures: dict[Any, tuple[Function, Signature]] = {}


def signature_of(
    function: Function, overload: Overload, types: tuple[Type, ...], result: Type
) -> Signature:
    """Return the signature of calls of `overload` with arguments of `types`."""
    key = (id(function), id(overload), types, result)
    known = _signatures.get(key)
    if known is not None:
        return known[1]
    evaluate: Any = overload.evaluate
    if overload.bind is not None:
        evaluate = overload.bind(types, result)
    signature = Signature(
        function.name,
        types,
        result,
        evaluate,
        overload.nulls,
        overload.context,
        overload.lazy,
        overload.volatile,
        overload.stable,
        function.operation,
        function.cannot_fail,
        function.is_slow,
    )
    if len(_signatures) >= _SIGNATURES_MAX:
        _signatures.clear()
    _signatures[key] = (function, signature)
    return signature
