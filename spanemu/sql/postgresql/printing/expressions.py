"""Expressions as PostgreSQL's ruleutils prints them: operators in parentheses, types written.

    v > 0 and v in (1, 2)    ((v > '0'::bigint) AND (v = ANY (ARRAY['1'::bigint, '2'::bigint])))

A form that is short for others is printed as these: BETWEEN as two comparisons, IN as `= ANY`, LIKE
as `~~`, SUBSTRING(x FROM 1) as a call. Implicit casts of operands are printed; the implicit cast of
a whole expression is not, because the place where the expression stands makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.printing import constants
from spanemu.sql.postgresql.printing.notes import Notes
from spanemu.sql.postgresql.syntax.keywords import quoted
from spanemu.sql.postgresql.types import named, title
from spanemu.sql.syntax_tree import (
    ArrayConstructor,
    Binary,
    BoolLiteral,
    Expression,
    FloatLiteral,
    In,
    IntLiteral,
    Junction,
    Name,
    NullLiteral,
    StringLiteral,
    Unary,
)
from spanemu.values.types import INT64, PG_NUMERIC, STRING, Type, array_of

_UNTYPED = (StringLiteral, NullLiteral)
_UPPER_CASE_CALLS = frozenset({"coalesce", "nullif", "greatest", "least"})


class ExpressionPrinter:
    """The expressions of one text.

    `column` prints a reference to a column, and `query` a query in an expression.
    """

    def __init__(
        self, notes: Notes, column: Callable[[Name], str], query: Callable[[ast.Query], str]
    ) -> None:
        self.notes = notes
        self.column = column
        self.query = query

    def whole(self, node: Expression) -> str:
        """Return an expression without the implicit cast that its place gives it."""
        return _PRINTERS[type(node)](self, node)

    def part(self, node: Expression) -> str:
        """Return an expression as an operand or an argument, with its implicit cast."""
        text = self.whole(node)
        target = None if isinstance(node, _UNTYPED) else self.notes.implicit_cast(node)
        return text if target is None else f"({text})::{title(target)}"

    def converted(self, node: Expression, target: Type | None) -> str:
        """Return an operand of an operator that takes a `target`; None if that is not known."""
        if target is None:
            return self.part(node)
        if isinstance(node, _UNTYPED) or target == self.notes.type_of(node):
            return self.whole(node)
        return f"({self.whole(node)})::{title(target)}"

    def is_function_cast(self, node: Expression) -> bool:
        """Return whether a cast is a call of a function, as casts to and from text are not."""
        if not isinstance(node, ast.Cast) or isinstance(node.operand, _UNTYPED):
            return False
        types = {self.notes.type_of(node.operand), self.notes.type_of(node)}
        return len(types) == 2 and STRING not in types

    def parts(self, nodes: Iterable[Expression]) -> str:
        """Return a list of operands."""
        return ", ".join(map(self.part, nodes))


Print = Callable[[ExpressionPrinter, Any], str]

# ------------------------------------------------------------------------------ literals


def _string(printer: ExpressionPrinter, node: StringLiteral) -> str:
    return _literal(printer, node.value, printer.notes.literal_type(node) or STRING)


def _literal(printer: ExpressionPrinter, text: str, type_: Type) -> str:
    output = constants.output_text(text, type_, printer.notes.analysis)
    return constants.constant(output, type_)


def _null(printer: ExpressionPrinter, node: NullLiteral) -> str:
    return constants.null(printer.notes.literal_type(node) or STRING)


def _boolean(_: ExpressionPrinter, node: BoolLiteral) -> str:
    return "true" if node.value else "false"


def _integer(_: ExpressionPrinter, node: IntLiteral) -> str:
    return constants.constant(str(node.value), INT64)


def _number(printer: ExpressionPrinter, node: FloatLiteral) -> str:
    return _literal(printer, node.text, PG_NUMERIC)


# ------------------------------------------------------------------------------ casts


def _cast(printer: ExpressionPrinter, node: ast.Cast) -> str:
    operand, target = node.operand, _target(node.type)
    name = constants.written_type(node.type)
    if isinstance(operand, StringLiteral) and target is not None:
        return constants.cast_literal(operand.value, node.type, target, printer.notes.analysis)
    if isinstance(operand, NullLiteral):
        return f"NULL::{name}"
    if isinstance(operand, ArrayConstructor):
        return _cast_array(printer, operand, node.type)
    if _is_same_type(printer, operand, node.type):
        return printer.whole(operand)
    number = constants.numeric_text(operand)
    if number is not None and target == PG_NUMERIC:
        return constants.cast_literal(number, node.type, target, printer.notes.analysis)
    return f"({printer.whole(operand)})::{name}"


def _cast_array(
    printer: ExpressionPrinter, array: ArrayConstructor, type_: ast.TypeReference
) -> str:
    """Return an array whose elements are cast instead of the array."""
    if not array.items:
        return f"ARRAY[]::{constants.written_type(type_)}"
    if type_.name != "varchar" and not (type_.modifiers or type_.interval_fields):
        return printer.whole(array)
    element = replace(type_, dimensions=0)
    items = [_cast(printer, ast.Cast(item, element)) for item in array.items]
    return f"ARRAY[{', '.join(items)}]"


def _target(type_: ast.TypeReference) -> Type | None:
    scalar = named(type_.name)
    return scalar if scalar is None or not type_.dimensions else array_of(scalar)


def _is_same_type(
    printer: ExpressionPrinter, operand: Expression, type_: ast.TypeReference
) -> bool:
    """Return whether a cast changes nothing; one to varchar is printed, for it is no text."""
    if type_.modifiers or type_.name == "varchar":
        return False
    return printer.notes.type_of(operand) == _target(type_)


# ------------------------------------------------------------------------------ operators


def _unary(printer: ExpressionPrinter, node: Unary) -> str:
    return f"({node.op} {printer.part(node.operand)})"


def _binary(printer: ExpressionPrinter, node: Binary) -> str:
    if isinstance(node.left, ast.Row) and isinstance(node.right, ast.Row):
        return _rows(printer, node.op, node.left, node.right)
    return _operation(printer.part(node.left), node.op, printer.part(node.right))


def _operation(left: str, op: str, right: str) -> str:
    return f"({left} {op} {right})"


def _rows(printer: ExpressionPrinter, op: str, left: ast.Row, right: ast.Row) -> str:
    pairs = zip(left.items, right.items, strict=True)
    comparisons = [_operation(printer.part(a), op, printer.part(b)) for a, b in pairs]
    return _joined(" AND " if op == "=" else " OR ", comparisons)


def _joined(op: str, texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({op.join(texts)})"


def _junction(printer: ExpressionPrinter, node: Junction) -> str:
    first, *others = node.operands
    if isinstance(first, Junction) and first.op == node.op:  # (a AND b) AND c is a AND b AND c
        return _junction(printer, Junction(node.op, (*first.operands, *others)))
    return _joined(f" {node.op} ", [printer.whole(operand) for operand in node.operands])


def _between(printer: ExpressionPrinter, node: ast.Between) -> str:
    first, last = ("<", ">") if node.negated else (">=", "<=")
    inner, outer = (" OR ", " AND ") if node.negated else (" AND ", " OR ")
    tests = [(first, node.low), (last, node.high), (first, node.high), (last, node.low)]
    tests = tests[: 4 if node.symmetric else 2]
    types = printer.notes.compared_types(node, len(tests))
    texts = [
        _operation(printer.converted(node.operand, left), op, printer.converted(bound, right))
        for (op, bound), (left, right) in zip(tests, types, strict=True)
    ]
    halves = [_joined(inner, texts[at : at + 2]) for at in range(0, len(texts), 2)]
    return _joined(outer, halves)


def _like(printer: ExpressionPrinter, node: ast.Like) -> str:
    operand, pattern = printer.part(node.operand), printer.part(node.pattern)
    text = _operation(operand, "~~", pattern)
    if node.escape is not None:
        text = f"({operand} LIKE {pattern} ESCAPE {printer.part(node.escape)})"
    return f"(NOT {text})" if node.negated else text


def _is(printer: ExpressionPrinter, node: ast.Is) -> str:
    return f"({printer.part(node.operand)} IS {'NOT ' if node.negated else ''}{node.what})"


def _is_distinct(printer: ExpressionPrinter, node: ast.IsDistinct) -> str:
    text = f"({printer.part(node.left)} IS DISTINCT FROM {printer.part(node.right)})"
    return f"(NOT {text})" if node.negated else text


def _in(printer: ExpressionPrinter, node: In) -> str:
    if isinstance(node.query, ast.Query):
        text = f"({_row_or_part(printer, node.operand)} IN ({printer.query(node.query)}))"
        return f"(NOT {text})" if node.negated else text
    compared, quantifier, joint = ("<>", "ALL", " AND ") if node.negated else ("=", "ANY", " OR ")
    if isinstance(node.operand, ast.Row):
        tests = [
            _rows(printer, compared, node.operand, item)
            for item in node.items
            if isinstance(item, ast.Row)
        ]
        return _joined(joint, tests)
    operand = printer.part(node.operand)
    listed = [item for item in node.items if constants.is_listed(item)]
    if len(listed) < 2:
        listed = []
    tests = []
    if listed:
        tests.append(f"({operand} {compared} {quantifier} (ARRAY[{printer.parts(listed)}]))")
    others = [item for item in node.items if not any(item is other for other in listed)]
    tests += [_operation(operand, compared, printer.part(item)) for item in others]
    return _joined(joint, tests)


def _row_or_part(printer: ExpressionPrinter, node: Expression) -> str:
    if isinstance(node, ast.Row):
        return f"({printer.parts(node.items)})"
    return printer.part(node)


def _quantified(printer: ExpressionPrinter, node: ast.Quantified) -> str:
    operand = _row_or_part(printer, node.operand)
    quantifier = f"{node.op} {'ALL' if node.all else 'ANY'}"
    if node.query is None:
        assert node.array is not None
        return f"({operand} {quantifier} ({printer.part(node.array)}))"
    if quantifier == "= ANY":
        quantifier = "IN"
    return f"({operand} {quantifier} ({printer.query(node.query)}))"


# ------------------------------------------------------------------------------ calls


def _call(printer: ExpressionPrinter, node: ast.FunctionCall) -> str:
    names = node.function.names
    if names[0] == "pg_catalog":
        names = names[1:]
    if len(names) == 1 and names[0] in _UPPER_CASE_CALLS:
        return f"{names[0].upper()}({printer.parts(node.arguments)})"
    if printer.notes.is_cast(node):  # text(x) is x::text
        target = printer.notes.type_of(node)
        assert target is not None
        return f"({printer.whole(node.arguments[0])})::{title(target)}"
    arguments = "*" if node.star else printer.parts(node.arguments)
    if node.distinct:
        arguments = f"DISTINCT {arguments}"
    if node.order_by:
        arguments += f" ORDER BY {', '.join(_sort_item(printer, item) for item in node.order_by)}"
    return f"{'.'.join(map(quoted, names))}({arguments})"


def _sort_item(printer: ExpressionPrinter, item: Any) -> str:
    return f"{printer.part(item.value)}{direction(item)}"


def direction(item: Any) -> str:
    """Return the direction of an item of ORDER BY, where it is not ASC NULLS LAST."""
    nulls = item.nulls or ("FIRST" if item.descending else "LAST")
    if item.descending:
        return " DESC" if nulls == "FIRST" else " DESC NULLS LAST"
    return "" if nulls == "LAST" else " NULLS FIRST"


def _named_argument(printer: ExpressionPrinter, node: ast.NamedArgument) -> str:
    return f"{quoted(node.name.name)} => {printer.part(node.value)}"


def _value_function(_: ExpressionPrinter, node: ast.ValueFunction) -> str:
    return node.name.upper()


def _extract(printer: ExpressionPrinter, node: ast.Extract) -> str:
    return f'"extract"({constants.typed(node.unit, "text")}, {printer.part(node.operand)})'


def _case(printer: ExpressionPrinter, node: ast.Case) -> str:
    words = ["CASE"]
    if node.operand is not None:
        words.append(printer.part(node.operand))
    for condition, result in node.whens:
        words.append(f"WHEN {printer.whole(condition)} THEN {printer.part(result)}")
    if node.otherwise is None:
        words.append(f"ELSE {constants.null(printer.notes.type_of(node) or STRING)}")
    else:
        words.append(f"ELSE {printer.part(node.otherwise)}")
    return " ".join([*words, "END"])


# ------------------------------------------------------------------------------ arrays, queries


def _array(printer: ExpressionPrinter, node: ArrayConstructor) -> str:
    return f"ARRAY[{printer.parts(node.items)}]"


def _subscripted(printer: ExpressionPrinter, operand: Expression) -> str:
    text = printer.whole(operand)
    return text if isinstance(operand, Name) else f"({text})"


def _subscript(printer: ExpressionPrinter, node: ast.Subscript) -> str:
    return f"{_subscripted(printer, node.operand)}[{printer.whole(node.index)}]"


def _slice(printer: ExpressionPrinter, node: ast.Slice) -> str:
    low, high = ("" if each is None else printer.whole(each) for each in (node.low, node.high))
    return f"{_subscripted(printer, node.operand)}[{low}:{high}]"


def _row(printer: ExpressionPrinter, node: ast.Row) -> str:
    return f"ROW({printer.parts(node.items)})"


def _exists(printer: ExpressionPrinter, node: ast.Exists) -> str:
    return f"(EXISTS ({printer.query(node.query)}))"


def _scalar_subquery(printer: ExpressionPrinter, node: ast.ScalarSubquery) -> str:
    return f"({printer.query(node.query)})"


def _array_subquery(printer: ExpressionPrinter, node: ast.ArraySubquery) -> str:
    return f"ARRAY({printer.query(node.query)})"


def _column(printer: ExpressionPrinter, node: Name) -> str:
    return printer.column(node)


_PRINTERS: Mapping[type[Expression], Print] = {
    ArrayConstructor: _array,
    Binary: _binary,
    BoolLiteral: _boolean,
    FloatLiteral: _number,
    In: _in,
    IntLiteral: _integer,
    Junction: _junction,
    Name: _column,
    NullLiteral: _null,
    StringLiteral: _string,
    Unary: _unary,
    ast.ArraySubquery: _array_subquery,
    ast.Between: _between,
    ast.Case: _case,
    ast.Cast: _cast,
    ast.Exists: _exists,
    ast.Extract: _extract,
    ast.FunctionCall: _call,
    ast.Is: _is,
    ast.IsDistinct: _is_distinct,
    ast.Like: _like,
    ast.NamedArgument: _named_argument,
    ast.Quantified: _quantified,
    ast.Row: _row,
    ast.ScalarSubquery: _scalar_subquery,
    ast.Slice: _slice,
    ast.Subscript: _subscript,
    ast.ValueFunction: _value_function,
}
