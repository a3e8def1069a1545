"""What a query reads FROM: tables, joins of all kinds, subqueries, arrays, common tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tests.differential import literals, world
from tests.differential.expressions import Expressions, Scope
from tests.differential.tree import Piece, optional

_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
_METHODS = ("HASH_JOIN", "APPLY_JOIN", "LOOP_JOIN", "MERGE_JOIN")
# Tables that share columns of one type, which USING may name.
_SHARED = (
    ("Parent", "Child", ("A",)), ("Parent", "Child", ("A", "G")), ("Child", "Parent", ("G",)),
    ("Plain", "Made", ("Id",)), ("Plain", "Child", ("T",)), ("Wide", "Wide", ("K",)),
    ("Parent", "Parent", ("B",)), ("Plain", "Plain", ("Id", "Y")), ("Wide", "Wide", ("K", "I")),
)  # fmt: skip
# What keeps all rows, or none.
_SAMPLES = (
    " TABLESAMPLE RESERVOIR (1000 ROWS)", " TABLESAMPLE BERNOULLI (100 PERCENT)",
    " TABLESAMPLE BERNOULLI (0 PERCENT)", " TABLESAMPLE RESERVOIR (0 ROWS)",
)  # fmt: skip


class Selects(Protocol):
    """The grammar of queries, as far as sources need it."""

    def select(self, types: list[str], outer: Scope, depth: int) -> Piece:
        """Return a SELECT whose columns have these types, named c0, c1, ..."""
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
        """Return a FROM clause's text and the columns it brings."""
        random = self.expressions.random
        if random.random() < 0.08:
            return self._using()
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
            if random.random() < 0.08 and not any("JOIN" in str(part) for part in parts):
                parts.append(optional(", ", right))
                columns += more
                continue
            hint = random.choice(("", "", f"@{{JOIN_METHOD={random.choice(_METHODS)}}}"))
            join: list[str | Piece] = [f" {kind}{hint} ", right]
            columns += more
            if kind != "CROSS JOIN":
                join += [" ON ", self._condition(columns, more, outer, depth)]
            parts.append(optional(*join))
        return Piece("from", tuple(parts)), columns

    def _using(self) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """Return two tables joined by shared columns, which may be named without a table."""
        random = self.expressions.random
        left, right, shared = random.choice(_SHARED)
        first, other = self.alias(), self.alias()
        kind = random.choice(_JOINS[:4])
        names = ", ".join(shared)
        text = f"{left} AS {first} {kind} {right} AS {other} USING ({names})"
        columns = _columns(first, world.COLUMNS[left]) + _columns(other, world.COLUMNS[right])
        merged = tuple((name, world.COLUMNS[left][name]) for name in shared)
        return Piece("from", (text,)), (*columns, *merged, *merged)

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
        """Return one operand of a join."""
        random = self.expressions.random
        if depth > 0 and random.random() < 0.06:
            inner, columns = self.source(outer, depth - 1)
            if "JOIN" in str(inner) and "," not in str(inner).split("JOIN")[0]:
                return Piece("relation", ("(", inner, ")")), columns
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
        if roll < 0.34:
            array = self.expressions.expression("ARRAY<PAIR>", Scope(), 1)
            pair = ((f"{alias}.a", "INT64"), (f"{alias}.b", "STRING"))
            return Piece("relation", ("UNNEST(", array, f") AS {alias}")), pair
        if self.common_tables and roll < 0.6:
            name, types_ = random.choice(self.common_tables)
            return Piece("relation", (f"{name} AS {alias}",)), _named(alias, list(types_))
        if depth > 0 and 0.6 <= roll < 0.67:
            return self._of_values(alias, depth)
        if 0.67 <= roll < 0.73:
            view, named = random.choice(sorted(world.VIEWS.items()))
            return Piece("relation", (f"{view} AS {alias}",)), _columns(alias, named)
        table = random.choice(sorted(world.COLUMNS))
        hint = ""
        if random.random() < 0.15:
            hint = f"@{{FORCE_INDEX={random.choice(world.INDEXES[table])}}}"
        sample = random.choice(_SAMPLES) if random.random() < 0.05 else ""
        text = f"{table}{hint} AS {alias}{sample}"
        return Piece("relation", (text,)), _columns(alias, world.COLUMNS[table])

    def _of_values(self, alias: str, depth: int) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """Return a subquery whose rows are values: of one type, or structs."""
        random = self.expressions.random
        types = [random.choice(literals.COMPARABLE) for _ in range(2)]
        inner = self.selects.select(types, Scope(), depth - 1)
        if random.random() < 0.5:
            text = ("(SELECT AS VALUE q.c1 FROM (", inner, f") AS q) AS {alias}")
            return Piece("relation", text), ((alias, types[1]),)
        text = ("(SELECT AS STRUCT q.c1 AS c0, q.c0 AS c1 FROM (", inner, f") AS q) AS {alias}")
        return Piece("relation", text), _named(alias, types[::-1])

    def _lateral(self, scope: Scope) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """Return an array of a row on the left, joined to that row."""
        random = self.expressions.random
        alias = self.alias()
        type_ = random.choice(("INT64", "STRING"))
        array = self.expressions.expression(f"ARRAY<{type_}>", scope, 1)
        paths = [name for name in scope.of(f"ARRAY<{type_}>") if "." in name]
        if paths and random.random() < 0.4:
            return self._path(random.choice(paths), alias, type_)
        kind = random.choice((", ", " CROSS JOIN ", " LEFT JOIN "))
        on = f" ON {alias} IS NOT NULL" if "LEFT" in kind else ""
        text, brought = f") AS {alias}{on}", ((alias, type_),)
        if random.random() < 0.3:
            text = f") AS {alias} WITH OFFSET AS o{alias}{on}"
            brought += ((f"o{alias}", "INT64"),)
        return optional(kind, "UNNEST(", array, text), brought

    def _path(self, path: str, alias: str, type_: str) -> tuple[Piece, tuple[tuple[str, str], ...]]:
        """Return an array that is a column on the left, without UNNEST."""
        random = self.expressions.random
        text = random.choice((", ", " CROSS JOIN ", " JOIN ", " LEFT JOIN ")) + f"{path} AS {alias}"
        if random.random() < 0.5:
            return optional(text), ((alias, type_),)
        offset = f"o{alias}"
        return optional(f"{text} WITH OFFSET AS {offset}"), ((alias, type_), (offset, "INT64"))


def _columns(alias: str, columns: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{alias}.{name}", type_) for name, type_ in columns.items())


def _named(alias: str, types: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((f"{alias}.c{number}", type_) for number, type_ in enumerate(types))
