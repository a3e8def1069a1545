"""CREATE, ALTER and DROP PROTO BUNDLE.

Unlike other statements, they need the descriptors of types that came with the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.ddl.change import Change
from spanemu.ddl.errors.routines import (
    ProtoBundleExists,
    ProtoBundleMissing,
    ProtoDescriptorsMissing,
    ProtoTypeExists,
    ProtoTypeInUse,
    ProtoTypeNotFound,
    ProtoTypeReserved,
)
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.tables import scalar_of
from spanemu.messages import merge_descriptors
from spanemu.schema.objects import NO_TYPES, ProtoBundle, ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.sql.syntax_tree import Path

_RESERVED = ("spanner.", "tech.spanner.")  # types of other packages are allowed, google.type too


def create_proto_bundle(
    statement: ddl_ast.CreateProtoBundle, schema: Schema, sent: ProtoTypes
) -> Change:
    """Create the proto bundle, whose types columns may have."""
    if schema.proto_bundle is not None:
        raise ProtoBundleExists
    _check_sent(sent, "CREATE PROTO BUNDLE")
    names = _names(statement.types)
    raise_first(_addition_problems(names, NO_TYPES, sent))
    return Change(schema.next(proto_bundle=_bundle(names, NO_TYPES, sent)))


def alter_proto_bundle(
    statement: ddl_ast.AlterProtoBundle, schema: Schema, sent: ProtoTypes
) -> Change:
    """Insert, update and delete types of the proto bundle."""
    before = schema.proto_bundle
    if before is None:
        raise ProtoBundleMissing
    inserts, updates, deletes = map(
        _names, (statement.inserts, statement.updates, statement.deletes)
    )
    if inserts or updates:
        _check_sent(sent, "ALTER PROTO BUNDLE")
    known = before.names
    for name in (*updates, *deletes):
        if name not in known:
            raise ProtoTypeNotFound(name, "the proto bundle")
    raise_first(_addition_problems(inserts, before, sent))
    raise_first(_lacking(updates, sent))
    raise_first(_usage_problems(deletes, schema))
    left = known - set(deletes)
    bundle = _bundle(sorted(left | set(inserts)), before, sent)
    return Change(schema if bundle == before else schema.next(proto_bundle=bundle))


def drop_proto_bundle(statement: ddl_ast.DropProtoBundle, schema: Schema, _: ProtoTypes) -> Change:
    """Drop the proto bundle, unless a column has one of its types."""
    if schema.proto_bundle is None:
        raise ProtoBundleMissing
    raise_first(_usage_problems(sorted(schema.proto_bundle.names), schema))
    return Change(schema.next(proto_bundle=None))


def _names(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths]


def _check_sent(sent: ProtoTypes, statement: str) -> None:
    if not sent.descriptors:
        raise ProtoDescriptorsMissing(statement)


def _addition_problems(
    names: Sequence[str], known: ProtoTypes, sent: ProtoTypes
) -> Iterator[SpannerError]:
    seen: set[str] = set()
    for name in names:
        if name.startswith(_RESERVED):
            yield ProtoTypeReserved(name)
        if name in known.names or name in seen:
            yield ProtoTypeExists(name)
        seen.add(name)
    yield from _lacking(names, sent)


def _lacking(names: Sequence[str], sent: ProtoTypes) -> Iterator[SpannerError]:
    for name in names:
        if name not in sent.names:
            yield ProtoTypeNotFound(name, "the proto descriptors")


def _bundle(names: Sequence[str], before: ProtoTypes, sent: ProtoTypes) -> ProtoBundle:
    messages = (before.messages | sent.messages) - sent.enums
    enums = (before.enums | sent.enums) - sent.messages
    wanted = set(names)
    descriptors = merge_descriptors(before.descriptors, sent.descriptors)
    return ProtoBundle(frozenset(messages & wanted), frozenset(enums & wanted), descriptors)


def _usage_problems(names: Sequence[str], schema: Schema) -> Iterator[SpannerError]:
    gone = set(names)
    for table in schema.tables.values():
        for column in table.columns:
            name = scalar_of(column.type).proto_name
            if name in gone:
                yield ProtoTypeInUse(name, f"{table.name}.{column.name}")
