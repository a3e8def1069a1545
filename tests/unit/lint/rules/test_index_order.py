"""Indexes whose new entries are neighbours: where they land, how severe it is, what helps."""

from __future__ import annotations

import pytest

from spanemu.base.severity import Severity
from tests.unit.lint.linting import applied, findings, fixed, ids, only

INFO, WARNING, ERROR = Severity.INFO, Severity.WARNING, Severity.ERROR

ROOT = "CREATE TABLE T (Id INT64 NOT NULL, S STRING(9), At1 {type}) PRIMARY KEY (Id);"
CHILD = (
    "CREATE TABLE P (Tenant STRING(9) NOT NULL) PRIMARY KEY (Tenant DESC);"
    "CREATE TABLE C (Tenant STRING(9) NOT NULL, Id INT64 NOT NULL, At1 TIMESTAMP) "
    "PRIMARY KEY (Tenant DESC, Id), INTERLEAVE IN PARENT P;"
)
CHILD_PG = (
    "CREATE TABLE p (tenant varchar(9) NOT NULL PRIMARY KEY);"
    "CREATE TABLE c (tenant varchar(9) NOT NULL, id bigint NOT NULL, at1 timestamptz, "
    "PRIMARY KEY (tenant, id)) INTERLEAVE IN PARENT p;"
)


def statement(fix: str) -> str:
    """Return the CREATE INDEX of a script."""
    (create,) = (each for each in fix.split("; ") if each.startswith("CREATE"))
    return create


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("INDEX I ON C(At1)", "CREATE INDEX I2 ON C(Tenant DESC, At1), INTERLEAVE IN P"),
        (
            "NULL_FILTERED INDEX I ON C(At1 DESC, Id)",
            "CREATE NULL_FILTERED INDEX I2 ON C(Tenant DESC, At1 DESC, Id), INTERLEAVE IN P",
        ),
        ("INDEX I ON C(At1, Tenant)", "CREATE INDEX I2 ON C(Tenant DESC, At1), INTERLEAVE IN P"),
        ("UNIQUE INDEX I ON C(At1)", "CREATE UNIQUE INDEX I2 ON C(ShardId, At1)"),
    ],
)
def test_an_index_of_a_child_is_interleaved_in_the_parent(index: str, expected: str) -> None:
    # A unique index would be unique for one parent row only, so it gets a shard column.
    finding = only("SPN202", f"{CHILD}CREATE {index}")
    assert statement(finding.fix) == expected


@pytest.mark.parametrize("order", ["", " DESC"])
def test_an_index_that_repeats_the_primary_key_is_not_suggested(order: str) -> None:
    ddl = (
        "CREATE TABLE P (K INT64 NOT NULL) PRIMARY KEY (K);"
        "CREATE TABLE C (K INT64 NOT NULL, At1 TIMESTAMP NOT NULL, N INT64 NOT NULL) "
        f"PRIMARY KEY (K, At1{order}, N), INTERLEAVE IN PARENT P; CREATE INDEX I ON C(At1)"
    )
    assert statement(only("SPN202", ddl).fix) == "CREATE INDEX I2 ON C(ShardId, At1)"


def test_an_index_of_a_child_in_postgresql() -> None:
    ddl = f"{CHILD_PG}CREATE INDEX i ON c (at1) WHERE at1 IS NOT NULL"
    finding = only("SPN202", ddl, dialect="postgresql")
    assert statement(finding.fix) == (
        "CREATE INDEX i2 ON c (tenant, at1) INTERLEAVE IN p WHERE at1 IS NOT NULL"
    )
    applied(fixed(ddl, finding), "postgresql")


def test_an_index_is_not_interleaved_in_a_parent_that_grows_or_has_few_rows() -> None:
    for first in ("TIMESTAMP", "BOOL"):
        ddl = CHILD.replace("STRING(9)", first) + "CREATE INDEX I ON C(At1)"
        assert statement(only("SPN202", ddl).fix) == "CREATE INDEX I2 ON C(ShardId, At1)"


