"""The statements between schemas, of PostgreSQL databases and of models, and dependencies."""

from __future__ import annotations

from itertools import permutations

import pytest

from spanemu.base.errors import SpannerError
from spanemu.ddl import dependencies, diff, schema_of, statements_of
from spanemu.schema.dialect import POSTGRESQL

BEFORE = """
CREATE SEQUENCE ids BIT_REVERSED_POSITIVE;
CREATE ROLE reader;
CREATE TABLE a (
  k bigint PRIMARY KEY,
  "W" character varying(10) DEFAULT 'x',
  n numeric,
  at timestamptz
);
CREATE TABLE b (k bigint, j bigint, PRIMARY KEY (k, j)) INTERLEAVE IN PARENT a;
CREATE INDEX aw ON a ("W");
CREATE INDEX old ON a (at);
CREATE VIEW v SQL SECURITY INVOKER AS SELECT k FROM a;
CREATE CHANGE STREAM s FOR a;
GRANT SELECT ON TABLE a TO reader;
ALTER DATABASE db SET spanner.version_retention_period = '2d';
"""
AFTER = """
CREATE SEQUENCE ids BIT_REVERSED_POSITIVE SKIP RANGE 5 9;
CREATE ROLE writer;
CREATE TABLE a (
  k bigint PRIMARY KEY,
  "W" character varying(20) NOT NULL DEFAULT 'y',
  n numeric CHECK (n > 0),
  at timestamptz,
  extra bigint DEFAULT nextval('ids')
) TTL INTERVAL '30 days' ON at;
CREATE TABLE b (k bigint, j bigint, PRIMARY KEY (k, j)) INTERLEAVE IN PARENT a ON DELETE CASCADE;
CREATE TABLE c (
  k bigint PRIMARY KEY,
  a bigint,
  CONSTRAINT ca FOREIGN KEY (a) REFERENCES a (k) ON DELETE CASCADE
);
CREATE INDEX aw ON a ("W" DESC NULLS LAST) INCLUDE (n) WHERE "W" IS NOT NULL;
CREATE VIEW v SQL SECURITY DEFINER AS SELECT k, "W" FROM a;
CREATE CHANGE STREAM s FOR a ("W"), b WITH (retention_period = '2d');
GRANT SELECT (k), UPDATE ("W") ON TABLE a TO writer;
"""


@pytest.mark.parametrize(("first", "second"), [(BEFORE, AFTER), (AFTER, BEFORE), ("", AFTER)])
def test_the_difference_leads_to_the_target_schema(first: str, second: str) -> None:
    before, after = schema_of(first, dialect=POSTGRESQL), schema_of(second, dialect=POSTGRESQL)
    way = [step.statement for step in diff(before, after)]
    reached = schema_of([f"{statement};" for statement in way], before)
    assert diff(reached, after) == []


DEFINITIONS = (
    "INT64", "STRING(9)", "STRING(9) NOT NULL", "BYTES(9)", "TIMESTAMP", "INT64 AS (k + 1) STORED",
    "STRING(9) HIDDEN", "ARRAY<FLOAT32>", "ARRAY<FLOAT32>(vector_length=>3)",
    "ARRAY<FLOAT32>(vector_length=>4)", "TIMESTAMP DEFAULT (CURRENT_TIMESTAMP())",
    "TIMESTAMP OPTIONS (allow_commit_timestamp = true)",
)  # fmt: skip
USES = {
    "index key": ("", "CREATE UNIQUE INDEX i ON T(c DESC) STORING (d);"),
    "stored column": ("", "CREATE INDEX i ON T(d) STORING (c);"),
    "filter": ("", "CREATE NULL_FILTERED INDEX i ON T(d, c);"),
    "check": ("CONSTRAINT ck CHECK (c IS NOT NULL),", ""),
    "generated columns": (
        "g BOOL AS (c IS NULL) STORED, a BOOL AS (NOT g) STORED,",
        "CREATE INDEX i ON T(a);",
    ),
    "view": ("", "CREATE VIEW v SQL SECURITY INVOKER AS SELECT T.c FROM T;"),
    "foreign key": (
        "",
        "CREATE TABLE R (k INT64, c {type}, CONSTRAINT f FOREIGN KEY (c) REFERENCES T(c)) "
        "PRIMARY KEY (k);",
    ),
    "change stream": ("", "CREATE CHANGE STREAM s FOR T(c);"),
    "privileges": ("", "CREATE ROLE r; GRANT SELECT(c), UPDATE(c) ON TABLE T TO ROLE r;"),
    "row deletion": ("", ""),
}


