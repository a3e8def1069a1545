"""The columns of a select list that GROUP BY and ORDER BY name by number or by output name."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from spanemu.sql.analysis.tree import is_equivalent
from spanemu.sql.postgresql.analyzer.errors.names import AmbiguousOutputName
from spanemu.sql.postgresql.analyzer.errors.queries import NotAnOrdinal, OrdinalOutOfRange
from spanemu.sql.postgresql.analyzer.queries.select_list import SelectColumn
from spanemu.sql.syntax_tree import (
    BoolLiteral,
    Expression,
    FloatLiteral,
    IntLiteral,
    Name,
    NullLiteral,
    StringLiteral,
    Unary,
)


class Clause(StrEnum):
    """A clause that refers to select columns."""

    GROUP_BY = "GROUP BY"
    ORDER_BY = "ORDER BY"


_CONSTANTS = (NullLiteral, BoolLiteral, FloatLiteral, StringLiteral)


def ordinal(node: Expression, clause: Clause) -> int | None:
    """Return the number of a select column that `node` is, or None for another expression.

    Raise NotAnOrdinal for a constant that is not an integer.
    """
    sign = 1
    constant = node
    if isinstance(node, Unary) and node.op == "-":
        sign, constant = -1, node.operand
    if isinstance(constant, IntLiteral):
        return sign * constant.value
    if isinstance(node, _CONSTANTS) or (sign < 0 and isinstance(constant, FloatLiteral)):
        raise NotAnOrdinal(clause, at=node.at)
    return None


def selected_column(
    node: Expression, columns: Sequence[SelectColumn], clause: Clause
) -> SelectColumn | None:
    """Return the select column that `node` names by its number or its output name, or None.

    Raise OrdinalOutOfRange or NotAnOrdinal for a bad number, AmbiguousOutputName for a name that
    several different columns have.
    """
    number = ordinal(node, clause)
    if number is not None:
        if not 1 <= number <= len(columns):
            raise OrdinalOutOfRange(clause, number, at=node.at)
        return columns[number - 1]
    if not isinstance(node, Name) or len(node.path.parts) > 1:
        return None
    name = node.path.parts[0].name
    matches = [column for column in columns if column.name == name]
    for other in matches[1:]:
        if not is_equivalent(matches[0].expression, other.expression):
            raise AmbiguousOutputName(clause, name, at=node.at)
    return matches[0] if matches else None
