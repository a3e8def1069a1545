"""The tables that queries read: a family, an index of each kind, nullable keys, all types."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

DDL = (
    """CREATE TABLE Parent (
        A INT64 NOT NULL, B STRING(MAX), C FLOAT64, D BOOL, E DATE, F NUMERIC, G INT64,
        H ARRAY<INT64>
    ) PRIMARY KEY (A)""",
    """CREATE TABLE Child (
        A INT64 NOT NULL, N INT64 NOT NULL, S STRING(MAX), T TIMESTAMP, Y BYTES(MAX), G INT64
    ) PRIMARY KEY (A, N DESC), INTERLEAVE IN PARENT Parent ON DELETE CASCADE""",
    """CREATE TABLE Wide (
        K STRING(MAX), I INT64, R FLOAT32, J JSON, L ARRAY<STRING(MAX)>, B BOOL, D DATE
    ) PRIMARY KEY (K, I DESC)""",
    """CREATE TABLE Plain (
        Id INT64 NOT NULL, X INT64, Y STRING(MAX), Z FLOAT64, Q NUMERIC, T TIMESTAMP
    ) PRIMARY KEY (Id)""",
    """CREATE TABLE Made (
        Id INT64 NOT NULL, V INT64 DEFAULT (7), G INT64 AS (V * 2) STORED, S STRING(5),
        M ARRAY<FLOAT64>, P ARRAY<DATE>, U TIMESTAMP NOT NULL DEFAULT (TIMESTAMP '2000-01-01'),
        CONSTRAINT NotTooLow CHECK (V >= -5)
    ) PRIMARY KEY (Id)""",
    "CREATE UNIQUE NULL_FILTERED INDEX MadeByS ON Made(S)",
    "CREATE INDEX ParentByB ON Parent(B)",
    "CREATE NULL_FILTERED INDEX ChildByG ON Child(G) STORING (S)",
    "CREATE INDEX PlainByXY ON Plain(X DESC, Y)",
    "CREATE INDEX ChildInParent ON Child(A, S), INTERLEAVE IN Parent",
    """CREATE VIEW Matched SQL SECURITY INVOKER AS
        SELECT p.Id, p.X, p.Y, c.S FROM Plain AS p LEFT JOIN Child AS c ON c.A = p.X""",
    "CREATE SCHEMA sums",
    """CREATE VIEW sums.ByParent SQL SECURITY INVOKER AS
        SELECT c.A, COUNT(*) AS N, MAX(c.S) AS M FROM Child AS c GROUP BY c.A""",
)
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "Parent": {
        "A": "INT64", "B": "STRING", "C": "FLOAT64", "D": "BOOL", "E": "DATE", "F": "NUMERIC",
        "G": "INT64", "H": "ARRAY<INT64>",
    },
    "Child": {
        "A": "INT64", "N": "INT64", "S": "STRING", "T": "TIMESTAMP", "Y": "BYTES", "G": "INT64",
    },
    "Wide": {
        "K": "STRING", "I": "INT64", "R": "FLOAT32", "J": "JSON", "L": "ARRAY<STRING>",
        "B": "BOOL", "D": "DATE",
    },
    "Plain": {
        "Id": "INT64", "X": "INT64", "Y": "STRING", "Z": "FLOAT64", "Q": "NUMERIC",
        "T": "TIMESTAMP",
    },
    "Made": {
        "Id": "INT64", "V": "INT64", "G": "INT64", "S": "STRING", "M": "ARRAY<FLOAT64>",
        "P": "ARRAY<DATE>", "U": "TIMESTAMP",
    },
}  # fmt: skip
VIEWS: Mapping[str, Mapping[str, str]] = {
    "Matched": {"Id": "INT64", "X": "INT64", "Y": "STRING", "S": "STRING"},
    "sums.ByParent": {"A": "INT64", "N": "INT64", "M": "STRING"},
}
KEYS: Mapping[str, tuple[str, ...]] = {
    "Parent": ("A",), "Child": ("A", "N"), "Wide": ("K", "I"), "Plain": ("Id",), "Made": ("Id",),
}  # fmt: skip
_COMPUTED = frozenset({("Made", "G")})
# Indexes that may be forced: a null-filtered one needs a filter that proves it harmless.
INDEXES: Mapping[str, tuple[str, ...]] = {
    "Parent": ("ParentByB", "_BASE_TABLE"),
    "Child": ("ChildInParent", "_BASE_TABLE"),
    "Wide": ("_BASE_TABLE",),
    "Plain": ("PlainByXY",),
    "Made": ("_BASE_TABLE",),
}
_NAN, _INF = float("nan"), float("inf")
_VALUES: Mapping[str, tuple[Any, ...]] = {
    "INT64": (0, 1, 2, 3, 5, 7, -1),
    "FLOAT64": (0.0, 1.0, 1.5, -2.25, 3.0, _NAN, _INF),
    "FLOAT32": (0.0, 1.5, -2.25, 3.0),
    "NUMERIC": (Decimal("0"), Decimal("1.5"), Decimal("-2.25"), Decimal("3")),
    "BOOL": (True, False),
    "STRING": ("a", "b", "", "ab", "Abc", "é"),
    "BYTES": (b"YQ==", b"", b"YWI="),  # base64, as the client wants them
    "DATE": (date(2024, 2, 29), date(2023, 12, 31), date(2000, 1, 1)),
    "TIMESTAMP": (
        datetime(2024, 2, 29, 12, 34, 56, 789000, UTC),
        datetime(2023, 12, 31, 23, 59, 59, tzinfo=UTC),
        datetime(2000, 1, 1, tzinfo=UTC),
    ),
    "JSON": ('{"a": 1, "b": [1, 2]}', '"text"', "null", "[1, 2.5]", "7"),
    "ARRAY<INT64>": ([1, 2, 3], [], [1, None], [3, 1, 1]),
    "ARRAY<STRING>": (["a", "b"], [], ["ab", None]),
    "ARRAY<FLOAT64>": ([1.5, None, -2.25], [], [_NAN]),
    "ARRAY<DATE>": ([date(2024, 2, 29)], [None], []),
}


def rows(seed: int) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table, in an order that may be inserted."""
    random = Random(seed)

    def value(type_: str) -> Any:
        return None if random.random() < 0.25 else random.choice(_VALUES[type_])

    def row(table: str, *key: Any) -> tuple[Any, ...]:
        types = list(COLUMNS[table].values())[len(key) :]
        return (*key, *map(value, types))

    parents = [row("Parent", a) for a in range(6)]
    children = [row("Child", a, n) for a in range(6) for n in range(-1, 4) if random.random() < 0.5]
    keys = {(value("STRING"), value("INT64")) for _ in range(9)}
    wides = [row("Wide", *key) for key in sorted(keys, key=repr)]
    plains = [row("Plain", number) for number in range(1, 11)]
    stamps = _VALUES["TIMESTAMP"]
    mades = [
        (number, value("INT64"), f"s{number}" if number % 3 else None, value("ARRAY<FLOAT64>"),
         value("ARRAY<DATE>"), random.choice(stamps))
        for number in range(1, 8)
    ]  # fmt: skip
    return {"Parent": parents, "Child": children, "Wide": wides, "Plain": plains, "Made": mades}


def written_columns(table: str) -> list[str]:
    """Return the columns that a write may give values for."""
    return [name for name in COLUMNS[table] if (table, name) not in _COMPUTED]


def load(database: Any, seed: int) -> None:
    """Insert the rows through the official client."""
    with database.batch() as batch:
        for table, values in rows(seed).items():
            batch.insert(table, written_columns(table), values)
