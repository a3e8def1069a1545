"""The schemas of Spanner's own pages on schema design: the bad ones are found, the good are not.

An ellipsis in the pages stands for further columns and is left out here.
"""

from __future__ import annotations

import pytest

from spanemu import lint

USERS = "CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP) PRIMARY KEY (UserId);"
SINGERS = (
    "CREATE TABLE Singers (SingerId INT64 NOT NULL, FirstName STRING(1024)) PRIMARY KEY (SingerId);"
)
ALBUMS = (
    "CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, AlbumTitle STRING(MAX)) "
    "PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;"
)

# (what the page says, DDL, rules that must speak, rules that must not)
HOT = {"SPN101", "SPN102", "SPN103", "SPN108", "SPN111", "SPN117", "SPN201", "SPN202", "SPN203"}
CASES = [
    (
        "best practice 1: a timestamp first",
        "CREATE TABLE UserAccessLogs (LastAccess TIMESTAMP NOT NULL, UserId STRING(1024)) "
        "PRIMARY KEY (LastAccess, UserId);",
        {"SPN102"},
    ),
    (
        "the order reversed does not help",
        "CREATE TABLE UserAccessLogs (LastAccess TIMESTAMP NOT NULL, UserId STRING(1024)) "
        "PRIMARY KEY (LastAccess DESC, UserId);",
        {"SPN102", "SPN108"},
    ),
    (
        "a UUID with a default",
        "CREATE TABLE UserAccessLogs (LogEntryId UUID DEFAULT (NEW_UUID()), "
        "LastAccess TIMESTAMP NOT NULL, UserId STRING(1024)) PRIMARY KEY (LogEntryId);",
        set(),
    ),
    (
        "a UUID that the application gives",
        "CREATE TABLE UserAccessLogs (LogEntryId UUID NOT NULL, LastAccess TIMESTAMP NOT NULL, "
        "UserId STRING(1024)) PRIMARY KEY (LogEntryId);",
        set(),
    ),
    (
        "keys swapped",
        "CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess);",
        {"SPN118"},
    ),
    (
        "logical shards computed by the application",
        "CREATE TABLE UserAccessLogs (ShardId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL, "
        "UserId INT64 NOT NULL) PRIMARY KEY (ShardId, LastAccess, UserId);",
        set(),
    ),
    (
        "logical shards by a generated column, as the page has it",
        "CREATE TABLE UserAccessLogs (ShardId INT64 NOT NULL "
        "AS (MOD(FARM_FINGERPRINT(CAST(LastAccess AS STRING)), 2048)) STORED, "
        "LastAccess TIMESTAMP NOT NULL, UserId INT64 NOT NULL,) "
        "PRIMARY KEY (ShardId, LastAccess, UserId);",
        {"SPN113", "SPN114"},
    ),
    (
        "best practice 2: newest first",
        "CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess DESC);",
        set(),
    ),
    (
        "best practice 3: an index on a timestamp",
        USERS + "CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(LastAccess);",
        {"SPN202"},
    ),
    (
        "an interleaved index",
        USERS + "CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(UserId, LastAccess), "
        "INTERLEAVE IN Users;",
        set(),
    ),
    (
        "interleaved tables",
        "CREATE TABLE Singers (SingerId INT64 NOT NULL, FirstName STRING(1024), "
        "LastName STRING(1024), SingerInfo BYTES(MAX)) PRIMARY KEY (SingerId);"
        "CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, "
        "AlbumTitle STRING(MAX)) PRIMARY KEY (SingerId, AlbumId), "
        "INTERLEAVE IN PARENT Singers ON DELETE CASCADE;",
        {"SPN310"},
    ),
    (
        "nullability differs between parent and child",
        "CREATE TABLE Singers (SingerId INT64, FirstName STRING(1024)) PRIMARY KEY (SingerId);"
        "CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL) "
        "PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers;",
        {"SPN124", "SPN308"},
    ),
    (
        "sequence without bit reversal, with it",
        "CREATE SEQUENCE Ids OPTIONS (sequence_kind = 'bit_reversed_positive');"
        "CREATE TABLE Orders (Id INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Ids))) "
        "PRIMARY KEY (Id);",
        set(),
    ),
    (
        "a table for each customer",
        "".join(
            f"CREATE TABLE Singers_{name} (SingerId INT64 NOT NULL, FirstName STRING(1024)) "
            "PRIMARY KEY (SingerId);"
            for name in ("Ackworth", "Cama", "Eagan")
        ),
        {"SPN701"},
    ),
    (
        "three levels",
        SINGERS + ALBUMS + "CREATE TABLE Songs (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, "
        "TrackId INT64 NOT NULL, SongName STRING(MAX)) PRIMARY KEY (SingerId, AlbumId, TrackId), "
        "INTERLEAVE IN PARENT Albums ON DELETE CASCADE;",
        set(),
    ),
    (
        "not interleaved, which may be fine",
        SINGERS + ALBUMS.partition(", INTERLEAVE")[0] + ";",
        set(),
    ),
    (
        "key columns cannot change",
        SINGERS + "ALTER TABLE Singers DROP COLUMN SingerId;",
        {"SPN706"},
    ),
    (
        "changes that validate what is there",
        "ALTER TABLE Songwriters ALTER COLUMN Nickname STRING(MAX) NOT NULL;"
        "ALTER TABLE Songwriters ALTER COLUMN FirstName STRING(10);"
        "ALTER TABLE Songwriters ALTER COLUMN OpaqueData STRING(MAX);",
        {"SPN705"},
    ),
    (
        "a commit timestamp outside of the key",
        "CREATE TABLE Performances (SingerId INT64 NOT NULL, VenueId INT64 NOT NULL, "
        "LastUpdateTime TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (SingerId, VenueId);",
        set(),
    ),
    (
        "a commit timestamp first",
        "CREATE TABLE Performances (SingerId INT64 NOT NULL, "
        "LastUpdateTime TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (LastUpdateTime, SingerId);",
        {"SPN101"},
    ),
    (
        "foreign keys, in the table and added",
        "CREATE TABLE Customers (CustomerID INT64 NOT NULL) PRIMARY KEY (CustomerID);"
        "CREATE TABLE Products (ProductID INT64 NOT NULL) PRIMARY KEY (ProductID);"
        "CREATE TABLE Orders (OrderID INT64 NOT NULL, CustomerID INT64 NOT NULL, "
        "ProductID INT64 NOT NULL, CONSTRAINT FK_CustomerOrder FOREIGN KEY (CustomerID) "
        "REFERENCES Customers (CustomerID)) PRIMARY KEY (OrderID);"
        "ALTER TABLE Orders ADD CONSTRAINT FK_ProductOrder FOREIGN KEY (ProductID) "
        "REFERENCES Products (ProductID);",
        set(),
    ),
    (
        "a sequence without bit reversal",
        "CREATE SEQUENCE Ids;"
        "CREATE TABLE Orders (Id INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Ids))) "
        "PRIMARY KEY (Id);",
        {"SPN106"},
    ),
    (
        "one table with the customer first",
        "CREATE TABLE Singers (CustomerId INT64 NOT NULL, SingerId INT64 NOT NULL, "
        "FirstName STRING(1024)) PRIMARY KEY (CustomerId, SingerId);",
        set(),
    ),
]


