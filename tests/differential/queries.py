"""Random whole queries. A query is ordered only where its order is total."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.differential import literals
from tests.differential.expressions import Expressions, Scope
from tests.differential.sources import Sources
from tests.differential.tree import Piece, optional

ORDERED = "ordered query"
_SET_OPERATIONS = (
    "UNION ALL", "UNION ALL", "UNION DISTINCT", "INTERSECT DISTINCT", "EXCEPT DISTINCT",
    "INTERSECT ALL", "EXCEPT ALL",
)  # fmt: skip
# Aggregates by result type; {x} is an expression of the type behind the colon.
_AGGREGATES: dict[str, tuple[tuple[str, str], ...]] = {
    "INT64": (
        ("COUNT(*)", ""), ("COUNT({x})", "STRING"), ("COUNT(DISTINCT {x})", "INT64"),
        ("MIN({x})", "INT64"), ("MAX({x})", "INT64"), ("SUM({x})", "INT64"),
        ("COUNTIF({x})", "BOOL"), ("BIT_AND({x})", "INT64"), ("BIT_XOR(DISTINCT {x})", "INT64"),
        ("SUM(DISTINCT {x})", "INT64"),
    ),
    "FLOAT64": (
        ("AVG({x})", "INT64"), ("SUM({x})", "FLOAT64"), ("MAX({x})", "FLOAT64"),
        ("MIN({x})", "FLOAT64"), ("STDDEV({x})", "INT64"), ("VAR_SAMP({x})", "INT64"),
        ("AVG(DISTINCT {x})", "FLOAT64"),
    ),
    "FLOAT32": (("MAX({x})", "FLOAT32"), ("MIN({x})", "FLOAT32")),
    "NUMERIC": (("SUM({x})", "NUMERIC"), ("AVG({x})", "NUMERIC"), ("MIN({x})", "NUMERIC")),
    "STRING": (
        ("MAX({x})", "STRING"), ("MIN({x})", "STRING"),
        ("ANY_VALUE({x} HAVING MAX {x})", "STRING"),
    ),
    "BYTES": (("MAX({x})", "BYTES"),),
    "BOOL": (("LOGICAL_OR({x})", "BOOL"), ("LOGICAL_AND({x})", "BOOL"), ("MAX({x})", "BOOL")),
    "DATE": (("MIN({x})", "DATE"),),
    "TIMESTAMP": (("MAX({x})", "TIMESTAMP"),),
}  # fmt: skip


@dataclass
class Queries:
    """The grammar of queries."""

    random: Random
    wild: bool = False

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.random, self.wild, self.subquery)
        self.sources = Sources(self.expressions, self)

    def statement(self) -> Piece:
        """A whole query, whose kind says whether its rows have an order."""
        random = self.random
        types = [random.choice(literals.COMPARABLE) for _ in range(random.randint(1, 4))]
        parts: list[str | Piece] = []
        if random.random() < 0.2:
            inner = [random.choice(literals.COMPARABLE) for _ in range(2)]
            parts += ["WITH w AS (", self.select(inner, Scope(), 1), ") "]
            self.sources.common_tables = (("w", tuple(inner)),)
        parts.append(self.query(types, Scope(), 2))
        if random.random() < 0.4:
            terms = [f"{number + 1}{random.choice(('', ' DESC'))}" for number in range(len(types))]
            limit = f" LIMIT {random.randint(0, 8)}"
            offset = f" OFFSET {random.randint(0, 3)}"
            parts += [" ORDER BY " + ", ".join(terms)]
            if random.random() < 0.7:
                parts.append(optional(limit, optional(offset) if random.random() < 0.3 else ""))
            return Piece(ORDERED, tuple(parts))
        return Piece("statement", tuple(parts))

    def query(self, types: list[str], outer: Scope, depth: int) -> Piece:
        """A SELECT or a set operation."""
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
        source, columns = self.sources.source(outer, depth)
        scope = outer.with_(*columns)
        if random.random() < 0.25:
            return self._grouped(types, source, scope, depth)
        items = self._items([self.expressions.expression(each, scope, depth) for each in types])
        distinct = optional(" DISTINCT") if random.random() < 0.15 else ""
        parts = ["SELECT", distinct, " ", *items, " FROM ", source, *self._where(scope, depth)]
        return Piece("query:" + ",".join(types), tuple(parts))

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
        if self.random.random() < 0.3:
            parts.append(optional(" AND ", self.expressions.expression("BOOL", scope, depth)))
        return [optional(*parts)]

    def _grouped(self, types: list[str], source: Piece, scope: Scope, depth: int) -> Piece:
        random = self.random
        groups: list[str | Piece] = []
        numbers: list[str] = []
        items: list[Piece] = []
        for number, type_ in enumerate(types):
            if random.random() < 0.4:
                items.append(self.expressions.expression(type_, scope, min(depth, 1)))
                numbers.append(str(number + 1))
            else:
                items.append(self._aggregate(type_, scope, depth))
        if numbers:
            groups.append(" GROUP BY " + ", ".join(numbers))
            if random.random() < 0.4:
                having = self._aggregate("INT64", scope, 1)
                groups.append(optional(" HAVING ", having, f" > {random.randint(0, 3)}"))
        body = ["SELECT ", *self._items(items), " FROM ", source, *self._where(scope, depth)]
        return Piece("query:" + ",".join(types), (*body, *groups))

    def _aggregate(self, type_: str, scope: Scope, depth: int) -> Piece:
        form, argument = self.random.choice(_AGGREGATES[type_])
        if not argument:
            return Piece(f"aggregate {type_}", (form,))
        plain = Expressions(self.random, self.wild)
        inner = plain.expression(argument, scope, min(depth, 1))
        parts: list[str | Piece] = []
        for number, text in enumerate(form.split("{x}")):
            parts += [inner, text] if number else [text]
        return Piece(f"aggregate {type_}", tuple(parts))

    def subquery(self, type_: str, scope: Scope, depth: int) -> Piece:
        """A subquery expression: scalar, or a condition."""
        random = self.random
        if type_ == "BOOL" and random.random() < 0.8:
            if random.random() < 0.5:
                negation = random.choice(("", "NOT "))
                inner = self.query(["INT64"], scope, depth - 1)
                return Piece("BOOL", (f"{negation}EXISTS(", inner, ")"))
            other = random.choice(literals.COMPARABLE)
            left = self.expressions.expression(other, scope, 0)
            inner = self.query([other], scope, depth - 1)
            operator = random.choice((" IN (", " NOT IN ("))
            return Piece("BOOL", ("(", left, operator, inner, "))"))
        if type_ in _AGGREGATES and random.random() < 0.7:
            source, columns = self.sources.source(scope, 0)
            inside = scope.with_(*columns)
            item = self._aggregate(type_, Scope(columns), 1)
            where = self._where(inside, depth - 1)
            return Piece(type_, ("(SELECT ", item, " FROM ", source, *where, ")"))
        if type_ in literals.COMPARABLE:
            inner = self.select([type_], scope, depth - 1)
            return Piece(type_, ("(", inner, " ORDER BY 1 LIMIT 1)"))
        return self.expressions.leaf(type_, scope)


def random_statement(seed: int) -> Piece:
    """The statement of a seed: a query over the tables, or expressions over one row."""
    random = Random(seed)
    if random.random() < 0.5:
        return Queries(random).statement()
    expressions = Expressions(random, wild=True)
    parts: list[str | Piece] = ["SELECT "]
    if random.random() < 0.7:
        parts.append(expressions.call(Scope()))
    else:
        type_ = random.choice(expressions.types)
        parts.append(expressions.expression(type_, Scope(), 2))
    return Piece("statement", tuple(parts))
