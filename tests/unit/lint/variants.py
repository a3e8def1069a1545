"""More schemas for every rule that DDL decides: where it speaks, and where it nearly does.

Other types, DESC, named schemas, quoted names, interleaving, generated columns, and statements
that bring the trouble later or cure it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

STAMP = "TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)"
ID = "Id STRING(20) NOT NULL"
A = f"CREATE TABLE A ({ID}, N INT64, S STRING(20), At1 TIMESTAMP) PRIMARY KEY (Id); "
P = "CREATE TABLE P (K INT64 NOT NULL) PRIMARY KEY (K); "
TEXTS = (
    f"CREATE TABLE T ({ID}, N INT64, S STRING(MAX), X TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN, "
    "Y TOKENLIST AS (TOKENIZE_FULLTEXT(S)) HIDDEN) PRIMARY KEY (Id); "
)
C = "CREATE TABLE C (K INT64 NOT NULL, L INT64 NOT NULL, S STRING(20), At1 TIMESTAMP{}) PRIMARY KEY (K, L){}"
IN_P = ", INTERLEAVE IN PARENT P"
HASHED = "S INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT({}), {}))) STORED"
TTL = ", ROW DELETION POLICY (OLDER_THAN({}, INTERVAL {} DAY))"
EDGES = f"{P}CREATE TABLE E (K INT64 NOT NULL, To1 INT64, X INT64) PRIMARY KEY (K, To1){IN_P}; "
GRAPH = (
    "CREATE PROPERTY GRAPH G NODE TABLES (P) EDGE TABLES (E SOURCE KEY (K) REFERENCES P (K) "
    "DESTINATION KEY (To1) REFERENCES P (K))"
)
EMBEDDING = "E ARRAY<FLOAT32>(vector_length=>8) NOT NULL"
KEY16 = ", ".join(f"K{n} INT64 NOT NULL" for n in range(17))


def vectors(more: str = "") -> str:
    """Return a table of embeddings, and the beginning of a vector index with more key columns."""
    key = f"E, {more}" if more else "E"
    columns = f"{ID}, Kind STRING(20), N INT64, Body STRING(MAX), Photo BYTES(MAX), {EMBEDDING}"
    return f"CREATE TABLE D ({columns}) PRIMARY KEY (Id); CREATE VECTOR INDEX V ON D({key})"


def chain(levels: int, clause: str = "INTERLEAVE IN PARENT", cut: int = 0) -> str:
    """Return a hierarchy of so many levels below its root; at `cut` a new root begins."""
    tables = []
    for level in range(levels + 1):
        columns = ", ".join(f"K{n} INT64 NOT NULL" for n in range(level + 1))
        key = ", ".join(f"K{n}" for n in range(level + 1))
        under = f", {clause} T{level - 1}" if level and level != cut else ""
        tables.append(f"CREATE TABLE T{level} ({columns}) PRIMARY KEY ({key}){under}")
    return "; ".join(tables)


def fk(more: str = "", key: str = "Id") -> str:
    return (
        f"CREATE TABLE D ({ID}, K INT64 NOT NULL, X INT64, FOREIGN KEY (K) REFERENCES P (K){more}) "
        f"PRIMARY KEY ({key})"
    )


# id -> (where it speaks, where it does not)
VARIANTS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "SPN101": (
        [
            f"CREATE TABLE T (`Key` {STAMP}) PRIMARY KEY (`Key` DESC)",
            f"CREATE SCHEMA app; CREATE TABLE app.T (At1 {STAMP}, {ID}) PRIMARY KEY (At1, Id)",
            "CREATE TABLE T (At1 TIMESTAMP NOT NULL) PRIMARY KEY (At1); "
            "ALTER TABLE T ALTER COLUMN At1 SET OPTIONS (allow_commit_timestamp = true)",
            "CREATE TABLE T (N INT64 NOT NULL DEFAULT (PENDING_COMMIT_TIMESTAMP_INT64()) "
            "OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (N)",
        ],
        [
            f"CREATE TABLE T ({ID}, At1 {STAMP}) PRIMARY KEY (Id, At1 DESC)",
            f"CREATE TABLE T (At1 {STAMP}) PRIMARY KEY (At1); "
            "ALTER TABLE T ALTER COLUMN At1 SET OPTIONS (allow_commit_timestamp = null)",
            f"{P}CREATE TABLE T (K INT64 NOT NULL, At1 {STAMP}) PRIMARY KEY (K, At1), "
            "INTERLEAVE IN PARENT P",
            f"CREATE TABLE T (At1 {STAMP}) PRIMARY KEY (At1); DROP TABLE T",
        ],
    ),
    "SPN102": (
        [
            "CREATE TABLE `Order` (`From` TIMESTAMP) PRIMARY KEY (`From`)",
            "CREATE SCHEMA s; CREATE TABLE s.T (At1 TIMESTAMP, N INT64) PRIMARY KEY (At1, N)",
            "CREATE TABLE T (At1 TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()), N INT64) PRIMARY KEY (At1, N)",
            "CREATE TABLE T (at1 TIMESTAMP) PRIMARY KEY (AT1)",
        ],
        [
            "CREATE TABLE T (N INT64, At1 TIMESTAMP) PRIMARY KEY (N, At1)",
            f"{P}CREATE TABLE T (K INT64 NOT NULL, At1 TIMESTAMP) PRIMARY KEY (K, At1), "
            "INTERLEAVE IN P",
            "-- spanemu: low-rate\nCREATE TABLE T (At1 TIMESTAMP) PRIMARY KEY (At1)",
            f"CREATE TABLE T ({HASHED.format('CAST(At1 AS STRING)', 16)}, At1 TIMESTAMP) "
            "PRIMARY KEY (S, At1)",
        ],
    ),
    "SPN103": (
        [
            "CREATE TABLE T (D DATE DEFAULT (CURRENT_DATE()), N INT64) PRIMARY KEY (D, N)",
            f"CREATE TABLE T (D DATE NOT NULL, {ID}) PRIMARY KEY (D DESC, Id)",
            "CREATE TABLE T (At1 TIMESTAMP, H INT64 AS (DIV(UNIX_SECONDS(At1), 3600)) STORED) "
            "PRIMARY KEY (H, At1)",
            "CREATE TABLE T (M STRING(7) DEFAULT (FORMAT_DATE('%Y-%m', CURRENT_DATE())), N INT64) "
            "PRIMARY KEY (M, N)",
            "CREATE TABLE P (D DATE NOT NULL) PRIMARY KEY (D); "
            "CREATE TABLE T (D DATE NOT NULL, N INT64) PRIMARY KEY (D, N), INTERLEAVE IN PARENT P",
        ],
        [
            "CREATE TABLE T (N INT64, D DATE) PRIMARY KEY (N, D)",
            "CREATE TABLE T (D DATE NOT NULL, N INT64) PRIMARY KEY (D)",
            "CREATE TABLE T (M STRING(7) DEFAULT (FORMAT_DATE('%Y-%m', CURRENT_DATE()))) PRIMARY KEY (M)",
            "CREATE TABLE T (D DATE, H INT64 AS (FARM_FINGERPRINT(CAST(D AS STRING))) STORED) "
            "PRIMARY KEY (H, D)",
            "CREATE TABLE T (At1 TIMESTAMP, H INT64 AS (EXTRACT(HOUR FROM At1)) STORED) "
            "PRIMARY KEY (H, At1)",
        ],
    ),
    "SPN104": (
        [
            "CREATE TABLE T (created_at INT64 NOT NULL) PRIMARY KEY (created_at)",
            "CREATE TABLE T (event_ms INT64, N INT64) PRIMARY KEY (event_ms, N)",
            "CREATE TABLE T (OrderNo STRING(20), N INT64) PRIMARY KEY (OrderNo, N)",
            "CREATE TABLE T (SequenceNumber INT64 NOT NULL) PRIMARY KEY (SequenceNumber)",
            "CREATE TABLE T (fiscal_year INT64, N INT64) PRIMARY KEY (fiscal_year, N)",
            "CREATE TABLE T (Year STRING(4), Month INT64, Id STRING(9)) PRIMARY KEY (Year, Month, Id)",
        ],
        [
            "CREATE TABLE T (Seq INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S1))) "
            "PRIMARY KEY (Seq)",
            "CREATE TABLE T (AccountId INT64, Seq INT64) PRIMARY KEY (AccountId, Seq)",
            "CREATE TABLE T (Norm INT64, Format INT64) PRIMARY KEY (Norm, Format)",
            "CREATE TABLE T (Year INT64, Month INT64) PRIMARY KEY (Year, Month)",
            "CREATE TABLE T (PhoneNumber STRING(20), N INT64) PRIMARY KEY (PhoneNumber, N)",
            "CREATE TABLE T (BirthYear INT64, N INT64) PRIMARY KEY (BirthYear, N)",
            "CREATE TABLE P (Seq INT64 GENERATED BY DEFAULT AS IDENTITY (BIT_REVERSED_POSITIVE)) "
            "PRIMARY KEY (Seq); CREATE TABLE T (Seq INT64, N INT64) PRIMARY KEY (Seq, N), "
            "INTERLEAVE IN PARENT P",
        ],
    ),
    "SPN106": (
        [
            "CREATE SEQUENCE s1.Ids OPTIONS (start_with_counter = 5)",
            "CREATE TABLE T (Id INT64 GENERATED BY DEFAULT AS IDENTITY) PRIMARY KEY (Id)",
            "CREATE TABLE T (Id INT64 AUTO_INCREMENT PRIMARY KEY)",
        ],
        [
            "CREATE SEQUENCE Ids BIT_REVERSED_POSITIVE SKIP RANGE 1, 1000",
            "ALTER DATABASE db SET OPTIONS (default_sequence_kind = 'bit_reversed_positive'); "
            "CREATE SEQUENCE Ids",
            "ALTER DATABASE db SET OPTIONS (default_sequence_kind = 'bit_reversed_positive'); "
            "CREATE TABLE T (Id INT64 AUTO_INCREMENT PRIMARY KEY)",
        ],
    ),
    "SPN107": (
        [
            "CREATE TABLE T (Id INT64 DEFAULT (BIT_REVERSE(GET_NEXT_SEQUENCE_VALUE(SEQUENCE S1), "
            "true))) PRIMARY KEY (Id)",
            "CREATE TABLE T (R INT64 GENERATED BY DEFAULT AS IDENTITY (BIT_REVERSED_POSITIVE), "
            "N INT64 AS (BIT_REVERSE(R, true)) STORED) PRIMARY KEY (R); CREATE INDEX ByN ON T(N)",
            "CREATE TABLE T (N INT64 AS (BIT_REVERSE(R, false)), "
            "R INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S1))) PRIMARY KEY (N, R)",
        ],
        [
            "CREATE TABLE T (Id INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S1))) PRIMARY KEY (Id)",
            "CREATE TABLE T (R INT64 NOT NULL, N INT64 AS (BIT_REVERSE(R, true)) STORED) "
            "PRIMARY KEY (N, R)",
            "CREATE TABLE T (R INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S1)), "
            "N INT64 AS (BIT_REVERSE(R, true)) STORED) PRIMARY KEY (R)",
        ],
    ),
    "SPN108": (
        [
            "CREATE TABLE T (D DATE NOT NULL, N INT64) PRIMARY KEY (D DESC, N)",
            f"CREATE TABLE T (At1 {STAMP}) PRIMARY KEY (At1 DESC)",
            "CREATE TABLE s.T (`Desc` TIMESTAMP) PRIMARY KEY (`Desc` DESC)",
        ],
        [
            f"CREATE TABLE T ({ID}) PRIMARY KEY (Id DESC)",
            "CREATE TABLE T (D DATE NOT NULL) PRIMARY KEY (D DESC)",
            "CREATE TABLE T (At1 TIMESTAMP) PRIMARY KEY (At1)",
            f"{P}CREATE TABLE T (K INT64 NOT NULL, At1 TIMESTAMP) PRIMARY KEY (K, At1 DESC), "
            "INTERLEAVE IN PARENT P",
        ],
    ),
    "SPN110": (
        [
            "CREATE TABLE T (Id STRING(26) DEFAULT (gen.ulid())) PRIMARY KEY (Id)",
            "CREATE TABLE T (Id BYTES(16) DEFAULT (ids.UUIDv7())) PRIMARY KEY (Id)",
            "CREATE TABLE T (Id INT64 DEFAULT (ids.next_snowflake()), N INT64) PRIMARY KEY (Id, N)",
        ],
        [
            "CREATE TABLE T (Id UUID DEFAULT (NEW_UUID())) PRIMARY KEY (Id)",
            f"CREATE TABLE T ({ID}, U STRING(26) DEFAULT (gen.ulid())) PRIMARY KEY (Id, U)",
            "CREATE TABLE T (Id STRING(36) DEFAULT (ids.uuid_v4())) PRIMARY KEY (Id)",
        ],
    ),
    "SPN111": (
        [
            "CREATE TABLE T (Kind STRING(9), N INT64, CHECK (Kind IN ('a', 'b'))) PRIMARY KEY (Kind, N)",
            "CREATE TABLE T (Level INT64, N INT64, CONSTRAINT L CHECK (Level BETWEEN 1 AND 5)) "
            "PRIMARY KEY (Level DESC, N)",
            f"CREATE TABLE T (Done BOOL, {ID}) PRIMARY KEY (Done, Id)",
            f"CREATE TABLE T (Status STRING(9), At1 TIMESTAMP, {ID}) PRIMARY KEY (Status, At1, Id)",
            "CREATE TABLE T (Kind STRING(9), N INT64) PRIMARY KEY (Kind, N); "
            "ALTER TABLE T ADD CONSTRAINT K CHECK (Kind IN ('a', 'b'))",
        ],
        [
            "CREATE TABLE T (Done BOOL) PRIMARY KEY (Done)",
            f"CREATE TABLE T (Status STRING(9), DueAt TIMESTAMP, {ID}) PRIMARY KEY (Status, DueAt, Id)",
            f"CREATE TABLE T ({ID}, Done BOOL) PRIMARY KEY (Id, Done)",
            "CREATE TABLE T (Kind STRING(9), N INT64, CONSTRAINT K CHECK (Kind IN ('a', 'b'))) "
            "PRIMARY KEY (Kind, N); ALTER TABLE T DROP CONSTRAINT K",
            "CREATE TABLE T (Level INT64, N INT64, CHECK (Level > 0)) PRIMARY KEY (Level, N)",
        ],
    ),
    "SPN112": (
        [
            f"CREATE TABLE T ({HASHED.format('Id', 4)}, {ID}) PRIMARY KEY (S, Id)",
            "CREATE TABLE T (ShardId INT64, N INT64, CHECK (ShardId BETWEEN 0 AND 3)) "
            "PRIMARY KEY (ShardId, N)",
            f"CREATE TABLE T ({ID}, {HASHED.format('Id', 2)}, At1 TIMESTAMP) PRIMARY KEY (Id); "
            "CREATE INDEX ByAt ON T(S, At1)",
        ],
        [
            f"CREATE TABLE T ({HASHED.format('Id', 64)}, {ID}) PRIMARY KEY (S, Id)",
            "CREATE TABLE T (ShardId INT64, N INT64) PRIMARY KEY (ShardId, N)",
            f"CREATE TABLE T ({ID}, {HASHED.format('Id', 3)}) PRIMARY KEY (Id)",
        ],
    ),
    "SPN113": (
        [
            f"CREATE TABLE T ({HASHED.format('Id', 50000)}, {ID}) PRIMARY KEY (S, Id)",
            f"CREATE TABLE T ({ID}, {HASHED.format('Id', 99999)}, At1 TIMESTAMP) PRIMARY KEY (Id); "
            "CREATE INDEX ByAt ON T(S, At1)",
            "CREATE TABLE T (ShardId INT64, N INT64, CHECK (ShardId BETWEEN 0 AND 99999)) "
            "PRIMARY KEY (ShardId, N)",
        ],
        [
            f"CREATE TABLE T ({HASHED.format('Id', 500)}, {ID}) PRIMARY KEY (S, Id)",
            "CREATE TABLE T (S INT64 AS (FARM_FINGERPRINT(Id)) STORED, Id STRING(20)) "
            "PRIMARY KEY (S, Id)",
            f"CREATE TABLE T ({ID}, {HASHED.format('Id', 99999)}) PRIMARY KEY (Id)",
        ],
    ),
    "SPN114": (
        [
            f"CREATE TABLE T (S INT64 AS (MOD(FARM_FINGERPRINT(Id), 16)) STORED, {ID}) PRIMARY KEY (S, Id)",
            f"CREATE TABLE T (S INT64 AS (MOD(FARM_FINGERPRINT(CONCAT(Id, 'x')), 8)), {ID}) "
            "PRIMARY KEY (Id)",
            f"CREATE TABLE T ({ID}, `Hash` INT64 NOT NULL DEFAULT (0)) PRIMARY KEY (Id); "
            "ALTER TABLE T ADD COLUMN S INT64 AS (MOD(FARM_FINGERPRINT(Id), 32)) STORED",
        ],
        [
            f"CREATE TABLE T (S INT64 AS (ABS(MOD(FARM_FINGERPRINT(Id), 16))) STORED, {ID}) "
            "PRIMARY KEY (S, Id)",
            f"CREATE TABLE T (S INT64 AS (MOD(ABS(FARM_FINGERPRINT(Id)), 16)) STORED, {ID}) "
            "PRIMARY KEY (S, Id)",
            f"CREATE TABLE T (S INT64 AS (FARM_FINGERPRINT(Id) & 15) STORED, {ID}) PRIMARY KEY (S, Id)",
            f"CREATE TABLE T (S INT64 AS (MOD(MOD(FARM_FINGERPRINT(Id), 16) + 16, 16)) STORED, {ID}) "
            "PRIMARY KEY (S, Id)",
        ],
    ),
    "SPN115": (
        [
            f"CREATE TABLE T ({HASHED.format('CAST(At1 AS STRING)', 16)}, At1 {STAMP}) PRIMARY KEY (S, At1)",
            f"CREATE TABLE T ({ID}, U STRING(20) AS (UPPER(Id)), {HASHED.format('U', 16)}) PRIMARY KEY (S, Id)",
            f"CREATE TABLE T ({ID}, V STRING(9), W STRING(9), {HASHED.format('CONCAT(V, W)', 16)}) "
            "PRIMARY KEY (S, Id)",
            f"CREATE TABLE T ({ID}, V STRING(9) DEFAULT ('x'), {HASHED.format('V', 16)}) "
            "PRIMARY KEY (S, Id)",
        ],
        [
            f"CREATE TABLE T ({ID}, V STRING(9), {HASHED.format('V', 16)}) PRIMARY KEY (S, Id)",
            f"CREATE TABLE T ({ID}, N INT64, {HASHED.format('CONCAT(Id, CAST(N AS STRING))', 16)}) "
            "PRIMARY KEY (S, Id, N)",
            f"CREATE TABLE T ({ID}, At1 {STAMP}, {HASHED.format('Id', 16)}) PRIMARY KEY (S, At1, Id)",
        ],
    ),
    "SPN116": (
        [
            f"CREATE TABLE T ({HASHED.format('CAST(D AS STRING)', 16)}, D DATE, N INT64) PRIMARY KEY (S, D, N)",
            f"CREATE TABLE T ({HASHED.format('TenantId', 16)}, TenantId STRING(9), At1 TIMESTAMP) "
            "PRIMARY KEY (S, TenantId, At1)",
            "CREATE TABLE T (Shard INT64 AS (MOD(EXTRACT(DAYOFYEAR FROM At1), 16)) STORED, "
            "At1 TIMESTAMP) PRIMARY KEY (Shard, At1)",
        ],
        [
            f"CREATE TABLE T ({HASHED.format('CAST(At1 AS STRING)', 16)}, At1 TIMESTAMP) PRIMARY KEY (S, At1)",
            f"CREATE TABLE T ({HASHED.format('CONCAT(TenantId, Id)', 16)}, TenantId STRING(9), {ID}) "
            "PRIMARY KEY (S, TenantId, Id)",
            f"CREATE TABLE T ({HASHED.format('Id', 16)}, D DATE, {ID}) PRIMARY KEY (S, D, Id)",
        ],
    ),
    "SPN117": (
        [
            f"CREATE TABLE T (At1 TIMESTAMP, {ID}, {HASHED.format('Id', 16)}) PRIMARY KEY (At1, S, Id)",
            "CREATE TABLE T (At1 TIMESTAMP, bucket INT64) PRIMARY KEY (At1 DESC, bucket)",
            "CREATE TABLE T (D DATE, Shard INT64, N INT64) PRIMARY KEY (D, Shard, N)",
        ],
        [
            "CREATE TABLE T (Shard INT64, D DATE, N INT64) PRIMARY KEY (Shard, D, N)",
            f"CREATE TABLE T ({ID}, Shard INT64) PRIMARY KEY (Id, Shard)",
            "CREATE TABLE T (At1 TIMESTAMP, BucketName STRING(20)) PRIMARY KEY (At1)",
        ],
    ),
    "SPN118": (
        [
            f"CREATE TABLE T ({ID}, At1 TIMESTAMP) PRIMARY KEY (Id, At1)",
            f"{P}CREATE TABLE H (K INT64 NOT NULL, At1 TIMESTAMP) PRIMARY KEY (K, At1), INTERLEAVE IN PARENT P",
            "CREATE TABLE s.T (U INT64, V INT64, At1 TIMESTAMP) PRIMARY KEY (U, V, At1)",
        ],
        [
            f"CREATE TABLE T ({ID}, At1 TIMESTAMP) PRIMARY KEY (Id, At1 DESC)",
            "CREATE TABLE T (At1 TIMESTAMP, U INT64) PRIMARY KEY (At1, U)",
            f"CREATE TABLE T ({HASHED.format('CAST(At1 AS STRING)', 16)}, At1 TIMESTAMP) PRIMARY KEY (S, At1)",
        ],
    ),
    "SPN119": (
        ["CREATE TABLE T (V STRING(9)) PRIMARY KEY ()", "CREATE TABLE s.T (V INT64) PRIMARY KEY ()",
         "CREATE TABLE `T` (A BOOL, B BYTES(9)) PRIMARY KEY ( )"],
        ["CREATE TABLE T (V STRING(9)) PRIMARY KEY (V)", "CREATE TABLE T (V INT64 PRIMARY KEY)",
         "CREATE TABLE T (V INT64) PRIMARY KEY (); DROP TABLE T"],
    ),
    "SPN120": (
        ["CREATE TABLE T (V STRING(9))", "CREATE TABLE s.T (V INT64, W INT64)",
         "CREATE TABLE IF NOT EXISTS `T` (V INT64 NOT NULL)"],
        ["CREATE TABLE T (V INT64 PRIMARY KEY)", "CREATE TABLE T (V INT64, PRIMARY KEY (V))",
         "CREATE TABLE T (V INT64) PRIMARY KEY ()"],
    ),
    "SPN121": (
        ["CREATE TABLE T (V BYTES(MAX)) PRIMARY KEY (V)",
         "CREATE TABLE T (N INT64, V STRING(4000)) PRIMARY KEY (N, V)",
         f"{P}CREATE TABLE T (K INT64 NOT NULL, V STRING(MAX)) PRIMARY KEY (K, V), INTERLEAVE IN PARENT P",
         "CREATE TABLE T (V STRING(20)) PRIMARY KEY (V); ALTER TABLE T ALTER COLUMN V STRING(MAX)"],
        ["CREATE TABLE T (V BYTES(4000)) PRIMARY KEY (V)",
         "CREATE TABLE T (N INT64, V STRING(MAX)) PRIMARY KEY (N)",
         "CREATE TABLE T (V STRING(MAX)) PRIMARY KEY (V); ALTER TABLE T ALTER COLUMN V STRING(20)"],
    ),
    "SPN122": (
        ["CREATE TABLE T (V JSON) PRIMARY KEY (V)", "CREATE TABLE T (V FLOAT32, N INT64) PRIMARY KEY (N, V)",
         "CREATE TABLE T (V FLOAT64) PRIMARY KEY (V)",
         f"CREATE TABLE T ({KEY16}) PRIMARY KEY ({', '.join(f'K{n}' for n in range(17))})"],
        ["CREATE TABLE T (V NUMERIC) PRIMARY KEY (V)", "CREATE TABLE T (V JSON, N INT64) PRIMARY KEY (N)",
         f"CREATE TABLE T ({KEY16}) PRIMARY KEY ({', '.join(f'K{n}' for n in range(16))})"],
    ),
    "SPN123": (
        ["CREATE TABLE T (N INT64, U STRING(36)) PRIMARY KEY (N, U)",
         "CREATE TABLE T (U STRING(36) DEFAULT (GENERATE_UUID())) PRIMARY KEY (U DESC)",
         "CREATE TABLE T (U STRING(36) PRIMARY KEY)"],
        ["CREATE TABLE T (U UUID) PRIMARY KEY (U)", "CREATE TABLE T (U STRING(35)) PRIMARY KEY (U)",
         "CREATE TABLE T (N INT64, U STRING(36)) PRIMARY KEY (N)"],
    ),
    "SPN124": (
        ["CREATE TABLE T (N DATE) PRIMARY KEY (N)", "CREATE TABLE s.T (U UUID, N INT64) PRIMARY KEY (U, N)",
         "CREATE TABLE T (N INT64 NOT NULL) PRIMARY KEY (N); ALTER TABLE T ALTER COLUMN N INT64"],
        ["CREATE TABLE T (N DATE NOT NULL) PRIMARY KEY (N)",
         "CREATE TABLE T (N INT64) PRIMARY KEY (N); ALTER TABLE T ALTER COLUMN N INT64 NOT NULL",
         "CREATE TABLE T (N INT64 NOT NULL, V INT64) PRIMARY KEY (N)",
         "CREATE TABLE T (N INT64 GENERATED BY DEFAULT AS IDENTITY (BIT_REVERSED_POSITIVE)) PRIMARY KEY (N)"],
    ),
    "SPN125": (
        ["CREATE TABLE s.T (Id INT64, Iso STRING(3) NOT NULL) PRIMARY KEY (Id); CREATE UNIQUE INDEX s.U ON s.T(Iso DESC)",
         "CREATE TABLE T (Id UUID, Ean INT64 NOT NULL) PRIMARY KEY (Id); CREATE UNIQUE INDEX U ON T(Ean)",
         "CREATE TABLE T (Id INT64, Iso STRING(3)) PRIMARY KEY (Id); CREATE UNIQUE INDEX U ON T(Iso); "
         "ALTER TABLE T ALTER COLUMN Iso STRING(3) NOT NULL"],
        ["CREATE TABLE T (Id INT64, Email STRING(99) NOT NULL) PRIMARY KEY (Id); "
         "CREATE UNIQUE INDEX U ON T(Email)",
         "CREATE TABLE T (Id INT64, Iso STRING(3) NOT NULL) PRIMARY KEY (Id); CREATE INDEX U ON T(Iso)",
         "CREATE TABLE T (Id INT64, Iso STRING(3) NOT NULL, B INT64) PRIMARY KEY (Id); "
         "CREATE UNIQUE INDEX U ON T(Iso, B)"],
    ),
    "SPN201": (
        [f"CREATE TABLE T ({ID}, At1 {STAMP}) PRIMARY KEY (Id); CREATE INDEX I ON T(At1 DESC)",
         f"CREATE TABLE T ({ID}, At1 {STAMP}) PRIMARY KEY (Id); CREATE UNIQUE INDEX s.I ON T(At1, Id)",
         f"{A}ALTER TABLE A ALTER COLUMN At1 SET OPTIONS (allow_commit_timestamp = true); "
         "CREATE INDEX I ON A(At1) STORING (N)"],
        [f"CREATE TABLE T ({ID}, At1 {STAMP}) PRIMARY KEY (Id); CREATE INDEX I ON T(Id, At1 DESC), INTERLEAVE IN T",
         f"CREATE TABLE T ({ID}, N INT64, At1 {STAMP}) PRIMARY KEY (Id); CREATE INDEX I ON T(N, At1)",
         f"CREATE TABLE T ({ID}, At1 {STAMP}) PRIMARY KEY (Id); CREATE INDEX I ON T(At1); DROP INDEX I"],
    ),
    "SPN202": (
        [f"{A}CREATE INDEX I ON A(At1 DESC) STORING (S)",
         f"CREATE TABLE T ({ID}, D DATE) PRIMARY KEY (Id); CREATE NULL_FILTERED INDEX I ON T(D, Id)",
         f"CREATE TABLE T ({ID}, order_no INT64) PRIMARY KEY (Id); CREATE UNIQUE INDEX I ON T(order_no)",
         f"CREATE TABLE T ({ID}, DueDate DATE) PRIMARY KEY (Id); CREATE INDEX I ON T(DueDate)",
         f"CREATE TABLE s.T ({ID}, `At` TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX s.I ON s.T(`At`)"],
        [f"{A}CREATE INDEX I ON A(S, At1)",
         f"{A}CREATE INDEX I ON A(Id, At1), INTERLEAVE IN A",
         f"CREATE TABLE T ({ID}, {HASHED.format('Id', 16)}, At1 TIMESTAMP) PRIMARY KEY (Id); "
         "CREATE INDEX I ON T(S, At1)",
         f"CREATE TABLE T ({ID}, D DATE NOT NULL) PRIMARY KEY (Id); CREATE UNIQUE INDEX I ON T(D)",
         f"CREATE TABLE T ({ID}, BirthDate DATE NOT NULL) PRIMARY KEY (Id); CREATE INDEX I ON T(BirthDate)",
         f"{A}CREATE INDEX I ON A(N)"],
    ),
    "SPN203": (
        [f"CREATE TABLE T ({ID}, At1 TIMESTAMP ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS "
         "(allow_commit_timestamp = true)) PRIMARY KEY (Id); CREATE INDEX I ON T(At1 DESC)",
         f"CREATE TABLE T ({ID}, At1 TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE "
         "(PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id); "
         "CREATE UNIQUE INDEX I ON T(At1, Id)",
         f"CREATE TABLE s.T ({ID}, At1 TIMESTAMP ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS "
         "(allow_commit_timestamp = true)) PRIMARY KEY (Id); CREATE NULL_FILTERED INDEX s.I ON s.T(At1)"],
        [f"CREATE TABLE T ({ID}, At1 {STAMP}) PRIMARY KEY (Id); CREATE INDEX I ON T(At1)",
         f"CREATE TABLE T ({ID}, At1 TIMESTAMP ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS "
         "(allow_commit_timestamp = true)) PRIMARY KEY (Id)",
         f"CREATE TABLE T ({ID}, At1 TIMESTAMP ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS "
         "(allow_commit_timestamp = true)) PRIMARY KEY (Id); CREATE INDEX I ON T(Id, At1), INTERLEAVE IN T"],
    ),
    "SPN205": (
        [f"CREATE TABLE T ({ID}, Done BOOL) PRIMARY KEY (Id); CREATE INDEX I ON T(Done)",
         f"CREATE TABLE T ({ID}, order_state INT64, V INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(order_state DESC, V)",
         f"CREATE TABLE T ({ID}, X STRING(9), CHECK (X IN ('a', 'b'))) PRIMARY KEY (Id); CREATE INDEX I ON T(X)",
         f"CREATE TABLE T ({ID}, Kind STRING(9), Done BOOL, At1 TIMESTAMP) PRIMARY KEY (Id); "
         "CREATE INDEX I ON T(Kind, Done, At1)",
         f"CREATE TABLE T ({ID}, CountryCode STRING(2), At1 TIMESTAMP) PRIMARY KEY (Id); "
         "CREATE NULL_FILTERED INDEX I ON T(CountryCode, At1 DESC)",
         "CREATE TABLE T (At1 TIMESTAMP, N INT64, Done BOOL) PRIMARY KEY (At1, N); CREATE INDEX I ON T(Done)"],
        [f"CREATE TABLE T ({ID}, Done BOOL, U INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(U, Done)",
         f"CREATE TABLE T ({ID}, Done BOOL) PRIMARY KEY (Id); CREATE INDEX I ON T(Id, Done), INTERLEAVE IN T",
         f"CREATE TABLE Jobs ({ID}, State STRING(9), At1 TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX I ON Jobs(State, At1)",
         f"CREATE TABLE T ({ID}, CountryCode STRING(2)) PRIMARY KEY (Id); CREATE INDEX I ON T(CountryCode)",
         f"{A}CREATE INDEX I ON A(S)"],
    ),
    "SPN206": (
        [f"CREATE TABLE T ({ID}, V STRING(9) DEFAULT ('new')) PRIMARY KEY (Id); CREATE INDEX I ON T(V, Id)",
         f"CREATE TABLE T ({ID}, V BOOL DEFAULT (false)) PRIMARY KEY (Id); CREATE INDEX I ON T(V DESC)",
         f"{A}ALTER TABLE A ALTER COLUMN N SET DEFAULT (-1); CREATE INDEX I ON A(N)"],
        [f"CREATE TABLE T ({ID}, V UUID DEFAULT (NEW_UUID())) PRIMARY KEY (Id); CREATE INDEX I ON T(V)",
         f"CREATE TABLE T ({ID}, V BOOL DEFAULT (false), D DATE) PRIMARY KEY (Id); CREATE INDEX I ON T(V, D)",
         f"CREATE TABLE T ({ID}, V INT64 DEFAULT (0), W INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(W, V)",
         f"CREATE TABLE T ({ID}, V INT64 DEFAULT (0)) PRIMARY KEY (Id); CREATE INDEX I ON T(V); "
         "ALTER TABLE T ALTER COLUMN V DROP DEFAULT"],
    ),
    "SPN207": (
        [f"CREATE TABLE T ({ID}, deleted_at TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX I ON T(deleted_at DESC)",
         f"CREATE TABLE T ({ID}, ArchivedBy STRING(9)) PRIMARY KEY (Id); CREATE INDEX I ON T(ArchivedBy, Id)",
         f"CREATE TABLE T ({ID}, ExpiresOn DATE, CompletedOn DATE) PRIMARY KEY (Id); CREATE INDEX I ON T(CompletedOn)",
         f"CREATE TABLE T ({ID}, LeasedUntil TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX I ON T(LeasedUntil)",
         f"CREATE TABLE T ({ID}, lock_owner STRING(9), N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(lock_owner, N)"],
        [f"CREATE TABLE T ({ID}, deleted_at TIMESTAMP NOT NULL) PRIMARY KEY (Id); CREATE INDEX I ON T(deleted_at)",
         f"CREATE TABLE T ({ID}, LockVersion INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(LockVersion)",
         f"CREATE TABLE T ({ID}, LeaseId STRING(9)) PRIMARY KEY (Id); CREATE INDEX I ON T(LeaseId)",
         f"CREATE TABLE T ({ID}, LockedBy STRING(9)) PRIMARY KEY (Id); CREATE NULL_FILTERED INDEX I ON T(LockedBy)",
         f"CREATE TABLE T ({ID}, deleted_at TIMESTAMP) PRIMARY KEY (Id); CREATE NULL_FILTERED INDEX I ON T(deleted_at)",
         f"CREATE TABLE T ({ID}, deleted_at TIMESTAMP) PRIMARY KEY (Id); "
         "CREATE INDEX I ON T(deleted_at) WHERE deleted_at IS NOT NULL"],
    ),
    "SPN208": (
        [f"{A}CREATE UNIQUE NULL_FILTERED INDEX I ON A(N, S)",
         f"CREATE TABLE T ({ID}, V INT64 NOT NULL, W INT64) PRIMARY KEY (Id); "
         "CREATE UNIQUE NULL_FILTERED INDEX I ON T(V, W DESC)",
         f"{A}CREATE UNIQUE NULL_FILTERED INDEX I ON A(Id, N), INTERLEAVE IN A"],
        [f"CREATE TABLE T ({ID}, V INT64 NOT NULL) PRIMARY KEY (Id); CREATE UNIQUE NULL_FILTERED INDEX I ON T(V)",
         f"{A}CREATE NULL_FILTERED INDEX I ON A(N)", f"{A}CREATE UNIQUE INDEX I ON A(N)"],
    ),
    "SPN209": (
        [f"{A}CREATE INDEX I ON A(Id)", f"{A}CREATE INDEX I ON A(N) STORING (S); CREATE INDEX J ON A(N, S)",
         f"{A}CREATE INDEX I ON A(N DESC); CREATE INDEX J ON A(N DESC)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K)",
         f"{A}CREATE INDEX I ON A(Id, N)", f"{A}CREATE UNIQUE INDEX I ON A(Id) STORING (N)",
         f"{A}CREATE INDEX I ON A(Id, At1 DESC), INTERLEAVE IN A",
         f"{A}CREATE NULL_FILTERED INDEX I ON A(Id)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K, L, S) STORING (At1)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K), INTERLEAVE IN P",
         f"{A}CREATE INDEX I ON A(N); CREATE INDEX J ON A(N) STORING (S)",
         f"{A}CREATE INDEX I ON A(N); CREATE UNIQUE INDEX J ON A(N)"],
        [f"{A}CREATE INDEX I ON A(N DESC); CREATE INDEX J ON A(N, S)",
         f"{A}CREATE INDEX I ON A(Id DESC, N)", f"{A}CREATE NULL_FILTERED INDEX I ON A(Id, N)",
         f"{P}{C.format('', IN_P)}; CREATE UNIQUE INDEX I ON C(K)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(L, K)",
         "CREATE TABLE N (Id INT64 NOT NULL) PRIMARY KEY (Id); CREATE TABLE E (Id INT64 NOT NULL, Other INT64 NOT NULL) "
         "PRIMARY KEY (Id, Other); CREATE INDEX I ON E(Id), INTERLEAVE IN N",
         f"{A}CREATE INDEX I ON A(Id, N); CREATE VIEW V SQL SECURITY INVOKER AS SELECT A.N FROM A@{{FORCE_INDEX=I}}",
         f"{A}CREATE UNIQUE INDEX I ON A(N); CREATE INDEX J ON A(N, S)",
         f"{A}CREATE NULL_FILTERED INDEX I ON A(N); CREATE INDEX J ON A(N, S)",
         f"{A}CREATE INDEX I ON A(N) STORING (At1); CREATE INDEX J ON A(N, S)",
         f"{A}CREATE INDEX I ON A(N); CREATE INDEX J ON A(N, S); DROP INDEX I"],
    ),
    "SPN210": (
        [f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K, S)",
         f"{P}{C.format('', IN_P)}; CREATE UNIQUE INDEX I ON C(K, At1 DESC) STORING (S)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K, L, S)"],
        [f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K, S), INTERLEAVE IN P",
         f"{A}CREATE INDEX I ON A(Id, N)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(S, K)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K DESC, S)"],
    ),
    "SPN211": (
        [f"{P}{C.format('', '')}; CREATE INDEX I ON C(K, S), INTERLEAVE IN P",
         f"{P}CREATE TABLE s.E (X INT64, K INT64 NOT NULL) PRIMARY KEY (X); CREATE INDEX s.I ON s.E(K), INTERLEAVE IN P",
         f"{P}{A}CREATE TABLE E (X INT64, K INT64 NOT NULL) PRIMARY KEY (X); "
         "CREATE NULL_FILTERED INDEX I ON E(K, X), INTERLEAVE IN P"],
        [f"{P}{C.format('', IN_P)}; CREATE INDEX I ON C(K, S), INTERLEAVE IN P",
         f"{A}CREATE INDEX I ON A(Id, N), INTERLEAVE IN A", f"{P}{C.format('', '')}; CREATE INDEX I ON C(K, S)"],
    ),
    "SPN212": (
        [f"CREATE TABLE T ({ID}, J JSON, N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(N) STORING (J)",
         f"CREATE TABLE T ({ID}, B BYTES(MAX), N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(N) STORING (B)",
         f"CREATE TABLE T ({ID}, Tags ARRAY<STRING(9)>, N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(N); "
         "ALTER INDEX I ADD STORED COLUMN Tags",
         f"CREATE TABLE T ({ID}, Body STRING(MAX), {EMBEDDING}) PRIMARY KEY (Id); "
         "CREATE VECTOR INDEX I ON T(E) STORING (Body) OPTIONS (distance_type = 'COSINE')",
         f"CREATE TABLE T ({ID}, J JSON, {EMBEDDING}) PRIMARY KEY (Id); "
         "CREATE VECTOR INDEX I ON T(E) OPTIONS (distance_type = 'COSINE'); ALTER VECTOR INDEX I ADD STORED COLUMN J",
         f"CREATE TABLE T ({ID}, B BYTES(MAX), X TOKENLIST AS (TOKEN(B)) HIDDEN) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) STORING (B)"],
        [f"{A}CREATE INDEX I ON A(N) STORING (S, At1)",
         f"CREATE TABLE T ({ID}, Kind STRING(9), {EMBEDDING}) PRIMARY KEY (Id); "
         "CREATE VECTOR INDEX I ON T(E) STORING (Kind) OPTIONS (distance_type = 'COSINE')",
         f"CREATE TABLE T ({ID}, J JSON, {EMBEDDING}) PRIMARY KEY (Id); "
         "CREATE VECTOR INDEX I ON T(E) STORING (J) OPTIONS (distance_type = 'COSINE'); DROP INDEX I",
         f"CREATE TABLE T ({ID}, J JSON, N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(N)",
         f"CREATE TABLE T ({ID}, J JSON, N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(N) STORING (J); "
         "ALTER INDEX I DROP STORED COLUMN J"],
    ),
    "SPN214": (
        [f"CREATE TABLE T ({ID}, {', '.join(f'C{n} INT64' for n in range(9))}) PRIMARY KEY (Id); "
         + "; ".join(f"CREATE {kind} INDEX I{n} ON T(C{n})" for n in range(9)) for kind in ("", "UNIQUE", "NULL_FILTERED")],
        [f"CREATE TABLE T ({ID}, {', '.join(f'C{n} INT64' for n in range(9))}) PRIMARY KEY (Id); "
         + "; ".join(f"CREATE INDEX I{n} ON T(C{n})" for n in range(count)) + end
         for count, end in ((8, ""), (9, "; DROP INDEX I5"), (7, "; CREATE INDEX J ON T(C8)"))],
    ),
    "SPN216": (
        [f"{P}{fk()}; CREATE INDEX I ON D(K)", f"{P}{fk(' ON DELETE CASCADE')}; CREATE NULL_FILTERED INDEX I ON D(K DESC)",
         f"{P}CREATE TABLE D ({ID}, K INT64 NOT NULL) PRIMARY KEY (Id); CREATE INDEX I ON D(K); "
         "ALTER TABLE D ADD CONSTRAINT F FOREIGN KEY (K) REFERENCES P (K)",
         f"{P}CREATE TABLE D ({ID}, K INT64, FOREIGN KEY (K) REFERENCES P (K)) PRIMARY KEY (Id); "
         "CREATE INDEX I ON D(K) WHERE K IS NOT NULL",
         "CREATE TABLE P2 (Id INT64, C INT64 NOT NULL) PRIMARY KEY (Id); CREATE UNIQUE INDEX I ON P2(C); CREATE TABLE D "
         "(Id INT64, C INT64, FOREIGN KEY (C) REFERENCES P2 (C) NOT ENFORCED) PRIMARY KEY (Id)"],
        [f"{P}CREATE TABLE D ({ID}, K INT64, FOREIGN KEY (K) REFERENCES P (K)) PRIMARY KEY (Id); CREATE INDEX I ON D(K)",
         f"{P}CREATE TABLE D ({ID}, K INT64, FOREIGN KEY (K) REFERENCES P (K) ON DELETE CASCADE) PRIMARY KEY (Id); "
         "CREATE INDEX I ON D(K)",
         "CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, A INT64 NOT NULL, B INT64, "
         "FOREIGN KEY (A, B) REFERENCES P2 (A, B)) PRIMARY KEY (Id); CREATE INDEX I ON D(A, B)",
         f"{P}{fk()}; CREATE INDEX I ON D(K); SELECT Id FROM D@{{FORCE_INDEX=I}}",
         f"{P}{fk(' NOT ENFORCED')}; CREATE INDEX I ON D(K)", f"{P}{fk()}; CREATE INDEX I ON D(K, X)",
         f"{P}{fk()}; CREATE INDEX I ON D(K) STORING (X)", f"{P}{fk()}; CREATE UNIQUE INDEX I ON D(K)"],
    ),
    "SPN217": (
        [f"CREATE TABLE T ({ID}, D DATE, X TOKENLIST) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) ORDER BY D DESC OPTIONS (sort_order_sharding = true)",
         f"CREATE TABLE T ({ID}, created_ms INT64 NOT NULL, X TOKENLIST AS (TOKENIZE_NUMBER(created_ms)) HIDDEN) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) ORDER BY created_ms DESC OPTIONS (sort_order_sharding = true)",
         f"CREATE TABLE T ({ID}, At1 {STAMP}, X TOKENLIST) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) STORING (At1) ORDER BY At1 DESC OPTIONS (sort_order_sharding = true)",
         f"CREATE TABLE T ({ID}, N INT64, At1 TIMESTAMP, X TOKENLIST) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) PARTITION BY N ORDER BY At1 DESC OPTIONS (sort_order_sharding = true)"],
        [f"CREATE TABLE T ({ID}, Norm INT64, X TOKENLIST) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) ORDER BY Norm DESC OPTIONS (sort_order_sharding = true)",
         f"CREATE TABLE T ({ID}, N INT64, X TOKENLIST) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) ORDER BY N DESC OPTIONS (sort_order_sharding = true)",
         f"CREATE TABLE T ({ID}, D DATE, X TOKENLIST) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X) ORDER BY D DESC OPTIONS (sort_order_sharding = false)",
         f"CREATE TABLE T ({ID}, X TOKENLIST) PRIMARY KEY (Id); CREATE SEARCH INDEX I ON T(X)"],
    ),
    "SPN218": (
        [f"CREATE TABLE T ({ID}, {', '.join(f'C{n} INT64' for n in range(16))}) PRIMARY KEY (Id); "
         f"CREATE INDEX I ON T({', '.join(f'C{n}' for n in range(16))})",
         f"CREATE TABLE T ({ID}, V STRING(2500)) PRIMARY KEY (Id); CREATE INDEX I ON T(V)",
         f"CREATE TABLE T ({ID}, Url STRING(MAX)) PRIMARY KEY (Id); CREATE UNIQUE INDEX I ON T(Url)",
         f"CREATE TABLE T ({ID}, Name STRING(MAX), N INT64) PRIMARY KEY (Id); CREATE NULL_FILTERED INDEX I ON T(N, Name DESC)",
         f"CREATE TABLE T ({ID}, V BYTES(9)) PRIMARY KEY (Id); CREATE INDEX I ON T(V); ALTER TABLE T ALTER COLUMN V BYTES(MAX)",
         f"CREATE TABLE T ({ID}, {', '.join(f'C{n} INT64' for n in range(129))}) PRIMARY KEY (Id); "
         + "; ".join(f"CREATE INDEX I{n} ON T(C{n})" for n in range(129))],
        [f"CREATE TABLE T ({ID}, {', '.join(f'C{n} INT64' for n in range(16))}) PRIMARY KEY (Id); "
         f"CREATE INDEX I ON T({', '.join(f'C{n}' for n in range(15))})",
         f"CREATE TABLE T ({ID}, V STRING(1500)) PRIMARY KEY (Id); CREATE INDEX I ON T(V)",
         f"CREATE TABLE T ({ID}, Url STRING(MAX), N INT64) PRIMARY KEY (Id); CREATE INDEX I ON T(N) STORING (Url)",
         f"CREATE TABLE T ({ID}, X TOKENLIST AS (TOKEN(Url)) HIDDEN, Url STRING(MAX)) PRIMARY KEY (Id); CREATE SEARCH INDEX I ON T(X) STORING (Url)",
         "CREATE TABLE T (Url STRING(MAX), N INT64) PRIMARY KEY (Url); CREATE INDEX I ON T(N)",
         f"{A}CREATE INDEX I ON A(N, S, At1, Id)"],
    ),
    "SPN220": (
        ["CREATE TABLE Statuses (Id INT64) PRIMARY KEY (Id); CREATE TABLE T (Id INT64, StatusId INT64, "
         "FOREIGN KEY (StatusId) REFERENCES Statuses (Id)) PRIMARY KEY (Id)",
         "CREATE TABLE Days (D DATE) PRIMARY KEY (D); CREATE TABLE T (Id INT64, D DATE, "
         "FOREIGN KEY (D) REFERENCES Days (D)) PRIMARY KEY (Id)",
         "CREATE TABLE currencies (code STRING(3)) PRIMARY KEY (code); CREATE TABLE T (Id INT64, c STRING(3)) "
         "PRIMARY KEY (Id); ALTER TABLE T ADD FOREIGN KEY (c) REFERENCES currencies (code)"],
        [f"{P}{fk()}",
         "CREATE TABLE Statuses (Id INT64) PRIMARY KEY (Id); CREATE TABLE T (Id INT64, StatusId INT64, "
         "FOREIGN KEY (StatusId) REFERENCES Statuses (Id) NOT ENFORCED) PRIMARY KEY (Id)",
         "CREATE TABLE Statuses (Id INT64) PRIMARY KEY (Id); CREATE TABLE T (Id INT64, StatusId INT64, "
         "CONSTRAINT F FOREIGN KEY (StatusId) REFERENCES Statuses (Id)) PRIMARY KEY (Id); "
         "ALTER TABLE T DROP CONSTRAINT F"],
    ),
    "SPN221": (
        [f"{A}CREATE INDEX I1 ON A(N) STORING (S); CREATE INDEX I2 ON A(n) STORING (At1)",
         f"{A}CREATE UNIQUE INDEX I1 ON A(N) STORING (S); CREATE UNIQUE INDEX I2 ON A(N) STORING (At1)",
         f"{P}{C.format('', IN_P)}; CREATE INDEX I1 ON C(L) STORING (S); CREATE UNIQUE INDEX I2 ON C(L) STORING (At1)",
         f"{P}{C.format('', IN_P)}; CREATE UNIQUE INDEX I1 ON C(L); CREATE INDEX I2 ON C(L) STORING (At1)",
         f"{A}CREATE INDEX I1 ON A(N) STORING (S); CREATE INDEX I2 ON A(N, At1)",
         f"{A}CREATE INDEX I1 ON A(N); CREATE INDEX I2 ON A(N) STORING (At1); ALTER INDEX I1 ADD STORED COLUMN S",
         P + C.format(", X INT64", IN_P) + "; CREATE INDEX I1 ON C(K, X) STORING (S), INTERLEAVE IN P; "
         "CREATE INDEX I2 ON C(K, X) STORING (At1), INTERLEAVE IN P"],
        [f"{A}CREATE INDEX I1 ON A(N) STORING (S); CREATE INDEX I2 ON A(N DESC) STORING (At1)",
         f"{A}CREATE INDEX I1 ON A(N) STORING (S); CREATE INDEX I2 ON A(N) STORING (S, At1)",
         f"{A}CREATE INDEX I1 ON A(N) STORING (S); CREATE NULL_FILTERED INDEX I2 ON A(N) STORING (At1)",
         f"{A}CREATE UNIQUE INDEX I1 ON A(N) STORING (S); CREATE INDEX I2 ON A(N, At1)",
         f"{A}CREATE NULL_FILTERED INDEX I1 ON A(N) STORING (S); CREATE NULL_FILTERED INDEX I2 ON A(N, At1)",
         P + C.format(", X INT64", IN_P) + "; CREATE INDEX I1 ON C(K, X) STORING (S); "
         "CREATE INDEX I2 ON C(K, X) STORING (At1), INTERLEAVE IN P"],
    ),
    "SPN222": (
        [EDGES + GRAPH, f"{EDGES}CREATE INDEX I ON E(X, To1); {GRAPH}",
         f"{P}CREATE TABLE E (Id INT64, To1 INT64) PRIMARY KEY (Id); " + GRAPH.replace("SOURCE KEY (K)", "SOURCE KEY (Id)"),
         f"{P}CREATE TABLE E (Id INT64, K INT64, To1 INT64) PRIMARY KEY (To1, Id); {GRAPH}",
         f"{EDGES}ALTER TABLE E ADD FOREIGN KEY (To1) REFERENCES P (K) NOT ENFORCED; {GRAPH}",
         f"{EDGES}CREATE INDEX I ON E(To1); {GRAPH}; DROP INDEX I"],
        [f"{EDGES}CREATE INDEX I ON E(to1, X); {GRAPH}",
         f"{EDGES}CREATE NULL_FILTERED INDEX I ON E(To1), INTERLEAVE IN P; {GRAPH}",
         f"{EDGES}ALTER TABLE E ADD FOREIGN KEY (To1) REFERENCES P (K); {GRAPH}",
         f"{EDGES}{GRAPH}; DROP PROPERTY GRAPH G", EDGES,
         "CREATE PROPERTY GRAPH G NODE TABLES (P) EDGE TABLES (E SOURCE KEY (K) REFERENCES P (K) "
         "DESTINATION KEY (To1) REFERENCES P (K))"],
    ),
    "SPN223": (
        [f"{P}{C.format('', IN_P)}; CREATE UNIQUE INDEX I ON C(k DESC)",
         "CREATE TABLE T (A INT64, B INT64, C INT64) PRIMARY KEY (A, B, C); CREATE UNIQUE INDEX I ON T(B, A)",
         "CREATE TABLE R (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE T (A INT64, B INT64, C INT64) "
         "PRIMARY KEY (A, B, C), INTERLEAVE IN PARENT R; CREATE UNIQUE INDEX I ON T(A)",
         "CREATE TABLE s.T (A INT64 NOT NULL, B INT64) PRIMARY KEY (A, B DESC); "
         "CREATE UNIQUE NULL_FILTERED INDEX s.I ON s.T(A)"],
        ["CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A, B); CREATE INDEX I ON T(A)",
         "CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A, B); CREATE UNIQUE INDEX I ON T(B, A)",
         "CREATE TABLE T (A INT64, B INT64, C INT64) PRIMARY KEY (A, B); CREATE UNIQUE INDEX I ON T(A, C)",
         "CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A, B); CREATE UNIQUE NULL_FILTERED INDEX I ON T(A)",
         "CREATE TABLE T (A INT64, B INT64, C INT64) PRIMARY KEY (A, B, C); CREATE UNIQUE INDEX I ON T(A, C)"],
    ),
    "SPN224": (
        [f"{A}CREATE UNIQUE NULL_FILTERED INDEX I ON A(Id)",
         f"{A}CREATE NULL_FILTERED INDEX I ON A(N); ALTER TABLE A ALTER COLUMN N INT64 NOT NULL",
         P + C.format("", IN_P) + "; CREATE NULL_FILTERED INDEX I ON C(L, K) STORING (S)",
         P + C.format("", IN_P) + "; CREATE INDEX I ON C(L, S) WHERE L IS NOT NULL"],
        [f"{A}CREATE NULL_FILTERED INDEX I ON A(Id, N)", f"{A}CREATE INDEX I ON A(Id)",
         f"{A}CREATE INDEX I ON A(N) WHERE N IS NOT NULL",
         "CREATE TABLE T (A INT64) PRIMARY KEY (A); CREATE NULL_FILTERED INDEX I ON T(A)"],
    ),
    "SPN225": (
        [f"{TEXTS}", f"{TEXTS}CREATE SEARCH INDEX I ON T(X); ALTER SEARCH INDEX I ADD COLUMN Y; ALTER SEARCH INDEX I DROP COLUMN X",
         f"{TEXTS}CREATE SEARCH INDEX I ON T(X, Y); DROP SEARCH INDEX I", f"{TEXTS}CREATE SEARCH INDEX I ON T(Y)"],
        [f"{TEXTS}CREATE SEARCH INDEX I ON T(X, Y)", f"{TEXTS}CREATE SEARCH INDEX I ON T(X); ALTER SEARCH INDEX I ADD COLUMN Y",
         f"{TEXTS}ALTER TABLE T ADD COLUMN Z TOKENLIST AS (TOKENLIST_CONCAT([X, Y])) HIDDEN; CREATE SEARCH INDEX I ON T(Z)"],
    ),
    "SPN226": (
        [f"{TEXTS}CREATE SEARCH INDEX I ON T(X); CREATE SEARCH INDEX J ON T(Y)",
         f"{TEXTS}CREATE SEARCH INDEX I ON T(X, Y); ALTER SEARCH INDEX I DROP COLUMN Y; CREATE SEARCH INDEX J ON T(Y)",
         f"{TEXTS}CREATE SEARCH INDEX I ON T(x) PARTITION BY N; CREATE SEARCH INDEX J ON T(y) PARTITION BY N"],
        [f"{TEXTS}CREATE SEARCH INDEX I ON T(X, Y)", f"{TEXTS}CREATE SEARCH INDEX I ON T(X, Y); CREATE SEARCH INDEX J ON T(Y)",
         f"{TEXTS}CREATE SEARCH INDEX I ON T(X); CREATE SEARCH INDEX J ON T(Y); DROP SEARCH INDEX J"],
    ),
    "SPN227": (
        [f"CREATE TABLE T ({ID}, S STRING(MAX), X TOKENLIST AS ({tokens}) HIDDEN) PRIMARY KEY (Id); CREATE SEARCH INDEX I ON T(X)"
         for tokens in ("TOKENIZE_SUBSTRING(S)", "tokenize_ngrams(s, ngram_size_max=>3)", "TOKENIZE_SUBSTRING(S, ngram_size_min=>1)")],
        [f"CREATE TABLE T ({ID}, S STRING(MAX), X TOKENLIST AS ({tokens}) HIDDEN) PRIMARY KEY (Id); CREATE SEARCH INDEX I ON T(X)"
         for tokens in ("TOKENIZE_SUBSTRING(S, ngram_size_min=>2)", "TOKENIZE_FULLTEXT(S)", "TOKENIZE_NGRAMS(S, NGRAM_SIZE_MIN=>3)")],
    ),
    "SPN228": (
        [f"CREATE TABLE T ({ID}, N INT64, F FLOAT64, X TOKENLIST AS ({tokens}) HIDDEN) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X)"
         for tokens in ("TOKENIZE_NUMBER(N)", "tokenize_number(n, comparison_type=>'all')", "TOKENIZE_NUMBER(N, min=>0)")],
        [f"CREATE TABLE T ({ID}, N INT64, F FLOAT64, X TOKENLIST AS ({tokens}) HIDDEN) PRIMARY KEY (Id); "
         "CREATE SEARCH INDEX I ON T(X)"
         for tokens in ("TOKENIZE_NUMBER(F)", "TOKENIZE_NUMBER(N, comparison_type=>'EQUALITY')", "TOKENIZE_NUMBER(N, min=>0, max=>9)")],
    ),
    "SPN231": (
        ["CREATE TABLE T (Id STRING(20), TextEmbedding ARRAY<FLOAT64>) PRIMARY KEY (Id)",
         "CREATE TABLE s.T (Id STRING(20), emb ARRAY<FLOAT32> NOT NULL) PRIMARY KEY (Id)",
         f"{A}ALTER TABLE A ADD COLUMN text_embedding ARRAY<FLOAT32>"],
        ["CREATE TABLE T (Id STRING(20), Weights ARRAY<FLOAT64>) PRIMARY KEY (Id)",
         "CREATE TABLE T (Id STRING(20), Embedding ARRAY<INT64>) PRIMARY KEY (Id)",
         "CREATE TABLE T (Id STRING(20), Embedding BYTES(MAX)) PRIMARY KEY (Id)",
         f"{A}ALTER TABLE A ADD COLUMN Embedding ARRAY<FLOAT32>(vector_length=>8)"],
    ),
    "SPN232": (
        ["CREATE TABLE T (Id STRING(20), E ARRAY<FLOAT64>(vector_length=>8)) PRIMARY KEY (Id)",
         "CREATE TABLE s.T (Id STRING(20), e array<float64>(vector_length=>8) not null) PRIMARY KEY (Id)",
         f"{A}ALTER TABLE A ADD COLUMN E ARRAY<FLOAT64>(vector_length=>3)"],
        ["CREATE TABLE T (Id STRING(20), E ARRAY<FLOAT64>) PRIMARY KEY (Id)",
         f"CREATE TABLE T (Id STRING(20), {EMBEDDING}) PRIMARY KEY (Id)",
         "CREATE TABLE T (Id STRING(20), E FLOAT64) PRIMARY KEY (Id)"],
    ),
    "SPN233": (
        [f"{vectors()} OPTIONS (distance_type = 'COSINE', num_branches = 10, num_leaves = 100)",
         f"{vectors()} OPTIONS (distance_type = 'COSINE', num_branches = 10, num_leaves = 10000)",
         f"{vectors()} OPTIONS (num_leaves = 30, num_branches = 2, distance_type = 'COSINE')"],
        [f"{vectors()} OPTIONS (distance_type = 'COSINE', num_branches = 10, num_leaves = 1000)",
         f"{vectors()} OPTIONS (distance_type = 'COSINE', num_leaves = 10)",
         f"{vectors()} OPTIONS (distance_type = 'COSINE')"],
    ),
    "SPN234": (
        [f"{vectors('Body')} OPTIONS (distance_type = 'COSINE')",
         f"{vectors('Kind, Body')} OPTIONS (distance_type = 'DOT_PRODUCT')",
         f"{vectors('Photo')} OPTIONS (distance_type = 'COSINE')"],
        [f"{vectors('Kind')} OPTIONS (distance_type = 'COSINE')",
         f"{vectors()} OPTIONS (distance_type = 'COSINE')",
         f"{vectors('N')} OPTIONS (distance_type = 'EUCLIDEAN')"],
    ),
    "SPN301": (
        [chain(5), chain(6, "INTERLEAVE IN"), chain(8)],
        [chain(4), chain(6, cut=3), chain(1)],
    ),
    "SPN302": (
        [f"{P}CREATE TABLE E (K INT64 NOT NULL, At1 TIMESTAMP, B JSON) PRIMARY KEY (K, At1){IN_P}",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, D DATE, N INT64, B BYTES(MAX)) PRIMARY KEY (K, D DESC, N), "
         "INTERLEAVE IN P",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, L STRING(36), At1 TIMESTAMP) PRIMARY KEY (K, L, At1){IN_P}; "
         "ALTER TABLE E ADD COLUMN Body STRING(MAX)",
         f"{P}CREATE TABLE AuditLog (K INT64 NOT NULL, U UUID, B JSON) PRIMARY KEY (K, U){IN_P}"],
        [f"{P}CREATE TABLE E (K INT64 NOT NULL, D DATE, B STRING(99)) PRIMARY KEY (K, D){IN_P}",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, Line INT64, Body STRING(MAX)) PRIMARY KEY (K, Line){IN_P}",
         f"{P}CREATE TABLE Lines (K INT64 NOT NULL, U UUID, B JSON) PRIMARY KEY (K, U){IN_P}",
         f"{P}CREATE TABLE Prices (K INT64 NOT NULL, D DATE, B JSON) PRIMARY KEY (K, D){IN_P}",
         "CREATE TABLE R (B BYTES(MAX)) PRIMARY KEY (B); CREATE TABLE E (B BYTES(MAX), At1 TIMESTAMP) "
         "PRIMARY KEY (B, At1), INTERLEAVE IN PARENT R",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, At1 TIMESTAMP, Name STRING(MAX)) PRIMARY KEY (K, At1){IN_P}",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, At1 TIMESTAMP, B JSON) PRIMARY KEY (K, At1){IN_P}; "
         "ALTER TABLE E ADD ROW DELETION POLICY (OLDER_THAN(At1, INTERVAL 9 DAY))"],
    ),
    "SPN305": (
        ["CREATE TABLE R (Done BOOL) PRIMARY KEY (Done); CREATE TABLE E (Done BOOL, N INT64) "
         "PRIMARY KEY (Done, N), INTERLEAVE IN PARENT R",
         "CREATE TABLE Currencies (Code STRING(3)) PRIMARY KEY (Code); CREATE TABLE Rates (Code STRING(3), "
         "D DATE) PRIMARY KEY (Code, D), INTERLEAVE IN Currencies",
         "CREATE TABLE R (X INT64, CHECK (X IN (1, 2))) PRIMARY KEY (X); CREATE TABLE E (X INT64, N INT64) "
         "PRIMARY KEY (X, N), INTERLEAVE IN PARENT R"],
        [P + C.format("", IN_P),
         "CREATE TABLE Countries (Id INT64) PRIMARY KEY (Id); CREATE TABLE CountryTypes (Id INT64, N INT64) "
         "PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Countries",
         "CREATE TABLE Countries (Id INT64) PRIMARY KEY (Id); CREATE TABLE Cities (Id INT64, N INT64) "
         "PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Countries",
         "CREATE TABLE Countries (Id INT64) PRIMARY KEY (Id); CREATE TABLE E (Id INT64, N INT64) PRIMARY KEY (N)"],
    ),
    "SPN306": (
        [P + fk(key="K, Id"), P + fk(key="Id, K"),
         f"{P}CREATE TABLE D ({ID}, K INT64 NOT NULL) PRIMARY KEY (K, Id); "
         "ALTER TABLE D ADD CONSTRAINT F FOREIGN KEY (K) REFERENCES P (K)"],
        [P + fk(), P + fk(key="K"), P + fk(key="K, Id") + IN_P,
         f"{P}CREATE TABLE schema_migrations ({ID}, K INT64 NOT NULL, FOREIGN KEY (K) REFERENCES P (K)) "
         "PRIMARY KEY (K, Id)"],
    ),
    "SPN307": (
        [P + fk(key="K, Id") + IN_P,
         P + fk(" NOT ENFORCED", "K, Id") + IN_P + " ON DELETE CASCADE",
         f"{P}{C.format('', IN_P)}; ALTER TABLE C ADD CONSTRAINT F FOREIGN KEY (K) REFERENCES P (K)"],
        [P + fk(key="K, Id") + ", INTERLEAVE IN P", P + fk(key="K, Id"),
         f"{P}{C.format(', FOREIGN KEY (L) REFERENCES P (K)', IN_P)}"],
    ),
    "SPN308": (
        [f"{P}CREATE TABLE C (K STRING(9) NOT NULL, L INT64) PRIMARY KEY (K, L){IN_P}",
         f"{P}CREATE TABLE C (K INT64 NOT NULL, L INT64) PRIMARY KEY (K DESC, L){IN_P}",
         f"{P}CREATE TABLE C (K INT64, L INT64) PRIMARY KEY (K, L), INTERLEAVE IN P",
         f"{P}CREATE TABLE C (`Key` INT64 NOT NULL, L INT64) PRIMARY KEY (`Key`, L){IN_P}"],
        [P + C.format("", IN_P), f"{P}CREATE TABLE C (k INT64 NOT NULL, L INT64) PRIMARY KEY (k, L){IN_P}",
         f"{P}CREATE TABLE C (K STRING(9), L INT64) PRIMARY KEY (K, L)"],
    ),
    "SPN309": (
        [f"{P}CREATE TABLE E (K INT64 NOT NULL, At1 TIMESTAMP, S STRING(9)) PRIMARY KEY (K, At1){IN_P} "
         "ON DELETE CASCADE; CREATE INDEX I ON E(S)",
         f"{P}CREATE TABLE E (K INT64, At1 TIMESTAMP, X INT64, FOREIGN KEY (K) REFERENCES P (K) ON DELETE CASCADE) "
         "PRIMARY KEY (K, At1); CREATE INDEX I ON E(X)",
         f"{P}CREATE TABLE AuditLog (U UUID, K INT64, X INT64, FOREIGN KEY (K) REFERENCES P (K) ON DELETE CASCADE) "
         "PRIMARY KEY (U); CREATE INDEX I ON AuditLog(X)",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, D DATE, U UUID, X INT64) PRIMARY KEY (K, D, U){IN_P}; "
         "CREATE INDEX I ON E(X); ALTER TABLE E SET ON DELETE CASCADE",
         f"{P}{fk(' ON DELETE CASCADE')}; CREATE INDEX I ON D(X)",
         f"{P}CREATE TABLE D ({ID}, K INT64 NOT NULL, X INT64) PRIMARY KEY (Id); CREATE UNIQUE INDEX I ON D(X); "
         "ALTER TABLE D ADD FOREIGN KEY (K) REFERENCES P (K) ON DELETE CASCADE",
         f"{P}CREATE TABLE Q (Q INT64 NOT NULL) PRIMARY KEY (Q); CREATE TABLE E (K INT64 NOT NULL, At1 TIMESTAMP, Q INT64, "
         f"FOREIGN KEY (Q) REFERENCES Q (Q)) PRIMARY KEY (K, At1){IN_P} ON DELETE CASCADE"],
        [f"{P}CREATE TABLE Lines (K INT64 NOT NULL, U UUID, X INT64) PRIMARY KEY (K, U){IN_P} ON DELETE CASCADE; "
         "CREATE INDEX I ON Lines(X)",
         f"{P}{fk(' ON DELETE CASCADE')}", f"{P}{fk()}; CREATE INDEX I ON D(X)",
         f"{P}{fk(' ON DELETE CASCADE', 'K')}; CREATE INDEX I ON D(X)",
         f"{P}{fk(' ON DELETE CASCADE')}; CREATE UNIQUE INDEX I ON D(K)",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, D DATE, S STRING(9)) PRIMARY KEY (K, D){IN_P} ON DELETE NO ACTION; "
         "CREATE INDEX I ON E(S)",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, D DATE, S STRING(9)) PRIMARY KEY (K, D){IN_P} ON DELETE CASCADE; "
         "CREATE INDEX I ON E(K, S), INTERLEAVE IN P",
         f"{P}CREATE TABLE E (K INT64 NOT NULL, D DATE, S STRING(9)) PRIMARY KEY (K, D){IN_P} ON DELETE CASCADE"],
    ),
    "SPN310": (
        ["CREATE TABLE P (K INT64 NOT NULL, J JSON) PRIMARY KEY (K); " + C.format("", IN_P),
         P + C.format(", B BYTES(MAX)", IN_P), f"{P}{C.format('', IN_P)}; ALTER TABLE C ADD COLUMN J JSON"],
        ["CREATE TABLE P (K INT64 NOT NULL, J JSON) PRIMARY KEY (K)", P + C.format(", B BYTES(99)", IN_P),
         P + C.format(", J JSON OPTIONS (locality_group = 'cold')", IN_P)],
    ),
    "SPN311": (
        [chain(3), chain(4), chain(3) + "; CREATE TABLE Z (N INT64) PRIMARY KEY (N)"],
        [chain(2), chain(4, "INTERLEAVE IN"), chain(5, cut=3)],
    ),
    "SPN312": (
        [f"{P}CREATE TABLE E (K INT64 NOT NULL, To1 INT64, X INT64) PRIMARY KEY (K, To1); {GRAPH}",
         f"{P}CREATE TABLE E (K INT64, To1 INT64) PRIMARY KEY (k DESC, To1); "
         + GRAPH.replace("KEY (K) REFERENCES P (K)", "KEY (K) REFERENCES P"),
         "CREATE TABLE s.P (K INT64, L INT64) PRIMARY KEY (K, L); CREATE TABLE s.E (K INT64, L INT64, N INT64) "
         "PRIMARY KEY (K, L, N); CREATE PROPERTY GRAPH G NODE TABLES (s.P AS N) EDGE TABLES (s.E AS E SOURCE KEY (K, L) "
         "REFERENCES n (K, L) DESTINATION KEY (N, L) REFERENCES N)"],
        [EDGES + GRAPH, f"{P}CREATE TABLE E (Id INT64, K INT64, To1 INT64) PRIMARY KEY (Id); {GRAPH}",
         f"{EDGES.replace('IN PARENT', 'IN')}{GRAPH}", f"{EDGES}{GRAPH}; DROP PROPERTY GRAPH G",
         "CREATE TABLE P (K INT64, To1 INT64) PRIMARY KEY (K); CREATE PROPERTY GRAPH G NODE TABLES (P) EDGE TABLES "
         "(P AS E SOURCE KEY (K) REFERENCES P (K) DESTINATION KEY (To1) REFERENCES P (K))"],
    ),
    "SPN406": (
        [EDGES + GRAPH, f"{P}CREATE TABLE E (K INT64, To1 INT64) PRIMARY KEY (K, To1); {GRAPH}",
         f"{EDGES.replace('IN PARENT', 'IN')}{GRAPH}",
         f"{EDGES}ALTER TABLE E ADD CONSTRAINT F FOREIGN KEY (To1) REFERENCES P (K); {GRAPH}; "
         "ALTER TABLE E DROP CONSTRAINT F"],
        [f"{EDGES}ALTER TABLE E ADD FOREIGN KEY (To1) REFERENCES P (K); {GRAPH}",
         f"{EDGES}ALTER TABLE E ADD FOREIGN KEY (to1) REFERENCES p (k) NOT ENFORCED; {GRAPH}",
         f"{EDGES}{GRAPH}; DROP PROPERTY GRAPH G", EDGES,
         "CREATE TABLE P (K INT64, To1 INT64, FOREIGN KEY (To1) REFERENCES P (K)) PRIMARY KEY (K); CREATE PROPERTY "
         "GRAPH G NODE TABLES (P) EDGE TABLES (P AS E SOURCE KEY (K) REFERENCES P (K) DESTINATION KEY (To1) "
         "REFERENCES P (K))"],
    ),
    "SPN403": (
        ["CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, A INT64, B INT64, "
         "Z INT64, FOREIGN KEY (A, B) REFERENCES P2 (A, B)) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, X INT64, Y INT64, "
         "Z INT64, FOREIGN KEY (Y, X) REFERENCES P2 (B, A)) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, A INT64, B INT64, Z INT64) "
         "PRIMARY KEY (Id); ALTER TABLE D ADD FOREIGN KEY (A, B) REFERENCES P2 (A, B)"],
        ["CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE Latest (Id INT64, A INT64, B INT64, "
         "FOREIGN KEY (A, B) REFERENCES P2 (A, B)) PRIMARY KEY (Id)",
         f"{P}CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE Link (Id INT64, A INT64, B INT64, "
         "K INT64, Z INT64, FOREIGN KEY (A, B) REFERENCES P2 (A, B), FOREIGN KEY (K) REFERENCES P (K)) PRIMARY KEY (Id)",
         P + fk(), "CREATE TABLE P2 (A INT64, B INT64, X INT64) PRIMARY KEY (A); CREATE TABLE D (Id INT64, B INT64, "
         "X INT64, FOREIGN KEY (B, X) REFERENCES P2 (B, X)) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, A INT64, B INT64, "
         "FOREIGN KEY (A, B) REFERENCES P2 (A, B)) PRIMARY KEY (A, B, Id)"],
    ),
    "SPN404": (
        [f"CREATE TABLE P2 (At1 {STAMP}) PRIMARY KEY (At1); CREATE TABLE D (Id INT64, At1 {STAMP}, "
         "FOREIGN KEY (At1) REFERENCES P2 (At1)) PRIMARY KEY (Id)",
         f"CREATE TABLE P2 (At1 {STAMP}) PRIMARY KEY (At1); CREATE TABLE D (Id INT64, X TIMESTAMP, "
         "FOREIGN KEY (X) REFERENCES P2 (At1) NOT ENFORCED) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (At1 TIMESTAMP) PRIMARY KEY (At1); CREATE TABLE D (Id INT64, X TIMESTAMP OPTIONS "
         "(allow_commit_timestamp = true)) PRIMARY KEY (Id); ALTER TABLE D ADD FOREIGN KEY (X) REFERENCES P2 (At1)"],
        [P + fk(), "CREATE TABLE P2 (At1 TIMESTAMP) PRIMARY KEY (At1); CREATE TABLE D (Id INT64, X TIMESTAMP, "
         "FOREIGN KEY (X) REFERENCES P2 (At1)) PRIMARY KEY (Id)",
         f"{P}CREATE TABLE D (Id INT64, K INT64, X {STAMP}, FOREIGN KEY (K) REFERENCES P (K)) PRIMARY KEY (Id)"],
    ),
    "SPN405": (
        ["CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, B INT64, "
         "FOREIGN KEY (B) REFERENCES P2 (b)) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (A INT64, B INT64, C INT64) PRIMARY KEY (A, B, C); CREATE TABLE D (Id INT64, X INT64, Y INT64, "
         "FOREIGN KEY (X, Y) REFERENCES P2 (A, B) NOT ENFORCED) PRIMARY KEY (Id)",
         f"{P}{C.format('', IN_P)}; CREATE TABLE D (Id INT64, L INT64) PRIMARY KEY (Id); "
         "ALTER TABLE D ADD CONSTRAINT F FOREIGN KEY (L) REFERENCES C (L) ON DELETE CASCADE"],
        ["CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, A INT64, B INT64, "
         "FOREIGN KEY (B, A) REFERENCES P2 (B, A)) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE UNIQUE INDEX I ON P2(B); "
         "CREATE TABLE D (Id INT64, B INT64, FOREIGN KEY (B) REFERENCES P2 (B)) PRIMARY KEY (Id)",
         "CREATE TABLE P2 (A INT64, X INT64) PRIMARY KEY (A); CREATE TABLE D (Id INT64, X INT64, "
         "FOREIGN KEY (X) REFERENCES P2 (X)) PRIMARY KEY (Id)", P + fk(),
         "CREATE TABLE P2 (A INT64, B INT64) PRIMARY KEY (A, B); CREATE TABLE D (Id INT64, B INT64, "
         "CONSTRAINT F FOREIGN KEY (B) REFERENCES P2 (B)) PRIMARY KEY (Id); ALTER TABLE D DROP CONSTRAINT F"],
    ),
    "SPN502": (
        ["CREATE TABLE T (N INT64, V BYTES(10485761)) PRIMARY KEY (N)",
         f"CREATE TABLE T (N INT64, {', '.join(f'V{n} BYTES(MAX)' for n in range(161))}) PRIMARY KEY (N)",
         "CREATE TABLE T (N INT64, V STRING(2621441)) PRIMARY KEY (N)"],
        ["CREATE TABLE T (N INT64, V BYTES(10485760)) PRIMARY KEY (N)",
         f"CREATE TABLE T (N INT64, {', '.join(f'V{n} BYTES(MAX)' for n in range(20))}) PRIMARY KEY (N)",
         "CREATE TABLE T (N INT64, V STRING(2621440)) PRIMARY KEY (N)"],
    ),
    "SPN503": (
        [f"CREATE TABLE Jobs ({ID}, State STRING(9), At1 TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX I ON Jobs(State, At1)",
         f"CREATE TABLE outbox ({ID}, Shard INT64, At1 TIMESTAMP) PRIMARY KEY (Id); "
         "CREATE INDEX I ON outbox(Shard, At1 DESC)",
         f"CREATE TABLE s.email_queue ({ID}, Done BOOL, D TIMESTAMP) PRIMARY KEY (Id); "
         "CREATE NULL_FILTERED INDEX s.I ON s.email_queue(Done, D)"],
        [f"CREATE TABLE Users ({ID}, State STRING(9), At1 TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX I ON Users(State, At1)",
         f"CREATE TABLE Jobs ({ID}, Owner STRING(9), At1 TIMESTAMP) PRIMARY KEY (Id); CREATE INDEX I ON Jobs(Owner, At1)",
         f"CREATE TABLE Jobs ({ID}, State STRING(9)) PRIMARY KEY (Id); CREATE INDEX I ON Jobs(State)"],
    ),
    "SPN504": (
        ["CREATE TABLE T (Id INT64, item_ids ARRAY<INT64> NOT NULL) PRIMARY KEY (Id)",
         "CREATE TABLE T (Id INT64) PRIMARY KEY (Id); ALTER TABLE T ADD COLUMN FriendUUIDs ARRAY<BYTES(16)>",
         "CREATE TABLE Players (Uuid STRING(36)) PRIMARY KEY (Uuid); "
         "CREATE TABLE T (Id INT64, players ARRAY<STRING(36)>) PRIMARY KEY (Id)"],
        ["CREATE TABLE T (Id INT64, Scores ARRAY<INT64>) PRIMARY KEY (Id)",
         "CREATE TABLE T (Id INT64, SeenIds ARRAY<TIMESTAMP>) PRIMARY KEY (Id)",
         "CREATE TABLE T (Id INT64, ItemIds STRING(99)) PRIMARY KEY (Id)",
         "CREATE TABLE Players (N INT64) PRIMARY KEY (N); "
         "CREATE TABLE T (Id INT64, Players ARRAY<STRING(36)>) PRIMARY KEY (Id)"],
    ),
    "SPN601": (
        [f"CREATE TABLE audit_log ({ID}, D TIMESTAMP NOT NULL) PRIMARY KEY (Id)",
         f"CREATE TABLE s.PageEvents ({ID}, At1 {STAMP}) PRIMARY KEY (Id, At1)",
         f"CREATE TABLE Clicks ({ID}, At1 TIMESTAMP) PRIMARY KEY (Id){TTL.format('At1', 9)}; "
         "ALTER TABLE Clicks DROP ROW DELETION POLICY"],
        [f"CREATE TABLE audit_log ({ID}, At1 TIMESTAMP) PRIMARY KEY (Id){TTL.format('At1', 9)}",
         f"CREATE TABLE audit_log ({ID}, At1 TIMESTAMP) PRIMARY KEY (Id); "
         "ALTER TABLE audit_log ADD ROW DELETION POLICY (OLDER_THAN(At1, INTERVAL 9 DAY))",
         f"CREATE TABLE Users ({ID}, CreatedAt TIMESTAMP) PRIMARY KEY (Id)"],
    ),
    "SPN602": (
        ["CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + C.format("", IN_P + " ON DELETE CASCADE") + "; CREATE INDEX I ON C(S)",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K); "
         + C.format("", IN_P + " ON DELETE CASCADE") + "; CREATE UNIQUE INDEX I ON C(S, L); "
         "ALTER TABLE P ADD ROW DELETION POLICY (OLDER_THAN(X, INTERVAL 1 DAY))",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + C.format("", IN_P + " ON DELETE CASCADE") + "; CREATE NULL_FILTERED INDEX I ON C(S DESC)",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + fk(" ON DELETE CASCADE") + "; CREATE INDEX I ON D(X)",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         "CREATE TABLE Q (Q INT64 NOT NULL) PRIMARY KEY (Q); "
         + C.format(", Q INT64, FOREIGN KEY (Q) REFERENCES Q (Q)", IN_P + " ON DELETE CASCADE")],
        ["CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + C.format("", IN_P + " ON DELETE CASCADE"),
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + C.format("", IN_P + " ON DELETE CASCADE" + TTL.format("At1", 5)) + "; CREATE INDEX I ON C(S)",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + C.format("", ", INTERLEAVE IN P") + "; CREATE INDEX I ON C(S)",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + fk(" NOT ENFORCED") + "; CREATE INDEX I ON D(X)",
         P + C.format("", IN_P + " ON DELETE CASCADE") + "; CREATE INDEX I ON C(S)"],
    ),
    "SPN603": (
        [f"CREATE TABLE T ({ID}, At1 {STAMP}, G TIMESTAMP AS (TIMESTAMP_ADD(At1, INTERVAL 1 DAY)) STORED) "
         "PRIMARY KEY (Id)" + TTL.format("G", 9),
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; " + fk(),
         f"{P}{fk()}; ALTER TABLE P ADD COLUMN X TIMESTAMP; "
         "ALTER TABLE P ADD ROW DELETION POLICY (OLDER_THAN(X, INTERVAL 1 DAY))",
         f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id)" + TTL.format("X", 9)
         + "; ALTER TABLE T ADD ROW DELETION POLICY (OLDER_THAN(X, INTERVAL 1 DAY))"],
        [f"CREATE TABLE T ({ID}, X TIMESTAMP, G TIMESTAMP AS (COALESCE(X, TIMESTAMP '2099-01-01')) STORED) "
         "PRIMARY KEY (Id)" + TTL.format("G", 9),
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + fk(" ON DELETE CASCADE"),
         f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id)" + TTL.format("X", 9)
         + "; ALTER TABLE T REPLACE ROW DELETION POLICY (OLDER_THAN(X, INTERVAL 1 DAY))",
         "CREATE TABLE P (K INT64 NOT NULL, X TIMESTAMP NOT NULL) PRIMARY KEY (K)" + TTL.format("X", 9) + "; "
         + fk(" NOT ENFORCED")],
    ),
    "SPN604": (
        [f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id){TTL.format('X', 9)}; CREATE INDEX I ON T({x})"
         for x in ("X", "X DESC", "x")],
        [f"CREATE TABLE T ({ID}, X TIMESTAMP, Y TIMESTAMP) PRIMARY KEY (Id){TTL.format('X', 9)}; CREATE INDEX I ON T({x})"
         for x in ("Y", "Id, X", "X, Y")]
        + [f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id){TTL.format('X', 9)}; CREATE UNIQUE INDEX I ON T(X)",
           f"CREATE TABLE T ({ID}, X TIMESTAMP, Y INT64) PRIMARY KEY (Id){TTL.format('X', 9)}; CREATE INDEX I ON T(X) STORING (Y)"],
    ),
    "SPN605": (
        [f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id){TTL.format('X', 9)}",
         f"{A}ALTER TABLE A ADD ROW DELETION POLICY (OLDER_THAN(At1, INTERVAL 1 DAY))",
         f"CREATE TABLE T ({ID}, X TIMESTAMP NOT NULL) PRIMARY KEY (Id){TTL.format('X', 9)}; "
         "ALTER TABLE T ALTER COLUMN X TIMESTAMP"],
        [f"CREATE TABLE T ({ID}, X TIMESTAMP NOT NULL) PRIMARY KEY (Id){TTL.format('X', 9)}",
         f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id){TTL.format('X', 9)}; "
         "ALTER TABLE T ALTER COLUMN X TIMESTAMP NOT NULL",
         f"CREATE TABLE T ({ID}, X TIMESTAMP) PRIMARY KEY (Id){TTL.format('X', 9)}; "
         "ALTER TABLE T DROP ROW DELETION POLICY"],
    ),
    "SPN701": (
        ["; ".join(f"CREATE TABLE {name} ({ID}, V INT64) PRIMARY KEY (Id)" for name in names)
         for names in (("Bills1", "Bills2", "Bills3"), ("s.t_acme", "s.t_bolt", "s.t_core"),
                       ("`orders_a`", "`orders_b`", "`orders_c`", "`orders_d`"))],
        ["; ".join(f"CREATE TABLE {name} ({ID}, V INT64) PRIMARY KEY (Id)" for name in names)
         for names in (("Bills1", "Bills2"), ("Users", "Orders", "Items"), ("t_a", "u_b", "v_c"))],
    ),
    "SPN702": (
        [f"{A}{P}CREATE INDEX I ON A(N)", f"{A}{P}CREATE UNIQUE INDEX I ON A(S DESC)",
         "; ".join(f"CREATE INDEX I{n} ON Old(C{n})" for n in range(11))],
        [f"{A}CREATE INDEX I ON A(N); {P}", f"{A}CREATE INDEX I ON A(N); CREATE INDEX J ON A(S)",
         "CREATE INDEX I ON Old(C)"],
    ),
    "SPN703": (
        [f"-- spanemu: high-rate\n{A}", f"/* */ -- spanemu: high-rate\n{A}",
         "-- spanemu: high-rate\nCREATE TABLE s.T (U UUID) PRIMARY KEY (U)"],
        [A, f"-- high rate\n{A}", f"-- spanemu: low-rate\n{A}"],
    ),
    "SPN705": (
        ["CREATE INDEX I ON Old(C)", "ALTER TABLE Old ALTER COLUMN C STRING(9) NOT NULL",
         "ALTER TABLE Old ADD CONSTRAINT F FOREIGN KEY (C) REFERENCES Other (C)",
         "ALTER TABLE Old ADD COLUMN G INT64 AS (C + 1) STORED"],
        ["ALTER TABLE Old ADD COLUMN C INT64", f"{A}CREATE INDEX I ON A(N)",
         "ALTER TABLE Old ALTER COLUMN C SET DEFAULT (1)", "DROP INDEX I",
         f"{A}ALTER TABLE A ALTER COLUMN S STRING(10)",
         "CREATE TABLE D (K INT64, E ARRAY<FLOAT32>(vector_length=>8)) PRIMARY KEY (K); "
         "CREATE VECTOR INDEX V ON D(E) OPTIONS (distance_type = 'COSINE')"],
    ),
    "SPN706": (
        [f"{A}ALTER TABLE A DROP COLUMN Id",
         "CREATE TABLE s.T (A INT64, B INT64) PRIMARY KEY (A, B); ALTER TABLE s.T DROP COLUMN B",
         "CREATE TABLE T (`Key` INT64 PRIMARY KEY); ALTER TABLE T DROP COLUMN `Key`"],
        [f"{A}ALTER TABLE A DROP COLUMN N", f"{A}ALTER TABLE A ADD COLUMN Id2 INT64",
         f"{A}ALTER TABLE A ALTER COLUMN Id STRING(40) NOT NULL"],
    ),
}  # fmt: skip
