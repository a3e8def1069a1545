"""Queries: SELECT, WITH, set operations, ORDER BY, LIMIT and FOR UPDATE."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.base.record import NamedTuple
from spanemu.sql.errors import GROUP_KEYS, SET_OPERATION_QUERIES
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.ast import SetOperator
from spanemu.sql.postgresql.syntax.call import WINDOW_REFUSED
from spanemu.sql.postgresql.syntax.expression import ENDS_ITEM
from spanemu.sql.postgresql.syntax.from_clause import FromParser
from spanemu.sql.syntax_tree import Expression, Identifier, IntLiteral, NullLiteral, StringLiteral
from spanemu.sql.token_cursor import DEPTH_MAX

_COMMON_TABLES_MAX = 1_000  # of one query; Spanner documents no limit
_SET_OPERATORS: Mapping[str, SetOperator] = {str(each): each for each in SetOperator}
_DML = frozenset({"INSERT", "UPDATE", "DELETE"})
_GROUPING = frozenset({"CUBE", "ROLLUP"})
_NO_COLUMN = "Statement must produce at least one output column"
_LOCKS_REFUSED = "Statements with locking clauses other than FOR UPDATE are not supported"


class _Tail(NamedTuple):
    """The clauses behind the body of a query, besides ORDER BY."""

    limit: Expression | None = None
    offset: Expression | None = None
    for_update: bool = False


class QueryParser(FromParser):
    """The grammar of queries."""

    query_depth = 0  # of the queries that are being parsed

    def query(self, first: ast.Query | None = None) -> ast.Query:
        """Parse a query that is not in parentheses.

        `first` is a query in parentheses that has been parsed already and turned out to be the
        first operand of a larger query. A query counts as three levels of nesting, because a
        subquery takes many Python frames.
        """
        self.deeper(3)
        self.query_depth += 1
        outer_subqueries, self.subqueries = self.subqueries, 0
        start = self.token.at if first is None else first.at
        tables = self._with() if first is None else ()
        body = self._set_operation(first)
        order_by = self.order_by()
        tail = self._tail()
        self.subqueries = outer_subqueries
        self.query_depth -= 1
        self.depth -= 3
        if isinstance(body, ast.Query) and not (tables or order_by or any(tail)):
            return body  # redundant parentheses
        return ast.Query(body, tables, order_by, *tail, at=start, end=self.end)

    # ------------------------------------------------------------------------ WITH

    def _with(self) -> tuple[ast.CommonTable, ...]:
        if not self.accept("WITH"):
            return ()
        if self.query_depth > 1:
            self.refuse_later("WITH expressions in subqueries are not supported")
        if self.token.symbol == "RECURSIVE":
            self.refuse_later("Recursive WITH expressions are not supported")
            self.advance()
        tables = self.comma_separated(
            self.counted(self._common_table, "common tables", _COMMON_TABLES_MAX)
        )
        if self.token.symbol in _DML:
            raise self.not_supported("WITH expressions are only supported for SELECT statements")
        return tables

    def _common_table(self) -> ast.CommonTable:
        name = self.identifier()
        columns = self.identifiers_in_parentheses() if self.token.symbol == "(" else ()
        self.expect("AS")
        if self.accept("NOT"):
            self.expect("MATERIALIZED")
        else:
            self.accept("MATERIALIZED")
        if self.token.symbol == "(" and self.peek().symbol in _DML:
            raise self.not_supported("WITH subexpressions must be SELECT statements")
        query = self.query_in_parentheses()
        if self.token.symbol in ("SEARCH", "CYCLE"):
            raise self.not_supported("Recursive WITH expressions are not supported")
        return ast.CommonTable(name, query, columns, at=name.at, end=self.end)

    # ------------------------------------------------------------------------ set operations

    def _set_operation(self, first: ast.Query | None) -> ast.QueryBody:
        """Parse UNION and EXCEPT, which bind less tightly than INTERSECT."""
        start = self.token.at if first is None else first.at
        left = self._intersection(first)
        return self._chain(left, ("UNION", "EXCEPT"), self._intersection, start)

    def _intersection(self, first: ast.Query | None = None) -> ast.QueryBody:
        start = self.token.at if first is None else first.at
        left = self._body() if first is None else first
        return self._chain(left, ("INTERSECT",), self._body, start)

    def _chain(
        self,
        body: ast.QueryBody,
        operators: tuple[str, ...],
        operand: Callable[[], ast.QueryBody],
        start: int,
    ) -> ast.QueryBody:
        """Parse the operators of one precedence that follow the query `body`."""
        limit = self.bounds.limits.set_operation_queries
        count = 1
        while self.token.symbol in operators:
            op_at = self.token.at
            op, keeps_duplicates = self._set_operator()
            right = operand()
            count += 1
            if count > min(limit, 2 * DEPTH_MAX):
                raise self.too_large(SET_OPERATION_QUERIES, limit, start)
            body = ast.SetOperation(
                op, keeps_duplicates, body, right, op_at, at=start, end=self.end
            )
        return body

    def _set_operator(self) -> tuple[SetOperator, bool]:
        """Parse an operator; return it and whether ALL follows it."""
        op = _SET_OPERATORS[self.advance().symbol]
        if self.accept("ALL"):
            return op, True
        self.accept("DISTINCT")
        return op, False

    def _body(self) -> ast.QueryBody:
        """Parse SELECT, TABLE, VALUES, or a query in parentheses."""
        match self.token.symbol:
            case "SELECT":
                return self.select()
            case "(":
                return self.query_in_parentheses()
            case "TABLE":
                return self._table_body()
            case "VALUES":
                return self._values_body()
        raise self.unexpected()

    def _table_body(self) -> ast.Select:
        """Parse TABLE name, which is SELECT * FROM name."""
        start = self.advance().at
        item = ast.SelectItem(ast.Star(at=start, end=self.end), at=start, end=self.end)
        return ast.Select((item,), self.from_item(), at=start, end=self.end)

    def _values_body(self) -> ast.Select:
        """Parse VALUES (...), ... as a query, which Spanner refuses."""
        start = self.advance().at
        self.refuse_later("VALUES lists in FROM clause are not supported", start)
        rows = self.item_list(lambda: self.in_parentheses(self.expression))
        items = (ast.SelectItem(value, at=value.at, end=value.end) for value in rows[0])
        return ast.Select(tuple(items), at=start, end=self.end)

    # ------------------------------------------------------------------------ SELECT

    def select(self) -> ast.Select:
        """Parse SELECT ... HAVING ..."""
        start = self.advance().at
        self.enter_select(start)
        distinct = self._distinct()
        items: tuple[ast.SelectItem, ...] = ()
        if distinct or self.token.symbol not in ENDS_ITEM:
            items = self.select_items()
        else:
            self.reject_later(_NO_COLUMN, start)
        if self.token.symbol == "INTO":
            self._into()
        source = self.from_items() if self.accept("FROM") else None
        where = self.expression() if self.accept("WHERE") else None
        group_by = self._group_by()
        having = self.expression() if self.accept("HAVING") else None
        if self.token.symbol == "WINDOW":
            self._windows()
        self.selects -= 1
        return ast.Select(items, source, where, group_by, having, distinct, at=start, end=self.end)

    def _distinct(self) -> bool:
        if not self.accept("DISTINCT"):
            self.accept("ALL")
            return False
        if self.token.symbol == "ON":
            self.refuse_later("Statements with DISTINCT ON clauses are not supported")
            self.advance()
            self.in_parentheses(self.expression)
        return True

    def select_items(self) -> tuple[ast.SelectItem, ...]:
        """Parse the items of SELECT or RETURNING."""
        return self.item_list(self._select_item)

    def _select_item(self) -> ast.SelectItem:
        start = self.token.at
        if self.accept("*"):
            star = ast.Star(at=start, end=self.end)
            return ast.SelectItem(star, at=start, end=self.end)
        refusal = self.refusal
        value = self.expression()
        if isinstance(value, ast.Star):
            self.refusal = refusal  # `t.*` is refused everywhere else
        alias: Identifier | None
        alias = self.part() if self.accept("AS") else self.bare_label()
        return ast.SelectItem(value, alias, at=start, end=self.end)

    def _into(self) -> None:
        self.refuse_later("SELECT INTO is not supported")
        self.advance()
        self.accept_any("TEMPORARY", "TEMP", "UNLOGGED")
        self.accept("TABLE")
        self.path()

    def _group_by(self) -> tuple[Expression, ...]:
        start = self.token.at
        if not self.accept("GROUP"):
            return ()
        self.expect("BY")
        if self.token.symbol == "DISTINCT":
            self.refuse_later("Statements with GROUP BY DISTINCT clauses are not supported", start)
        if not self.accept("DISTINCT"):
            self.accept("ALL")
        limit = self.bounds.limits.group_keys
        return self.comma_separated(self.counted(self._group_item, GROUP_KEYS, limit))

    def _group_item(self) -> Expression:
        start, symbol, following = self.token.at, self.token.symbol, self.peek().symbol
        if symbol == "(" and following == ")":
            self._refuse_grouping_sets()
            self.expect_all("(", ")")
            return NullLiteral(at=start, end=self.end)
        if symbol in _GROUPING and following == "(":
            self._refuse_grouping_sets()
            self.advance()
            return self.in_parentheses(self.expression)[0]
        if symbol == "GROUPING" and following == "SETS":
            self._refuse_grouping_sets()
            self.expect_all("GROUPING", "SETS")
            return self.in_parentheses(self._group_item)[0]
        return self.expression()

    def _refuse_grouping_sets(self) -> None:
        self.refuse_later("Statements with GROUPING SET clauses are not supported")

    def _windows(self) -> None:
        self.refuse_later(WINDOW_REFUSED)
        self.advance()
        self.item_list(self._named_window)

    def _named_window(self) -> None:
        self.identifier()
        self.expect("AS")
        self.window()

    # ------------------------------------------------------------------------ LIMIT, FOR

    def _tail(self) -> _Tail:
        """Parse LIMIT, OFFSET, FETCH and FOR, which may stand in any order."""
        limit = offset = None
        has_limit = has_offset = for_update = False
        while True:
            symbol = self.token.symbol
            if symbol == "LIMIT" and not has_limit:
                has_limit, limit = True, self._limit()
            elif symbol == "FETCH" and not has_limit:
                has_limit, limit = True, self._fetch()
            elif symbol == "OFFSET" and not has_offset:
                has_offset, offset = True, self._offset()
            elif symbol == "FOR":
                for_update = self._for() or for_update
            else:
                return _Tail(limit, offset, for_update)

    def _limit(self) -> Expression | None:
        self.advance()
        if self.token.symbol == "ALL":
            self._refuse_null("LIMIT")
            self.advance()
            return None
        return self._row_count("LIMIT", self.expression())

    def _offset(self) -> Expression:
        self.advance()
        offset = self._row_count("OFFSET", self.expression())
        self.accept_any("ROW", "ROWS")
        return offset

    def _fetch(self) -> Expression:
        """Parse FETCH {FIRST | NEXT} [n] {ROW | ROWS} {ONLY | WITH TIES}."""
        start = self.advance().at
        if not self.accept_any("FIRST", "NEXT"):
            raise self.unexpected()
        limit: Expression = IntLiteral(1, "1", at=start, end=start)
        if self.token.symbol not in ("ROW", "ROWS"):
            limit = self._row_count("LIMIT", self.operand())
        if not self.accept_any("ROW", "ROWS"):
            raise self.unexpected()
        if self.follows("WITH", "TIES"):
            self.refuse_later("Statements with FETCH WITH TIES are not supported")
            self.expect_all("WITH", "TIES")
        else:
            self.expect("ONLY")
        return limit

    def _row_count(self, clause: str, value: Expression) -> Expression:
        """Return the number of LIMIT or OFFSET: a literal or a parameter, of type bigint if cast.

        Note a refusal for any other expression.
        """
        at, count = value.at, value
        if isinstance(value, ast.Cast) and value.type.name == "int8":
            count = value.operand
        if isinstance(count, StringLiteral) and count.value.strip().removeprefix("-").isdecimal():
            text = count.value.strip()
            count = IntLiteral(int(text[:30]), text, at=count.at, end=count.end)
        if isinstance(count, NullLiteral):
            self._refuse_null(clause, at)
        elif isinstance(count, IntLiteral):
            if count.value < 0:
                self.refuse_later(
                    f"{clause} clauses that are negative values are not supported.", at
                )
        elif not isinstance(count, ast.Parameter):
            self.refuse_later(
                f"{clause} clauses that are not integer literals or parameters are not supported.",
                at,
            )
        return count

    def _refuse_null(self, clause: str, at: int | None = None) -> None:
        self.refuse_later(f"{clause} clauses that are NULL values are not supported.", at)

    def _for(self) -> bool:
        """Parse FOR UPDATE and its kind; return whether it is plain FOR UPDATE."""
        start = self.advance().at
        if self.accept("READ"):
            self.expect("ONLY")
            return False
        plain = self.accept("UPDATE")
        if not plain:
            if self.accept("NO"):
                self.expect_all("KEY", "UPDATE")
            else:
                self.accept("KEY")
                self.expect("SHARE")
        if self.accept("OF"):
            plain = False
            self.item_list(self.path)
        if self.accept_all("SKIP", "LOCKED") or self.accept("NOWAIT"):
            plain = False
        if not plain:
            self.refuse_later(_LOCKS_REFUSED, start)
        return plain
