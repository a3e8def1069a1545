"""Calls of functions: arguments, aggregate modifiers, and the forms with words as separators."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.keywords import COLUMN_NAMES, UNRESERVED
from spanemu.sql.postgresql.syntax.operand import OperandParser
from spanemu.sql.syntax_tree import (
    Expression,
    Identifier,
    IntLiteral,
    Kind,
    NullLiteral,
    Path,
    StringLiteral,
)

_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_TRIMS = {"BOTH": "btrim", "LEADING": "ltrim", "TRAILING": "rtrim"}
_FRAMES = frozenset({"RANGE", "ROWS", "GROUPS"})
_NORMAL_FORMS = frozenset({"NFC", "NFD", "NFKC", "NFKD"})
WINDOW_REFUSED = "Statements with WINDOW clauses are not supported"


class CallParser(OperandParser):
    """The grammar of function calls."""

    # ------------------------------------------------------------------------ plain calls

    def call(self, function: Path) -> ast.FunctionCall:
        """Parse the arguments of a call and everything that may follow them."""
        start = function.at
        self.advance()
        distinct = star = variadic = False
        arguments: tuple[Expression, ...] = ()
        order_by: tuple[ast.SortItem, ...] = ()
        if self.accept("*"):
            star = True
        elif self.token.symbol != ")":
            if self.accept("DISTINCT"):
                distinct = True
            else:
                self.accept("ALL")
            arguments, variadic = self._arguments()
            order_by = self.order_by()
        self.expect(")")
        self.count_call(start)
        hint = self.hint()
        over = self._refused_clauses()
        return ast.FunctionCall(
            function,
            arguments,
            distinct,
            order_by=order_by,
            hint=hint,
            over=over,
            star=star,
            variadic=variadic,
            at=start,
            end=self.end,
        )

    def _arguments(self) -> tuple[tuple[Expression, ...], bool]:
        """Parse the arguments, and return whether the last stands behind VARIADIC."""
        variadic = False

        def argument() -> Expression:
            nonlocal variadic
            if variadic:
                raise self.unexpected(at=self.tokens[self.position - 1])
            variadic = self.accept("VARIADIC")
            return self.argument()

        return self.nested(self.counted(argument)), variadic

    def argument(self) -> Expression:
        """Parse `value`, `name => value` or `name := value`."""
        start = self.token.at
        if self.peek().symbol not in ("=>", ":="):
            return self.expression()
        name = self.function_part()
        self.advance()
        return ast.NamedArgument(name, self.expression(), at=start, end=self.end)

    def _refused_clauses(self) -> bool:
        """Parse WITHIN GROUP, FILTER and OVER behind a call, which Spanner refuses.

        Return whether any of them follows.
        """
        position = self.position
        if self.follows("WITHIN", "GROUP"):
            self.refuse_later("Aggregate functions with WITHIN GROUP clauses are not supported")
            self.expect_all("WITHIN", "GROUP", "(")
            if not self.order_by():
                raise self.unexpected()
            self.expect(")")
        if self.follows("FILTER", "("):
            self.refuse_later("Aggregate functions with FILTER clauses are not supported")
            self.expect_all("FILTER", "(", "WHERE")
            self.expression()
            self.expect(")")
        if self.token.symbol == "OVER":
            self.refuse_later(WINDOW_REFUSED)
            self.advance()
            if self.token.symbol == "(":
                self.window()
            else:
                self.identifier()
        return self.position > position

    def window(self) -> None:
        """Parse the definition of a window in parentheses; Spanner has no windows."""
        self.expect("(")
        self.deeper()
        if self.at_name() and self.token.symbol not in ("PARTITION", *_FRAMES):
            self.identifier()
        if self.accept("PARTITION"):
            self.expect("BY")
            self.item_list(self.expression)
        self.order_by()
        if self.accept_any(*_FRAMES):
            if self.accept("BETWEEN"):
                self._frame_bound()
                self.expect("AND")
            self._frame_bound()
            if self.accept("EXCLUDE"):
                self._excluded_rows()
        self.depth -= 1
        self.expect(")")

    def _frame_bound(self) -> None:
        if self.accept_all("CURRENT", "ROW"):
            return
        if not (self.token.symbol == "UNBOUNDED" and self.accept("UNBOUNDED")):
            self.expression()
        if not self.accept_any("PRECEDING", "FOLLOWING"):
            raise self.unexpected()

    def _excluded_rows(self) -> None:
        if self.accept("CURRENT"):
            self.expect("ROW")
        elif self.accept("NO"):
            self.expect("OTHERS")
        elif not self.accept_any("GROUP", "TIES"):
            raise self.unexpected()

    # ------------------------------------------------------------------------ ORDER BY

    def order_by(self) -> tuple[ast.SortItem, ...]:
        """Parse ORDER BY items, if it follows."""
        start = self.token.at
        if not self.accept("ORDER"):
            return ()
        self.expect("BY")
        return self.item_list(lambda: self._sort_item(start))

    def _sort_item(self, clause_at: int) -> ast.SortItem:
        start = self.token.at
        value = self.expression()
        descending = False
        if self.accept("USING"):
            descending = self._sort_operator()
        elif not self.accept("ASC"):
            descending = self.accept("DESC")
        nulls = None
        if self.accept("NULLS"):
            nulls = self.accept_any("FIRST", "LAST")
            if not nulls:
                raise self.unexpected()
        return ast.SortItem(
            value, descending, clause_at=clause_at, nulls=nulls, at=start, end=self.end
        )

    def _sort_operator(self) -> bool:
        """Parse the operator of ORDER BY ... USING; return whether the order is descending."""
        token = self.token
        operator = self.qualified_operator()
        if operator not in ("<", ">"):
            self.reject_later(
                f"[ERROR] operator {operator} is not a valid ordering operator", token.at
            )
        return operator == ">"

    def qualified_operator(self) -> str:
        """Parse an operator as such, or OPERATOR(schema.operator)."""
        if not self.follows("OPERATOR", "("):
            return self._operator_symbol()
        start = self.token.at
        self.expect_all("OPERATOR", "(")
        schema = "pg_catalog"
        while self.at_name():
            schema = self.identifier().name
            self.expect(".")
        operator = self._operator_symbol()
        self.expect(")")
        if schema != "pg_catalog":
            self.reject_later(f'[ERROR] schema "{schema}" does not exist', start)
        return operator

    def _operator_symbol(self) -> str:
        if self.token.kind is not Kind.OPERATOR and self.token.symbol not in _MATH_OPERATORS:
            raise self.unexpected()
        return self.advance().symbol

    # ------------------------------------------------------------------------ forms with words

    def form(self) -> Expression:
        """Parse a call whose function name is a word with its own syntax."""
        word = self.advance()
        self.expect("(")
        self.deeper()
        form = _FORMS[word.symbol](self, word.at)
        self.depth -= 1
        self.expect(")")
        self.count_call(word.at)
        return form

    def _form_call(
        self, name: str, arguments: tuple[Expression, ...], at: int, *, has_words: bool = True
    ) -> ast.FunctionCall:
        return self.call_of(name, arguments, at, self.token.end, has_words=has_words)

    def call_of(
        self,
        name: str,
        arguments: tuple[Expression, ...],
        at: int,
        end: int,
        *,
        has_words: bool = True,
    ) -> ast.FunctionCall:
        """Return the call of a function whose name may be no part of the text."""
        function = Path((Identifier(name, at=at, end=at),), at=at, end=at)
        return ast.FunctionCall(function, arguments, sql_form=has_words, at=at, end=end)

    def _coalesce(self, start: int) -> Expression:
        return self._form_call("coalesce", self.item_list(self.expression), start)

    def _greatest(self, start: int) -> Expression:
        return self._form_call("greatest", self.item_list(self.expression), start)

    def _least(self, start: int) -> Expression:
        return self._form_call("least", self.item_list(self.expression), start)

    def _nullif(self, start: int) -> Expression:
        left = self.expression()
        self.expect(",")
        return self._form_call("nullif", (left, self.expression()), start)

    def _extract(self, start: int) -> Expression:
        if self.token.kind is Kind.STRING:
            unit = self.string_value()
        elif self.token.symbol in _UNITS or self._at_plain_name():
            unit = self.identifier().name
        else:
            raise self.unexpected()
        self.expect("FROM")
        operand = self.expression()
        return ast.Extract(unit.lower(), operand, at=start, end=self.token.end)

    def _at_plain_name(self) -> bool:
        """Return whether the next token is a name that is no word of the grammar."""
        symbol = self.token.symbol
        return self.at_name() and symbol not in UNRESERVED and symbol not in COLUMN_NAMES

    def _overlay(self, start: int) -> Expression:
        if self.token.symbol == ")":
            return self._form_call("overlay", (), start)
        items = [self.argument()]
        if not self.accept("PLACING"):
            return self._rest_of_call("overlay", items, start)
        items.append(self.expression())
        self.expect("FROM")
        items.append(self.expression())
        if self.accept("FOR"):
            items.append(self.expression())
        return self._form_call("overlay", tuple(items), start)

    def _substring(self, start: int) -> Expression:
        if self.token.symbol == ")":
            return self._form_call("substring", (), start)
        items = [self.argument()]
        if self.accept("SIMILAR"):
            items.append(self.expression())
            self.expect("ESCAPE")
            items.append(self.expression())
            return self._form_call("substring", tuple(items), start)
        begin = self.expression() if self.accept("FROM") else None
        length = self.expression() if self.accept("FOR") else None
        if begin is None and length is None:
            return self._rest_of_call("substring", items, start)
        if begin is None and self.accept("FROM"):
            begin = self.expression()
        if begin is None:
            begin = IntLiteral(1, "1", at=start, end=start)
        given = (*items, begin) if length is None else (*items, begin, length)
        return self._form_call("substring", given, start)

    def _rest_of_call(self, name: str, items: list[Expression], start: int) -> Expression:
        """Parse the arguments behind the first of a call that has no words between arguments."""
        while self.accept(","):
            items.append(self.argument())
        return self._form_call(name, tuple(items), start, has_words=False)

    def _position(self, start: int) -> Expression:
        part = self.b_expression()
        self.expect("IN")
        return self._form_call("position", (self.b_expression(), part), start)

    def b_expression(self) -> Expression:
        """Parse an expression without AND, OR, NOT and the predicates made of words."""
        raise NotImplementedError  # `ExpressionParser` has it

    def _trim(self, start: int) -> Expression:
        name = _TRIMS[self.accept_any(*_TRIMS) or "BOTH"]
        characters: tuple[Expression, ...] = ()
        if not self.accept("FROM"):
            characters = self.item_list(self.expression)
            if len(characters) > 1 or not self.accept("FROM"):
                return self._form_call(name, characters, start)
        return self._form_call(name, (*self.item_list(self.expression), *characters), start)

    def _treat(self, start: int) -> Expression:
        operand = self.expression()
        self.expect("AS")
        self.type_reference()
        self.refuse_later("TREAT is not supported", start)
        return operand

    def _normalize(self, start: int) -> Expression:
        items = [self.expression()]
        if self.accept(","):
            token = self.token
            if not self.accept_any(*_NORMAL_FORMS):
                raise self.unexpected()
            items.append(StringLiteral(token.symbol, at=token.at, end=token.end))
        return self._form_call("normalize", tuple(items), start)

    def _grouping(self, start: int) -> Expression:
        self.refuse_later("GROUPING is not supported", start)
        return self._form_call("grouping", self.item_list(self.expression), start)

    def _xml(self, start: int) -> Expression:
        """Skip the arguments of a function for XML, a type that Spanner lacks."""
        self.refuse_later("The Postgres Type is not supported: xml", start)
        opened = 0
        while opened or self.token.symbol != ")":
            if self.token.kind is Kind.END:
                raise self.unexpected()
            opened += {"(": 1, ")": -1}.get(self.advance().symbol, 0)
        return NullLiteral(at=start, end=self.token.end)


_MATH_OPERATORS = frozenset({"+", "-", "*", "/", "%", "^", "<", ">", "=", "<=", ">=", "<>"})
_XML = ["CONCAT", "ELEMENT", "EXISTS", "FOREST", "PARSE", "PI", "ROOT", "SERIALIZE"]
_FORMS: Mapping[str, Callable[[CallParser, int], Expression]] = {
    "COALESCE": CallParser._coalesce,
    "EXTRACT": CallParser._extract,
    "GREATEST": CallParser._greatest,
    "GROUPING": CallParser._grouping,
    "LEAST": CallParser._least,
    "NORMALIZE": CallParser._normalize,
    "NULLIF": CallParser._nullif,
    "OVERLAY": CallParser._overlay,
    "POSITION": CallParser._position,
    "SUBSTRING": CallParser._substring,
    "TREAT": CallParser._treat,
    "TRIM": CallParser._trim,
    **{f"XML{name}": CallParser._xml for name in _XML},
}
FORMS = frozenset(_FORMS)
