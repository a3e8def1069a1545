"""Resolved trees as text: one scan a line, columns as name#id, expressions on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanemu.sql import resolved as r
from spanemu.sql.plan.drawing import tree_lines
from spanemu.values.mutation import COMMIT_TIMESTAMP


@dataclass(frozen=True)
class _Branch:
    label: str
    children: tuple[_Branch, ...] = ()


def draw(statement: r.Statement) -> str:
    """Return the whole statement."""
    lines = tree_lines(_DRAWN[type(statement)](statement), lambda b: b.label, lambda b: b.children)
    return "\n".join(line.rstrip() for line in lines)


def expression(value: Any) -> str:
    """Return an expression on one line: calls in prefix form, conversions as `type(...)`."""
    return _EXPRESSIONS[type(value)](value)


def column(one: r.ResolvedColumn) -> str:
    return f"{one.name or '_'}#{one.id}"


def _list(items: Any) -> str:
    return ", ".join(items)


# ---------------------------------------------------------------------------- expressions


def _literal(node: r.Literal) -> str:
    if node.value is COMMIT_TIMESTAMP:
        return "COMMIT_TIMESTAMP"
    if node.value is None:
        return f"NULL:{node.type}"
    bare = node.type.code.value in ("INT64", "BOOL", "STRING", "FLOAT64")
    return repr(node.value) if bare else f"{node.value!s}:{node.type}"


def _call(node: r.FunctionCall) -> str:
    safe = "SAFE." if node.safe else ""
    return f"{safe}{node.signature.function}({_list(map(expression, node.arguments))})"


def _cast(node: r.Cast) -> str:
    how = "as" if node.implicit else "SAFE_CAST" if node.safe else "CAST"
    return f"{how}<{node.type}>({expression(node.operand)})"


def _case(node: r.Case) -> str:
    whens = " ".join(f"WHEN {expression(w)} THEN {expression(t)}" for w, t in node.whens)
    return f"CASE {whens} ELSE {expression(node.otherwise)}"


def _subquery(node: r.SubqueryExpr) -> str:
    operand = "" if node.operand is None else f"{expression(node.operand)} "
    lines = tree_lines(scan(node.scan), lambda b: b.label, lambda b: b.children)
    inside = " / ".join(line.strip(" │├└─") for line in lines)
    return f"{operand}{node.kind.value}[{_list(map(column, node.output))} of {inside}]"


def _let(node: r.Let) -> str:
    bound = _list(f"{column(name)} := {expression(value)}" for name, value in node.bindings)
    return f"LET({bound}, {expression(node.result)})"


def _lambda(node: r.LambdaExpr) -> str:
    return f"({_list(map(column, node.parameters))}) -> {expression(node.body)}"


_EXPRESSIONS: dict[type, Any] = {
    r.Literal: _literal,
    r.ParameterRef: lambda node: f"@{node.name}:{node.type}",
    r.ColumnRef: lambda node: column(node.column),
    r.FunctionCall: _call,
    r.Cast: _cast,
    r.Case: _case,
    r.And: lambda node: f"AND({_list(map(expression, node.operands))})",
    r.Or: lambda node: f"OR({_list(map(expression, node.operands))})",
    r.MakeArray: lambda node: f"[{_list(map(expression, node.items))}]:{node.type}",
    r.MakeStruct: lambda node: f"{node.type}({_list(map(expression, node.items))})",
    r.GetField: lambda node: f"{expression(node.operand)}.[{node.index}]",
    r.LambdaExpr: _lambda,
    r.Let: _let,
    r.SequenceRef: lambda node: f"SEQUENCE {node.name}",
    r.SubqueryExpr: _subquery,
    r.MakeElement: lambda node: _element(node),
    r.GetProperty: lambda node: f"{expression(node.operand)}.{node.name}",
    r.GetKey: lambda node: f"KEY({expression(node.operand)}, {node.table.name}, {node.index})",
    r.MakePath: lambda node: f"PATH({_list(map(expression, node.items))})",
}


def _element(node: r.MakeElement) -> str:
    parts = [node.table.name, *[expression(part) for part in node.key]]
    parts += ["whole"] if node.properties else []
    return f"ELEMENT({_list(parts)})"


def _key(key: r.SortKey) -> str:
    words = [expression(key.value), "DESC" if key.order.descending else "ASC"]
    words.append("NULLS FIRST" if key.order.nulls_first else "NULLS LAST")
    if key.collation is not None:
        words.append(f"COLLATE {expression(key.collation)}")
    return " ".join(words)


def _aggregate(call: r.AggregateCall) -> str:
    words = [_list(map(expression, call.arguments))]
    words += ["DISTINCT"] * call.distinct + ["IGNORE NULLS"] * call.ignore_nulls
    if call.having is not None:
        words.append(f"HAVING {'MAX' if call.having[0] else 'MIN'} {expression(call.having[1])}")
    if call.order_by:
        words.append(f"ORDER BY {_list(map(_key, call.order_by))}")
    if call.limit is not None:
        words.append(f"LIMIT {expression(call.limit)}")
    return f"{call.signature.function}({' '.join(words)}):{call.type}"


# ---------------------------------------------------------------------------- scans


def scan(node: r.Scan) -> _Branch:
    """Return a scan and what is below it."""
    label, below = _SCANS[type(node)](node)
    return _Branch(label, tuple(below))


def _bound(pairs: Any, show: Any = expression) -> str:
    return _list(f"{column(name)} := {show(value)}" for name, value in pairs)


def _hints(node: Any) -> str:
    return f" @{dict(node.hints)}" if getattr(node, "hints", ()) else ""


def _table_scan(node: r.TableScan) -> Any:
    update = " FOR UPDATE" if node.for_update else ""
    columns = _list(column(one) for one, _ in node.columns)
    return f"TableScan {node.table.name}({columns}){update}{_hints(node)}", ()


def _join(node: r.JoinScan) -> Any:
    on = "" if node.condition is None else f" ON {expression(node.condition)}"
    kind = f"{node.join_type.value}{' lateral' if node.lateral else ''}"
    return f"Join {kind}{on}{_hints(node)}", (scan(node.left), scan(node.right))


def _array_scan(node: r.ArrayScan) -> Any:
    words = [f"Array {column(node.element)} := {expression(node.array)}"]
    words += [f"offset {column(node.offset)}"] if node.offset is not None else []
    words += ["outer"] if node.outer else []
    words += [f"ON {expression(node.condition)}"] if node.condition is not None else []
    return " ".join(words) + _hints(node), () if node.input is None else (scan(node.input),)


def _rank_scan(node: r.RankScan) -> Any:
    by, order = map(expression, node.partition_by), map(_key, node.order_by)
    words = f"{column(node.output)} := first {expression(node.limit)}"
    return f"Rank {words} BY {_list(by)} ORDER {_list(order)}", (scan(node.input),)


def _path_scan(node: r.PathScan) -> Any:
    words = [node.prefix.value, f"from {expression(node.start)}"]
    words += [f"to {expression(node.end)}"] if node.end is not None else []
    words += [f"path {column(node.path)}"] if node.path is not None else []
    words += [_scope(each) for each in node.scopes]
    return f"Paths {' '.join(words)}", (scan(node.input), *map(_segment, node.segments))


def _scope(node: r.PathScope) -> str:
    condition = "" if node.condition is None else f" WHERE {expression(node.condition)}"
    return f"[{node.first}..{node.last} {node.mode.value}{condition}]"


def _segment(node: r.PathSegment) -> _Branch:
    upper = "" if node.upper is None else node.upper
    words = [f"Segment {{{node.lower},{upper}}}", *[_scope(each) for each in node.scopes]]
    words += [f"{column(array)} := all {column(one)}" for array, one in node.groups]
    below = [_step(hop, step) for hop in node.hops for step in hop.steps]
    if node.place is not None:
        below += [_check(node.place, each) for each in node.place.checks]
    return _Branch(" ".join(words), tuple(below))


def _step(hop: r.PathHop, step: r.PathStep) -> _Branch:
    ends = f"{_list(map(column, step.source_key))} -> {_list(map(column, step.target_key))}"
    words = [f"Step {step.source.name} -> {step.edge.name} -> {step.target.name} ({ends})"]
    words += _aligned(hop.columns, step.values)
    words += ["without loops"] if step.skips_loops else []
    words += [f"cost {column(hop.cost)}"] if hop.cost is not None else []
    return _Branch(" ".join(words), (scan(step.scan),))


def _check(place: r.PathPlace, check: r.PathCheck) -> _Branch:
    words = [f"Place {check.table.name}({_list(map(column, check.key))})"]
    words += _aligned(place.columns, check.values)
    return _Branch(" ".join(words), () if check.scan is None else (scan(check.scan),))


def _aligned(outputs: Any, values: Any) -> list[str]:
    pairs = zip(outputs, values, strict=True)
    return [f"{column(output)} := {column(value)}" for output, value in pairs]


def _aggregate_scan(node: r.AggregateScan) -> Any:
    label = f"Aggregate BY {_bound(node.keys)}" if node.keys else "Aggregate"
    if node.aggregates:
        label += f" MAKE {_bound(node.aggregates, _aggregate)}"
    return label + _hints(node), (scan(node.input),)


def _set_operation(node: r.SetOpScan) -> Any:
    label = f"{node.kind.value.upper()} {_list(map(column, node.columns))}{_hints(node)}"
    inputs = (
        _Branch(f"from {_list(map(column, columns))}", (scan(one),)) for one, columns in node.inputs
    )
    return label, inputs


def _with(node: r.WithScan) -> Any:
    tables = [
        _Branch(f"{name}: {_list(map(column, columns))}", (scan(one),))
        for name, one, columns in node.tables
    ]
    return "With", (*tables, scan(node.body))


def _limit(node: r.LimitScan) -> Any:
    offset = "" if node.offset is None else f" OFFSET {expression(node.offset)}"
    return f"Limit {expression(node.limit)}{offset}", (scan(node.input),)


def _values(node: r.ValuesScan) -> Any:
    rows = _list(f"({_list(map(expression, row))})" for row in node.rows)
    return f"Values {_list(map(column, node.columns))}: {rows}", ()


_SCANS: dict[type, Any] = {
    r.SingleRow: lambda node: ("SingleRow", ()),
    r.TableScan: _table_scan,
    r.SystemTableScan: lambda node: (
        f"SystemTableScan {node.name}({_list(column(one) for one, _ in node.columns)})",
        (),
    ),
    r.ValuesScan: _values,
    r.JoinScan: _join,
    r.ArrayScan: _array_scan,
    r.FilterScan: lambda node: (f"Filter {expression(node.condition)}", (scan(node.input),)),
    r.ProjectScan: lambda node: (f"Project {_bound(node.computed)}", (scan(node.input),)),
    r.AggregateScan: _aggregate_scan,
    r.OrderScan: lambda node: (f"Order {_list(map(_key, node.keys))}", (scan(node.input),)),
    r.LimitScan: _limit,
    r.SetOpScan: _set_operation,
    r.WithScan: _with,
    r.WithRef: lambda node: (f"WithRef {node.name}({_list(map(column, node.columns))})", ()),
    r.RankScan: _rank_scan,
    r.PathScan: _path_scan,
    r.RemoteCallScan: lambda node: (
        f"RemoteCall {node.target.name}({_list(map(expression, node.arguments))})"
        f" {_list(map(column, node.outputs))}",
        (scan(node.input),),
    ),
    r.SampleScan: lambda node: (
        f"Sample {node.method} {expression(node.size)}"
        + ("" if node.weight is None else f" weight={column(node.weight)}"),
        (scan(node.input),),
    ),
}


# ---------------------------------------------------------------------------- statements


def _outputs(outputs: Any) -> str:
    return _list(f"{one.name!r}={column(one.column)}" for one in outputs)


def _parameters(node: r.Statement) -> str:
    words = [
        f"@{name}:{type_}{'?' if name in node.undeclared else ''}"
        for name, type_ in sorted(node.parameters.items())
    ]
    return f" parameters {_list(words)}" if words else ""


def _query(node: r.QueryStatement) -> _Branch:
    flags = " for_update" if node.for_update else ""
    flags += " needs_read_write" if node.needs_read_write else ""
    label = f"Query {_outputs(node.output)}{_parameters(node)}{flags}{_hints(node)}"
    return _Branch(label, (scan(node.scan),))


def _returning(node: r.ReturningClause | None) -> tuple[_Branch, ...]:
    if node is None:
        return ()
    row = _list(f"{column(one)}={stored.name}" for one, stored in node.row)
    computed = f" computing {_bound(node.computed)}" if node.computed else ""
    action = "" if node.action is None else f" action {column(node.action)}"
    return (_Branch(f"Return {_outputs(node.output)} over {row}{computed}{action}"),)


def _assignments(pairs: Any) -> str:
    return _list(f"{stored.name} := {expression(value)}" for stored, value in pairs)


def _tail(node: Any) -> str:
    rows = "" if node.assert_rows is None else f" asserting {expression(node.assert_rows)}"
    return f"{rows}{_parameters(node)}{_hints(node)}"


def _conflict(node: r.ConflictClause | None) -> tuple[_Branch, ...]:
    if node is None:
        return ()
    target = f"({_list(one.name for one in node.target)}) {node.index or 'PRIMARY KEY'}"
    if node.assignments is None:
        return (_Branch(f"OnConflict {target if node.target else ''} nothing"),)
    existing = _list(f"{column(one)}={stored.name}" for one, stored in node.existing)
    excluded = _list(f"{column(one)}={stored.name}" for one, stored in node.excluded)
    where = "" if node.where is None else f" WHERE {expression(node.where)}"
    return (
        _Branch(
            f"OnConflict {target} update {_assignments(node.assignments)}{where}"
            f" existing {existing} excluded {excluded}"
        ),
    )


def _insert(node: r.InsertStatement) -> _Branch:
    pairs = zip((*node.columns, *node.computed), node.values, strict=True)
    values = _list(f"{stored.name}={column(one)}" for stored, one in pairs)
    label = f"Insert {node.kind.value} {node.table.name}: {values}{_tail(node)}"
    below = (scan(node.source), *_conflict(node.conflict), *_returning(node.returning))
    return _Branch(label, below)


def _update(node: r.UpdateStatement) -> _Branch:
    label = (
        f"Update {node.table.name} key {_list(map(column, node.key))}: "
        f"{_assignments(node.assignments)}{_tail(node)}"
    )
    return _Branch(label, (scan(node.source), *_returning(node.returning)))


def _delete(node: r.DeleteStatement) -> _Branch:
    label = f"Delete {node.table.name} key {_list(map(column, node.key))}{_tail(node)}"
    return _Branch(label, (scan(node.source), *_returning(node.returning)))


_DRAWN: dict[type, Any] = {
    r.QueryStatement: _query,
    r.InsertStatement: _insert,
    r.UpdateStatement: _update,
    r.DeleteStatement: _delete,
}
