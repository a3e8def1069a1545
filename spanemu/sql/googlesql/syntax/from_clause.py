"""FROM clauses: tables, subqueries, UNNEST, table functions, and joins."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.record import dataclass
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.ast import JoinKind
from spanemu.sql.googlesql.syntax.expression import ExpressionParser
from spanemu.sql.syntax_tree import Kind
from spanemu.sql.token_cursor import DEPTH_MAX

_KINDS: Mapping[str, JoinKind] = {
    "INNER": JoinKind.INNER,
    "CROSS": JoinKind.CROSS,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.RIGHT,
    "FULL": JoinKind.FULL,
}
_METHODS: Mapping[str, str] = {"HASH": "HASH_JOIN", "LOOKUP": "LOOKUP_JOIN"}
_STARTS_JOIN = frozenset({"JOIN", "NATURAL", *_KINDS, *_METHODS})
_UNCONDITIONAL = frozenset({JoinKind.COMMA, JoinKind.CROSS})
_CONTINUES_QUERY = frozenset({"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "FOR", "|>"})
_ROW_PATTERNS = frozenset({"PIVOT", "UNPIVOT", "MATCH_RECOGNIZE"})
_STARTS_CONDITION = frozenset(
    {Kind.IDENTIFIER, Kind.INTEGER, Kind.FLOAT, Kind.STRING, Kind.BYTES}
)  # fmt: skip


@dataclass
class _Step:
    """A join of a chain; its condition may follow later."""

    kind: JoinKind
    right: ast.FromItem
    hint: ast.Hint | None
    end: int
    at: int  # of the operator
    on: ast.Expression | None = None
    using: tuple[ast.Identifier, ...] = ()

    @property
    def lacks_condition(self) -> bool:
        return self.kind not in _UNCONDITIONAL and self.on is None and not self.using


class FromParser(ExpressionParser):
    """The grammar of FROM."""

    # ------------------------------------------------------------------------ joins

    def joined(
        self, *, commas: bool, left: ast.FromItem | None = None, start: int | None = None
    ) -> ast.FromItem:
        """Parse items joined from left to right; `left` is the first item if already parsed."""
        if start is None:
            start = self.token.at
        if left is None:
            left = self.from_item()
        steps: list[_Step] = []
        while True:
            if commas and self.accept(","):
                item = self.from_item()
                steps.append(_Step(JoinKind.COMMA, item, None, self.end, item.at))
            elif self.token.symbol in _STARTS_JOIN:
                self._join_step(steps)
            else:
                return self._join_tree(left, steps, start)
            if len(steps) > DEPTH_MAX:  # the tree of a join chain is as deep as the chain is long
                raise self.failure(f"More than {DEPTH_MAX} joins")

    def join_operator(self) -> tuple[JoinKind, ast.Hint | None]:
        """Parse `[kind] [method] JOIN [hint]`."""
        if self.token.symbol == "NATURAL":
            raise self.not_in_spanner("NATURAL JOIN")
        kind = _KINDS.get(self.token.symbol, JoinKind.INNER)
        if self.token.symbol in _KINDS:
            self.advance()
            if kind not in (JoinKind.INNER, JoinKind.CROSS):
                self.accept("OUTER")
        method = _METHODS.get(self.token.symbol)
        method_at = self.token.at
        if method is not None:
            self.advance()
        self.expect("JOIN")
        hint = self.hint()
        if method is not None:
            written = () if hint is None else hint.entries
            entries = (("JOIN_METHOD", method), *written)
            hint = ast.Hint(entries, at=method_at, end=self.end)
        return kind, hint

    def join_condition(self) -> tuple[ast.Expression | None, tuple[ast.Identifier, ...]]:
        """Parse ON condition or USING (columns), if one of the two follows."""
        if self.accept("ON"):
            return self.expression(), ()
        if self.accept("USING"):
            return None, self.identifiers_in_parentheses()
        return None, ()

    def _join_step(self, steps: list[_Step]) -> None:
        start = self.token.at
        kind, hint = self.join_operator()
        if kind in (JoinKind.RIGHT, JoinKind.FULL) and _has_comma(steps):
            message = f"{kind} JOIN must be parenthesized when following a comma join"
            raise self.failure(message, start)
        right = self.from_item()
        steps.append(_Step(kind, right, hint, self.end, start))
        if self.token.symbol in ("ON", "USING"):
            if kind is JoinKind.CROSS:
                raise self.unexpected()
            self._condition(steps[-1])
            while self.token.symbol in ("ON", "USING"):
                self._condition(self._outer_step(steps))

    def _condition(self, step: _Step) -> None:
        step.on, step.using = self.join_condition()
        step.end = self.end

    def _outer_step(self, steps: list[_Step]) -> _Step:
        """Return the join that a second ON in a row belongs to: the nearest without a condition.

        All later joins become the right side of the returned join: `a JOIN b JOIN c ON x ON y` is
        `a JOIN (b JOIN c ON x) ON y`.
        """
        for position in reversed(range(len(steps) - 1)):
            step = steps[position]
            if step.kind is JoinKind.COMMA:
                break
            if step.lacks_condition:
                right = step.right
                step.right = self._join_tree(right, steps[position + 1 :], right.at)
                del steps[position + 1 :]
                return step
        raise self.unexpected()

    def _join_tree(self, left: ast.FromItem, steps: list[_Step], start: int) -> ast.FromItem:
        for step in steps:
            left = ast.Join(
                step.kind, left, step.right, step.on, step.using, step.hint, step.at,
                at=start, end=step.end,
            )  # fmt: skip
        return left

    # ------------------------------------------------------------------------ items

    def from_item(self) -> ast.FromItem:
        """Parse an item of a FROM clause, including its TABLESAMPLE."""
        symbol = self.token.symbol
        if symbol == "(":
            return self._grouped_item()
        if symbol == "UNNEST":
            return self._unnest()
        if symbol == "LATERAL":
            raise self.not_in_spanner("LATERAL")
        if symbol == "GRAPH_TABLE":
            return self.graph_table()
        start = self.token.at
        path = self.path()
        if self.token.symbol == "(":
            return self.table_function(path)
        hint = self.hint()
        alias = self.table_alias()
        with_offset, offset_alias = self._offset()
        sample = self.sample()
        return ast.TableRef(
            path, alias, hint, sample, with_offset, offset_alias, at=start, end=self.end
        )

    def graph_table(self) -> ast.FromItem:
        """Parse GRAPH_TABLE(graph query) and its alias."""
        raise NotImplementedError  # `QueryParser` has it

    def table_alias(self) -> ast.Identifier | None:
        """Parse `[AS] alias` if it follows; refuse clauses that only look like an alias."""
        token = self.token
        if token.kind is Kind.IDENTIFIER:
            following = self.peek()
            if token.symbol in _ROW_PATTERNS and following.symbol == "(":
                raise self.not_in_spanner(token.symbol)
            if token.symbol == "QUALIFY" and following.kind in _STARTS_CONDITION:
                raise self.not_in_spanner("QUALIFY")
        if self.follows("FOR", "SYSTEM_TIME"):
            raise self.not_in_spanner("FOR SYSTEM_TIME AS OF")
        return self.alias()

    def table_function(self, function: ast.Path) -> ast.TableFunction:
        """Parse the arguments of a table function, its hint, its alias and its TABLESAMPLE."""
        self.deeper()
        self.expect("(")
        arguments: tuple[ast.Expression, ...] = ()
        if self.token.symbol != ")":
            arguments = self.item_list(self.argument)
        self.expect(")", ",")
        hint = self.hint()
        alias = self.table_alias()
        sample = self.sample()
        self.depth -= 1
        return ast.TableFunction(
            function, arguments, alias, hint, sample, at=function.at, end=self.end
        )

    def _unnest(self) -> ast.FromItem:
        start = self.advance().at
        self.expect("(")
        array = self.expression()
        if self.token.symbol == ",":
            raise self.not_in_spanner("UNNEST of several arrays", self.peek().at)
        self.expect(")", ",")
        hint = self.hint()
        alias = self.table_alias()
        hint = hint or self.hint()
        with_offset, offset_alias = self._offset()
        sample = self.sample()
        return ast.Unnest(
            array, alias, with_offset, offset_alias, hint, sample, at=start, end=self.end
        )

    def _offset(self) -> tuple[bool, ast.Identifier | None]:
        """Parse WITH OFFSET [[AS] alias], if it follows."""
        if not self.accept_all("WITH", "OFFSET"):
            return False, None
        return True, self.alias()

    def sample(self) -> ast.Sample | None:
        """Parse TABLESAMPLE method (size unit) ...; return None if it does not follow."""
        if self.token.symbol != "TABLESAMPLE":
            return None
        start = self.advance().at
        method = self.identifier().name.upper()
        self.expect("(")
        size = self.expression()
        if self.token.symbol not in ("PERCENT", "ROWS"):
            raise self.unexpected("PERCENT", "ROWS")
        unit = self.advance().symbol
        self.expect(")")
        repeatable = None
        if self.accept("REPEATABLE"):
            self.expect("(")
            repeatable = self.expression()
            self.expect(")")
        weight = None
        if self.follows("WITH", "WEIGHT"):
            word_at = self.token.at
            self.expect_all("WITH", "WEIGHT")
            weight = self.alias() or ast.Identifier("weight", at=word_at, end=self.end)
        return ast.Sample(method, size, unit, repeatable, weight, at=start, end=self.end)

    # ------------------------------------------------------------------------ parentheses

    def _grouped_item(self) -> ast.FromItem:
        start = self.token.at
        inside = self._group_of_items()
        if isinstance(inside, ast.Query):
            return self._subquery(inside, start)
        sample = self.sample()
        if sample is None:
            return inside
        return ast.SampledJoin(inside, sample, at=start, end=self.end)

    def _subquery(self, query: ast.Query, start: int) -> ast.FromItem:
        hint = self.hint()
        alias = self.table_alias()
        sample = self.sample()
        return ast.SubqueryRef(query, alias, hint, sample, at=start, end=self.end)

    def _group_of_items(self) -> ast.FromItem | ast.Query:
        """Parse a query or a join in parentheses, distinguished as in `ExpressionParser.group`."""

        def inmost() -> ast.FromItem | ast.Query:
            if self.starts_query():
                return self.query()
            item = self.joined(commas=False)
            if not isinstance(item, ast.Join):
                raise self.unexpected("JOIN")
            return item

        def close(
            inside: ast.FromItem | ast.Query, _: int, is_outermost: bool
        ) -> ast.FromItem | ast.Query:
            self.expect(")")
            is_join = isinstance(inside, ast.FromItem)
            if is_join and not is_outermost and self.token.symbol == ")":
                raise self.unexpected("JOIN")
            return inside

        self.deeper(2)
        inside = self.in_nested_parentheses(inmost, close, self._continued_items)
        self.depth -= 2
        return inside

    def _continued_items(
        self, inside: ast.FromItem | ast.Query, start: int
    ) -> ast.FromItem | ast.Query:
        """Parse what follows parentheses inside of others, which began at `start`."""
        if isinstance(inside, ast.Query):
            if self.token.symbol in _CONTINUES_QUERY:
                return self.query(inside)
            inside = self._subquery(inside, start)
        return self.joined(commas=False, left=inside, start=start)


def _has_comma(steps: list[_Step]) -> bool:
    return any(step.kind is JoinKind.COMMA for step in steps)
