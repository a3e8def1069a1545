from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from spanemu.database.statements.results import ResultStats, ResultStream, TransactionInfo
from spanemu.frontend import wire
from spanemu.frontend.convert.results import result_set_bytes, shape_of, summary_bytes
from spanemu.frontend.convert.types import list_from_proto
from spanemu.frontend.errors import ResultTooLarge
from spanemu.sql.plan.drawing import IndexAdvice
from spanemu.values import types
from spanemu.values.types import array_of, struct_of
from spanemu.values.value_bytes import LISTED, PARTIAL, cell_encoder, raw_bytes, varint

PAIR = struct_of(("a", types.INT64), ("b", types.STRING))
CELLS = [
    (types.BOOL, True, True),
    (types.BOOL, False, False),
    (types.INT64, -(2**63), "-9223372036854775808"),
    (types.FLOAT64, 0.0, 0.0),
    (types.FLOAT64, -1.5e300, -1.5e300),
    (types.FLOAT64, float("nan"), "NaN"),
    (types.FLOAT32, float("-inf"), "-Infinity"),
    (types.STRING, "", ""),
    (types.STRING, "h\u00e9\U0001f600" * 500, "h\u00e9\U0001f600" * 500),
    (types.BYTES, b"\x00\xff", "AP8="),
    (types.NUMERIC, Decimal("1.50"), "1.5"),
    (types.DATE, datetime.date(2024, 2, 29), "2024-02-29"),
    (types.TIMESTAMP, 1_000, "1970-01-01T00:00:00.000001Z"),
    (array_of(types.INT64), (1, None, 3), ["1", None, "3"]),
    (array_of(types.BOOL), (), []),
    (array_of(PAIR), ((1, "x"), None, (None, "")), [["1", "x"], None, [None, ""]]),
]


@pytest.mark.parametrize(("type_", "cell", "raw"), CELLS)
@pytest.mark.parametrize("tag", [PARTIAL, LISTED])
def test_cells(type_, cell, raw, tag) -> None:
    holder = wire.PartialResultSet if tag == PARTIAL else wire.ListValue
    encode = cell_encoder(type_, tag)
    data = encode(cell) + encode(None) + raw_bytes(raw, tag)
    assert list_from_proto(holder.FromString(data)) == [raw, None, raw]


@pytest.mark.parametrize("number", [0, 1, 127, 128, 16383, 16384, 2**40])
def test_varint(number: int) -> None:
    assert wire.ResultSetStats.FromString(b"\x18" + varint(number)).row_count_exact == number


def stream(rows, *columns, **rest) -> ResultStream:
    return ResultStream(columns=tuple(columns), rows=iter(rows), **rest)


def test_result_set() -> None:
    answer = stream(
        [(1, "a"), (None, None)],
        ("Id", types.INT64),
        ("", types.STRING),
        transaction=TransactionInfo(b"tx", 1_500_000_000, (b"token", 7)),
        stats=ResultStats(row_count=2, query_stats={"rows_returned": "2"}),
        undeclared_parameters=(("p", types.INT64),),
    )
    message = wire.ResultSet.FromString(result_set_bytes(answer))
    assert [list_from_proto(row) for row in message.rows] == [["1", "a"], [None, None]]
    metadata = message.metadata
    assert [(one.name, one.type_.code) for one in metadata.row_type.fields] == [("Id", 2), ("", 6)]
    assert metadata.transaction.id == b"tx"
    assert metadata.transaction.read_timestamp.ToNanoseconds() == 1_500_000_000
    assert metadata.undeclared_parameters.fields[0].name == "p"
    assert message.stats.row_count_exact == 2
    assert message.stats.query_stats["rows_returned"] == "2"
    assert (message.precommit_token.precommit_token, message.precommit_token.seq_num) == (
        b"token",
        7,
    )


def test_empty_fields_are_omitted() -> None:
    message = wire.ResultSet.FromString(result_set_bytes(stream([], ("a", types.BOOL))))
    assert message.HasField("metadata")
    assert not message.HasField("stats")
    assert not message.metadata.HasField("transaction")
    assert not message.HasField("precommit_token")


def test_row_counts() -> None:
    exact = wire.ResultSet.FromString(result_set_bytes(stream([], stats=ResultStats(row_count=0))))
    assert exact.stats.WhichOneof("row_count") == "row_count_exact"
    stats = ResultStats(row_count=9, row_count_is_lower_bound=True)
    bound = wire.ResultSet.FromString(result_set_bytes(stream([], stats=stats)))
    assert bound.stats.row_count_lower_bound == 9


def test_large_results_are_refused_and_closed() -> None:
    closed = []

    def rows():
        try:
            while True:
                yield ("x" * 1000,)
        finally:
            closed.append(True)

    with pytest.raises(ResultTooLarge):
        result_set_bytes(stream(rows(), ("s", types.STRING)), size_max=10_000)
    assert closed == [True]


def test_summary_waits_for_the_rows() -> None:
    stats = ResultStats()

    def rows():
        yield (1,)
        stats.row_count = 1

    answer = stream(rows(), ("a", types.INT64), stats=stats)
    message = wire.ResultSet.FromString(summary_bytes(answer, is_first=False))
    assert message.stats.row_count_exact == 1
    assert not message.HasField("metadata")
    assert not message.rows


def test_shapes_are_kept_by_identity_and_by_value() -> None:
    columns = (("a", types.INT64),)
    assert shape_of(columns) is shape_of(columns)
    assert shape_of((("a", types.INT64),)) is shape_of(columns)


@dataclass
class Link:
    child_index: int
    type: str = ""
    variable: str = ""


@dataclass
class Node:
    index: int
    kind: str
    display_name: str
    child_links: list[Link] = field(default_factory=list)
    short_representation: str = ""
    metadata: dict[str, object] = field(default_factory=dict)
    execution_stats: dict[str, object] = field(default_factory=dict)


@dataclass
class Tree:
    nodes: list[Node]
    advice: list[IndexAdvice]


def test_plan() -> None:
    root = Node(
        0,
        "RELATIONAL",
        "Scan",
        [Link(1, "Seek Condition", "$x")],
        metadata={"scan_target": "T"},
        execution_stats={"rows": {"total": "2"}},
    )
    leaf = Node(1, "SCALAR", "Function", short_representation="a = 1")
    advice = IndexAdvice("CREATE INDEX I ON T(a)", 10.0)
    answer = stream([], stats=ResultStats(plan=Tree([root, leaf], [advice])))
    plan = wire.ResultSet.FromString(result_set_bytes(answer)).stats.query_plan
    nodes = plan.plan_nodes
    (advised,) = plan.query_advice.index_advice
    assert (list(advised.ddl), advised.improvement_factor) == ([advice.ddl], 10.0)
    assert [(node.index, node.kind, node.display_name) for node in nodes] == [
        (0, 1, "Scan"),
        (1, 2, "Function"),
    ]
    assert nodes[0].child_links[0].type_ == "Seek Condition"
    assert nodes[0].metadata["scan_target"] == "T"
    assert nodes[0].execution_stats["rows"]["total"] == "2"
    assert nodes[1].short_representation.description == "a = 1"