def _schema_with(definition: str, use: str) -> str | None:
    """Return a schema that uses a column in some way, None if Spanner refuses it."""
    inside, behind = USES[use]
    policy = ", ROW DELETION POLICY (OLDER_THAN(c, INTERVAL 1 DAY))"
    text = (
        f"CREATE TABLE T (k INT64, c {definition}, d INT64, e TIMESTAMP, {inside}) PRIMARY KEY (k)"
        f"{policy if use == 'row deletion' else ''};{behind.format(type=definition.split()[0].split('(v')[0])}"
    )
    try:
        schema_of(text)
    except SpannerError:
        return None
    return text


@pytest.mark.parametrize("use", USES)
def test_what_needs_a_column_makes_way_for_it(use: str) -> None:
    texts = [text for text in [_schema_with(each, use) for each in DEFINITIONS] if text]
    without = schema_of("CREATE TABLE T (k INT64, d INT64, e TIMESTAMP) PRIMARY KEY (k);")
    schemas = [*map(schema_of, texts), without]
    for before, after in permutations(schemas, 2):
        way = [f"{step.statement};" for step in diff(before, after)]
        assert diff(schema_of(way, before), after) == [], way


def test_a_row_deletion_policy_moves_to_another_column() -> None:
    table = "CREATE TABLE T (k INT64, {0} TIMESTAMP) PRIMARY KEY (k), ROW DELETION POLICY "
    text = table + "(OLDER_THAN({0}, INTERVAL 1 DAY));"
    before, after = schema_of(text.format("c")), schema_of(text.format("e"))
    way = [f"{step.statement};" for step in diff(before, after)]
    assert diff(schema_of(way, before), after) == []


def test_defaults_depend_on_their_sequences() -> None:
    edges = {
        (edge.source, edge.target) for edge in dependencies(schema_of(AFTER, dialect=POSTGRESQL))
    }
    assert {("a", "ids"), ("v", "a"), ("aw", "a")} <= edges


MODEL = (
    "CREATE MODEL m INPUT (a {input}) OUTPUT (b INT64) REMOTE OPTIONS (endpoint = 'e'{options});"
)
OVER_MODEL = "CREATE VIEW v SQL SECURITY DEFINER AS SELECT p.b FROM ML.PREDICT(MODEL m, (SELECT 1 AS a)) AS p;"
READER = "CREATE ROLE r; GRANT EXECUTE ON MODEL m TO ROLE r;"


@pytest.mark.parametrize(
    ("after", "statements"),
    [
        (
            MODEL.format(input="INT64", options=", default_batch_size = 3"),
            ["ALTER MODEL m SET OPTIONS ( endpoint = 'e', default_batch_size = 3 )"],
        ),
        (
            MODEL.format(input="FLOAT64", options=""),
            [
                "CREATE OR REPLACE MODEL m\nINPUT(\n  a FLOAT64,\n)\nOUTPUT(\n  b INT64,\n)\nREMOTE\n"
                " OPTIONS ( endpoint = 'e' )"
            ],
        ),
    ],
)
def test_a_model_is_altered_or_replaced_with_its_grants(after: str, statements: list[str]) -> None:
    before = MODEL.format(input="INT64", options="") + READER
    way = [step.statement for step in diff(schema_of(before), schema_of(after + READER))]
    assert way == statements
    reached = schema_of([f"{statement};" for statement in way], schema_of(before))
    assert diff(reached, schema_of(after + READER)) == []


