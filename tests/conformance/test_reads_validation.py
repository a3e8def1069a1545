"""What a Read may ask for, and which fault is told first."""

import pytest

from tests.conformance.raw import (
    ALL,
    FP,
    IA,
    NF,
    RO,
    RW,
    UNIMPLEMENTED,
    insert,
    keys,
    on_both,
    refused,
    user,
)


@pytest.fixture
def filled(session):
    session.commit(
        None, user(1, 2, 3), insert("Posts", "Id PostId Title", (1, 1, "a"), (1, 2, "b"))
    )
    return session


def both(session, table, columns, key_set=ALL, **fields):
    """Return the same request as Read and as StreamingRead."""
    return (
        lambda: session.read(table, columns, key_set, **fields),
        lambda: session.stream_read(table, columns, key_set, **fields),
    )


# ------------------------------------------------------------------ the request


@on_both
def test_a_key_set_is_required(filled):
    for request in both(filled, "Users", "Id", None):
        with refused(IA, match="key_set"):
            request()


@on_both
def test_a_key_set_may_be_empty(filled):
    assert filled.rows("Users", "Id", {}) == []


@on_both
def test_a_table_is_required(filled):
    for request in both(filled, "", "Id"):
        with refused(IA):
            request()


@on_both
def test_a_negative_limit(filled):
    for request in both(filled, "Users", "Id", limit=-1):
        with refused(IA, match="must be non-negative"):
            request()


@on_both
def test_a_limit_of_zero_means_no_limit(filled):
    assert len(filled.rows("Users", "Id", limit=0)) == 3
    assert filled.rows("Users", "Id", limit=2) == [["1"], ["2"]]
    assert len(filled.rows("Users", "Id", limit=99)) == 3


@on_both
def test_a_partitioned_read_takes_no_limit(filled):
    begun = filled.begin(RO).id
    token = filled.partition_read("Users", "Id", transaction=begun).partitions[0].partition_token
    with refused(IA, match="(?i)limit cannot be used when a partition_token"):
        filled.read("Users", "Id", transaction=begun, partition_token=token, limit=1)


@on_both
def test_an_unknown_table(filled):
    for request in both(filled, "Nothing", "Id"):
        with refused(NF, match="Table not found: Nothing"):
            request()


@on_both
def test_an_unknown_column(filled):
    for request in both(filled, "Users", "Id Nothing"):
        with refused(NF, match="Column not found in table Users: Nothing"):
            request()


@on_both
def test_an_unknown_index(filled):
    for request in both(filled, "Users", "Id", index="Nothing"):
        with refused(NF, match=r"(?i)index.*Nothing|Nothing.*index"):
            request()


@on_both
def test_an_index_of_another_table(filled):
    for request in both(filled, "Posts", "Id", index="UsersByName"):
        with refused(FP, match="does not match the given base table"):
            request()


@on_both
def test_a_column_that_the_index_does_not_hold(filled):
    for request in both(filled, "Users", "Id Note", index="UsersByName"):
        with refused(NF, match="does not have a column named"):
            request()


@on_both
def test_an_index_read_returns_key_and_stored_columns(filled):
    assert filled.rows("Users", "Age Name Id", index="UsersByName", limit=1) == [
        [None, "user 1", "1"]
    ]


@on_both
def test_names_are_found_in_any_case(filled):
    result = filled.read("uSERS", "iD nAME", keys("user 1"), index="usersBYname")
    assert len(result.rows) == 1


@on_both
def test_columns_are_named_as_they_were_declared(filled):
    result = filled.read("uSERS", "iD nAME")
    assert [one.name for one in result.metadata.row_type.fields] == ["Id", "Name"]


@on_both
def test_no_columns_at_all(raw, filled):
    if raw.home is None:
        pytest.skip("Google's emulator gives rows without columns")
    with refused(IA):
        filled.read("Users", "")


@on_both
def test_a_column_may_be_read_twice(filled):
    assert filled.rows("Users", "Id Id", keys(1)) == [["1", "1"]]


