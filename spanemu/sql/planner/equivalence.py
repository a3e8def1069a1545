"""What equalities between columns tell of other columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.sql.analyzer.resolved import ColumnRef, Expr, FunctionCall, Literal
from spanemu.sql.plan import operators as op
from spanemu.sql.plan.conditions import equality
from spanemu.sql.plan.traverse import free, substitute

# Conditions worth repeating for an equal column: those that keys can be sought by.
_TELLING = frozenset(
    {op.EQUAL, op.LESS, op.LESS_OR_EQUAL, op.GREATER, op.GREATER_OR_EQUAL}
    | {op.BETWEEN, op.IN_LIST, op.IN_ARRAY, op.STARTS_WITH}
)


def implied(conditions: Sequence[Expr]) -> Iterator[Expr]:
    """Conditions that follow from `conditions`: what holds of a column, of each equal column.

    Only conditions on one column and values that come from no column are carried over. Floats
    are left out: 0.0 and -0.0 are equal and not the same.
    """
    classes = _classes(conditions)
    if not classes:
        return
    said = {_fact(condition) for condition in conditions}
    for condition in conditions:
        column = _subject(condition)
        if column is None or column not in classes:
            continue
        for other_id, other in classes[column].items():
            if other_id == column:
                continue
            derived = substitute(condition, {column: other})
            if _fact(derived) not in said:
                said.add(_fact(derived))
                yield derived


def _subject(condition: Expr) -> int | None:
    if not isinstance(condition, FunctionCall) or condition.signature.function not in _TELLING:
        return None
    used = [one for one in condition.arguments if isinstance(one, ColumnRef)]
    if len(used) != 1 or free(condition) != {used[0].column.id}:
        return None
    return used[0].column.id


def _fact(condition: Expr) -> object:
    """Something equal for conditions that say the same in the same way."""
    if not isinstance(condition, FunctionCall):
        return id(condition)
    items: list[object] = [condition.signature.function]
    for argument in condition.arguments:
        if isinstance(argument, ColumnRef):
            items.append(("column", argument.column.id))
        elif isinstance(argument, Literal):
            items.append(("literal", argument.type, repr(argument.value)))
        else:
            items.append(getattr(argument, "name", id(argument)))
    return tuple(items)


def _classes(conditions: Sequence[Expr]) -> dict[int, dict[int, ColumnRef]]:
    """The columns that each column is equal to, itself among them."""
    classes: dict[int, dict[int, ColumnRef]] = {}
    for condition in conditions:
        sides = equality(condition)
        if sides is None:
            continue
        left, right = sides
        if not (isinstance(left, ColumnRef) and isinstance(right, ColumnRef)):
            continue
        if left.type.is_float:
            continue
        merged = {
            **classes.get(left.column.id, {left.column.id: left}),
            **classes.get(right.column.id, {right.column.id: right}),
        }
        for column in merged:
            classes[column] = merged
    return classes
