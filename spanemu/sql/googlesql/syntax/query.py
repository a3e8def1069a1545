"""Queries: WITH, set operations, ORDER BY, LIMIT, FOR UPDATE, and trailing pipe operators."""

from __future__ import annotations

from spanemu.base.errors import Unsupported
from spanemu.sql.errors import SET_OPERATION_QUERIES
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.cursor import STEPS_MAX
from spanemu.sql.googlesql.syntax.pipe import PipeParser

_SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
_MIXED = (
    "Different set operations cannot be used in the same query without using parentheses for "
    "grouping"
)
_LATE_HINT = "Hints on set operations must appear on the first operation"


class QueryParser(PipeParser):
    """The grammar of queries."""

    def query(self, first: ast.Query | None = None) -> ast.Query:
        """Parse a query that is not in parentheses.

        `first` is a query in parentheses that has been parsed already and turned out to be the
        first operand of a larger query. A query counts as two levels of nesting, because a
        subquery takes many Python frames.
        """
        self.deeper(2)
        outer_subqueries, self.subqueries = self.subqueries, 0
        start = self.token.at if first is None else first.at
        tables, recursive = self._with() if first is None else ((), False)
        body = self._body(first)
        order_by, order_hint = self.order_by()
        limit, offset = self.limit()
        for_update = self.accept("FOR")
        if for_update:
            self.expect("UPDATE")
        pipes = self.pipes()
        self.depth -= 2
        self.subqueries = outer_subqueries
        adds_nothing = not (tables or order_by or limit or for_update or pipes)
        if adds_nothing and isinstance(body, ast.Query):
            return body  # redundant parentheses
        return ast.Query(
            body, tables, recursive, order_by, limit, offset, for_update, order_hint, pipes,
            at=start, end=self.end,
        )  # fmt: skip

    def _with(self) -> tuple[tuple[ast.CommonTable, ...], bool]:
        if not self.accept("WITH"):
            return (), False
        recursive = self.accept("RECURSIVE")
        tables = [self._common_table()]
        while self.accept(","):
            if len(tables) == STEPS_MAX:
                raise self.failure(f"More than {STEPS_MAX} common table expressions")
            tables.append(self._common_table())
        return tuple(tables), recursive

    def _common_table(self) -> ast.CommonTable:
        name = self.identifier()
        self.expect("AS")
        query = self.query_in_parentheses()
        return ast.CommonTable(name, query, at=name.at, end=self.end)

    def _body(self, first: ast.Query | None) -> ast.QueryBody:
        start = self.token.at if first is None else first.at
        if self.token.symbol == "FROM" and first is None:
            return self._from_body()
        body: ast.QueryBody = self._operand() if first is None else first
        if self.token.symbol not in _SET_OPERATORS:
            return body
        op, distinct, hint = self.set_operator()
        operands = [body, self._operand()]
        limit = self.bounds.limits.set_operation_queries
        while self.token.symbol in _SET_OPERATORS:
            again_at = self.token.at
            again, again_distinct, late_hint = self.set_operator()
            if (again, again_distinct) != (op, distinct):
                raise self.failure(_MIXED, again_at)
            if late_hint is not None:
                raise self.failure(_LATE_HINT, late_hint.at)
            operands.append(self._operand())
            if len(operands) > limit:
                raise self.too_large(SET_OPERATION_QUERIES, limit, start)
        return ast.SetOperation(op, distinct, tuple(operands), hint, at=start, end=self.end)

    def _operand(self) -> ast.QueryBody:
        """Parse SELECT, or a query in parentheses."""
        match self.token.symbol:
            case "SELECT":
                return self.select()
            case "(":
                return self._named(self.query_in_parentheses())
            case "GRAPH":
                raise Unsupported("GRAPH query")
        raise self.unexpected()

    def _named(self, query: ast.Query) -> ast.QueryBody:
        """Return `FROM (query) AS name` for `(query) AS name`, and `query` itself without AS."""
        if not self.accept("AS"):
            return query
        start = query.at
        source = ast.SubqueryRef(query, self.identifier(), at=start, end=self.end)
        return ast.FromBody(source, at=start, end=self.end)

    def _from_body(self) -> ast.FromBody:
        start = self.advance().at
        source = self.joined(commas=True)
        return ast.FromBody(source, at=start, end=self.end)