# ------------------------------------------------------------------ the order of checks


@on_both
def test_a_missing_key_set_is_reported_before_a_missing_table(filled):
    with refused(IA, match="key_set"):
        filled.read("", "Id", None, limit=-1)


@on_both
def test_an_invalid_limit_is_reported_before_unknown_names(filled):
    with refused(IA):
        filled.read("Nothing", "Id", limit=-1)


@on_both
def test_an_unknown_table_is_reported_before_index_and_columns(filled):
    with refused(NF, match="Table not found"):
        filled.read("Nothing", "Nothing", index="Nothing")


@on_both
def test_an_unknown_index_is_reported_before_unknown_columns(filled):
    with refused(NF, match="(?i)index"):
        filled.read("Users", "Nope", index="Nothing")


# ------------------------------------------------------------------ what cannot be read


@pytest.mark.parametrize(
    "table", ["INFORMATION_SCHEMA.TABLES", "SPANNER_SYS.QUERY_STATS_TOP_MINUTE"]
)
def test_reads_refuse_system_tables(session, table):
    with refused((NF, IA)):
        session.read(table, "TABLE_NAME")


@on_both
def test_reads_refuse_views(raw, filled):
    raw.ddl("CREATE VIEW Names SQL SECURITY INVOKER AS SELECT u.Name FROM Users AS u")
    with refused((NF, IA)):
        filled.read("Names", "Name")


def test_reads_accept_synonyms_of_tables(raw, filled):
    raw.ddl("ALTER TABLE Users ADD SYNONYM People")
    assert filled.rows("People", "Id", keys(1)) == [["1"]]
    assert filled.rows("people", "Id", keys("user 2"), index="UsersByName") == [["2"]]


def test_reads_refuse_search_and_vector_indexes(raw, session):
    raw.ddl(
        "CREATE TABLE Texts (Id INT64, Text STRING(MAX),"
        " Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN) PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX TextsSearch ON Texts (Tokens)",
        "CREATE TABLE Points (Id INT64, Place ARRAY<FLOAT32>(vector_length=>2)) PRIMARY KEY (Id)",
        "CREATE VECTOR INDEX PointsPlace ON Points (Place) WHERE Place IS NOT NULL"
        " OPTIONS (distance_type = 'COSINE')",
    )
    for table, index in (("Texts", "TextsSearch"), ("Points", "PointsPlace")):
        for request in both(session, table, "Id", index=index):
            with refused((NF, FP, IA, UNIMPLEMENTED), match=index):
                request()


# ------------------------------------------------------------------ advice


@pytest.mark.parametrize(
    "hint", ["LOCK_HINT_UNSPECIFIED", "LOCK_HINT_SHARED", "LOCK_HINT_EXCLUSIVE"]
)
def test_lock_hints(filled, hint):
    begun = filled.begin(RW).id
    assert filled.rows("Users", "Id", keys(1), transaction=begun, lock_hint=hint) == [["1"]]
    filled.commit(begun)


def test_exclusive_locks_require_a_read_write_transaction(filled):
    for selector in (None, {"single_use": RO}, {"begin": RO}):
        with refused(IA):
            filled.read("Users", "Id", transaction=selector, lock_hint="LOCK_HINT_EXCLUSIVE")


@pytest.mark.parametrize(
    "order", ["ORDER_BY_UNSPECIFIED", "ORDER_BY_PRIMARY_KEY", "ORDER_BY_NO_ORDER"]
)
def test_orders(filled, order):
    assert sorted(filled.rows("Users", "Id", order_by=order)) == [["1"], ["2"], ["3"]]


def test_unknown_hints_are_refused(filled):
    with refused(IA):
        filled.read("Users", "Id", lock_hint=9)
    with refused(IA):
        filled.read("Users", "Id", order_by=9)


def test_data_boost_requires_a_partition(filled):
    with refused(IA):
        filled.read("Users", "Id", data_boost_enabled=True)
    with refused(IA):
        filled.sql("SELECT 1", data_boost_enabled=True)
