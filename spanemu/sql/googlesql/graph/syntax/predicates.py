"""Label expressions, and the predicates on graph elements that stand in any expression."""

from __future__ import annotations

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.graph import ast as graph_ast
from spanemu.sql.googlesql.syntax.expression import ABOVE_COMPARISON, ExpressionParser


def predicate(
    parser: ExpressionParser, operand: ast.Expression, negated: bool, start: int
) -> ast.Expression:
    """Parse the rest of a predicate from LABELED, SOURCE or DESTINATION on.

    `operand` stands before IS and begins at `start`; `negated` tells whether NOT was written.
    """
    word = parser.advance()
    parser.count_call(start)
    if word.symbol == "LABELED":
        labels = label_expression(parser)
        return ast.IsLabeled(operand, labels, negated, word.at, at=start, end=parser.end)
    parser.accept("OF")
    edge = parser.expression(ABOVE_COMPARISON)
    is_destination = word.symbol == "DESTINATION"
    return ast.IsEndpoint(operand, edge, is_destination, negated, word.at, at=start, end=parser.end)


def label_expression(parser: ExpressionParser) -> ast.LabelExpression:
    """Parse names, `%`, `!`, `&`, `|` and parentheses; `!` binds tighter than `&`, `&` than `|`."""
    return _chain(parser, "|")


def _chain(parser: ExpressionParser, symbol: str) -> ast.LabelExpression:
    """Parse operands joined by `symbol`: a chain of `&` is an operand of `|`."""
    start = parser.token.at
    operands = [_operand(parser, symbol)]
    while parser.accept(symbol):
        operands.append(_operand(parser, symbol))
    if len(operands) == 1:
        return operands[0]
    op = _OPS[symbol]
    return graph_ast.LabelJunction(op, tuple(operands), at=start, end=parser.end)


def _operand(parser: ExpressionParser, symbol: str) -> ast.LabelExpression:
    return _chain(parser, "&") if symbol == "|" else _primary(parser)


def _primary(parser: ExpressionParser) -> ast.LabelExpression:
    token = parser.token
    parser.deeper()
    label: ast.LabelExpression
    if parser.accept("!"):
        operand = _primary(parser)
        label = graph_ast.LabelNot(operand, at=token.at, end=parser.end)
    elif parser.accept("%"):
        label = graph_ast.AnyLabel(at=token.at, end=token.end)
    elif parser.accept("("):
        label = label_expression(parser)
        parser.expect(")")
    else:
        label = graph_ast.LabelName(parser.identifier(), at=token.at, end=token.end)
    parser.depth -= 1
    return label


_OPS = {"|": "OR", "&": "AND"}