@pytest.mark.parametrize("id_", ["SPN201", "SPN202", "SPN203"])
def test_no_index_is_interleaved_in_its_own_table(id_: str) -> None:
    # The table's key finds the row already, so such an index serves no query.
    types = {
        "SPN201": "TIMESTAMP OPTIONS (allow_commit_timestamp = true)",
        "SPN202": "TIMESTAMP",
        "SPN203": "TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE "
        "(PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)",
    }
    ddl = ROOT.format(type=types[id_]) + "CREATE INDEX I ON T(At1) STORING (S)"
    fix = only(id_, ddl).fix
    assert "INTERLEAVE" not in fix
    assert statement(fix) == "CREATE INDEX I2 ON T(ShardId, At1) STORING (S)"
    assert "ShardId IN UNNEST(GENERATE_ARRAY(0, 7))" in fix


@pytest.mark.parametrize(
    ("key", "hashed"),
    [
        ("A STRING(9) NOT NULL", "A"),
        ("A BYTES(9) NOT NULL", "TO_HEX(A)"),
        ("A INT64", "COALESCE(CAST(A AS STRING), '')"),
        ("A STRING(9) NOT NULL, B DATE NOT NULL", "CONCAT(A, CAST(B AS STRING))"),
    ],
)
def test_a_shard_is_computed_from_the_table_key(key: str, hashed: str) -> None:
    names = ", ".join(column.split()[0] for column in key.split(", "))
    ddl = (
        f"CREATE TABLE T ({key}, At1 TIMESTAMP) PRIMARY KEY ({names});"
        "CREATE NULL_FILTERED INDEX I ON T(At1)"
    )
    finding = only("SPN202", ddl)
    assert f"FARM_FINGERPRINT({hashed})" in finding.fix
    applied(fixed(ddl, finding))


TYPES = {
    "googlesql": "INT64 STRING(9) BYTES(9) UUID DATE TIMESTAMP NUMERIC FLOAT64 BOOL".split(),
    "postgresql": "bigint varchar(9) bytea uuid date timestamptz float8 boolean".split(),
}


@pytest.mark.parametrize("more", ["", ", More {} NOT NULL"])
@pytest.mark.parametrize(
    ("dialect", "type_"), [(dialect, type_) for dialect in TYPES for type_ in TYPES[dialect]]
)
def test_keys_of_every_type_can_be_hashed(dialect: str, type_: str, more: str) -> None:
    key = "K, More" if more else "K"
    columns = f"K {type_} NOT NULL{more.format(TYPES[dialect][0])}"
    if dialect == "googlesql":
        ddl = f"CREATE TABLE T ({columns}, At1 TIMESTAMP) PRIMARY KEY ({key});"
    else:
        ddl = f"CREATE TABLE T ({columns}, At1 timestamptz, PRIMARY KEY ({key}));"
    ddl += "CREATE INDEX I ON T(At1)"
    applied(fixed(ddl, only("SPN202", ddl, dialect=dialect)), dialect)


def test_a_shard_of_a_unique_index_is_computed_from_its_own_columns() -> None:
    ddl = ROOT.format(type="TIMESTAMP") + "CREATE UNIQUE INDEX I ON T(At1, S)"
    fix = only("SPN202", ddl).fix
    assert "CONCAT(COALESCE(CAST(At1 AS STRING), ''), COALESCE(S, ''))" in fix


def test_the_shards_of_a_check_need_not_begin_with_zero() -> None:
    table = ROOT.format(type="TIMESTAMP, Shard INT64 NOT NULL, CHECK (Shard BETWEEN 1 AND 9)")
    assert "GENERATE_ARRAY" not in only("SPN202", f"{table}CREATE INDEX I ON T(At1)").fix


