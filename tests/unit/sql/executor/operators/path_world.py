"""A small graph in tables, and path scans over it as resolved trees built by hand.

Accounts and shops are nodes; transfers lead from account to account, payments from account to shop
and refunds from shop to account. An edge is there only if both of its nodes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, KeyPart, Table
from spanemu.sql import resolved as r
from spanemu.sql.executor.build import Executable, compile_plan
from spanemu.sql.executor.run import Run
from spanemu.sql.planner.build import plan_statement
from spanemu.values.graph_types import ElementTable, edge_type, node_type, path_type
from spanemu.values.order import ASCENDING
from spanemu.values.types import INT64, STRING, Type, array_of
from tests.unit.sql.world import MemoryReader, StatementContext, both, column, equal, lit, ref

GRAPH = "Bank"


def _table(number: int, name: str, columns: Sequence[tuple[str, Type]], key_size: int) -> Table:
    made = tuple(
        Column(each, type_, id=100 * number + place, position=place, not_null=place < key_size)
        for place, (each, type_) in enumerate(columns)
    )
    return Table(name, number, made, tuple(KeyPart(one, ASCENDING) for one in made[:key_size]))


ACCOUNT = _table(1, "Account", [("Id", INT64), ("Name", STRING)], 1)
SHOP = _table(2, "Shop", [("Town", STRING), ("Number", INT64)], 2)
TRANSFER = _table(
    3, "Transfer", [("Id", INT64), ("N", INT64), ("ToId", INT64), ("Amount", INT64)], 2
)
PAYMENT = _table(
    4,
    "Payment",
    [("Id", INT64), ("N", INT64), ("Town", STRING), ("Number", INT64), ("Amount", INT64)],
    2,
)
REFUND = _table(
    5,
    "Refund",
    [("Town", STRING), ("Number", INT64), ("N", INT64), ("ToId", INT64), ("Amount", INT64)],
    3,
)
SCHEMA = Schema(
    dialect=GOOGLE_STANDARD_SQL,
    tables={each.name.lower(): each for each in (ACCOUNT, SHOP, TRANSFER, PAYMENT, REFUND)},
    indexes={},
    next_id=1000,
)

AMOUNT = (("Amount", INT64),)
ACCOUNTS = ElementTable(GRAPH, "Account", ("Account",), (("Id", INT64),), (INT64,))
SHOPS = ElementTable(GRAPH, "Shop", ("Shop",), (), (STRING, INT64))
TRANSFERS = ElementTable(
    GRAPH, "Transfer", ("Transfer",), AMOUNT, (INT64, INT64), ACCOUNTS, ACCOUNTS
)
PAYMENTS = ElementTable(GRAPH, "Payment", ("Payment",), AMOUNT, (INT64, INT64), ACCOUNTS, SHOPS)
REFUNDS = ElementTable(
    GRAPH, "Refund", ("Refund",), AMOUNT, (STRING, INT64, INT64), SHOPS, ACCOUNTS
)

STORED = {"Account": ACCOUNT, "Shop": SHOP}
NODES = {"Account": ACCOUNTS, "Shop": SHOPS}
# By edge table: the stored table, and the columns that refer to source and destination.
EDGES = {
    "Transfer": (TRANSFER, TRANSFERS, ("Id",), ("ToId",)),
    "Payment": (PAYMENT, PAYMENTS, ("Id",), ("Town", "Number")),
    "Refund": (REFUND, REFUNDS, ("Town", "Number"), ("ToId",)),
}


def path_type_of_world() -> Type:
    """Return the type of paths over all tables."""
    return path_type(GRAPH, (ACCOUNTS, SHOPS), (TRANSFERS, PAYMENTS, REFUNDS))


class Scanned:
    """A table scan and its columns by name."""

    def __init__(self, table: Table) -> None:
        pairs = tuple((column(one.name, one.type), one) for one in table.columns)
        self.scan: r.Scan = r.TableScan(table, pairs)
        self.key = tuple(made for made, stored in pairs[: len(table.key)])
        self.columns = {stored.name: made for made, stored in pairs}

    def named(self, names: Iterable[str]) -> tuple[r.ResolvedColumn, ...]:
        return tuple(self.columns[name] for name in names)


def matched(left: Iterable[r.ResolvedColumn], right: Iterable[r.ResolvedColumn]) -> r.Expr:
    pairs = [equal(ref(a), ref(b)) for a, b in zip(left, right, strict=True)]
    return pairs[0] if len(pairs) == 1 else both(*pairs)


def step(name: str, *, reverse: bool = False, skips_loops: bool = False) -> r.PathStep:
    """Return a step whose values are the amount, the element of the edge and that of its target."""
    stored, edge, source, destination = EDGES[name]
    from_table, to_table = edge.source, edge.destination
    assert from_table is not None
    assert to_table is not None
    edges, tail, head = (
        Scanned(stored),
        Scanned(STORED[from_table.name]),
        Scanned(STORED[to_table.name]),
    )
    joined = r.JoinScan(
        r.JoinType.INNER, edges.scan, tail.scan, matched(edges.named(source), tail.key)
    )
    joined = r.JoinScan(
        r.JoinType.INNER, joined, head.scan, matched(edges.named(destination), head.key)
    )
    element = r.MakeElement(
        made_type := edge_type(GRAPH, [edge]),
        edge,
        tuple(map(ref, edges.key)),
        (ref(edges.columns["Amount"]),),
        tuple(map(ref, edges.named(source))),
        tuple(map(ref, edges.named(destination))),
    )
    begin, end = (head, tail) if reverse else (tail, head)
    begin_table, end_table = (to_table, from_table) if reverse else (from_table, to_table)
    made_edge = column("e", made_type)
    made_node = column("n", node_type(GRAPH, [end_table]))
    scan = r.ProjectScan(joined, ((made_edge, element), (made_node, node_of(end_table, end))))
    return r.PathStep(
        begin_table,
        edge,
        end_table,
        scan,
        begin.key,
        edges.key,
        end.key,
        (edges.columns["Amount"], made_edge, made_node),
        skips_loops,
    )


def node_of(table: ElementTable, scanned: Scanned) -> r.Expr:
    properties = (ref(scanned.columns["Id"]),) if table is ACCOUNTS else ()
    return r.MakeElement(node_type(GRAPH, [table]), table, tuple(map(ref, scanned.key)), properties)


def hop(*steps: r.PathStep, costs: bool = False) -> r.PathHop:
    columns = (
        column("amount"),
        column("edge", edge_type(GRAPH, [TRANSFERS, PAYMENTS, REFUNDS])),
        column("node", node_type(GRAPH, [ACCOUNTS, SHOPS])),
    )
    return r.PathHop(steps, columns, columns[0] if costs else None)


def any_hop(direction: str = ">", *, costs: bool = False) -> r.PathHop:
    """Return a hop over every edge table, along the edges, against them, or both."""
    steps = [step(name) for name in EDGES] if direction in (">", "-") else []
    if direction in ("<", "-"):
        steps += [step(name, reverse=True, skips_loops=direction == "-") for name in EDGES]
    return hop(*steps, costs=costs)


def end_place(*tables: ElementTable) -> tuple[r.PathPlace, r.ResolvedColumn]:
    """Return a place for nodes of the tables, and its column with the node as an element."""
    output = column("end", node_type(GRAPH, [ACCOUNTS, SHOPS]))
    checks = []
    for table in tables or (ACCOUNTS, SHOPS):
        scanned = Scanned(STORED[table.name])
        created = column("end", node_type(GRAPH, [table]))
        scan = r.ProjectScan(scanned.scan, ((created, node_of(table, scanned)),))
        checks.append(r.PathCheck(table, scanned.key, scan, (created,)))
    return r.PathPlace(tuple(checks), (output,)), output


def group(of: r.ResolvedColumn) -> tuple[r.ResolvedColumn, r.ResolvedColumn]:
    return column(f"{of.name}s", array_of(of.type)), of


def start_at(*ids: int) -> tuple[r.Scan, r.Expr]:
    """Return rows with these numbers of accounts, and the node of each row."""
    number = column("start")
    rows = r.ValuesScan((number,), tuple((lit(each),) for each in ids))
    return rows, r.MakeElement(
        node_type(GRAPH, [ACCOUNTS]), ACCOUNTS, (ref(number),), (ref(number),)
    )


def statement_of(scan: r.Scan, *outputs: r.ResolvedColumn) -> r.QueryStatement:
    return r.QueryStatement(
        parameters={},
        undeclared=frozenset(),
        hints=(),
        scan=scan,
        output=tuple(r.OutputColumn(one.name, one) for one in outputs),
    )


def prepared(scan: r.Scan, *outputs: r.ResolvedColumn, reader: MemoryReader) -> Executable:
    return compile_plan(plan_statement(statement_of(scan, *outputs), SCHEMA, reader))


def rows_of(scan: r.Scan, *outputs: r.ResolvedColumn, reader: MemoryReader) -> list[Any]:
    run = Run(reader, (), StatementContext())  # type: ignore[arg-type]
    return list(prepared(scan, *outputs, reader=reader).run(run))


def reader_of(rows: dict[str, Sequence[Any]]) -> MemoryReader:
    return MemoryReader(rows, SCHEMA)