def test_views_are_created_again_around_a_replaced_model() -> None:
    first = schema_of(MODEL.format(input="INT64", options="") + OVER_MODEL)
    second = schema_of(
        MODEL.format(input="FLOAT64", options="") + OVER_MODEL.replace("p.b", "p.b, p.a")
    )
    way = [step.statement for step in diff(first, second)]
    assert [text.split()[:2] for text in way] == [
        ["DROP", "VIEW"],
        ["CREATE", "OR"],
        ["CREATE", "VIEW"],
    ]
    reached = schema_of([f"{statement};" for statement in way], first)
    assert diff(reached, second) == []


TABLE = "CREATE TABLE T (k {key}, a {type}) PRIMARY KEY (k);\n"
OVER_TABLE = """
CREATE FUNCTION twice(x INT64) RETURNS INT64 AS (2 * x);
CREATE FUNCTION total() RETURNS INT64 AS ((SELECT COUNT(a) FROM T));
CREATE FUNCTION more() RETURNS INT64 AS (twice(total()) + 1);
CREATE VIEW v SQL SECURITY INVOKER AS SELECT more() AS n, T.a FROM T;
CREATE FUNCTION of_view() RETURNS INT64 AS ((SELECT COUNT(*) FROM v));
CREATE ROLE r;
GRANT EXECUTE ON FUNCTION total TO ROLE r;
"""
SEQUENCE = "CREATE SEQUENCE s BIT_REVERSED_POSITIVE;\n"
OVER_SEQUENCE = """
CREATE FUNCTION next_id() RETURNS INT64 AS (GET_NEXT_SEQUENCE_VALUE(SEQUENCE s));
CREATE TABLE N (k INT64 DEFAULT (next_id())) PRIMARY KEY (k);
"""


def plain(key: str = "INT64", type_: str = "INT64") -> str:
    return TABLE.format(key=key, type=type_)


@pytest.mark.parametrize(
    ("first", "second"),
    list(
        permutations(
            [
                "",
                plain(),
                plain() + OVER_TABLE,
                plain(type_="STRING(9)") + OVER_TABLE,
                plain(key="DATE") + OVER_TABLE,
                plain() + OVER_TABLE.replace("T.a FROM T", "T.k FROM T"),
                plain() + OVER_TABLE.replace("COUNT(a)", "MAX(a)"),
                plain() + OVER_TABLE.replace("(SELECT COUNT(a) FROM T)", "7"),
                plain() + OVER_TABLE.replace("2 * x", "(SELECT x + COUNT(*) FROM T)"),
                SEQUENCE + OVER_SEQUENCE,
                SEQUENCE + OVER_SEQUENCE + plain() + OVER_TABLE.replace("1", "next_id()"),
            ],
            2,
        )
    ),
)
def test_functions_make_way_for_what_they_read(first: str, second: str) -> None:
    before, after = schema_of(first), schema_of(second)
    way = [step.statement for step in diff(before, after)]
    reached = schema_of([f"{statement};" for statement in way], before)
    assert diff(reached, after) == []


FUNCTIONS = (
    "CREATE FUNCTION f(x INT64) RETURNS INT64 AS (x + 1);",
    "CREATE FUNCTION f(x INT64) RETURNS INT64 AS (x + 2);",
    "CREATE FUNCTION f(x INT64, y INT64 DEFAULT 1) RETURNS INT64 AS (x + y);",
    "CREATE FUNCTION f(x STRING) RETURNS STRING AS (x);",
)
CALLER = "CREATE FUNCTION g(x INT64) RETURNS INT64 AS (f(x));"
CALLERS = {
    "nothing": ("", ""),
    "default": ("z INT64 NOT NULL DEFAULT (f(1)),", "CREATE INDEX i ON T(z);"),
    "check": ("CONSTRAINT ck CHECK (f(c) > 0),", ""),
    "check without a name": ("CHECK (f(c) > 0),", ""),
    "check of texts": ("CHECK (f(s) != ''),", ""),
    "generated columns": (
        "z INT64 AS (f(c)) STORED, y INT64 AS (z + 1) STORED, CONSTRAINT ck CHECK (y > 0),",
        "CREATE INDEX i ON T(z); CREATE CHANGE STREAM s FOR T(c); "
        "CREATE VIEW v SQL SECURITY INVOKER AS SELECT T.y FROM T;",
    ),
    "deleting column": (
        "z TIMESTAMP AS (TIMESTAMP_SECONDS(f(c))) STORED,",
        "ALTER TABLE T ADD ROW DELETION POLICY (OLDER_THAN(z, INTERVAL 1 DAY));",
    ),
    "referenced column": (
        "z INT64 AS (f(c)) STORED,",
        "CREATE TABLE R (k INT64, CONSTRAINT fk FOREIGN KEY (k) REFERENCES T(z)) PRIMARY KEY (k);",
    ),
    "view": ("", "CREATE VIEW v SQL SECURITY INVOKER AS SELECT f(T.c) AS c FROM T;"),
    "functions": (
        "z INT64 DEFAULT (h(1)),",
        "CREATE FUNCTION total() RETURNS INT64 AS ((SELECT SUM(g(c)) FROM T));"
        "CREATE VIEW w SQL SECURITY INVOKER AS SELECT g(T.c) AS c FROM T;"
        "CREATE ROLE r; GRANT EXECUTE ON FUNCTION h TO ROLE r;",
    ),
}


