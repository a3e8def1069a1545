"""Which statements may search, and which search index answers them."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.database.options import (
    Begin,
    Existing,
    PartitionedDml,
    QueryMode,
    ReadOnly,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.analysis.errors import HintIndexNotFound
from spanemu.values.mutation import RawKeySet
from tests.unit.ddl.world import World

MAIL = (
    "CREATE TABLE Mail (Box INT64 NOT NULL, Id INT64 NOT NULL, Sent INT64 NOT NULL, "
    "Folder STRING(MAX), A STRING(MAX), C STRING(MAX), "
    "ATok TOKENLIST AS (TOKENIZE_FULLTEXT(A)) HIDDEN, CTok TOKENLIST AS (TOKENIZE_FULLTEXT(C)) HIDDEN, "
    "STok TOKENLIST AS (TOKENIZE_SUBSTRING(A)) STORED HIDDEN) PRIMARY KEY (Box, Id)"
)
BY_BOX = (
    "CREATE SEARCH INDEX ByBox ON Mail(ATok) STORING (Folder) PARTITION BY Box ORDER BY Sent DESC"
)
ON_C = "CREATE SEARCH INDEX OnC ON Mail(CTok) STORING (Folder) WHERE Folder IS NOT NULL"
ON_BOTH = "CREATE SEARCH INDEX OnBoth ON Mail(ATok, CTok, STok) ORDER BY Sent"
ALLOWED = "@{ALLOW_SEARCH_INDEXES_IN_TRANSACTION=TRUE}"
ROWS = (
    ("1", "1", "10", "in", "red apple", "sour pear"),
    ("1", "2", "20", None, "green apple", "sweet pear"),
    ("2", "1", "5", "in", "red apple pie", None),
    ("1", "3", "15", "out", None, "pear"),
)


@pytest.fixture
def mail() -> World:
    world = World(MAIL, BY_BOX, ON_C)
    world.insert("Mail", "Box Id Sent Folder A C", *ROWS)
    return world


def refused(world: World, sql: str, selector: Any = None) -> str:
    with pytest.raises(SpannerError) as failure:
        list(world.session.execute(StatementRequest(sql), selector).rows)
    assert failure.value.code is Code.INVALID_ARGUMENT
    return str(failure.value)


def operators(world: World, sql: str) -> list[str]:
    stream = world.session.execute(StatementRequest(sql, mode=QueryMode.PLAN), None)
    assert stream.stats is not None
    assert stream.stats.plan is not None
    return [node.display_name for node in stream.stats.plan.nodes]


def test_the_index_of_a_partition_is_read_in_its_order(mail):
    sql = "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple') ORDER BY Sent DESC LIMIT 5"
    assert mail.rows(sql) == [(2,), (1,)]
    shown = operators(mail, sql)
    assert "Search Index Scan" in shown
    assert not {"Sort", "Sort Limit"} & set(shown)


def test_any_other_order_costs_a_sort(mail):
    sql = "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple') ORDER BY Id LIMIT 5"
    assert mail.rows(sql) == [(1,), (2,)]
    assert "Sort Limit" in operators(mail, sql)


def test_columns_that_the_index_lacks_are_looked_up(mail):
    assert mail.rows("SELECT A, C FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'red')") == [
        ("red apple", "sour pear")
    ]


def test_rows_without_a_list_are_neither_found_nor_excluded(mail):
    assert mail.rows("SELECT Id FROM Mail WHERE Box = 1 AND NOT SEARCH(ATok, 'green')") == [(1,)]


def test_a_table_without_an_index_cannot_be_searched(mail):
    text = refused(mail, "SELECT Id FROM Mail WHERE SEARCH_SUBSTRING(STok, 'apple')")
    assert "SEARCH_SUBSTRING" in text
    assert "Mail" in text
    mail.ddl("DROP SEARCH INDEX ByBox", "DROP SEARCH INDEX OnC")
    assert "it has none" in refused(mail, "SELECT Id FROM Mail WHERE SEARCH(ATok, 'apple')")


@pytest.mark.parametrize(
    "condition",
    [
        "SEARCH(ATok, 'apple')",
        "Box > 0 AND SEARCH(ATok, 'apple')",
        "Box IN (1, 2) AND SEARCH(ATok, 'apple')",
        "(Box = 1 OR Box = 2) AND SEARCH(ATok, 'apple')",
        "Box = Id AND SEARCH(ATok, 'apple')",
        "SEARCH(CTok, 'pear')",
        "Folder = 'in' AND SEARCH(CTok, 'pear')",
        "Box = 1 AND Folder IS NOT NULL AND SEARCH(ATok, 'apple') AND SEARCH(CTok, 'pear')",
        "Box = 1 AND Folder IS NOT NULL AND (SEARCH(ATok, 'apple') OR SEARCH(CTok, 'pear'))",
        "Box = 1 AND Folder IS NOT NULL AND NOT SEARCH(ATok, 'x') AND SEARCH(CTok, 'pear')",
    ],
)
def test_a_query_that_fits_no_index_is_refused(mail, condition):
    refused(mail, f"SELECT Id FROM Mail WHERE {condition}")
    mail.ddl(ON_BOTH)
    mail.rows(f"SELECT Id FROM Mail WHERE {condition}")


def test_a_forced_index_must_fit_though_another_would(mail):
    mail.ddl(ON_BOTH)
    sql = "SELECT Id FROM Mail@{FORCE_INDEX=%s} WHERE SEARCH(ATok, 'apple')"
    assert "The index ByBox cannot be used because it" in refused(mail, sql % "ByBox")
    assert "The index OnC cannot be used because it" in refused(mail, sql % "OnC")
    assert len(mail.rows(sql % "OnBoth")) == 3


def test_a_forced_index_needs_no_search_function(mail):
    sql = "SELECT Id FROM Mail@{FORCE_INDEX=ByBox} WHERE %s ORDER BY Id"
    assert mail.rows(sql % "Box = 1") == [(1,), (2,), (3,)]
    assert "Search Index Scan" in operators(mail, sql % "Box = 1")
    assert "partitioned by Box" in refused(mail, sql % "Id = 1")


def test_an_ordinary_index_cannot_be_forced_on_a_search(mail):
    mail.ddl("CREATE INDEX ByFolder ON Mail (Folder)")
    for name in ("ByFolder", "_BASE_TABLE"):
        sql = f"SELECT Id FROM Mail@{{FORCE_INDEX={name}}} WHERE Box = 1 AND SEARCH(ATok, 'apple')"
        refused(mail, sql)


def test_a_parameter_binds_a_partition(mail):
    request = StatementRequest(
        "SELECT Id FROM Mail WHERE Box = @box AND SEARCH(ATok, 'pie')", parameters={"box": "2"}
    )
    assert list(mail.session.execute(request, None).rows) == [(1,)]
    empty = StatementRequest(request.sql, parameters={"box": None})
    assert list(mail.session.execute(empty, None).rows) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SEARCH(ATok, 'apple') FROM Mail WHERE Box = 1",
        "SELECT m.Id FROM Mail m JOIN Mail n ON SEARCH(n.ATok, 'apple') AND n.Box = 1",
        "SELECT Id FROM Mail WHERE Box = 1 ORDER BY SEARCH(ATok, 'apple')",
        "SELECT COUNTIF(SEARCH(ATok, 'apple')) FROM Mail WHERE Box = 1",
        "SELECT SCORE(ATok, 'apple') FROM Mail WHERE Box = 1",
        "SELECT Id FROM Mail WHERE Box = 1 ORDER BY SCORE(ATok, 'apple')",
        "SELECT ATok FROM Mail",
        "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple') FOR UPDATE",
    ],
)
def test_search_functions_stand_in_where_alone(mail, sql):
    refused(mail, sql)


def test_scores_need_a_list_of_the_index(mail):
    sql = "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple') ORDER BY SCORE(%s, 'apple') DESC"
    assert len(mail.rows(sql % "ATok")) == 2
    refused(mail, sql % "CTok")


def test_searches_compose_with_other_queries(mail):
    result = "SELECT Id, ATok FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple')"
    assert (
        len(mail.rows(f"SELECT Id FROM ({result} LIMIT 10) ORDER BY SCORE(ATok, 'red') DESC")) == 2
    )
    assert mail.rows(f"WITH Found AS ({result}) SELECT COUNT(*) FROM Found") == [(2,)]
    joined = (
        "SELECT m.Id, n.Id FROM Mail m JOIN Mail n ON m.Id = n.Id AND n.Box = 2 "
        "WHERE m.Box = 1 AND SEARCH(m.ATok, 'apple')"
    )
    assert mail.rows(joined) == [(1, 1)]
    assert mail.rows(
        "SELECT Box FROM Mail WHERE Id IN "
        "(SELECT Id FROM Mail WHERE Box = 2 AND SEARCH(ATok, 'pie')) ORDER BY Box"
    ) == [(1,), (2,)]


def test_an_outer_join_keeps_only_rows_that_are_found(mail):
    sql = (
        "SELECT n.Id, m.Id FROM Mail n LEFT JOIN Mail m ON m.Id = n.Id AND m.Box = 1 "
        "WHERE n.Box = 2 AND m.Box = 1 AND SEARCH(m.ATok, 'red')"
    )
    assert mail.rows(sql) == [(1, 1)]
    mail.ddl(ON_BOTH)
    sql = (
        "SELECT n.Id FROM Mail n LEFT JOIN Mail m ON m.Id = n.Id AND m.Box = 2 WHERE %s ORDER BY 1"
    )
    assert mail.rows(sql % "SEARCH(m.ATok, 'pie')") == [(1,), (1,)]
    assert mail.rows(sql % "NOT SEARCH(m.ATok, 'pie')") == []


def test_a_read_write_transaction_searches_only_with_the_hint(mail):
    sql = "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple') ORDER BY Id"
    forced = "SELECT Id FROM Mail@{FORCE_INDEX=ByBox} WHERE Box = 1"
    for text in (sql, forced):
        assert "transactional queries by default" in refused(mail, text, begin(mail))
    writing = begin(mail)
    update = StatementRequest("UPDATE Mail SET A = 'apple' WHERE Box = 1 AND Id = 3", seqno=1)
    list(mail.session.execute(update, writing).rows)
    rows = mail.session.execute(StatementRequest(f"{ALLOWED} {sql}"), writing).rows
    assert list(rows) == [(1,), (2,), (3,)]


def begin(world: World, options: Any = None) -> Existing:
    return Existing(world.session.begin(options or ReadWriteOptions()).id)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE Mail SET A = 'x' WHERE Box = 1 AND SEARCH(ATok, 'apple')",
        "DELETE FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple')",
        "INSERT INTO Mail (Box, Id, Sent) SELECT 9, Id, 1 FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'a')",
        "DELETE FROM Mail@{FORCE_INDEX=ByBox} WHERE Box = 1",
    ],
)
def test_dml_does_not_search(mail, sql):
    refused(mail, sql, begin(mail))
    refused(mail, f"{ALLOWED} {sql}", begin(mail))
    if not sql.startswith("INSERT"):
        refused(mail, sql, begin(mail, PartitionedDml()))


def test_partitioned_queries_do_not_search(mail):
    request = StatementRequest("SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple')")
    snapshot = Existing(mail.session.begin(ReadOnly()).id)
    with pytest.raises(SpannerError) as failure:
        mail.session.partition_query(request, snapshot, 0)
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_reads_do_not_use_a_search_index(mail):
    request = ReadRequest("Mail", ("Id",), RawKeySet(all=True), index="ByBox")
    with pytest.raises(SpannerError) as failure:
        list(mail.session.read(request, SingleUse(ReadOnly())).rows)
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_a_second_row_of_a_place_is_refused_without_uids():
    world = World(
        "CREATE TABLE T (Id INT64, P INT64, O INT64 NOT NULL, S STRING(MAX), "
        "STok TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN) PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX I ON T(STok) PARTITION BY P ORDER BY O "
        "OPTIONS (disable_automatic_uid_column = true)",
    )
    world.insert("T", "Id P O S", ("1", "1", "1", "a"), ("2", "1", "2", "a"))
    with pytest.raises(SpannerError) as failure:
        world.insert("T", "Id P O S", ("3", "1", "2", "a"))
    assert failure.value.code is Code.ALREADY_EXISTS


def test_the_key_of_an_index_has_at_most_sixteen_parts():
    parts = [f"P{number}" for number in range(13)]
    columns = ", ".join(f"{part} INT64" for part in parts)
    world = World(
        f"CREATE TABLE T (Id INT64, {columns}, O INT64 NOT NULL, S STRING(MAX), "
        "STok TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN, "
        "Other TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN) PRIMARY KEY (Id)",
    )
    create = "CREATE SEARCH INDEX {} ON T(STok, Other) PARTITION BY {} ORDER BY O"
    world.ddl(create.format("Small", ", ".join(parts[1:])))
    with pytest.raises(SpannerError, match=r"too many keys \(17\); the limit is 16") as failure:
        world.ddl(create.format("Large", ", ".join(parts)))
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_a_row_may_state_its_language():
    world = World(
        "CREATE TABLE T (Id INT64, Lang STRING(9), S STRING(MAX), "
        "STok TOKENLIST AS (TOKENIZE_FULLTEXT(S, language_tag => Lang)) HIDDEN) PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX I ON T(STok)",
    )
    rows = [[str(id_), ("en", "zh", None)[id_ % 3], "旅 行 cat"] for id_ in range(90)]
    world.insert("T", "Id Lang S", *rows)
    assert world.rows("SELECT COUNT(*) FROM T WHERE SEARCH(STok, 'cat')") == [(90,)]
    chinese = "SELECT COUNT(*) FROM T WHERE SEARCH(STok, '旅行') AND Lang = 'zh'"
    assert world.rows(chinese) == [(30,)]
    with pytest.raises(SpannerError, match="no language tag"):
        world.insert("T", "Id Lang S", ["900", "?", "cat"])


def test_an_expression_that_changes_leaves_the_entries_of_the_index():
    world = World(
        "CREATE TABLE T (Id INT64, A STRING(MAX), B STRING(MAX), "
        "Tok TOKENLIST AS (TOKENIZE_FULLTEXT(A)) HIDDEN) PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX I ON T(Tok)",
    )
    world.insert("T", "Id A B", ["1", "ant", "bee"])
    world.ddl("ALTER TABLE T ALTER COLUMN Tok TOKENLIST AS (TOKENIZE_FULLTEXT(B)) HIDDEN")
    world.insert("T", "Id A B", ["2", "ant", "bee"])
    assert world.rows("SELECT Id FROM T WHERE SEARCH(Tok, 'ant')") == [(1,)]
    assert world.rows("SELECT Id FROM T WHERE SEARCH(Tok, 'bee')") == [(2,)]


def test_postgresql_searches_alike():
    world = World(
        "CREATE TABLE note (id bigint NOT NULL, box bigint NOT NULL, body varchar, "
        "tokens spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(body)) "
        "VIRTUAL HIDDEN, PRIMARY KEY (id))",
        "CREATE SEARCH INDEX bybox ON note(tokens) PARTITION BY box",
        dialect=POSTGRESQL,
    )
    world.insert("note", "id box body", ("1", "1", "big cat"), ("2", "1", "dog"), ("3", "2", "cat"))
    sql = "SELECT id FROM note WHERE %s spanner.search(tokens, 'cat')"
    assert world.rows(sql % "box = 1 AND") == [(1,)]
    assert world.rows(
        "SELECT id FROM note /*@ force_index = bybox */ WHERE box = 2 AND spanner.search(tokens, 'cat')"
    ) == [(3,)]
    refused(world, sql % "")


def test_postgresql_names_an_index_without_the_schema_of_its_table():
    world = World(
        "CREATE SCHEMA music",
        "CREATE TABLE music.album (id bigint PRIMARY KEY, title varchar, n bigint, "
        "tokens spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(title)) "
        "VIRTUAL HIDDEN)",
        "CREATE SEARCH INDEX words ON music.album(tokens)",
        "CREATE INDEX numbers ON music.album(n)",
        "CREATE TABLE other (id bigint PRIMARY KEY)",
        dialect=POSTGRESQL,
    )
    world.insert("music.album", "id title n", ("1", "Fifth Symphony", "5"))
    search = "spanner.search(tokens, 'symphony')"
    for name in ("words", "music.words"):
        sql = f"SELECT id FROM music.album /*@ force_index = {name} */ WHERE {search}"
        assert world.rows(sql) == [(1,)]
    sql = "SELECT id FROM music.album /*@ force_index = numbers */ WHERE n = 5"
    assert world.rows(sql) == [(1,)]
    with pytest.raises(HintIndexNotFound):
        world.rows("SELECT id FROM other /*@ force_index = words */")


def test_begin_of_a_transaction_with_a_search_is_refused(mail):
    sql = "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'apple')"
    refused(mail, sql, Begin(ReadWriteOptions()))


def test_the_index_whose_order_is_asked_for_is_chosen(mail):
    mail.ddl(
        "CREATE SEARCH INDEX InOrder ON Mail(ATok) ORDER BY Sent",
        "CREATE SEARCH INDEX InReverse ON Mail(ATok) ORDER BY Id DESC",
        "CREATE SEARCH INDEX Stores ON Mail(ATok) STORING (A, C, Folder)",
    )

    def target(sql: str) -> str:
        stream = mail.session.execute(StatementRequest(sql, mode=QueryMode.PLAN), None)
        assert stream.stats is not None
        assert stream.stats.plan is not None
        scans = [
            node for node in stream.stats.plan.nodes if node.display_name == "Search Index Scan"
        ]
        return str(scans[0].metadata["scan_target"])

    result = "SELECT %s FROM Mail WHERE SEARCH(ATok, 'apple')"
    assert target(f"{result % 'Id'} ORDER BY Sent LIMIT 2") == "InOrder"
    assert target(f"{result % 'Id'} ORDER BY Id DESC LIMIT 2") == "InReverse"
    assert target(result % "A, C") == "Stores"
    assert target(f"{result % 'Id'} AND Box = 1") == "ByBox"
    assert mail.rows(f"{result % 'Id'} ORDER BY Sent LIMIT 2") == [(1,), (1,)]


def test_a_profile_counts_the_documents_found(mail, monkeypatch):
    monkeypatch.setattr("spanemu.txn.read_only._FEW_DOCUMENTS", 1)
    sql = "SELECT Id FROM Mail WHERE Box = 1 AND SEARCH(ATok, 'green')"
    stream = mail.session.execute(StatementRequest(sql, mode=QueryMode.PROFILE), None)
    assert list(stream.rows) == [(2,)]
    assert stream.stats is not None
    assert stream.stats.query_stats["rows_scanned"] == "1"


def test_a_column_that_an_index_is_ordered_by_stays_not_null(mail):
    with pytest.raises(SpannerError, match="Sent"):
        mail.ddl("ALTER TABLE Mail ALTER COLUMN Sent INT64")


def test_an_interleaved_index_lies_with_its_parent():
    world = World(
        "CREATE TABLE Par (P INT64 NOT NULL, Q STRING(9) NOT NULL) PRIMARY KEY (P DESC, Q)",
        "CREATE TABLE Ch (P INT64 NOT NULL, Q STRING(9) NOT NULL, Id INT64 NOT NULL, "
        "S STRING(MAX), T TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN) PRIMARY KEY (P DESC, Q, Id), "
        "INTERLEAVE IN PARENT Par ON DELETE CASCADE",
        "CREATE SEARCH INDEX I ON Ch(T) PARTITION BY P, Q, INTERLEAVE IN Par "
        "OPTIONS (sort_order_sharding = true)",
    )
    keys = [(str(p), q) for p in range(4) for q in ("a", "b")]
    world.insert("Par", "P Q", *keys)
    world.insert("Ch", "P Q Id S", *[(*key, "1", f"cat {key[1]}") for key in keys])
    store = world.database._core.store
    store.check()
    sql = "SELECT P, Q FROM Ch WHERE P = 2 AND Q = 'b' AND SEARCH(T, 'cat b')"
    assert world.rows(sql) == [(2, "b")]
    text = world.database.physical_layout()
    assert [line.split("(")[0].strip() for line in text.splitlines()[:3]] == ["Par", "Ch", "I"]


def test_views_search_with_the_query_that_uses_them(mail):
    mail.ddl(
        "CREATE VIEW Apples SQL SECURITY INVOKER AS SELECT m.Id, m.Box FROM Mail AS m "
        "WHERE SEARCH(m.ATok, 'apple')"
    )
    assert mail.rows("SELECT Id FROM Apples WHERE Box = 2") == [(1,)]
    refused(mail, "SELECT Id FROM Apples")


def test_the_footprint_of_a_search_names_the_index(mail):
    mail.ddl(ON_BOTH)
    sql = "SELECT Id FROM Mail WHERE SEARCH(ATok, 'apple')"
    footprint = mail.database.footprint(StatementRequest(sql))
    assert footprint.indexes == {"OnBoth"}
    assert footprint.scanned_whole == set()
    forced = "SELECT Id FROM Mail@{FORCE_INDEX=OnBoth}"
    assert mail.database.footprint(StatementRequest(forced)).scanned_whole == {"Mail"}