def test_the_shard_column_of_the_table_is_used() -> None:
    ddl = (
        "CREATE TABLE T (Id STRING(9) NOT NULL, At1 TIMESTAMP, "
        "Bucket INT64 AS (ABS(MOD(FARM_FINGERPRINT(Id), 20))) STORED) PRIMARY KEY (Id);"
    )
    fix = only("SPN202", f"{ddl}CREATE INDEX I ON T(At1)").fix
    assert fix.startswith("CREATE INDEX I2 ON T(Bucket, At1); DROP INDEX I ")
    assert "Bucket IN UNNEST(GENERATE_ARRAY(0, 19))" in fix
    unique = only("SPN202", f"{ddl}CREATE UNIQUE INDEX I ON T(At1)").fix
    assert "CREATE UNIQUE INDEX I2 ON T(ShardId, At1)" in unique


def test_a_shard_column_that_the_application_fills_is_used() -> None:
    table = ROOT.format(type="TIMESTAMP, ShardId INT64 NOT NULL")
    fix = only("SPN202", f"{table}CREATE INDEX I ON T(At1)").fix
    assert fix.startswith("CREATE INDEX I2 ON T(ShardId, At1); DROP INDEX I ")
    hashed = ROOT.format(type="TIMESTAMP, Bucket INT64 AS (FARM_FINGERPRINT(S)) STORED")
    assert "ON T(ShardId, At1)" in only("SPN202", f"{hashed}CREATE INDEX I ON T(At1)").fix


def test_an_index_in_a_hint_is_dropped_after_the_hint() -> None:
    ddl = ROOT.format(type="TIMESTAMP") + "CREATE INDEX I ON T(At1);"
    view = "CREATE VIEW V SQL SECURITY INVOKER AS SELECT T.Id FROM T@{FORCE_INDEX=I}"
    assert only("SPN202", ddl).fix.startswith("ALTER TABLE T ")
    fix = only("SPN202", ddl + view).fix
    assert fix.startswith("If no FORCE_INDEX hint names I any more: ALTER TABLE T ")


def test_names_of_a_fix_are_free() -> None:
    ddl = ROOT.format(type="TIMESTAMP, ShardId STRING(9)") + (
        "CREATE INDEX I ON T(At1); CREATE INDEX I2 ON T(S)"
    )
    assert statement(only("SPN202", ddl).fix) == "CREATE INDEX I3 ON T(ShardId2, At1)"


@pytest.mark.parametrize(
    ("id_", "type_", "order", "expected"),
    [
        ("SPN202", "TIMESTAMP", "", "at its end"),
        ("SPN202", "TIMESTAMP", " DESC", "at its beginning"),
        ("SPN202", "DATE", " DESC", "each day starts in one split"),
        ("SPN201", "TIMESTAMP OPTIONS (allow_commit_timestamp = true)", "", "in the last split"),
        (
            "SPN201",
            "TIMESTAMP OPTIONS (allow_commit_timestamp = true)",
            " DESC",
            "in the first split",
        ),
    ],
)
def test_a_message_names_the_position_of_new_entries(
    id_: str, type_: str, order: str, expected: str
) -> None:
    ddl = ROOT.format(type=type_) + f"CREATE INDEX I ON T(At1{order})"
    assert expected in only(id_, ddl).message


@pytest.mark.parametrize("name", ["DueDate", "ExpiresAt", "scheduled_for", "ValidUntil"])
@pytest.mark.parametrize("type_", ["TIMESTAMP", "DATE"])
def test_future_times_are_not_reported_as_appends(name: str, type_: str) -> None:
    ddl = ROOT.replace("At1", name).format(type=f"{type_} NOT NULL")
    for order in ("", " DESC"):
        finding = only("SPN202", f"{ddl}CREATE INDEX I ON T({name}{order})")
        assert finding.severity is INFO
        assert " end" not in finding.message
        assert "beginning" not in finding.message
    filled = ddl.replace("NOT NULL,", "NOT NULL, C INT64,").replace(
        f"{type_} NOT NULL)", f"{type_} NOT NULL DEFAULT (CURRENT_{type_}()))"
    )
    assert only("SPN202", f"{filled}CREATE INDEX I ON T({name})").severity is WARNING