@pytest.mark.parametrize(("says", "ddl", "expected"), CASES, ids=[case[0] for case in CASES])
def test_pages_on_schema_design(says: str, ddl: str, expected: set[str]) -> None:
    report, everything = lint.run(ddl), lint.run(ddl, lint.Settings(select=("all",)))
    assert not report.failures
    result = {each.id for each in report}
    assert {id_ for id_ in expected if not lint.RULES[id_].opt_in} <= result
    assert expected <= {each.id for each in everything}
    assert result & HOT == expected & HOT
    if not expected:
        assert not [each for each in report if each.severity is not lint.Severity.INFO], says


def test_no_index_is_interleaved_in_a_growing_table() -> None:
    (finding,) = (
        each
        for each in lint.run(
            "CREATE TABLE Logs (At1 TIMESTAMP NOT NULL, Id INT64 NOT NULL) PRIMARY KEY (At1, Id);"
            "CREATE INDEX LogsByTime ON Logs(At1 DESC)"
        )
        if each.id == "SPN202"
    )
    assert "CREATE INDEX LogsByTime2 ON Logs(ShardId, At1 DESC);" in finding.fix
    assert "INTERLEAVE" not in finding.fix


def test_findings_name_their_column() -> None:
    (finding,) = (each for each in lint.run(CASES[0][1]) if each.id == "SPN102")
    assert (finding.object, finding.column) == ("UserAccessLogs", "LastAccess")
    assert "PRIMARY KEY (UserId, LastAccess)" in finding.fix
    (finding,) = (each for each in lint.run(CASES[8][1]) if each.id == "SPN202")
    assert (finding.object, finding.column) == ("UsersByLastAccess", "LastAccess")
    assert "ON Users(ShardId, LastAccess)" in finding.fix


_ORDER = (
    "CREATE TABLE app.`Order` (`From` INT64 NOT NULL, At1 TIMESTAMP NOT NULL, V INT64) PRIMARY KEY "
)
_SHARD = "ALTER TABLE app.`Order` ADD COLUMN ShardId INT64 AS (ABS(MOD(FARM_FINGERPRINT({}), 8)))"


@pytest.mark.parametrize(
    ("ddl", "rule", "statements"),
    [
        (f"{_ORDER}(At1 DESC, `From`)", "SPN102", ["PRIMARY KEY (`From`, At1 DESC)"]),
        (
            f"{_ORDER}(`From`);CREATE NULL_FILTERED INDEX app.`By` ON app.`Order`(At1) STORING (V)",
            "SPN202",
            [
                f"{_SHARD.format('CAST(`From` AS STRING)')} STORED",
                "CREATE NULL_FILTERED INDEX app.By2 ON app.`Order`(ShardId, At1) STORING (V)",
                "DROP INDEX app.`By`",
            ],
        ),
        (
            f"{_ORDER}(`From`);CREATE UNIQUE INDEX app.ByTime ON app.`Order`(At1)",
            "SPN202",
            [
                f"{_SHARD.format('CAST(At1 AS STRING)')} STORED",
                "CREATE UNIQUE INDEX app.ByTime2 ON app.`Order`(ShardId, At1)",
                "DROP INDEX app.ByTime",
            ],
        ),
        (
            f"{_ORDER}(`From`);CREATE INDEX app.`Of` ON app.`Order`(`From`)",
            "SPN209",
            ["DROP INDEX app.`Of`"],
        ),
    ],
)
def test_fixes_are_the_expected_statements(ddl: str, rule: str, statements: list[str]) -> None:
    (found,) = (each.fix for each in lint.run(f"CREATE SCHEMA app;{ddl}") if each.id == rule)
    assert found.partition(" -- ")[0].split("; ") == statements
