"""Function calls: arguments, aggregate modifiers, hints and OVER clauses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.base.record import dataclass
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.operand import OperandParser
from spanemu.sql.syntax_tree import Kind

_NAMED_OBJECTS = frozenset({"SEQUENCE", "MODEL", "TABLE", "CONNECTION", "DESCRIPTOR"})
_TYPED_LITERALS = frozenset(
    {"DATE", "DATETIME", "TIME", "TIMESTAMP", "NUMERIC", "DECIMAL", "BIGNUMERIC", "BIGDECIMAL",
     "JSON", "UUID"}
)  # fmt: skip


@dataclass
class _Modifiers:
    """The clauses behind the last argument of an aggregate call."""

    nulls: str | None = None
    having: tuple[str, ast.Expression] | None = None
    order_by: tuple[ast.OrderItem, ...] = ()
    limit: ast.Expression | None = None


_NO_MODIFIERS = _Modifiers()


class CallParser(OperandParser):
    """The grammar of function calls."""

    def path_or_call(self) -> ast.Expression:
        """Parse a path as an expression, or a call of the function that the path names."""
        token = self.token
        following = self.peek()
        if following.symbol == "(" and (special := _SPECIAL_CALLS.get(token.symbol)):
            return special(self)
        if following.kind is Kind.STRING and token.symbol in _TYPED_LITERALS:
            return self.typed_literal()
        path = self._expression_path()
        if self.token.symbol == "(":
            return self.call(path)
        if self.token.symbol == "{" and token.symbol == "VALUE" and len(path.parts) == 1:
            return self.graph_value(token.at)
        return ast.Name(path, at=path.at, end=path.end)

    def _expression_path(self) -> ast.Path:
        """Parse a path, but leave the dot of `t.*` unread."""
        first = self.identifier()
        if self.token.symbol != ".":
            return ast.Path((first,), at=first.at, end=first.end)
        parts = [first]
        while self.token.symbol == "." and self.peek().kind in _NAME_KINDS:
            self.advance()
            parts.append(self.part())
            self.check_path(parts)
        return ast.Path(tuple(parts), at=first.at, end=self.end)

    def keyword_call(self) -> ast.Expression:
        """Parse a call of a function whose name is a reserved word: IF(...), LEFT(...)."""
        word = self.part()
        return self.call(ast.Path((word,), at=word.at, end=word.end))

    def call(self, function: ast.Path) -> ast.Expression:
        """Parse the arguments of a call, its modifiers, its hint and its OVER clause."""
        self.deeper()
        self.expect("(")
        distinct = self.accept("DISTINCT")
        arguments: tuple[ast.Expression, ...] = ()
        if self.token.symbol == "*":
            star = self.advance()
            arguments = (ast.Star(at=star.at, end=star.end),)
        elif self.token.symbol != ")":
            arguments = self.comma_separated(self.argument)
        modifiers = self._modifiers()
        self.expect(")")
        hint = self.hint()
        window = self._window() if self.accept("OVER") else None
        self.depth -= 1
        if function.parts[0].name.upper() in self.bounds.functions and len(function.parts) == 1:
            self.count_call(function.at)
        if window is not None:
            return ast.WindowCall(
                function, arguments, distinct, modifiers.nulls, modifiers.having,
                modifiers.order_by, modifiers.limit, hint, True, window,
                at=function.at, end=self.end,
            )  # fmt: skip
        return ast.Call(
            function, arguments, distinct, modifiers.nulls, modifiers.having, modifiers.order_by,
            modifiers.limit, hint, at=function.at, end=self.end,
        )  # fmt: skip

    # ------------------------------------------------------------------------ arguments

    def argument(self) -> ast.Expression:
        """Parse an expression, a lambda, `name => value`, or `SEQUENCE name` and similar."""
        token = self.token
        if token.kind is Kind.IDENTIFIER:
            following = self.peek()
            if following.symbol == "=>":
                name = self.identifier()
                self.advance()
                value = self._value_or_lambda()
                return ast.NamedArgument(name, value, at=token.at, end=self.end)
            if token.symbol in _NAMED_OBJECTS and following.kind is Kind.IDENTIFIER:
                self.advance()
                path = self.path()
                return ast.SequenceArgument(token.symbol, path, at=token.at, end=self.end)
        return self._value_or_lambda()

    def _value_or_lambda(self) -> ast.Expression:
        start = self.token.at
        if self.follows("(", ")", "->"):
            self.expect_all("(", ")")
            return self._lambda((), start)
        value = self.expression()
        if self.token.symbol != "->":
            return value
        return self._lambda(self._lambda_parameters(value), start)

    def _lambda(self, parameters: tuple[ast.Identifier, ...], start: int) -> ast.Expression:
        self.expect("->")
        self.deeper()
        body = self.expression()
        self.depth -= 1
        return ast.Lambda(parameters, body, at=start, end=self.end)

    def _lambda_parameters(self, left: ast.Expression) -> tuple[ast.Identifier, ...]:
        """Return the parameter names of a lambda whose head was parsed as `x` or `(x, y)`."""
        match left:
            case ast.Name(path=ast.Path(parts=(only,))):
                return (only,)
            case ast.StructConstructor(items=items, tuple_form=True):
                return tuple(name for item, _ in items for name in self._lambda_parameters(item))
        raise self.failure("Expecting lambda argument list", left.at)

    # ------------------------------------------------------------------------ aggregates

    def _modifiers(self) -> _Modifiers:
        if self.token.symbol == ")":
            return _NO_MODIFIERS
        modifiers = _Modifiers()
        if self.token.symbol in ("IGNORE", "RESPECT"):
            modifiers.nulls = self.advance().symbol
            self.expect("NULLS")
        if self.accept("HAVING"):
            if self.token.symbol not in ("MAX", "MIN"):
                raise self.unexpected("MAX", "MIN")
            modifiers.having = (self.advance().symbol, self.expression())
        if self.token.symbol == "ORDER":
            start = self.advance().at
            self.expect("BY")
            modifiers.order_by = self.order_items(start)
        if self.accept("LIMIT"):
            modifiers.limit = self.expression()
        return modifiers

    def order_items(self, clause_at: int) -> tuple[ast.OrderItem, ...]:
        """Parse the items of an ORDER BY; `clause_at` is the offset of ORDER."""
        return self.item_list(lambda: self._order_item(clause_at))

    def _order_item(self, clause_at: int) -> ast.OrderItem:
        """Parse `value [COLLATE name] [ASC | DESC] [NULLS FIRST | NULLS LAST]`."""
        start = self.token.at
        value = self.expression()
        collation = self.collation() if self.accept("COLLATE") else None
        descending = self.direction() == "DESC"
        self.no_null_order()
        return ast.OrderItem(value, descending, collation, clause_at, at=start, end=self.end)

    def collation(self) -> ast.Expression:
        """Parse the name of a collation: a string literal or a parameter."""
        if self.token.symbol == "@":
            return self.parameter()
        if self.token.kind is not Kind.STRING:
            raise self.unexpected("@", Kind.STRING)
        return self.string()

    def direction(self) -> str | None:
        """Parse ASC or DESC; return None if neither follows."""
        return self.advance().symbol if self.token.symbol in ("ASC", "DESC") else None

    def no_null_order(self) -> None:
        """Refuse NULLS FIRST and NULLS LAST: in queries, NULL is always the least value."""
        if self.token.symbol == "NULLS":
            raise self.not_in_spanner("NULLS FIRST or NULLS LAST")

    def null_order(self) -> str | None:
        """Parse NULLS FIRST or NULLS LAST; return None if neither follows."""
        if not self.accept("NULLS"):
            return None
        if self.token.symbol not in ("FIRST", "LAST"):
            raise self.unexpected("FIRST", "LAST")
        return self.advance().symbol

    # ------------------------------------------------------------------------ windows

    def _window(self) -> ast.Window:
        """Parse the window behind OVER; of a frame, only whether there is one is kept."""
        start = self.token.at
        if self.at_name():
            return ast.Window(self.identifier(), at=start, end=self.end)
        self.expect("(")
        name = self.identifier() if self.at_name() else None
        partition_by: tuple[ast.Expression, ...] = ()
        if self.accept("PARTITION"):
            self.hint()
            self.expect("BY")
            partition_by = self.item_list(self.expression)
        order_by: tuple[ast.OrderItem, ...] = ()
        if self.token.symbol == "ORDER":
            order_at = self.advance().at
            self.hint()
            self.expect("BY")
            order_by = self.order_items(order_at)
        has_frame = self.token.symbol in ("ROWS", "RANGE")
        if has_frame:
            self.advance()
            self._frame()
        self.expect(")")
        return ast.Window(name, partition_by, order_by, has_frame, at=start, end=self.end)

    def _frame(self) -> None:
        """Skip [BETWEEN] bound [AND bound]."""
        if not self.accept("BETWEEN"):
            self._frame_bound()
            return
        self._frame_bound()
        self.expect("AND")
        self._frame_bound()

    def _frame_bound(self) -> None:
        if self.accept("CURRENT"):
            self.expect("ROW")
            return
        if not self.accept("UNBOUNDED"):
            self.expression(_ABOVE_COMPARISON)
        if self.token.symbol not in ("PRECEDING", "FOLLOWING"):
            raise self.unexpected("PRECEDING", "FOLLOWING")
        self.advance()


_ABOVE_COMPARISON = 5  # the expression of a bound must not consume AND
_NAME_KINDS = frozenset({Kind.IDENTIFIER, Kind.KEYWORD})
_SPECIAL_CALLS: Mapping[str, Callable[[CallParser], ast.Expression]] = {
    "REPLACE_FIELDS": CallParser.replace_fields,
    "SAFE_CAST": CallParser.cast,
}
