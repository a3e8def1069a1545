"""Resolves TABLESAMPLE.

WITH WEIGHT adds a column behind all others, under a name of its own: like a range variable it
hides columns of that name, and no table's `*` holds it.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.shape import BadQuery
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.queries.pipe_relation import ChangedRelation, LayeredRelation
from spanemu.sql.googlesql.analyzer.queries.relation import Relation, Star, ValueRelation
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Cast, Expr, Literal, ParameterRef, SampleScan, SingleRow
from spanemu.values.types import FLOAT64, INT64

# Method -> the unit that it takes.
_UNITS = {"bernoulli": "PERCENT", "reservoir": "ROWS"}
_PERCENT_MAX = 100


def apply_sample(relation: Relation, sample: ast.Sample | None, env: Env) -> Relation:
    """The relation with its TABLESAMPLE, if it has one."""
    if sample is None:
        return relation
    method = sample.method.lower()
    unit = _UNITS.get(method)
    if unit is None:
        raise BadQuery(f"Unsupported tablesample method: {sample.method}", at=sample.at)
    if sample.unit.upper() != unit:
        raise BadQuery(f"{sample.method.upper()} sampling takes a size in {unit}", at=sample.at)
    if sample.repeatable is not None:
        raise BadQuery("REPEATABLE is not supported for TABLESAMPLE", at=sample.at)
    size = _size(sample, unit, env)
    if sample.weight is None:
        return LayeredRelation(relation, lambda scan: SampleScan(scan, method, size))
    weight = env.analysis.column(sample.weight.name, FLOAT64)
    over = LayeredRelation(relation, lambda scan: SampleScan(scan, method, size, weight))
    return WeightedRelation(over, ValueRelation(sample.weight.name, weight, SingleRow()))


class WeightedRelation(ChangedRelation):
    """Sampled rows, each with its weight."""

    def __init__(self, inner: LayeredRelation, weight: ValueRelation) -> None:
        super().__init__(inner, lambda scan: scan)
        self._weight = weight

    def aliases(self) -> Mapping[str, Relation]:
        return {**super().aliases(), **self._weight.aliases()}

    def star(self) -> Star:
        yield from super().star()
        yield from self._weight.star()


def _size(sample: ast.Sample, unit: str, env: Env) -> Expr:
    """A literal or a parameter, perhaps in a CAST."""
    expected = FLOAT64 if unit == "PERCENT" else INT64
    size = resolve(sample.size, env)
    operand = size.operand if isinstance(size, Cast) else size
    if not isinstance(operand, Literal | ParameterRef):
        raise BadQuery(f"{unit} expects a literal or parameter", at=sample.size.at)
    if not fits(size, expected, env.analysis):
        kind = "a numeric" if unit == "PERCENT" else "an integer"
        raise BadQuery(f"{unit} expects {kind} literal or parameter", at=sample.size.at)
    size = coerce(size, expected, env.analysis, sample.size.at)
    if isinstance(size, Literal):
        if size.value is None or size.value < 0:
            raise BadQuery(f"{unit} value must not be negative or NULL", at=sample.size.at)
        if unit == "PERCENT" and size.value > _PERCENT_MAX:
            raise BadQuery("PERCENT value must be in the range [0, 100]", at=sample.size.at)
    return size
