"""Random whole queries. A query is ordered only where its order is total."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tests.differential import literals
from tests.differential.aggregates import AGGREGATES
from tests.differential.expressions import Expressions, Scope
from tests.differential.sources import Sources
from tests.differential.tree import Piece, optional

ORDERED = "ordered query"
_SET_OPERATIONS = (
    "UNION ALL", "UNION ALL", "UNION DISTINCT", "INTERSECT DISTINCT", "EXCEPT DISTINCT",
    "INTERSECT ALL", "EXCEPT ALL",
)  # fmt: skip
# Types of columns that can be neither grouped nor sorted.
_UNSORTED = ("ARRAY<INT64>", "ARRAY<STRING>", "JSON", "ARRAY<PAIR>")
_HOLE = re.compile(r"\{([A-Z0-9<>]+)\}")


@dataclass
class Queries:
    """The grammar of queries."""

    random: Random
    wild: bool = False

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.random, self.wild, subquery=self.subquery)
        self.sources = Sources(self.expressions, self)

    def statement(self) -> Piece:
        """Return a whole query, whose kind says whether its rows have an order."""
        random = self.random
        types = self.types(random.randint(1, 4))
        sortable = random.random() < 0.85
        if not sortable:
            types[random.randrange(len(types))] = random.choice(_UNSORTED)
        starred = sortable and random.random() < 0.05
        parts: list[str | Piece] = [] if starred else self._common_tables()
        parts.append(self.query(types, Scope(), 2) if sortable else self.select(types, Scope(), 2))
        if not sortable:
            return Piece("statement", tuple(parts))
        if starred:
            return Piece("statement", self._starred(tuple(parts), types))
        if random.random() < 0.4:
            return Piece(ORDERED, (*parts, *self._ordered(len(types))))
        return Piece("statement", tuple(parts))

    def types(self, count: int) -> list[str]:
        """Return types of columns that can be compared."""
        return [self.random.choice(literals.COMPARABLE) for _ in range(count)]

    def _common_tables(self) -> list[str | Piece]:
        """Return WITH and what it names; later tables may read the earlier ones."""
        parts: list[str | Piece] = []
        for number in range(self.random.choice((0, 0, 0, 0, 1, 1, 2))):
            inner = self.types(2)
            query = self.query(inner, Scope(), 1)
            parts += [", " if parts else "WITH ", f"w{number} AS (", query, ")"]
            self.sources.common_tables += ((f"w{number}", tuple(inner)),)
        return [*parts, " "] if parts else []

    def _ordered(self, width: int) -> list[str | Piece]:
        """ORDER BY every column, so that the order is total, and perhaps LIMIT."""
        random = self.random
        numbers = random.sample(range(1, width + 1), width)
        named = [random.choice((str(number), f"c{number - 1}")) for number in numbers]
        terms = [f"{term}{random.choice(('', '', ' DESC', ' ASC'))}" for term in named]
        parts: list[str | Piece] = [" ORDER BY " + ", ".join(terms)]
        if random.random() < 0.7:
            offset = optional(f" OFFSET {random.randint(0, 3)}") if random.random() < 0.3 else ""
            parts.append(
                optional(f" LIMIT {random.choice(('0', '1', '3', '8', '@x_int'))}", offset)
            )
        return parts

    def _starred(self, inner: tuple[str | Piece, ...], types: list[str]) -> tuple[str | Piece, ...]:
        """Return a select of all columns of the query but some, or with one replaced."""
        stars = ["*", "q.*", "* REPLACE (c0 IS NULL AS c0)", "DISTINCT *", "q.*, 1 AS one"]
        if len(types) > 1:
            stars += ["* EXCEPT (c0)", "* EXCEPT (c0) REPLACE (1 AS c1)", "q.* EXCEPT (c1), c1"]
        return (f"SELECT {self.random.choice(stars)} FROM (", *inner, ") AS q")

    def query(self, types: list[str], outer: Scope, depth: int) -> Piece:
        """Return a SELECT or a set operation."""
        if self.random.random() > 0.15 or depth <= 0:
            return self.select(types, outer, depth)
        parts: list[str | Piece] = ["(", self.select(types, outer, depth - 1), ")"]
        operation = self.random.choice(_SET_OPERATIONS)
        for _ in range(self.random.choice((1, 1, 2))):
            parts += [optional(f" {operation} (", self.select(types, outer, depth - 1), ")")]
        return Piece("query:" + ",".join(types), tuple(parts))

    def select(self, types: list[str], outer: Scope, depth: int) -> Piece:
        """SELECT ... AS c0, ... AS c1."""
        random = self.random
        if random.random() < 0.04:
            return self._without_from(types, outer, depth)
        source, columns = self.sources.source(outer, depth)
        scope = outer.with_(*columns)
        sortable = set(types) <= set(literals.COMPARABLE)
        if sortable and random.random() < 0.28:
            return self._grouped(types, source, (outer, Scope(columns)), depth)
        items = self._items([self.expressions.expression(each, scope, depth) for each in types])
        distinct = optional(" DISTINCT") if sortable and random.random() < 0.15 else ""
        parts = ["SELECT", distinct, " ", *items, " FROM ", source, *self._where(scope, depth)]
        return Piece("query:" + ",".join(types), tuple(parts))

    def _without_from(self, types: list[str], outer: Scope, depth: int) -> Piece:
        items = self._items([self.expressions.expression(each, outer, depth) for each in types])
        return Piece("query:" + ",".join(types), ("SELECT ", *items))

    def _items(self, items: list[Piece]) -> list[str | Piece]:
        parts: list[str | Piece] = []
        for number, item in enumerate(items):
            parts += [", " if number else "", item, f" AS c{number}"]
        return parts

    def _where(self, scope: Scope, depth: int) -> list[str | Piece]:
        if self.random.random() < 0.35:
            return []
        parts: list[str | Piece] = [
            " WHERE ",
            self.expressions.expression("BOOL", scope, depth + 1),
        ]
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            word = self.random.choice((" AND ", " AND ", " OR "))
            parts.append(optional(word, self.expressions.expression("BOOL", scope, depth)))
        return [optional(*parts)]

    # ------------------------------------------------------------------ groups

    def _grouped(
        self, types: list[str], source: Piece, scopes: tuple[Scope, Scope], depth: int
    ) -> Piece:
        """Return columns that group beside columns that aggregate."""
        outer, inner = scopes
        scope = outer.with_(*inner.columns)
        if self.random.random() < 0.35:
            return self._grouped_by_columns(types, source, scopes, depth)
        items: list[Piece] = []
        keys: list[str] = []
        for number, type_ in enumerate(types):
            if self.random.random() < 0.4:
                items.append(self.expressions.expression(type_, scope, min(depth, 1)))
                keys.append(self.random.choice((str(number + 1), str(number + 1), f"c{number}")))
            else:
                items.append(self._aggregate(type_, scope, depth))
        body = ["SELECT ", *self._items(items), " FROM ", source, *self._where(scope, depth)]
        if keys:
            body.append(" GROUP BY " + ", ".join(keys))
        if keys or self.random.random() < 0.2:
            body += self._having(scope)
        return Piece("query:" + ",".join(types), tuple(body))

    def _grouped_by_columns(
        self, types: list[str], source: Piece, scopes: tuple[Scope, Scope], depth: int
    ) -> Piece:
        """Return expressions over the columns that group, and over aggregates."""
        outer, inner = scopes
        random = self.random
        scope = outer.with_(*inner.columns)
        able = [each for each in dict.fromkeys(inner.columns) if each[1] in literals.COMPARABLE]
        keys = random.sample(able, min(len(able), random.choice((1, 1, 2))))
        plain = Expressions(random, self.wild)
        items = []
        for type_ in types:
            if random.random() < 0.6 or type_ not in AGGREGATES:
                items.append(plain.expression(type_, outer.with_(*keys, *keys), 1))
            else:
                items.append(self._aggregate(type_, scope, depth))
        body = ["SELECT ", *self._items(items), " FROM ", source, *self._where(scope, depth)]
        if keys:
            body += [" GROUP BY " + ", ".join(name for name, _ in keys), *self._having(scope)]
        elif not any(item.kind.startswith("aggregate") for item in items):
            body.append(" LIMIT 0")
        return Piece("query:" + ",".join(types), tuple(body))

    def _having(self, scope: Scope) -> list[str | Piece]:
        random = self.random
        if random.random() < 0.55:
            return []
        if random.random() < 0.5:
            return [optional(" HAVING ", self._aggregate("BOOL", scope, 1))]
        operator = random.choice((">", "<=", "=", "!="))
        left = self._aggregate("INT64", scope, 1)
        return [optional(" HAVING ", left, f" {operator} {random.randint(0, 3)}")]

    def _aggregate(self, type_: str, scope: Scope, depth: int) -> Piece:
        form = self.random.choice(AGGREGATES[type_])
        plain = Expressions(self.random, self.wild)
        parts: list[str | Piece] = []
        for number, text in enumerate(_HOLE.split(form)):
            parts.append(plain.expression(text, scope, min(depth, 1)) if number % 2 else text)
        return Piece(f"aggregate {type_}", tuple(parts))

    # ------------------------------------------------------------------ subqueries

    def subquery(self, type_: str, scope: Scope, depth: int) -> Piece:
        """Return a subquery expression: scalar, a condition or an array."""
        random = self.random
        if type_ == "BOOL" and random.random() < 0.8:
            return self._condition(scope, depth)
        if type_.startswith("ARRAY<"):
            return self._array(type_, scope, depth)
        if type_ in AGGREGATES and random.random() < 0.7:
            source, columns = self.sources.source(scope, 0)
            inside = scope.with_(*columns)
            item = self._aggregate(type_, Scope(columns), 1)
            where = self._where(inside, depth - 1)
            return Piece(type_, ("(SELECT ", item, " FROM ", source, *where, ")"))
        if type_ in literals.COMPARABLE:
            inner = self.select([type_], scope, depth - 1)
            return Piece(type_, ("(", inner, " ORDER BY 1 LIMIT 1)"))
        return self.expressions.leaf(type_, scope)

    def _condition(self, scope: Scope, depth: int) -> Piece:
        """Return EXISTS or IN."""
        random = self.random
        if random.random() < 0.5:
            negation = random.choice(("", "NOT "))
            inner = self.query(["INT64"], scope, depth - 1)
            return Piece("BOOL", (f"{negation}EXISTS(", inner, ")"))
        operator = random.choice((" IN (", " NOT IN ("))
        if random.random() < 0.15:
            pair = self.types(2)
            first, other = (self.expressions.expression(each, scope, 0) for each in pair)
            inner = self.select(pair, scope, depth - 1)
            rows = ("SELECT AS STRUCT * FROM (", inner, ")")
            return Piece("BOOL", ("((", first, ", ", other, ")", operator, *rows, "))"))
        other_type = random.choice(literals.COMPARABLE)
        left = self.expressions.expression(other_type, scope, 0)
        inner = self.query([other_type], scope, depth - 1)
        return Piece("BOOL", ("(", left, operator, inner, "))"))

    def _array(self, type_: str, scope: Scope, depth: int) -> Piece:
        element = type_.removeprefix("ARRAY<").removesuffix(">")
        if element == "PAIR":
            inner = self.select(["INT64", "STRING"], scope, depth - 1)
            text = "ARRAY(SELECT AS STRUCT c0 AS a, c1 AS b FROM ("
            return Piece(type_, (text, inner, ") ORDER BY 1, 2)"))
        if element not in literals.COMPARABLE:
            return self.expressions.leaf(type_, scope)
        return Piece(type_, ("ARRAY(", self.select([element], scope, depth - 1), " ORDER BY 1)"))


def random_query(random: Random) -> Piece:
    """Return a query over the tables."""
    return Queries(random).statement()


def random_expressions(random: Random) -> Piece:
    """Return expressions over one row, in which everything may go wrong."""
    expressions = Expressions(random, wild=True)
    parts: list[str | Piece] = ["SELECT "]
    if random.random() < 0.7:
        parts.append(expressions.call(Scope()))
    else:
        type_ = random.choice(expressions.types)
        parts.append(expressions.expression(type_, Scope(), 2))
    return Piece("statement", tuple(parts))
