"""The entry points of the parser, and the grammar of statements: the text of a statement as a tree.

    parse_statement("@{...} SELECT ...")   what ExecuteSql takes
    parse_query("SELECT ...")              the body of a view
    parse_expression("a + 1")              a default, a check, a generated column

Every failure is a `SpannerError` of `sql.errors`, or `Unsupported`. The entry point for DDL is
`ddl.statement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from spanemu.base.deep_stack import deep_stack
from spanemu.base.errors import Unsupported
from spanemu.sql.errors import StatementRefused, TextTooLong, line_and_column
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.ast import InsertMode
from spanemu.sql.googlesql.syntax.lexer import tokenize
from spanemu.sql.googlesql.syntax.query import QueryParser
from spanemu.sql.syntax_tree import Kind
from spanemu.sql.token_cursor import UNBOUNDED, Bounds

T = TypeVar("T")


_DML = frozenset({"DELETE", "INSERT", "UPDATE"})

# The first words of GoogleSQL statements that ExecuteSql never accepts.
_REFUSED = frozenset(
    {"ALTER", "ANALYZE", "ASSERT", "BEGIN", "CLONE", "COMMIT", "CREATE", "DECLARE", "DEFINE",
     "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "GRANT", "IF", "IMPORT", "LOAD", "LOOP",
     "MERGE", "RAISE", "RENAME", "REVOKE", "ROLLBACK", "RUN", "SET", "SHOW", "START", "TRUNCATE",
     "WHILE"}
)  # fmt: skip


def parse_statement(text: str, bounds: Bounds = UNBOUNDED) -> ast.Statement:
    """Parse the single statement of `text`, which may end in a semicolon.

    Raises TextTooLong or StatementTooLarge as soon as the text exceeds `bounds`.
    """
    return _parse_all(text, StatementParser.statement, bounds)


def begins_dml(text: str) -> bool:
    """Return whether `text` begins with a DML keyword, after an optional statement hint.

    The text need not be a valid statement. Raises SyntaxFailure if the hint is malformed, or if
    the text begins with another token and cannot be split into tokens.
    """
    parser = StatementParser(text)
    parser.hint()
    if parser.token.symbol in _DML:
        return True
    tokenize(text)
    return False


def parse_query(text: str, bounds: Bounds = UNBOUNDED) -> ast.Query:
    """Parse the single query of `text`, which has no statement hint."""
    return _parse_all(text, StatementParser.query, bounds)


def parse_expression(text: str, bounds: Bounds = UNBOUNDED) -> ast.Expression:
    """Parse the single expression of `text`."""
    return _parse_all(text, StatementParser.expression, bounds)


@deep_stack()
def _parse_all(text: str, rule: Callable[[StatementParser], T], bounds: Bounds) -> T:
    length_max = bounds.limits.sql_characters
    if len(text) > length_max:
        raise TextTooLong(len(text), length_max)
    parser = StatementParser(text, bounds)
    try:
        tree = rule(parser)
    except RecursionError:
        # LEVELS_MAX is safe for callers of ordinary stack depth; a deeper caller leaves less stack.
        raise parser.too_deep() from None
    parser.expect_end()
    return tree


class NestedDmlParser(QueryParser):
    """The grammar of nested DML, and the rules that it shares with the enclosing statements."""

    def value_row(self) -> ast.ValueRow:
        """Parse `(value, ...)`."""
        start = self.token.at
        values = self.in_parentheses(self.value_or_default)
        return ast.ValueRow(values, at=start, end=self.end)

    def value_or_default(self) -> ast.Expression:
        """Parse an expression or DEFAULT."""
        if self.token.symbol != "DEFAULT":
            return self.expression()
        word = self.advance()
        return ast.DefaultKeyword(at=word.at, end=word.end)

    def set_item(self) -> ast.Assignment | ast.NestedStatement:
        """Parse an item of SET: an assignment, or a statement in parentheses."""
        if self.token.symbol == "(" and self.peek().symbol in _NESTED_STATEMENTS:
            return self.nested_statement()
        return self.assignment()

    def assignment(self) -> ast.Assignment:
        """Parse `path = value`, where the value may be DEFAULT."""
        start = self.token.at
        path = self.path()
        if self.token.symbol == "[":
            raise self.failure("UPDATE ... SET does not support array modification with []")
        self.expect("=", ".")
        return ast.Assignment(path, self.value_or_default(), at=start, end=self.end)

    def nested_statement(self) -> ast.NestedStatement:
        """Parse `(DELETE ...)`, `(UPDATE ...)` or `(INSERT ...)`."""
        self.expect("(")
        self.deeper()
        start = self.token.at
        statement = _NESTED_STATEMENTS[self.advance().symbol](self, start)
        self.depth -= 1
        self.expect(")")
        return statement

    def _delete_elements(self, start: int) -> ast.NestedStatement:
        self.accept("FROM")
        target = self.path()
        alias = self._element_alias("DELETE")
        where = self._elements_where("DELETE", start)
        count = self.asserted_rows()
        return ast.NestedDelete(target, alias, where, count, at=start, end=self.end)

    def _update_elements(self, start: int) -> ast.NestedStatement:
        target = self.path()
        alias = self._element_alias("UPDATE")
        self.expect("SET")
        items = self.item_list(self.set_item)
        where = self._elements_where("UPDATE", start)
        count = self.asserted_rows()
        return ast.NestedUpdate(target, alias, items, where, count, at=start, end=self.end)

    def _insert_elements(self, start: int) -> ast.NestedStatement:
        if self.token.symbol in ("OR", "IGNORE"):
            raise self.failure("Nested INSERTs cannot have an insert mode", self.token.at)
        self.accept("INTO")
        target = self.path()
        if self.token.symbol == "(" and self.peek().symbol not in ("SELECT", "WITH", "FROM", "("):
            self.identifiers_in_parentheses()  # an element name, to which no expression can refer
        if self.accept("VALUES"):
            rows = self.comma_separated(self.value_row)
            count = self.asserted_rows()
            return ast.NestedInsert(target, rows, None, count, at=start, end=self.end)
        query = self.query()
        return ast.NestedInsert(target, (), query, self.asserted_rows(), at=start, end=self.end)

    def asserted_rows(self) -> ast.Expression | None:
        """Parse `ASSERT_ROWS_MODIFIED count`; return None if it does not follow."""
        if not self.accept("ASSERT_ROWS_MODIFIED"):
            return None
        if self.token.symbol in ("-", "+", "NULL"):
            raise self.unexpected()
        return self.expression()

    def _element_alias(self, statement: str) -> ast.Identifier | None:
        alias = self.alias()
        if self.follows("WITH", "OFFSET"):
            raise self.failure(f"Nested {statement} does not support WITH OFFSET", self.token.at)
        return alias

    def _elements_where(self, statement: str, start: int) -> ast.Expression:
        if not self.accept("WHERE"):
            raise self.failure(f"{statement} must have a WHERE clause", start)
        return self.expression()


_NESTED_STATEMENTS: Mapping[str, Callable[[NestedDmlParser, int], ast.NestedStatement]] = {
    "DELETE": NestedDmlParser._delete_elements,
    "UPDATE": NestedDmlParser._update_elements,
    "INSERT": NestedDmlParser._insert_elements,
}


class DmlParser(NestedDmlParser):
    """The grammar of DML."""

    # ------------------------------------------------------------------------ INSERT

    def insert(self, hint: ast.Hint | None) -> ast.Insert:
        """Parse INSERT [OR IGNORE | OR UPDATE] [INTO] target (columns) input ..."""
        start = self.advance().at
        mode = self._insert_mode()
        self.accept("INTO")
        path = self.path()
        target_hint = self.hint()
        alias = self.identifier() if self.accept("AS") else None
        target = ast.Target(path, target_hint, alias, at=path.at, end=self.end)
        columns: tuple[ast.Identifier, ...] = ()
        if self.token.symbol == "(" and not self._query_in_parentheses_follows():
            columns = self.identifiers_in_parentheses()
        takes_conflict = self.token.symbol in ("VALUES", "(")
        rows, query = self._insert_input()
        on_conflict = self._on_conflict() if takes_conflict else None
        return ast.Insert(
            columns, mode, rows, query, on_conflict, target=target, hint=hint,
            assert_rows=self.asserted_rows(), returning=self._returning(), at=start, end=self.end,
        )  # fmt: skip

    def _insert_mode(self) -> InsertMode:
        """Parse OR IGNORE or OR UPDATE, where OR is optional."""
        bare_update = self.token.symbol == "UPDATE" and self.peek().symbol not in ("(", ".")
        if self.accept_all("OR", "UPDATE") or (bare_update and self.accept("UPDATE")):
            return InsertMode.OR_UPDATE
        if self.follows("OR", "REPLACE"):
            raise self.not_in_spanner("INSERT OR REPLACE")
        if self.accept("OR"):
            self.expect("IGNORE", "UPDATE")
            return InsertMode.OR_IGNORE
        return InsertMode.OR_IGNORE if self.accept("IGNORE") else InsertMode.INSERT

    def _query_in_parentheses_follows(self) -> bool:
        """Return whether the next parenthesis holds the input query, not the columns."""
        distance = 1
        while self.peek(distance).symbol == "(":
            distance += 1
        return self.peek(distance).symbol in ("SELECT", "WITH", "FROM")

    def _insert_input(
        self,
    ) -> tuple[tuple[ast.ValueRow, ...] | None, ast.Query | None]:
        if self.accept("VALUES"):
            return self.comma_separated(self.value_row), None
        if self.token.symbol == "(" or self.starts_query():
            return None, self.query()
        raise self.unexpected("VALUES", "SELECT")

    def _on_conflict(self) -> ast.OnConflict | None:
        if not self.follows("ON", "CONFLICT"):
            return None
        start = self.token.at
        self.expect_all("ON", "CONFLICT")
        columns: tuple[ast.Identifier, ...] = ()
        constraint = None
        if self.token.symbol == "(":
            columns = self.identifiers_in_parentheses()
        elif self.accept("ON"):
            self.expect_all("UNIQUE", "CONSTRAINT")
            constraint = self.path()
        self.expect("DO")
        if self.accept("NOTHING"):
            return ast.OnConflict(columns, constraint, at=start, end=self.end)
        self.expect("UPDATE", "NOTHING")
        self.expect("SET")
        assignments = self.item_list(self.assignment)
        where = self.expression() if self.accept("WHERE") else None
        return ast.OnConflict(columns, constraint, assignments, where, at=start, end=self.end)

    # ------------------------------------------------------------------------ UPDATE, DELETE

    def update(self, hint: ast.Hint | None) -> ast.Update:
        """Parse UPDATE target SET assignments WHERE ..."""
        start = self.advance().at
        target = self._target()
        self.expect("SET")
        assignments = self.item_list(self.set_item)
        if self.token.symbol == "FROM":
            raise self.not_in_spanner("UPDATE with FROM")
        where = self.expression() if self.accept("WHERE") else None
        return ast.Update(
            assignments, where, target=target, hint=hint,
            assert_rows=self.asserted_rows(), returning=self._returning(), at=start, end=self.end,
        )  # fmt: skip

    def delete(self, hint: ast.Hint | None) -> ast.Delete:
        """Parse DELETE [FROM] target WHERE ..."""
        start = self.advance().at
        self.accept("FROM")
        target = self._target()
        where = self.expression() if self.accept("WHERE") else None
        return ast.Delete(
            where, target=target, hint=hint,
            assert_rows=self.asserted_rows(), returning=self._returning(), at=start, end=self.end,
        )  # fmt: skip

    def _target(self) -> ast.Target:
        path = self.path()
        return ast.Target(path, self.hint(), self.alias(), at=path.at, end=self.end)

    # ------------------------------------------------------------------------ THEN RETURN

    def _returning(self) -> ast.Returning | None:
        if self.token.symbol != "THEN":
            return None
        start = self.advance().at
        self.expect("RETURN")
        with_action = self.accept_all("WITH", "ACTION")
        action_alias = self.identifier() if with_action and self.accept("AS") else None
        items = self.select_items()
        return ast.Returning(items, with_action, action_alias, at=start, end=self.end)


class StatementParser(DmlParser):
    """The whole grammar of queries and DML."""

    def statement(self) -> ast.Statement:
        """Parse a statement and the hint before it."""
        start = self.token.at
        hint = self.hint()
        if rule := _STATEMENTS.get(self.token.symbol):
            return rule(self, hint)
        if self.starts_query() or self.token.symbol == "(":
            query = self.query()
            return ast.QueryStatement(query, hint, at=start, end=self.end)
        if self.token.symbol in _REFUSED and hint is None:
            line, column = line_and_column(self.text, self.token.at)
            raise StatementRefused(self.token.symbol, line, column)
        raise self.unexpected()

    def call_procedure(self, hint: ast.Hint | None) -> ast.CallProcedure:
        """Parse CALL procedure(arguments)."""
        if hint is not None:
            raise self.unexpected()
        start = self.advance().at
        procedure = self.path()
        self.expect("(")
        arguments = () if self.token.symbol == ")" else self.item_list(self.argument)
        self.expect(")", ",")
        return ast.CallProcedure(procedure, arguments, at=start, end=self.end)

    def export_data(self, hint: ast.Hint | None) -> ast.Statement:
        """Refuse EXPORT DATA; Spanner has only the form with a graph algorithm."""
        if hint is not None:
            raise self.unexpected()
        at = self.token.at
        if self.accept_all("EXPORT", "DATA"):
            self._skip_options()
            if self.follows("AS", "GRAPH"):
                raise Unsupported("EXPORT DATA AS GRAPH")
        raise StatementRefused("EXPORT", *line_and_column(self.text, at))

    def _skip_options(self) -> None:
        """Skip OPTIONS and the parentheses behind it."""
        depth = 0
        if self.accept("OPTIONS"):
            while self.token.kind is not Kind.END:
                symbol = self.advance().symbol
                depth += (symbol == "(") - (symbol == ")")
                if not depth:
                    return

    def graph_statement(self, hint: ast.Hint | None) -> ast.QueryStatement:
        """Parse GRAPH graph queries."""
        start = self.token.at if hint is None else hint.at
        return ast.QueryStatement(self.graph_query(), hint, at=start, end=self.end)


_STATEMENTS: Mapping[str, Callable[[StatementParser, ast.Hint | None], ast.Statement]] = {
    "CALL": StatementParser.call_procedure,
    "DELETE": StatementParser.delete,
    "EXPORT": StatementParser.export_data,
    "GRAPH": StatementParser.graph_statement,
    "INSERT": StatementParser.insert,
    "UPDATE": StatementParser.update,
}