def _schema_calling(function: str, use: str) -> str | None:
    """Return a schema in which something calls a function, None if Spanner refuses it."""
    inside, behind = CALLERS[use]
    others = CALLER + CALLER.replace("f(", "g(").replace(" g(", " h(", 1) if "h(" in inside else ""
    table = f"CREATE TABLE T (k INT64, c INT64, s STRING(9), {inside}) PRIMARY KEY (k);"
    text = f"{function}{others}{table}{behind}"
    try:
        schema_of(text)
    except SpannerError:
        return None
    return text


@pytest.mark.parametrize("use", CALLERS)
def test_what_calls_a_function_makes_way_for_its_replacement(use: str) -> None:
    known = [text for each in FUNCTIONS if (text := _schema_calling(each, use))]
    assert known
    others = [
        text for each in FUNCTIONS for name in CALLERS if (text := _schema_calling(each, name))
    ]
    for first, second in ((first, second) for first in known for second in others):
        for before, after in permutations((schema_of(first), schema_of(second))):
            way = [f"{step.statement};" for step in diff(before, after)]
            assert diff(schema_of(way, before), after) == [], way


def test_a_replaced_function_leaves_the_values_of_a_default_and_a_check_in_place() -> None:
    table = "CREATE TABLE T (k INT64, z INT64 DEFAULT (f(1)), CHECK (f(z) > 0)) PRIMARY KEY (k);"
    before, after = (schema_of(function + table) for function in FUNCTIONS[:2])
    steps = diff(before, after)
    check = before.tables["t"].checks[0].name
    assert [step.statement for step in steps] == [
        f"ALTER TABLE T DROP CONSTRAINT {check}",
        "ALTER TABLE T ALTER COLUMN z DROP DEFAULT",
        "CREATE OR REPLACE FUNCTION f(x INT64) RETURNS INT64 AS (x + 2)",
        "ALTER TABLE T ALTER COLUMN z SET DEFAULT (f(1))",
        "ALTER TABLE T ADD CHECK(f(z) > 0)",
    ]
    assert not any(step.destructive for step in steps)


def test_a_table_is_created_again_if_a_replaced_function_computes_its_key() -> None:
    tables = (
        "CREATE TABLE T (k INT64, z INT64 AS (f(k)) STORED) PRIMARY KEY (z);"
        "CREATE TABLE U (z INT64, l INT64) PRIMARY KEY (z, l), INTERLEAVE IN PARENT T;"
    )
    before, after = (schema_of(function + tables) for function in FUNCTIONS[:2])
    steps = diff(before, after)
    assert [step.statement for step in steps if step.destructive] == [
        "DROP TABLE U",
        "DROP TABLE T",
    ]
    assert diff(schema_of([f"{step.statement};" for step in steps], before), after) == []


def test_functions_over_sequences_stand_before_the_tables_in_the_text_of_a_schema() -> None:
    schema = schema_of(SEQUENCE + OVER_SEQUENCE)
    assert diff(schema_of(statements_of(schema)), schema) == []
