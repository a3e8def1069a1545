"""Resolves TABLESAMPLE."""

from __future__ import annotations

from collections.abc import Callable

from spanemu.sql.analyzer.coercion import coerce, fits
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.shape import BadQuery
from spanemu.sql.analyzer.expression import resolve
from spanemu.sql.analyzer.resolved import Expr, Literal, ParameterRef, SampleScan, Scan
from spanemu.sql.syntax import ast
from spanemu.values.types import FLOAT64, INT64

# Method -> the unit that it takes.
_UNITS = {"bernoulli": "PERCENT", "reservoir": "ROWS"}
_PERCENT_MAX = 100


def sampler(sample: ast.Sample, env: Env) -> Callable[[Scan], Scan]:
    """What puts the sampling over a scan."""
    method = sample.method.lower()
    unit = _UNITS.get(method)
    if unit is None:
        raise BadQuery(f"Unsupported tablesample method: {sample.method}", at=sample.at)
    if sample.unit.upper() != unit:
        raise BadQuery(f"{sample.method.upper()} sampling takes a size in {unit}", at=sample.at)
    if sample.repeatable is not None:
        raise BadQuery("REPEATABLE is not supported for TABLESAMPLE", at=sample.at)
    if sample.weight:
        raise BadQuery("WITH WEIGHT is not supported for TABLESAMPLE", at=sample.at)
    size = _size(sample, unit, env)
    return lambda scan: SampleScan(scan, method, size)


def _size(sample: ast.Sample, unit: str, env: Env) -> Expr:
    wanted = FLOAT64 if unit == "PERCENT" else INT64
    size = resolve(sample.size, env)
    if not fits(size, wanted, env.analysis):
        kind = "a numeric" if unit == "PERCENT" else "an integer"
        raise BadQuery(f"{unit} expects {kind} literal or parameter", at=sample.size.at)
    size = coerce(size, wanted, env.analysis, sample.size.at)
    if not isinstance(size, Literal | ParameterRef):
        raise BadQuery(f"{unit} expects a literal or parameter", at=sample.size.at)
    if isinstance(size, Literal):
        if size.value is None or size.value < 0:
            raise BadQuery(f"{unit} value must not be negative or NULL", at=sample.size.at)
        if unit == "PERCENT" and size.value > _PERCENT_MAX:
            raise BadQuery("PERCENT value must be in the range [0, 100]", at=sample.size.at)
    return size
