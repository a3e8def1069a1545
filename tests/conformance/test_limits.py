"""Limits that an emulator is started with instead of Spanner's."""

from __future__ import annotations

import pytest

import spanemu
from tests.conformance.raw import FP, IA, insert, params, refused, user

NESTED = "SELECT 1"
for _ in range(3):
    NESTED = f"SELECT ({NESTED})"

# What each limit refuses, and what it lets pass.
QUERIES = {
    "joins": (1, "FROM Users a JOIN Users b USING (Id) JOIN Users c USING (Id)", "FROM Users"),
    "function_calls": (2, "WHERE ABS(ABS(ABS(Age))) = 1", "WHERE ABS(Age) = 1"),
    "function_depth": (2, "WHERE ABS(ABS(ABS(Age))) = 1", "WHERE ABS(ABS(Age)) = 1"),
    "operator_depth": (3, "WHERE NOT NOT NOT NOT TRUE", "WHERE NOT NOT TRUE"),
    "in_list_items": (2, "WHERE Age IN (1, 2, 3)", "WHERE Age IN (1, 2)"),
    "group_keys": (1, "GROUP BY Age, Name", "GROUP BY Age"),
    "set_operation_queries": (
        2, "UNION ALL SELECT 1 UNION ALL SELECT 2", "UNION ALL SELECT 1",
    ),
    "subquery_depth": (2, f"WHERE 1 = ({NESTED})", "WHERE 1 = (SELECT 1)"),
    "subqueries": (1, "WHERE (SELECT 1) = (SELECT 1)", "WHERE (SELECT 1) = 1"),
    "sql_characters": (60, "WHERE 1 = 1" + " " * 60, "WHERE 1 = 1"),
}  # fmt: skip


def query(tail: str) -> str:
    return f"SELECT 1 {tail}" if tail.startswith("FROM") else f"SELECT 1 FROM Users {tail}"


@pytest.mark.parametrize(
    ("limited", "refused_tail", "accepted_tail"),
    [({name: most}, bad, good) for name, (most, bad, good) in QUERIES.items()],
    indirect=["limited"],
    ids=list(QUERIES),
)
def test_limits_of_a_query(limited, session, refused_tail, accepted_tail):
    tight = limited.session()
    with refused(IA):
        tight.sql(query(refused_tail))
    tight.sql(query(accepted_tail))
    session.sql(query(refused_tail))


@pytest.mark.parametrize("limited", [{"parameters": 2}], indirect=True)
def test_parameters(limited):
    session = limited.session()
    values = {"params": params(a=1, b=2, c=3)}
    with refused(IA):
        session.sql("SELECT @a, @b, @c", **values)
    session.sql("SELECT @a, @b", **values)


@pytest.mark.parametrize("limited", [{"view_depth": 1}], indirect=True)
def test_nested_views(limited):
    limited.ddl(
        "CREATE VIEW A SQL SECURITY INVOKER AS SELECT u.Id FROM Users u",
        "CREATE VIEW B SQL SECURITY INVOKER AS SELECT A.Id FROM A",
    )
    limited.session().sql("SELECT Id FROM B")
    with refused(FP):
        limited.ddl("CREATE VIEW C SQL SECURITY INVOKER AS SELECT B.Id FROM B")


@pytest.mark.parametrize("limited", [{"key_bytes": 20}], indirect=True)
def test_keys_of_tables_and_indexes(limited):
    session = limited.session()
    with refused(IA, match="UsersByName"):
        session.commit(None, insert("Users", "Id Name", (1, "x" * 20)))
    session.commit(None, insert("Users", "Id Name", (1, "x" * 12)))


@pytest.mark.parametrize("limited", [{"cell_bytes": 1_000}], indirect=True)
def test_cells(limited):
    session = limited.session()
    with refused(IA, match=r"Users\.Note"):
        session.commit(None, insert("Users", "Id Note", (1, "é" * 501)))
    session.commit(None, insert("Users", "Id Note", (1, "é" * 500)))


@pytest.mark.parametrize("limited", [{"commit_bytes": 1_000}], indirect=True)
def test_bytes_of_a_commit(limited):
    session = limited.session()
    with refused(IA):
        session.commit(None, insert("Users", "Id Note", (1, "x" * 1_000)))
    session.commit(None, user(1))
    assert session.rows("Users", "Id") == [["1"]]


@pytest.mark.parametrize("limited", [{"request_bytes": 1_000}], indirect=True)
def test_bytes_of_other_requests(limited):
    session = limited.session()
    with refused(IA):
        session.sql("SELECT 1" + " " * 1_000)
    large = insert("Users", "Id Note", (1, "x" * 2_000))
    session.begin(mutation_key=large)
    session.commit(None, large)


@pytest.mark.parametrize("limited", [{"unary_result_bytes": 1_000}], indirect=True)
def test_bytes_of_a_unary_result(limited):
    session = limited.session()
    session.commit(None, insert("Users", "Id Note", (1, "x" * 2_000)))
    with refused(FP):
        session.sql("SELECT Note FROM Users")
    assert session.stream_sql("SELECT Note FROM Users")


TABLE = "CREATE TABLE {name} (Id INT64 NOT NULL, N INT64) PRIMARY KEY (Id)"
DEEPER = (
    "CREATE TABLE {name} (Id INT64 NOT NULL, PostId INT64 NOT NULL, N INT64 NOT NULL)"
    " PRIMARY KEY (Id, PostId DESC, N), INTERLEAVE IN PARENT Posts"
)

