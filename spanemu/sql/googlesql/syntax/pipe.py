"""Pipe operators: `|> WHERE ... |> AGGREGATE ...`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql.errors import NotAnExcept, line_and_column
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.cursor import STEPS_MAX
from spanemu.sql.googlesql.syntax.lexer import Kind
from spanemu.sql.googlesql.syntax.select import SelectParser

_ENDS_AGGREGATES = frozenset({"GROUP", "|>", ")", ";", str(Kind.END)})
# Operators of GoogleSQL that Spanner does not document.
_NOT_IN_SPANNER = frozenset(
    {"ASSERT", "CREATE", "DESCRIBE", "DISTINCT", "EXPORT", "FORK", "IF", "INSERT", "LOG", "MATCH",
     "MATCH_RECOGNIZE", "PIVOT", "RECURSIVE", "STATIC_DESCRIBE", "TEE", "UNPIVOT", "WINDOW",
     "WITH"}
)  # fmt: skip


class PipeParser(SelectParser):
    """The grammar of pipe operators."""

    def set_operator(self) -> tuple[str, bool, ast.Hint | None]:
        """Parse UNION, INTERSECT or EXCEPT; return the operator, whether DISTINCT, and the hint."""
        at = self.token.at
        op = self.advance().symbol
        hint = self.hint()
        if self.token.symbol not in ("ALL", "DISTINCT"):
            if op == "EXCEPT":  # also a part of `SELECT * EXCEPT (columns)`
                raise NotAnExcept(*line_and_column(self.text, at))
            raise self.unexpected("ALL", "DISTINCT")
        distinct = self.advance().symbol == "DISTINCT"
        if self.token.symbol in ("BY", "CORRESPONDING", "STRICT"):
            raise self.not_in_spanner(f"{op} with column matching by name")
        return op, distinct, hint

    def limit(self) -> tuple[ast.Expression | None, ast.Expression | None]:
        """Parse LIMIT count [OFFSET skip], if it follows."""
        if not self.accept("LIMIT"):
            return None, None
        count = self.expression()
        return count, self.expression() if self.accept("OFFSET") else None

    def order_by(self) -> tuple[tuple[ast.OrderItem, ...], ast.Hint | None]:
        """Parse ORDER [hint] BY items, if it follows."""
        start = self.token.at
        if not self.accept("ORDER"):
            return (), None
        hint = self.hint()
        self.expect("BY")
        return self.order_items(start), hint

    def pipes(self) -> tuple[ast.PipeOperator, ...]:
        """Parse the pipe operators that follow."""
        operators: list[ast.PipeOperator] = []
        while self.accept("|>"):
            if len(operators) == STEPS_MAX:
                raise self.failure(f"More than {STEPS_MAX} pipe operators")
            rule = _PIPES.get(self.token.symbol)
            if rule is None:
                if self.token.symbol in _NOT_IN_SPANNER:
                    raise self.not_in_spanner(f"Pipe operator {self.token.symbol}")
                raise self.unexpected()
            operators.append(rule(self, self.token.at))
        return tuple(operators)

    # ------------------------------------------------------------------------ operators

    def _where(self, start: int) -> ast.PipeOperator:
        self.advance()
        return ast.PipeWhere(self.expression(), at=start, end=self.end)

    def _select(self, start: int) -> ast.PipeOperator:
        return ast.PipeSelect(self.select_head(), at=start, end=self.end)

    def _extend(self, start: int) -> ast.PipeOperator:
        self.advance()
        return ast.PipeExtend(self.select_items(), at=start, end=self.end)

    def _set(self, start: int) -> ast.PipeOperator:
        self.advance()
        assignments = self.comma_separated(self._set_item)
        return ast.PipeSet(assignments, at=start, end=self.end)

    def _set_item(self) -> tuple[ast.Identifier, ast.Expression]:
        column = self.identifier()
        self.expect("=")
        return column, self.expression()

    def _drop(self, start: int) -> ast.PipeOperator:
        self.advance()
        columns = self.comma_separated(self.identifier)
        return ast.PipeDrop(columns, at=start, end=self.end)

    def _rename(self, start: int) -> ast.PipeOperator:
        self.advance()
        renames = self.comma_separated(self._rename_item)
        return ast.PipeRename(renames, at=start, end=self.end)

    def _rename_item(self) -> tuple[ast.Identifier, ast.Identifier]:
        old = self.identifier()
        self.accept("AS")
        return old, self.identifier()

    def _as(self, start: int) -> ast.PipeOperator:
        self.advance()
        return ast.PipeAs(self.identifier(), at=start, end=self.end)

    def _aggregate(self, start: int) -> ast.PipeOperator:
        self.advance()
        items = self._group_items()
        groups: tuple[ast.PipeGroupItem, ...] = ()
        and_order, hint = False, None
        if self.accept("GROUP"):
            hint = self.hint()
            and_order = self.accept_all("AND", "ORDER")
            self.expect("BY")
            groups = self._group_items()
        if not items and not groups:
            raise self.unexpected()
        return ast.PipeAggregate(items, groups, and_order, hint, at=start, end=self.end)

    def _group_items(self) -> tuple[ast.PipeGroupItem, ...]:
        """Parse items, possibly none; a comma may follow the last item."""
        items: list[ast.PipeGroupItem] = []
        while self.token.symbol not in _ENDS_AGGREGATES:
            start = self.token.at
            value = self.expression()
            alias = self.alias()
            order = self.direction()
            self.no_null_order()
            items.append(ast.PipeGroupItem(value, alias, order, at=start, end=self.end))
            if not self.accept(","):
                break
        return tuple(items)

    def _join(self, start: int) -> ast.PipeOperator:
        kind, hint = self.join_operator()
        right = self.from_item()
        on, using = self.join_condition()
        return ast.PipeJoin(kind, right, on, using, hint, at=start, end=self.end)

    def _order_by(self, start: int) -> ast.PipeOperator:
        items, hint = self.order_by()
        return ast.PipeOrderBy(items, hint, at=start, end=self.end)

    def _limit(self, start: int) -> ast.PipeOperator:
        count, skip = self.limit()
        assert count is not None
        return ast.PipeLimit(count, skip, at=start, end=self.end)

    def _set_operation(self, start: int) -> ast.PipeOperator:
        op, distinct, hint = self.set_operator()
        operands = [self.query_in_parentheses()]
        while self.accept(",") and self.token.symbol == "(":  # a comma may follow the last query
            operands.append(self.query_in_parentheses())
        return ast.PipeSetOperation(op, distinct, tuple(operands), hint, at=start, end=self.end)

    def _sample(self, start: int) -> ast.PipeOperator:
        sample = self.sample()
        assert sample is not None
        return ast.PipeSample(sample, at=start, end=self.end)

    def _call(self, start: int) -> ast.PipeOperator:
        self.advance()
        function = self.table_function(self.path())
        return ast.PipeCall(function, at=start, end=self.end)


_PIPES: Mapping[str, Callable[[PipeParser, int], ast.PipeOperator]] = {
    "AGGREGATE": PipeParser._aggregate,
    "AS": PipeParser._as,
    "CALL": PipeParser._call,
    "CROSS": PipeParser._join,
    "DROP": PipeParser._drop,
    "EXCEPT": PipeParser._set_operation,
    "EXTEND": PipeParser._extend,
    "FULL": PipeParser._join,
    "HASH": PipeParser._join,
    "INNER": PipeParser._join,
    "INTERSECT": PipeParser._set_operation,
    "JOIN": PipeParser._join,
    "LEFT": PipeParser._join,
    "LIMIT": PipeParser._limit,
    "ORDER": PipeParser._order_by,
    "RENAME": PipeParser._rename,
    "RIGHT": PipeParser._join,
    "SELECT": PipeParser._select,
    "SET": PipeParser._set,
    "TABLESAMPLE": PipeParser._sample,
    "UNION": PipeParser._set_operation,
    "WHERE": PipeParser._where,
}
