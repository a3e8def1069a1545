"""Queries: pipe operators, WITH, set operations, ORDER BY, LIMIT and FOR UPDATE."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from spanemu.sql.errors import GROUP_KEYS, SET_OPERATION_QUERIES, NotAnExcept, line_and_column
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.graph.syntax import predicates as graph_predicates
from spanemu.sql.googlesql.graph.syntax import queries as graph_queries
from spanemu.sql.googlesql.syntax.names import STEPS_MAX
from spanemu.sql.googlesql.syntax.select import SelectParser
from spanemu.sql.syntax_tree import Kind

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
        assignments = self.item_list(self._set_item)
        return ast.PipeSet(assignments, at=start, end=self.end)

    def _set_item(self) -> tuple[ast.Identifier, ast.Expression]:
        column = self.identifier()
        self.expect("=")
        return column, self.expression()

    def _drop(self, start: int) -> ast.PipeOperator:
        self.advance()
        columns = self.item_list(self.identifier)
        return ast.PipeDrop(columns, at=start, end=self.end)

    def _rename(self, start: int) -> ast.PipeOperator:
        self.advance()
        renames = self.item_list(self._rename_item)
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
            groups = self._group_items(self.bounds.limits.group_keys, start)
        if not items and not groups:
            raise self.unexpected()
        return ast.PipeAggregate(items, groups, and_order, hint, at=start, end=self.end)

    def _group_items(
        self, limit: int = sys.maxsize, limited_at: int = 0
    ) -> tuple[ast.PipeGroupItem, ...]:
        """Parse items, possibly none; a comma may follow the last item.

        More than `limit` items are refused at the offset `limited_at`.
        """
        items: list[ast.PipeGroupItem] = []
        while self.token.symbol not in _ENDS_AGGREGATES:
            start = self.token.at
            value = self.expression()
            alias = self.alias()
            order = self.direction()
            self.no_null_order()
            items.append(ast.PipeGroupItem(value, alias, order, at=start, end=self.end))
            if len(items) > limit:
                raise self.too_large(GROUP_KEYS, limit, limited_at)
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
        limit = self.bounds.limits.set_operation_queries
        operands = [self.query_in_parentheses()]
        while self.accept(",") and self.token.symbol == "(":  # a comma may follow the last query
            operands.append(self.query_in_parentheses())
            if len(operands) >= limit:  # the query before the operator is an operand too
                raise self.too_large(SET_OPERATION_QUERIES, limit, start)
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
        body = self._operand() if first is None else self._named(first)
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
        raise self.unexpected()

    def graph_query(self) -> ast.Query:
        """Parse `GRAPH graph queries`."""
        return graph_queries.graph_query(self)

    def graph_query_in_braces(self, *, in_exists: bool = False) -> ast.Query:
        return graph_queries.in_braces(self, in_exists=in_exists)

    def graph_table(self) -> ast.FromItem:
        return graph_queries.graph_table(self)

    def graph_predicate(self, operand: ast.Expression, negated: bool, start: int) -> ast.Expression:
        return graph_predicates.predicate(self, operand, negated, start)

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
