"""Random expressions of a wanted type, over the columns in scope."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.differential import calls, literals, parameters, templates
from tests.differential.tree import Piece

_HOLE = re.compile(r"\{([A-Z0-9<>]+)\}")


def spelled(type_: str) -> str:
    """Return a type of the grammar as SQL writes it."""
    return type_.replace("PAIR", "STRUCT<a INT64, b STRING>")


@dataclass(frozen=True)
class Scope:
    """Columns that may be named: (text, type) pairs, the nearest last."""

    columns: tuple[tuple[str, str], ...] = ()

    def of(self, type_: str) -> list[str]:
        return [name for name, column_type in self.columns if column_type == type_]

    def with_(self, *columns: tuple[str, str]) -> Scope:
        return Scope((*self.columns, *columns))


@dataclass
class Expressions:
    """The grammar of expressions. `subquery` is set by the grammar of queries."""

    random: Random
    wild: bool = False
    parameterized: bool = True
    subquery: Callable[[str, Scope, int], Piece] | None = None
    types: tuple[str, ...] = field(default=tuple(literals.TAME))

    def expression(self, type_: str, scope: Scope, depth: int) -> Piece:
        """Return any expression of the type."""
        random = self.random
        if depth <= 0 or random.random() < 0.25:
            return self.leaf(type_, scope)
        if self.subquery is not None and random.random() < 0.1:
            return self.subquery(type_, scope, depth)
        template = self._template(type_)
        if template is None:
            return self.leaf(type_, scope)
        return self.filled(type_, template, scope, depth)

    def leaf(self, type_: str, scope: Scope) -> Piece:
        """Return a column or a literal."""
        random = self.random
        columns = scope.of(type_)
        if columns and random.random() < 0.75:
            return Piece(type_, (random.choice(columns),))
        if self.parameterized and random.random() < 0.06 and (named := parameters.of_type(type_)):
            return Piece(type_, (random.choice(named),))
        if type_ == "STRUCT":
            return self.filled(type_, random.choice(templates.TAME[type_]), scope, 0)
        if random.random() < 0.08 and type_ != "ARRAY<PAIR>":
            return Piece(type_, (f"CAST(NULL AS {spelled(type_)})",))
        pool = literals.TAME.get(type_, ())
        if (self.wild and random.random() < 0.6) or not pool:
            pool = literals.WILD.get(type_, pool) or pool
        return Piece(type_, (random.choice(pool) if pool else f"CAST(NULL AS {spelled(type_)})",))

    def filled(self, kind: str, template: str, scope: Scope, depth: int) -> Piece:
        """Return a template with its holes filled."""
        parts: list[str | Piece] = ["("]
        for number, text in enumerate(_HOLE.split(template)):
            if number % 2:
                parts.append(self.expression(text, scope, depth - 1))
            elif text:
                parts.append(text)
        return Piece(kind, (*parts, ")"))

    def _template(self, type_: str) -> str | None:
        random = self.random
        comparable = type_ in literals.COMPARABLE
        if type_ == "BOOL" and random.random() < 0.6:
            other = random.choice(literals.COMPARABLE)
            return random.choice(templates.CONDITIONS).replace("{T}", "{" + other + "}")
        if random.random() < 0.25:
            return random.choice(templates.common(type_, comparable=comparable))
        pool = templates.TAME.get(type_, ())
        if self.wild:
            pool += templates.WILD.get(type_, ())
        if not self.parameterized:
            pool = tuple(each for each in pool if "@" not in each)
        return random.choice(pool) if pool else None

    def call(self, scope: Scope) -> Piece:
        """Return a call of any function; its type is whatever it is."""
        name, types = calls.call(self.random)
        safe = "SAFE." if self.random.random() < 0.1 else ""
        parts: list[str | Piece] = [f"{safe}{name}("]
        for number, type_ in enumerate(types):
            if number:
                parts.append(", ")
            if type_.startswith("="):
                parts.append(type_[1:])
            else:
                parts.append(self.expression(type_, scope, self.random.choice((0, 0, 1))))
        return Piece("call", (*parts, ")"))
