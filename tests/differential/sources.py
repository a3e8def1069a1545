"""What a query reads FROM: tables, joins of all kinds, subqueries, arrays, common tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tests.differential import literals, world
from tests.differential.expressions import Expressions, Scope
from tests.differential.tree import Piece, optional

_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
_METHODS = ("HASH_JOIN", "APPLY_JOIN", "LOOP_JOIN")


class Selects(Protocol):
    """The grammar of queries, as far as sources need it."""

    def select(self, types: list[str], outer: Scope, depth: int) -> Piece:
        """A SELECT whose columns have these types, named c0, c1, ..."""
        ...


@dataclass
class Sources:
    """The grammar of FROM clauses."""

    expressions: Expressions
    selects: Selects
    aliases: int = 0
    common_tables: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    def source(self, outer: Scope, depth: int) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """A FROM clause's text and the columns it brings."""
        random = self.expressions.random
        text, columns = self.relation(outer, depth)
        parts: list[str | Piece] = [text]
        for _ in range(random.choice((0, 0, 0, 1, 1, 1, 2))):
            if random.random() < 0.15:
                piece, more = self._lateral(outer.with_(*columns))
                parts.append(piece)
                columns += more
                continue
            right, more = self.relation(outer, depth - 1)
            kind = random.choice(_JOINS)
            hint = random.choice(("", "", f"@{{JOIN_METHOD={random.choice(_METHODS)}}}"))
            join: list[str | Piece] = [f" {kind}{hint} ", right]
            columns += more
            if kind != "CROSS JOIN":
                join += [" ON ", self._condition(columns, more, outer, depth)]
            parts.append(optional(*join))
        return Piece("from", tuple(parts)), columns

    def _condition(
        self,
        columns: tuple[tuple[str, str], ...],
        right: tuple[tuple[str, str], ...],
        outer: Scope,
        depth: int,
    ) -> Piece:
        random = self.expressions.random
        pairs = [
            f"{left} {random.choice(('=', '=', '=', '=', '<'))} {name}"
            for name, type_ in right
            for left, left_type in columns
            if left_type == type_ and left != name and type_ in literals.COMPARABLE
            and (left, left_type) not in right
        ]  # fmt: skip
        scope = outer.with_(*columns)
        if not pairs or random.random() < 0.15:
            return self.expressions.expression("BOOL", scope, 2)
        parts: list[str | Piece] = [random.choice(pairs)]
        if random.random() < 0.3:
            parts.append(optional(" AND ", random.choice(pairs)))
        if random.random() < 0.3:
            parts.append(optional(" AND ", self.expressions.expression("BOOL", scope, 1)))
        return Piece("BOOL", tuple(parts))

    def relation(self, outer: Scope, depth: int) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """One operand of a join."""
        random = self.expressions.random
        alias = self.alias()
        roll = random.random()
        if depth > 0 and roll < 0.2:
            types = [random.choice(literals.COMPARABLE) for _ in range(random.randint(1, 3))]
            inner = self.selects.select(types, Scope(), depth - 1)
            return Piece("relation", ("(", inner, f") AS {alias}")), _named(alias, types)
        if roll < 0.3:
            type_ = random.choice(("INT64", "STRING"))
            array = self.expressions.expression(f"ARRAY<{type_}>", Scope(), 1)
            offset = f"o{alias}"
            text = ("UNNEST(", array, f") AS {alias} WITH OFFSET AS {offset}")
            return Piece("relation", text), ((alias, type_), (offset, "INT64"))
        if self.common_tables and roll < 0.5:
            name, types_ = random.choice(self.common_tables)
            return Piece("relation", (f"{name} AS {alias}",)), _named(alias, list(types_))
        table = random.choice(sorted(world.COLUMNS))
        hint = ""
        if random.random() < 0.15:
            hint = f"@{{FORCE_INDEX={random.choice(world.INDEXES[table])}}}"
        columns = tuple((f"{alias}.{name}", type_) for name, type_ in world.COLUMNS[table].items())
        return Piece("relation", (f"{table}{hint} AS {alias}",)), columns

    def _lateral(self, scope: Scope) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """An array of a row on the left, joined to that row."""
        random = self.expressions.random
        alias = self.alias()
        type_ = random.choice(("INT64", "STRING"))
        array = self.expressions.expression(f"ARRAY<{type_}>", scope, 1)
        kind = random.choice((", ", " CROSS JOIN ", " LEFT JOIN "))
        on = f" ON {alias} IS NOT NULL" if "LEFT" in kind else ""
        return optional(kind, "UNNEST(", array, f") AS {alias}{on}"), ((alias, type_),)


def _named(alias: str, types: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{alias}.c{number}", type_) for number, type_ in enumerate(types))
