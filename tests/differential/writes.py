"""Random DML. What it returns, counts and leaves behind is compared, then it is rolled back."""

from __future__ import annotations

from random import Random

from tests.differential import world
from tests.differential.expressions import Expressions, Scope
from tests.differential.queries import Queries
from tests.differential.tree import Piece, optional

_INSERTS = ("INSERT INTO", "INSERT", "INSERT OR UPDATE INTO", "INSERT OR IGNORE INTO")
# The reference forgets which rows exist where a part of the key descends.
_DESCENDING = ("Child", "Wide")
_ELEMENTS = {"ARRAY<INT64>": "INT64", "ARRAY<STRING>": "STRING"}


def table_of(write: Piece) -> str:
    """Return the table that a random write changes."""
    return write.kind.removeprefix("write ")


def random_write(random: Random) -> Piece:
    """INSERT, UPDATE or DELETE; its kind is "write" and the table."""
    table = random.choice(sorted(world.COLUMNS))
    make = random.choice((_insert, _insert, _update, _update, _delete))
    parts = make(Queries(random), table)
    if random.random() < 0.05:
        parts.append(optional(f" ASSERT_ROWS_MODIFIED {random.choice((0, 1, 1, 2))}"))
    # Of rows that it ignores, the reference returns values nevertheless.
    if random.random() < 0.4 and "IGNORE" not in str(parts[0]):
        parts.append(optional(*_returning(random, table)))
    return Piece(f"write {table}", tuple(parts))


def _insert(queries: Queries, table: str) -> list[str | Piece]:
    random = queries.random
    keys = world.KEYS[table]
    others = [name for name in world.written_columns(table) if name not in keys]
    verb = random.choice(_INSERTS[:2] if table in _DESCENDING else _INSERTS)
    # The reference clears the columns of an existing row that OR UPDATE does not list.
    least = len(others) if "UPDATE" in verb else 0
    names = [*keys, *random.sample(others, random.randint(least, len(others)))]
    if random.random() < 0.05:
        random.shuffle(names)
    types = [world.COLUMNS[table][name] for name in names]
    parts: list[str | Piece] = [f"{verb} {table} ({', '.join(names)}) "]
    # Which of several rows with one key OR IGNORE keeps is open if they come in no given order.
    if random.random() < 0.3 and "IGNORE" not in verb:
        return [*parts, queries.select(types, Scope(), 1)]
    parts.append("VALUES ")
    for row in range(random.choice((1, 1, 2, 3))):
        parts.append(", (" if row else "(")
        for number, type_ in enumerate(types):
            value = queries.expressions.expression(type_, Scope(), 1)
            is_default = names[number] not in keys and random.random() < 0.05
            parts += [", " if number else "", "DEFAULT" if is_default else value]
        parts.append(")")
    return parts


def _update(queries: Queries, table: str) -> list[str | Piece]:
    random = queries.random
    columns = world.COLUMNS[table]
    scope = Scope(tuple(columns.items()))
    others = [name for name in world.written_columns(table) if name not in world.KEYS[table]]
    names = random.sample(others, random.randint(1, min(3, len(others))))
    arrays = [name for name in others if columns[name] in _ELEMENTS]
    if arrays and random.random() < 0.3:
        name = random.choice(arrays)
        where: list[str | Piece] = [" WHERE ", queries.expressions.expression("BOOL", scope, 1)]
        return [f"UPDATE {table} SET ", *_nested(queries, name, _ELEMENTS[columns[name]]), *where]
    parts: list[str | Piece] = [f"UPDATE {table} SET "]
    for number, name in enumerate(names):
        value = queries.expressions.expression(columns[name], scope, 1)
        parts += [", " if number else "", f"{name} = ", value]
    return [*parts, " WHERE ", queries.expressions.expression("BOOL", scope, 2)]


def _nested(queries: Queries, array: str, element: str) -> list[str | Piece]:
    """Return statements that take the elements of an array for rows, in a given order."""
    scope = Scope((("e", element),))
    make = queries.expressions.expression
    statements: list[list[str | Piece]] = [
        [f"(DELETE FROM {array} AS e WHERE ", make("BOOL", scope, 1), ")"],
        [
            *(f"(UPDATE {array} AS e SET e = ", make(element, scope, 1)),
            *(" WHERE ", make("BOOL", scope, 1), ")"),
        ],
        [f"(INSERT INTO {array} VALUES (", make(element, Scope(), 1), "))"],
    ]
    chosen = sorted(queries.random.sample(range(3), queries.random.choice((1, 1, 2, 3))))
    parts: list[str | Piece] = []
    for number in chosen:
        parts += [", " if parts else "", *statements[number]]
    return parts


def _delete(queries: Queries, table: str) -> list[str | Piece]:
    scope = Scope(tuple(world.COLUMNS[table].items()))
    into = queries.random.choice(("DELETE FROM", "DELETE"))
    return [f"{into} {table} WHERE ", queries.expressions.expression("BOOL", scope, 2)]


def _returning(random: Random, table: str) -> list[str | Piece]:
    """Return THEN RETURN with everything, or with expressions over the row."""
    action = random.choice(("", "", "WITH ACTION ", "WITH ACTION AS did "))
    if random.random() < 0.4:
        return [f" THEN RETURN {action}*"]
    scope = Scope(tuple(world.COLUMNS[table].items()))
    expressions = Expressions(random)
    parts: list[str | Piece] = [f" THEN RETURN {action}"]
    for number in range(random.randint(1, 2)):
        type_ = random.choice(("INT64", "STRING", "BOOL"))
        parts += [", " if number else "", expressions.expression(type_, scope, 1)]
    return parts
