"""Resolves TABLESAMPLE.

WITH WEIGHT appends a column with an alias of its own. Like a range variable, the alias hides
columns of the same name, and the `*` of a table does not include the column.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import BadQuery
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.queries.pipe_relation import ChangedRelation, LayeredRelation
from spanemu.sql.googlesql.analyzer.queries.value_relation import ValueRelation
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Cast, Expr, Literal, ParameterRef, SampleScan, SingleRow
from spanemu.values.types import FLOAT64, INT64

# method -> unit of its size
_UNITS = {"bernoulli": "PERCENT", "reservoir": "ROWS"}
_PERCENT_MAX = 100


def apply_sample(relation: Relation, sample: ast.Sample, env: Env) -> Relation:
    """Return the relation sampled by a TABLESAMPLE clause.

    Raise BadQuery for an unknown method, unit or size.
    """
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
    return WeightedRelation(
        over, ValueRelation(sample.weight.name, weight, SingleRow(), env.analysis.fold)
    )


class WeightedRelation(ChangedRelation):
    """Sampled rows with a column that holds the weight of each row."""

    def __init__(self, inner: LayeredRelation, weight: ValueRelation) -> None:
        super().__init__(inner, lambda scan: scan)
        self._weight = weight

    def aliases(self) -> Mapping[str, Relation]:
        return {**super().aliases(), **self._weight.aliases()}

    def star(self) -> Star:
        yield from super().star()
        yield from self._weight.star()


def _size(sample: ast.Sample, unit: str, env: Env) -> Expr:
    """Resolve the sample size: a literal or a parameter, which can be in a CAST."""
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
