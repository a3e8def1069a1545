"""A session with a role performs the requests that its access policy lists, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Code, SpannerError
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.errors import PrivilegeMissing, RequestDenied, RoleNotFound
from spanemu.database.options import (
    CommitOptions,
    Existing,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.sessions.access_policy import (
    GUARDS,
    AccessPolicy,
    GuardedSession,
    guard_requests,
    requests_of,
)
from spanemu.database.sessions.session import Session, SessionSpec
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Delete, RawKeySet, Write, WriteKind


def test_the_policy_lists_every_request_of_a_session() -> None:
    assert set(requests_of(Session)) == GUARDS.keys()


def test_a_request_that_is_not_listed_is_denied() -> None:
    ran: list[Any] = []

    @guard_requests
    class NewSession(GuardedSession):
        def analyze(self, sql: str) -> None:
            ran.append(sql)

    of = session()
    assert isinstance(of, GuardedSession)
    new = NewSession(of.name, SessionSpec({}, role=of.role), of.transactions, 0, of.policy)
    with pytest.raises(RequestDenied) as denial:
        new.analyze("SELECT 1")
    assert (denial.value.code, denial.value.request) == (Code.PERMISSION_DENIED, "analyze")
    assert ran == []


def test_a_listed_request_is_checked_before_it_runs() -> None:
    of = session()
    assert isinstance(of, GuardedSession)
    of.policy = AccessPolicy(of.policy.access, {"begin": GUARDS["begin"]})
    transaction = of.begin(ReadWriteOptions())
    with pytest.raises(RequestDenied):
        of.rollback(transaction.id)


def test_a_role_may_roll_back_its_transaction() -> None:
    of = session()
    begun = of.begin(ReadWriteOptions())
    of.rollback(begun.id)
    with pytest.raises(SpannerError):
        of.commit(Existing(begun.id), (), CommitOptions())


def test_a_session_without_a_role_is_not_guarded() -> None:
    assert type(session(role="")) is Session


SCHEMA = (
    "CREATE TABLE T (k INT64, a INT64, b INT64, g INT64 AS (a + b)) PRIMARY KEY (k)",
    "CREATE SCHEMA s",
    "CREATE TABLE s.U (k INT64) PRIMARY KEY (k)",
    "CREATE VIEW Mine SQL SECURITY INVOKER AS SELECT T.k, T.a FROM T",
    "CREATE VIEW Theirs SQL SECURITY DEFINER AS SELECT T.k, T.b FROM T",
    "CREATE SEQUENCE q BIT_REVERSED_POSITIVE",
    "CREATE ROLE r",
    "CREATE ROLE above",
    "GRANT ROLE above TO ROLE r",
)


def session(*grants: str, role: str = "r") -> Session:
    environment = Environment(ManualClock(), Randomness(7))
    database = Database.create(
        "projects/p/instances/i/databases/db", environment, GOOGLE_STANDARD_SQL
    )
    assert database.apply_ddl([*SCHEMA, *grants]).failure is None
    return database.sessions.create({}, role=role)


def query(of: Session, sql: str) -> list[object]:
    return list(of.execute(StatementRequest(sql), None).rows)


def dml(of: Session, sql: str) -> None:
    begun = of.begin(ReadWriteOptions()).id
    list(of.execute(StatementRequest(sql, seqno=1), Existing(begun)).rows)
    of.commit(Existing(begun), (), CommitOptions())


def write(of: Session, *mutations: Write | Delete) -> None:
    of.commit(SingleUse(ReadWriteOptions()), mutations, CommitOptions())


def refused(of: Session, sql: str) -> tuple[object, object]:
    with pytest.raises(PrivilegeMissing) as failure:
        dml(of, sql) if not sql.startswith("SELECT") else query(of, sql)
    assert failure.value.code is Code.PERMISSION_DENIED
    return failure.value.privilege, failure.value.name


def test_a_role_must_exist() -> None:
    with pytest.raises(RoleNotFound):
        session(role="nobody")


def test_a_new_role_may_do_nothing() -> None:
    mine = session()
    assert refused(mine, "SELECT k FROM T") == ("SELECT", "T")
    assert refused(mine, "SELECT COUNT(*) FROM T") == ("SELECT", "T")
    assert refused(mine, "INSERT INTO T (k) VALUES (1)") == ("INSERT", "T")
    assert refused(mine, "DELETE FROM T WHERE TRUE") == ("DELETE", "T")
    assert query(mine, "SELECT 1") == [(1,)]


def test_a_privilege_on_a_table_is_one_on_each_column() -> None:
    mine = session("GRANT SELECT ON TABLE T TO ROLE r")
    assert query(mine, "SELECT * FROM T WHERE g > 1") == []


def test_columns_are_checked_one_by_one() -> None:
    mine = session("GRANT SELECT(k, g) ON TABLE T TO ROLE r")
    assert query(mine, "SELECT k FROM T WHERE g = 1") == []
    assert query(mine, "SELECT COUNT(*) FROM T") == [(0,)]
    assert refused(mine, "SELECT k FROM T WHERE a = 1") == ("SELECT", "T")
    assert refused(mine, "SELECT * FROM T") == ("SELECT", "T")


@pytest.mark.parametrize("role", ["above", "public"])
def test_privileges_are_inherited(role: str) -> None:
    mine = session(f"GRANT SELECT ON TABLE T TO ROLE {role}")
    assert query(mine, "SELECT a FROM t") == []


def test_an_invoker_needs_privileges_on_the_tables_of_a_view() -> None:
    assert refused(session("GRANT SELECT ON VIEW Mine TO ROLE r"), "SELECT k FROM Mine") == (
        "SELECT", "T",
    )  # fmt: skip
    both = session("GRANT SELECT ON VIEW Mine TO ROLE r", "GRANT SELECT(k, a) ON TABLE T TO ROLE r")
    assert query(both, "SELECT k FROM Mine") == []
    table_only = session("GRANT SELECT ON TABLE T TO ROLE r")
    assert refused(table_only, "SELECT k FROM Mine") == ("SELECT", "Mine")


def test_a_definer_answers_for_the_view() -> None:
    mine = session("GRANT SELECT ON VIEW Theirs TO ROLE r")
    assert query(mine, "SELECT b FROM Theirs") == []


def test_updates_need_select_on_the_columns_they_read() -> None:
    mine = session("GRANT UPDATE(a) ON TABLE T TO ROLE r")
    dml(mine, "UPDATE T SET a = 1 WHERE TRUE")
    assert refused(mine, "UPDATE T SET b = 1 WHERE TRUE") == ("UPDATE", "T")
    assert refused(mine, "UPDATE T SET a = 1 WHERE b = 2") == ("SELECT", "T")
    assert refused(mine, "UPDATE T SET a = 1 WHERE TRUE THEN RETURN b") == ("SELECT", "T")


def test_mutations_are_checked_too() -> None:
    mine = session("GRANT INSERT(k, a), DELETE ON TABLE T TO ROLE r")
    write(mine, Write(WriteKind.INSERT, "T", ("k", "a"), [["1", "2"]]))
    write(mine, Delete("T", RawKeySet(all=True)))
    for kind in (WriteKind.UPDATE, WriteKind.INSERT_OR_UPDATE):
        with pytest.raises(PrivilegeMissing):
            write(mine, Write(kind, "T", ("k", "a"), [["1", "2"]]))
    with pytest.raises(PrivilegeMissing):
        write(mine, Write(WriteKind.INSERT, "T", ("k", "b"), [["1", "2"]]))


def test_reads_by_key_are_checked_too() -> None:
    mine = session("GRANT SELECT(k) ON TABLE T TO ROLE r")
    everything = RawKeySet(all=True)
    assert list(mine.read(ReadRequest("T", ("k",), everything), None).rows) == []
    with pytest.raises(PrivilegeMissing):
        mine.read(ReadRequest("T", ("k", "a"), everything), None)


def test_named_schemas_need_usage() -> None:
    assert refused(session("GRANT SELECT ON TABLE s.U TO ROLE r"), "SELECT k FROM s.U") == (
        "SELECT", "s.U",
    )  # fmt: skip
    both = session("GRANT SELECT ON TABLE s.U TO ROLE r", "GRANT USAGE ON SCHEMA s TO ROLE r")
    assert query(both, "SELECT k FROM s.U") == []


def test_drawing_from_a_sequence_is_an_update() -> None:
    draw = "INSERT INTO T (k) VALUES (GET_NEXT_SEQUENCE_VALUE(SEQUENCE q))"
    insert = "GRANT INSERT ON TABLE T TO ROLE r"
    assert refused(session(insert), draw) == ("UPDATE", "q")
    dml(session(insert, "GRANT UPDATE ON SEQUENCE q TO ROLE r"), draw)


def test_system_tables() -> None:
    mine = session()
    assert query(mine, "SELECT 1 FROM INFORMATION_SCHEMA.SCHEMATA LIMIT 1") == [(1,)]
    sizes = "SELECT 1 FROM SPANNER_SYS.TABLE_SIZES_STATS_1HOUR WHERE FALSE"
    assert refused(mine, sizes) == ("SELECT", "SPANNER_SYS.TABLE_SIZES_STATS_1HOUR")
    assert query(session("GRANT ROLE spanner_sys_reader TO ROLE r"), sizes) == []


def test_an_unknown_column_is_an_invalid_argument_in_a_restricted_session() -> None:
    with pytest.raises(SpannerError) as failure:
        query(session(), "SELECT nope FROM T")
    assert failure.value.code is Code.INVALID_ARGUMENT


# ---------------------------------------------------------------------------- what it sees


def seen(of: Session, table: str, column: str, where: str = "TRUE") -> list[object]:
    sql = f"SELECT DISTINCT {column} FROM INFORMATION_SCHEMA.{table} WHERE {where} ORDER BY 1"
    return [row[0] for row in query(of, sql)]


MINE = "TABLE_SCHEMA IN ('', 's')"


def test_tables_and_columns_are_those_that_may_be_used() -> None:
    nobody = session()
    assert seen(nobody, "TABLES", "TABLE_NAME", MINE) == []
    assert seen(nobody, "COLUMNS", "COLUMN_NAME", MINE) == []
    some = session(
        "GRANT SELECT(a), UPDATE(b) ON TABLE T TO ROLE above", "GRANT SELECT ON VIEW Mine TO ROLE r"
    )
    assert seen(some, "TABLES", "TABLE_NAME", MINE) == ["Mine", "T"]
    assert seen(some, "VIEWS", "TABLE_NAME") == ["Mine"]
    assert seen(some, "COLUMNS", "COLUMN_NAME", "TABLE_NAME = 'T'") == ["a", "b"]
    assert seen(some, "KEY_COLUMN_USAGE", "COLUMN_NAME", MINE) == []
    whole = session("GRANT DELETE ON TABLE T TO ROLE r", "GRANT SELECT ON TABLE s.U TO ROLE public")
    assert seen(whole, "TABLES", "TABLE_NAME", MINE) == ["T", "U"]
    assert seen(whole, "COLUMNS", "TABLE_NAME", MINE) == ["U"]  # DELETE is about no column
    assert seen(whole, "TABLE_PRIVILEGES", "TABLE_NAME") == ["T", "U"]


def test_an_index_is_seen_by_all_of_its_columns() -> None:
    index = "CREATE INDEX ByA ON T(a) STORING (b)"
    assert (
        seen(session(index, "GRANT SELECT(a) ON TABLE T TO ROLE r"), "INDEXES", "INDEX_NAME", MINE)
        == []
    )
    every = session(index, "GRANT SELECT(a, b, k) ON TABLE T TO ROLE r")
    assert seen(every, "INDEXES", "INDEX_NAME", MINE) == ["ByA", "PRIMARY_KEY"]
    table = session(index, "GRANT INSERT ON TABLE T TO ROLE r")
    assert seen(table, "INDEX_COLUMNS", "INDEX_NAME", MINE) == ["ByA", "PRIMARY_KEY"]


def test_roles_grants_and_other_objects() -> None:
    more = (
        "CREATE ROLE stranger",
        "CREATE CHANGE STREAM c FOR ALL",
        "CREATE CHANGE STREAM d FOR ALL",
        "GRANT SELECT ON CHANGE STREAM c TO ROLE r",
        "GRANT EXECUTE ON TABLE FUNCTION READ_d TO ROLE above",
        "GRANT SELECT ON TABLE T TO ROLE stranger",
    )
    of = session(*more)
    assert seen(of, "ROLES", "ROLE_NAME") == ["above", "public", "r"]
    assert seen(of, "ROLE_GRANTEES", "ROLE_NAME") == ["above"]
    assert seen(of, "CHANGE_STREAMS", "CHANGE_STREAM_NAME") == ["c"]
    assert seen(of, "ROUTINES", "ROUTINE_NAME") == ["READ_d"]
    assert seen(of, "PARAMETERS", "SPECIFIC_NAME") == ["READ_d"]
    assert seen(of, "SEQUENCES", "NAME") == []
    assert seen(of, "ROLE_TABLE_GRANTS", "GRANTEE") == []
    assert seen(session("GRANT UPDATE ON SEQUENCE q TO ROLE r"), "SEQUENCES", "NAME") == ["q"]


def test_the_info_reader_sees_everything() -> None:
    of = session("CREATE ROLE stranger", "GRANT ROLE spanner_info_reader TO ROLE above")
    assert seen(of, "TABLES", "TABLE_NAME", MINE) == ["Mine", "T", "Theirs", "U"]
    assert "stranger" in seen(of, "ROLES", "ROLE_NAME")
    hidden = seen(session(), "TABLES", "TABLE_SCHEMA")
    assert hidden == ["INFORMATION_SCHEMA"]
