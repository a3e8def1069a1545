"""Random queries and DML in PostgreSQL over three tables, for spanemu and a real PostgreSQL.

Each statement means the same in both: its integers are bigints, its set operations have equal
types, and the order of its rows is either total or not compared. `random_statement` makes the same
statement for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

# A type by one letter: bigint, text, double precision, numeric, boolean, date.
INT, TEXT, FLOAT, NUMERIC, BOOL, DATE = "itfnod"
TYPES = (INT, TEXT, FLOAT, NUMERIC, BOOL, DATE)
NAMES = {
    INT: "bigint",
    TEXT: "text",
    FLOAT: "float8",
    NUMERIC: "numeric",
    BOOL: "boolean",
    DATE: "date",
}
TABLES: dict[str, tuple[tuple[str, str], ...]] = {
    "t": (("id", INT), ("a", INT), ("b", TEXT), ("f", FLOAT), ("n", NUMERIC), ("o", BOOL)),
    "u": (("id", INT), ("k", INT), ("s", TEXT), ("v", INT), ("g", FLOAT), ("d", DATE)),
    "w": (("k", TEXT), ("x", INT), ("y", NUMERIC), ("z", BOOL), ("d", DATE)),
}
KEYS = {"t": ("id",), "u": ("id", "k"), "w": ("k",)}

_LITERALS: dict[str, tuple[str, ...]] = {
    INT: ("0", "1", "2", "3", "-1", "7", "42", "NULL::bigint", "'5'::bigint"),
    TEXT: ("'a'", "'b'", "'ab'", "''", "'B'", "'x y'", "NULL::text", "'日'"),
    FLOAT: ("1.5::float8", "0::float8", "'NaN'::float8", "-2.5::float8", "NULL::float8"),
    NUMERIC: ("1.5", "0.0", "2.50", "-3.25", "'NaN'::numeric", "100.001", "NULL::numeric"),
    BOOL: ("true", "false", "NULL::boolean"),
    DATE: ("'2000-01-01'::date", "DATE '1999-12-31'", "'2024-02-29'::date", "NULL::date"),
}
_STORED: dict[str, tuple[str, ...]] = {
    **_LITERALS,
    FLOAT: (*_LITERALS[FLOAT], "'Infinity'::float8", "'-Infinity'::float8", "2.25::float8"),
}


def schema() -> list[str]:
    """Return the statements that create the tables, for both engines."""
    return [
        f"CREATE TABLE {table} ("
        + ", ".join(f"{name} {NAMES[type_]}" for name, type_ in columns)
        + f", PRIMARY KEY ({', '.join(KEYS[table])}))"
        for table, columns in TABLES.items()
    ]


def rows(seed: int) -> list[str]:
    """Return the statements that fill the tables, for both engines."""
    random = Random(seed)
    statements = []
    for table, columns in TABLES.items():
        names = ", ".join(name for name, _ in columns)
        cells = []
        for number in range(9):
            key = [f"'{'abcdefghi'[number]}'"] if table == "w" else [str(number // 2), str(number)]
            key = [str(number)] if table == "t" else key
            others = [random.choice(_STORED[type_]) for _, type_ in columns[len(key) :]]
            cells.append(f"({', '.join([*key, *others])})")
        statements.append(f"INSERT INTO {table} ({names}) VALUES {', '.join(cells)}")
    return statements


@dataclass(frozen=True)
class Statement:
    """A statement; `ordered` if the order of all its rows is determined."""

    sql: str
    ordered: bool = False


@dataclass
class Source:
    """The text of a FROM clause with the columns that it makes visible: (text, type)."""

    text: str
    columns: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Query:
    """The text of a query with the names and types of its columns."""

    text: str
    types: list[str]
    names: list[str]


def random_statement(seed: int) -> Statement:
    """Return the statement number `seed`."""
    random = Random(seed)
    generator = Generator(random)
    if random.random() < 0.15:
        return Statement(generator.dml())
    return generator.statement()


class Generator:
    """A builder of statements; aliases are unique within a statement."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.aliases = 0

    def alias(self) -> str:
        self.aliases += 1
        return f"q{self.aliases}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # ------------------------------------------------------------------ expressions

    def expression(self, type_: str, columns: Sequence[tuple[str, str]], depth: int) -> str:
        """Return an expression of a type over visible columns."""
        fitting = [text for text, of_type in columns if of_type == type_]
        if depth <= 0 or self.chance(0.35):
            if fitting and self.chance(0.85):
                return self.random.choice(fitting)
            return self.random.choice(_LITERALS[type_])

        def inner(of_type: str = type_) -> str:
            return self.expression(of_type, columns, depth - 1)

        shared: list[Callable[[], str]] = [
            lambda: f"coalesce({inner()}, {inner()})",
            lambda: f"nullif({inner()}, {inner()})",
            lambda: f"CASE WHEN {inner(BOOL)} THEN {inner()} ELSE {inner()} END",
            lambda: f"CASE {inner(INT)} WHEN {inner(INT)} THEN {inner()} END",
        ]
        if type_ != BOOL:
            shared.append(lambda: f"greatest({inner()}, {inner()})")
            shared.append(lambda: f"least({inner()}, {inner()})")
        if depth > 1 and self.chance(0.1):
            return self.scalar_subquery(type_, columns)
        return self.random.choice([*shared, *self.own_forms(type_, columns, depth)])()

    def own_forms(
        self, type_: str, columns: Sequence[tuple[str, str]], depth: int
    ) -> list[Callable[[], str]]:
        """Return the forms that only expressions of one type have."""

        def inner(of_type: str = type_) -> str:
            return self.expression(of_type, columns, depth - 1)

        if type_ == BOOL:
            return [lambda: self.condition(columns, depth)] * 4
        if type_ == INT:
            operator = self.random.choice("+-*")
            return [
                lambda: f"({inner()} {operator} {inner()})",
                lambda: f"abs({inner()})",
                lambda: f"({inner()} / nullif({inner()}, 0))",
                lambda: f"({inner()} % nullif({inner()}, 0))",
                lambda: f"length({inner(TEXT)})::bigint",
                lambda: f"(- {inner()})",
            ]
        if type_ == TEXT:
            return [
                lambda: f"({inner()} || {inner()})",
                lambda: f"lower({inner()})",
                lambda: f"upper({inner()})",
                lambda: f"{inner(INT)}::text",
                lambda: f"substr({inner()}, 1, 2)",
            ]
        if type_ in (FLOAT, NUMERIC):
            operator = self.random.choice("+-*")
            return [
                lambda: f"({inner()} {operator} {inner()})",
                lambda: f"({inner()} + {inner(INT)})",
                lambda: f"abs({inner()})",
                lambda: f"{inner(INT)}::{NAMES[type_]}",
            ]
        return [lambda: inner()]

    def condition(self, columns: Sequence[tuple[str, str]], depth: int) -> str:
        """Return a boolean expression."""

        def inner(of_type: str) -> str:
            return self.expression(of_type, columns, depth - 1)

        of_type = self.random.choice(TYPES)
        compare = self.random.choice(("=", "<>", "<", "<=", ">", ">="))
        forms: list[Callable[[], str]] = [
            lambda: f"({inner(of_type)} {compare} {inner(of_type)})",
            lambda: f"({inner(of_type)} {compare} {inner(of_type)})",
            lambda: f"({inner(NUMERIC)} {compare} {inner(INT)})",
            lambda: f"({inner(BOOL)} {self.random.choice(('AND', 'OR'))} {inner(BOOL)})",
            lambda: f"(NOT {inner(BOOL)})",
            lambda: f"({inner(of_type)} IS {self.random.choice(('', 'NOT '))}NULL)",
            lambda: f"({inner(BOOL)} IS {self.random.choice(('', 'NOT '))}TRUE)",
            lambda: f"({inner(of_type)} IS NOT DISTINCT FROM {inner(of_type)})",
            lambda: f"({inner(INT)} BETWEEN {inner(INT)} AND {inner(INT)})",
            lambda: f"({inner(of_type)} IN ({inner(of_type)}, {inner(of_type)}))",
            lambda: f"({inner(of_type)} NOT IN ({inner(of_type)}, {inner(of_type)}))",
            lambda: f"({inner(TEXT)} LIKE {self.random.choice(('$$a%$$', '$$%b$$', '$$_$$'))})",
            lambda: f"({inner(INT)} = ANY (ARRAY[{inner(INT)}, {inner(INT)}]))",
        ]
        if depth > 1 and self.chance(0.3):
            return self.subquery_condition(columns)
        return self.random.choice(forms)()

    def subquery_condition(self, columns: Sequence[tuple[str, str]]) -> str:
        """Return EXISTS or IN over a correlated subquery."""
        source = self.source(1)
        both = [*source.columns, *columns]
        where = self.expression(BOOL, both, 1)
        if self.chance(0.5):
            word = self.random.choice(("EXISTS", "NOT EXISTS"))
            return f"{word} (SELECT 1 FROM {source.text} WHERE {where})"
        type_ = self.random.choice((INT, TEXT, FLOAT, NUMERIC))
        word = self.random.choice(("IN", "NOT IN", "= ANY", "<> ALL"))
        value = self.expression(type_, columns, 1)
        selected = self.expression(type_, source.columns, 1)
        return f"({value} {word} (SELECT {selected} FROM {source.text} WHERE {where}))"

    def scalar_subquery(self, type_: str, columns: Sequence[tuple[str, str]]) -> str:
        """Return a subquery of one row: an aggregate of a correlated query."""
        source = self.source(1)
        where = self.expression(BOOL, [*source.columns, *columns], 1)
        value = self.aggregate(type_, source.columns)
        return f"(SELECT {value} FROM {source.text} WHERE {where})"

    def aggregate(self, type_: str, columns: Sequence[tuple[str, str]]) -> str:
        """Return an aggregate call of a type."""

        def inner(of_type: str = type_) -> str:
            return self.expression(of_type, columns, 1)

        distinct = "DISTINCT " if self.chance(0.25) else ""
        if type_ == INT:
            counted = inner(self.random.choice(TYPES))
            return self.random.choice(
                ("count(*)", f"count({distinct}{counted})", f"max({inner()})", f"min({inner()})")
            )
        if type_ == BOOL:
            return self.random.choice((f"bool_and({inner()})", f"bool_or({inner()})"))
        if type_ == NUMERIC:
            number = self.random.choice((INT, NUMERIC))
            # sum and avg of bigint are numeric in both.
            cast = "::bigint" if number == INT else ""
            return self.random.choice(
                (
                    f"sum({distinct}({inner(number)}){cast})",
                    f"avg({distinct}({inner(number)}){cast})",
                    f"max({inner()})",
                    f"min({inner()})",
                )
            )
        return f"{self.random.choice(('max', 'min'))}({inner()})"

    # ------------------------------------------------------------------ FROM

    def source(self, depth: int) -> Source:
        """Return a FROM clause."""
        if depth > 1 and self.chance(0.45):
            return self.join(depth)
        return self.item(depth)

    def item(self, depth: int) -> Source:
        """Return a table or a subquery with an alias."""
        alias = self.alias()
        if depth > 1 and self.chance(0.3):
            query = self.query(depth - 1)
            names = [f"c{number}" for number in range(len(query.types))]
            columns = [
                (f"{alias}.{each}", kind) for each, kind in zip(names, query.types, strict=True)
            ]
            return Source(f"({query.text}) AS {alias} ({', '.join(names)})", columns)
        table = self.random.choice(list(TABLES))
        columns = [(f"{alias}.{name}", type_) for name, type_ in TABLES[table]]
        return Source(f"{table} AS {alias}", columns)

    def join(self, depth: int) -> Source:
        """Return a join of two items."""
        left = self.source(depth - 1)
        if self.chance(0.15):
            return self.elements(left)
        if self.chance(0.15):
            return self.merged_join()
        right = self.item(depth - 1)
        both = [*left.columns, *right.columns]
        kind = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"))
        if kind == "CROSS JOIN":
            return Source(f"{left.text} CROSS JOIN {right.text}", both)
        equal = self.equality(left, right)
        if kind == "FULL JOIN":  # PostgreSQL demands a condition that it can hash or merge
            return Source(f"{left.text} FULL JOIN {right.text} ON {equal}", both)
        condition = equal if self.chance(0.6) else self.expression(BOOL, both, 2)
        if self.chance(0.2):
            condition = f"{equal} AND {self.expression(BOOL, both, 1)}"
        return Source(f"{left.text} {kind} {right.text} ON {condition}", both)

    def elements(self, left: Source) -> Source:
        """Return a join with the elements of an array of the left side's values."""
        type_ = self.random.choice((INT, TEXT, NUMERIC))
        items = [self.expression(type_, left.columns, 1) for _ in range(self.random.randint(1, 3))]
        array = f"ARRAY[{', '.join(items)}]::{NAMES[type_]}[]"
        alias = self.alias()
        columns = [*left.columns, (f"{alias}.e", type_)]
        if self.chance(0.4):
            text = f"{left.text} CROSS JOIN unnest({array}) WITH ORDINALITY AS {alias} (e, p)"
            return Source(text, [*columns, (f"{alias}.p", INT)])
        condition = self.expression(BOOL, columns, 1)
        return Source(
            f"{left.text} LEFT JOIN unnest({array}) AS {alias} (e) ON {condition}", columns
        )

    def merged_join(self) -> Source:
        """Return a join with USING, whose merged column has no qualifier."""
        kind = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        pairs = (("t", "u", "id", INT), ("u", "w", "d", DATE))
        left, right, shared, type_ = self.random.choice(pairs)
        first, other = self.alias(), self.alias()
        columns = [(shared, type_)]
        for alias, table in ((first, left), (other, right)):
            columns += [(f"{alias}.{name}", kind_) for name, kind_ in TABLES[table]]
        return Source(f"{left} AS {first} {kind} {right} AS {other} USING ({shared})", columns)

    def equality(self, left: Source, right: Source) -> str:
        """Return a comparison of a column of each side."""
        pairs = [
            (item, other)
            for item, type_ in left.columns
            for other, of_type in right.columns
            if type_ == of_type and "." in item and "." in other
        ]
        if not pairs:
            return "1 = 1"
        item, other = self.random.choice(pairs)
        return f"{item} = {other}"

    # ------------------------------------------------------------------ queries

    def query(self, depth: int, types: Sequence[str] | None = None) -> Query:
        """Return a query, with the given types of its columns if any."""
        if types is None:
            types = [self.random.choice(TYPES) for _ in range(self.random.randint(1, 3))]
        if depth > 1 and self.chance(0.2):
            return self.set_operation(depth, types)
        select = self.grouped if self.chance(0.3) else self.plain
        return select(depth, types)

    def plain(self, depth: int, types: Sequence[str]) -> Query:
        """Return a SELECT without groups."""
        source = self.source(depth)
        items = [self.expression(type_, source.columns, depth) for type_ in types]
        distinct = "DISTINCT " if self.chance(0.2) else ""
        where = ""
        if self.chance(0.6):
            where = f" WHERE {self.expression(BOOL, source.columns, 2)}"
        return self.selected(f"SELECT {distinct}", items, f" FROM {source.text}{where}", types)

    def selected(self, head: str, items: Sequence[str], tail: str, types: Sequence[str]) -> Query:
        names = [f"c{number}" for number in range(len(items))]
        # A cast keeps integers bigints and gives each column its type in PostgreSQL too.
        written = [
            f"({item})::{NAMES[type_]} AS {name}"
            for item, type_, name in zip(items, types, names, strict=True)
        ]
        return Query(f"{head}{', '.join(written)}{tail}", list(types), names)

    def grouped(self, depth: int, types: Sequence[str]) -> Query:
        """Return a SELECT with GROUP BY or aggregates."""
        source = self.source(depth)
        keys: list[tuple[str, str]] = []
        for _ in range(self.random.randint(0, 2)):
            type_ = self.random.choice(TYPES)
            keys.append((self.expression(type_, source.columns, 1), type_))
        keys = [key for key in keys if "q" in key[0] and "SELECT" not in key[0]]
        items = []
        for type_ in types:
            fitting = [text for text, of_type in keys if of_type == type_]
            if fitting and self.chance(0.5):
                items.append(self.random.choice(fitting))
            else:
                items.append(self.aggregate(type_, source.columns))
        where = f" WHERE {self.expression(BOOL, source.columns, 2)}" if self.chance(0.4) else ""
        group = f" GROUP BY {', '.join(text for text, _ in keys)}" if keys else ""
        having = ""
        if self.chance(0.3):
            type_ = self.random.choice((INT, NUMERIC))
            value = self.aggregate(type_, source.columns)
            having = f" HAVING {value} > {self.random.choice(_LITERALS[INT][:5])}"
        tail = f" FROM {source.text}{where}{group}{having}"
        return self.selected("SELECT ", items, tail, types)

    def set_operation(self, depth: int, types: Sequence[str]) -> Query:
        """UNION, INTERSECT or EXCEPT of two queries with equal types."""
        operator = self.random.choice(("UNION", "INTERSECT", "EXCEPT"))
        every = self.random.choice(("", " ALL"))
        left, right = self.query(depth - 1, types), self.query(depth - 1, types)
        return Query(f"({left.text}) {operator}{every} ({right.text})", list(types), left.names)

    def statement(self) -> Statement:
        """Return a whole query, sometimes with WITH, and with a total order or none."""
        query = self.with_query() if self.chance(0.12) else self.query(3)
        if self.chance(0.5):
            return Statement(query.text)
        keys = []
        for number in range(len(query.types)):
            key = str(number + 1) if self.chance(0.5) else f"c{number}"
            keys.append(
                key
                + self.random.choice(("", " ASC", " DESC"))
                + self.random.choice(("", "", " NULLS FIRST", " NULLS LAST"))
            )
        limit = ""
        if self.chance(0.4):
            limit = f" LIMIT {self.random.randint(0, 5)}"
            limit += self.random.choice(("", " OFFSET 1", " OFFSET 3"))
        return Statement(f"{query.text} ORDER BY {', '.join(keys)}{limit}", ordered=True)

    def with_query(self) -> Query:
        """Return a query over a common table that it uses once or twice."""
        common = self.query(2)
        columns = [(f"c{number}", type_) for number, type_ in enumerate(common.types)]
        first, second = self.alias(), self.alias()
        visible = [(f"{first}.{name}", type_) for name, type_ in columns]
        source = f"cte AS {first}"
        if self.chance(0.5):
            name, _ = columns[0]
            source += f" LEFT JOIN cte AS {second} ON {first}.{name} = {second}.{name}"
            visible += [(f"{second}.{name}", type_) for name, type_ in columns]
        types = [self.random.choice(TYPES) for _ in range(2)]
        items = [self.expression(type_, visible, 2) for type_ in types]
        where = f" WHERE {self.expression(BOOL, visible, 2)}"
        body = self.selected("SELECT ", items, f" FROM {source}{where}", types)
        names = ", ".join(name for name, _ in columns)
        return Query(f"WITH cte ({names}) AS ({common.text}) {body.text}", body.types, body.names)

    # ------------------------------------------------------------------ DML

    def dml(self) -> str:
        """INSERT, UPDATE or DELETE with RETURNING."""
        table = self.random.choice(list(TABLES))
        columns = [(f"{table}.{name}", type_) for name, type_ in TABLES[table]]
        forms = (self.insert, self.insert, self.update, self.delete)
        text = self.random.choice(forms)(table, columns)
        returned = [self.expression(self.random.choice(TYPES), columns, 1) for _ in range(2)]
        return f"{text} RETURNING {table}.*, {', '.join(returned)}"

    def insert(self, table: str, columns: Sequence[tuple[str, str]]) -> str:
        names = [name for name, _ in TABLES[table]]
        keys = KEYS[table]
        others = [name for name in names if name not in keys]
        kept = [*keys, *self.random.sample(others, self.random.randint(0, len(others)))]
        types = dict(TABLES[table])
        rows = []
        for number in self.random.sample(range(14), self.random.randint(1, 3)):
            key = [f"'{'abcdefghijklmn'[number]}'"] if table == "w" else [str(number)]
            if table == "u":
                key = [str(number // 2), str(number)]
            values = [
                self.random.choice((self.expression(types[name], (), 1), "DEFAULT"))
                for name in kept[len(key) :]
            ]
            rows.append(f"({', '.join([*key, *values])})")
        text = f"INSERT INTO {table} ({', '.join(kept)}) VALUES {', '.join(rows)}"
        choice = self.random.random()
        if choice < 0.35:
            return text
        target = f"{text} ON CONFLICT ({', '.join(keys)}) DO"
        if choice < 0.65:
            return f"{target} NOTHING"
        assignments = ", ".join(f"{name} = excluded.{name}" for name in kept)
        return f"{target} UPDATE SET {assignments}"

    def update(self, table: str, columns: Sequence[tuple[str, str]]) -> str:
        others = [each for each in TABLES[table] if each[0] not in KEYS[table]]
        assigned = self.random.sample(others, self.random.randint(1, len(others)))
        assignments = ", ".join(
            f"{name} = {self.expression(type_, columns, 2)}" for name, type_ in assigned
        )
        return f"UPDATE {table} SET {assignments} WHERE {self.expression(BOOL, columns, 2)}"

    def delete(self, table: str, columns: Sequence[tuple[str, str]]) -> str:
        return f"DELETE FROM {table} WHERE {self.expression(BOOL, columns, 2)}"