def test_a_counter_by_name_is_information() -> None:
    ddl = ROOT.replace("At1", "order_no").format(type="INT64") + "CREATE INDEX I ON T(order_no)"
    assert only("SPN202", ddl).severity is INFO


def test_an_index_is_reported_once() -> None:
    # Each pair of rules would report the same entries of the same index.
    stamped = ROOT.format(
        type="TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE "
        "(PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)"
    )
    assert ids(f"{stamped}CREATE INDEX I ON T(At1)") == {"SPN203"}
    queue = (
        "CREATE TABLE Outbox (Id STRING(36) NOT NULL, {state}, At1 TIMESTAMP) PRIMARY KEY (Id);"
        "CREATE INDEX I ON Outbox(State, At1)"
    )
    for state, severity in (
        ("State STRING(9)", WARNING),
        ("State STRING(9) DEFAULT ('new')", WARNING),
        ("State BOOL", ERROR),
        ("State STRING(9), CHECK (State IN ('a', 'b'))", ERROR),
    ):
        (finding,) = findings(queue.format(state=state))
        assert (finding.id, finding.severity) == ("SPN503", severity)
    sharded = queue.replace("State", "Shard").format(state="Shard INT64")
    assert [(each.id, each.severity) for each in findings(sharded)] == [("SPN503", INFO)]
    assert ids(queue.replace("Outbox", "Orders").format(state="State STRING(9)")) == {"SPN205"}


def test_few_values_and_then_a_time() -> None:
    table = (
        "CREATE TABLE T (Id STRING(9) NOT NULL, Active BOOL, Kind STRING(9), Region STRING(9), "
        "At1 TIMESTAMP, DueAt TIMESTAMP) PRIMARY KEY (Id);CREATE INDEX I ON T({})"
    )
    for key, severity in (
        ("Active, At1", ERROR),
        ("Kind, At1", WARNING),
        ("Active, Kind, At1 DESC", INFO),
        ("Region, At1", INFO),
    ):
        finding = only("SPN205", table.format(key))
        assert finding.severity is severity
        assert finding.message.endswith("At1.")
    for key in ("Region", "Region, Id", "Kind, DueAt", "Active", "Kind, Id, At1"):
        assert ids(table.format(key)) == set()


def test_leases_and_locks_that_are_mostly_null() -> None:
    for name in ("LeasedUntil", "lock_owner", "LockedBy", "LeaseExpiresAt"):
        table = ROOT.replace("At1", name).format(type="TIMESTAMP")
        finding = only("SPN207", f"{table}CREATE INDEX I ON T({name})")
        assert finding.severity is INFO
        assert finding.fix.startswith("If no query looks for NULL: CREATE NULL_FILTERED INDEX I2")
        # Queries may look for a free row, and then for S.
        assert "SPN207" not in ids(f"{table}CREATE INDEX I ON T({name}, S)")
        assert "SPN207" in ids(f"{table}CREATE INDEX I ON T({name}, S)", "SPN207")
        not_null = ROOT.replace("At1", name).format(type="TIMESTAMP NOT NULL")
        assert "SPN207" not in ids(f"{not_null}CREATE INDEX I ON T({name})", "all")


def test_a_lease_in_postgresql() -> None:
    table = "CREATE TABLE t (id bigint PRIMARY KEY, leaseduntil timestamptz);"
    finding = only("SPN207", f"{table}CREATE INDEX i ON t (leaseduntil)", dialect="postgresql")
    assert "CREATE INDEX i2 ON t (leaseduntil) WHERE leaseduntil IS NOT NULL" in finding.fix
    filtered = f"{table}CREATE INDEX i ON t (leaseduntil) WHERE leaseduntil IS NOT NULL"
    assert "SPN207" not in ids(filtered, "all", dialect="postgresql")