# What a schema may have besides the three tables and indexes that are there, and what is too much.
OBJECTS = {
    "tables": (4, TABLE, TABLE),
    "columns_per_table": (4, TABLE, "ALTER TABLE Users ADD COLUMN {name} INT64"),
    "interleave_depth": (1, TABLE, DEEPER),
    "indexes": (4, "CREATE INDEX {name} ON Pairs (B)", "CREATE INDEX {name} ON Posts (Title)"),
    "indexes_per_table": (
        2, "CREATE INDEX {name} ON Pairs (B)", "CREATE INDEX {name} ON Users (Note)",
    ),
    "views": (1, "CREATE VIEW {name} SQL SECURITY INVOKER AS SELECT 1 AS One",
              "CREATE VIEW {name} SQL SECURITY INVOKER AS SELECT 1 AS One"),
    "change_streams": (1, "CREATE CHANGE STREAM {name}", "CREATE CHANGE STREAM {name}"),
    "roles": (1, "CREATE ROLE {name}", "CREATE ROLE {name}"),
    "locality_groups": (1, "CREATE LOCALITY GROUP {name}", "CREATE LOCALITY GROUP {name}"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("limited", "accepted", "too_much"),
    [({name: most}, good, bad) for name, (most, good, bad) in OBJECTS.items()],
    indirect=["limited"],
    ids=list(OBJECTS),
)
def test_limits_of_a_schema(limited, accepted, too_much):
    limited.ddl(accepted.format(name="First"))
    with refused(FP):
        limited.ddl(too_much.format(name="Second"))


@pytest.mark.parametrize("limited", [{"key_bytes": 100}], indirect=True)
def test_keys_of_an_index_that_is_filled(limited):
    limited.session().commit(None, insert("Users", "Id Note", (1, "x" * 200)))
    with refused((FP, IA)):
        limited.ddl("CREATE INDEX UsersByNote ON Users (Note)")


def test_a_limit_is_positive():
    with pytest.raises(ValueError, match="joins=0"):
        spanemu.Limits(joins=0)


@pytest.mark.parametrize("limited", [{}], indirect=True)
def test_ten_levels_of_views(limited):
    limited.ddl("CREATE VIEW V0 SQL SECURITY INVOKER AS SELECT u.Id FROM Users u")
    for level in range(1, 11):
        below = f"V{level - 1}"
        limited.ddl(f"CREATE VIEW V{level} SQL SECURITY INVOKER AS SELECT {below}.Id FROM {below}")
    limited.session().sql("SELECT Id FROM V10")
    with refused(FP):
        limited.ddl("CREATE VIEW V11 SQL SECURITY INVOKER AS SELECT V10.Id FROM V10")


@pytest.mark.parametrize("limited", [{}], indirect=True)
def test_fifteen_locality_groups_besides_the_default(limited):
    limited.ddl("ALTER LOCALITY GROUP `default` SET OPTIONS (storage = 'hdd')")
    limited.ddl(*(f"CREATE LOCALITY GROUP G{number}" for number in range(15)))
    with refused(FP):
        limited.ddl("CREATE LOCALITY GROUP G15")


def columns(count, type_="STRING(MAX)"):
    return ", ".join(f"C{number} {type_}" for number in range(count))


@pytest.mark.parametrize(
    ("most", "more"),
    [
        (columns(200), columns(201)),
        (columns(200, "BYTES(MAX)"), columns(201, "BYTES(MAX)")),
        (f"{columns(199)}, D STRING(2621440)", f"{columns(200)}, D STRING(1)"),
        (f"{columns(200)}, D INT64, E ARRAY<STRING(MAX)>", f"{columns(200)}, D BYTES(1)"),
        (f"{columns(200)}, D STRING(MAX) AS (C0)", f"{columns(200)}, D STRING(MAX) AS (C0) STORED"),
    ],
    ids=["strings", "bytes", "lengths", "other types", "generated"],
)
@pytest.mark.parametrize("limited", [{}], indirect=True)
def test_declared_lengths_of_columns_outside_of_the_key(limited, most, more):
    limited.ddl(f"CREATE TABLE Most (Id STRING(36), {most}) PRIMARY KEY (Id)")
    with refused(FP):
        limited.ddl(f"CREATE TABLE More (Id INT64, {more}) PRIMARY KEY (Id)")


@pytest.mark.parametrize("limited", [{}], indirect=True)
def test_declared_lengths_of_added_and_altered_columns(limited):
    limited.ddl(
        f"CREATE TABLE Wide (Id INT64, {columns(199)}, D STRING(9), E STRING(9)) PRIMARY KEY (Id)"
    )
    limited.ddl("ALTER TABLE Wide ALTER COLUMN D STRING(2621420)")
    for statement in ("ALTER COLUMN E STRING(MAX)", "ADD COLUMN F STRING(MAX)"):
        with refused(FP):
            limited.ddl(f"ALTER TABLE Wide {statement}")
    limited.ddl("ALTER TABLE Wide ADD COLUMN F INT64")


@pytest.mark.parametrize("limited", [{}], indirect=True)
@pytest.mark.parametrize(
    "struct",
    ["STRUCT({})", "({})", "(SELECT AS STRUCT {})", "CAST(NULL AS STRUCT<{}>)"],
)
def test_fields_of_a_struct(limited, struct):
    session = limited.session()
    item = "INT64" if "<" in struct else "1"
    session.sql(f"SELECT {struct.format(', '.join([item] * 1_000))} IS NULL")
    with refused(IA, match="maximum allowed limit of 1000"):
        session.sql(f"SELECT {struct.format(', '.join([item] * 1_001))} IS NULL")
