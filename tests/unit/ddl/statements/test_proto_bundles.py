"""Proto bundles: the types that columns may have."""

from __future__ import annotations

import pytest

from spanemu.base.errors import SpannerError
from spanemu.ddl.apply import plan_batch
from spanemu.ddl.errors.columns import TypeNotFound
from spanemu.ddl.errors.routines import (
    ProtoBundleExists,
    ProtoBundleMissing,
    ProtoDescriptorsMissing,
    ProtoTypeExists,
    ProtoTypeInUse,
    ProtoTypeNotFound,
    ProtoTypeReserved,
)
from spanemu.ddl.schema_text import ddl_statements
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import EMPTY, Schema
from spanemu.values.types import TypeCode
from tests.unit.shop import DESCRIPTORS

SENT = ProtoTypes(
    frozenset({"shop.Item", "shop.Order", "spanner.x.Y", "tech.spanner.Y"}),
    frozenset({"shop.Size"}),
    DESCRIPTORS,
)
TABLE = "CREATE TABLE T (k INT64, i shop.Item, s ARRAY<`shop.Size`>) PRIMARY KEY (k)"


def applied(*statements: str, sent: ProtoTypes = SENT) -> Schema:
    return plan_batch(statements, EMPTY, sent)[-1].schema


def test_types_are_messages_and_enums() -> None:
    schema = applied("CREATE PROTO BUNDLE (shop.Item, shop.Size)", TABLE)
    columns = schema.tables["t"].by_name
    assert columns["i"].type.code is TypeCode.PROTO
    assert columns["s"].type.item().code is TypeCode.ENUM
    assert str(columns["s"].type) == "ARRAY<shop.Size>"


def test_the_text_makes_the_same_schema() -> None:
    schema = applied("CREATE PROTO BUNDLE (shop.Size, shop.Item)", TABLE)
    text = ddl_statements(schema)
    assert text[0] == "CREATE PROTO BUNDLE (\n  shop.Item,\n  shop.Size,\n)"
    assert ddl_statements(applied(*text)) == text


def test_a_bundle_grows_and_shrinks() -> None:
    schema = applied(
        "CREATE PROTO BUNDLE (shop.Item)",
        "ALTER PROTO BUNDLE INSERT (shop.Order, shop.Size) UPDATE (shop.Item)",
        "ALTER PROTO BUNDLE DELETE (shop.Item)",
    )
    assert schema.proto_bundle is not None
    assert schema.proto_bundle.names == {"shop.Order", "shop.Size"}
    assert schema.proto_bundle.descriptors == DESCRIPTORS


@pytest.mark.parametrize(
    ("statements", "sent", "failure"),
    [
        (["CREATE PROTO BUNDLE (shop.Item)"], NO_TYPES, ProtoDescriptorsMissing),
        (["CREATE PROTO BUNDLE (shop.Nope)"], SENT, ProtoTypeNotFound),
        (["CREATE PROTO BUNDLE (spanner.x.Y)"], SENT, ProtoTypeReserved),
        (["CREATE PROTO BUNDLE (tech.spanner.Y)"], SENT, ProtoTypeReserved),
        (["CREATE PROTO BUNDLE (shop.Item, shop.Item)"], SENT, ProtoTypeExists),
        (["CREATE PROTO BUNDLE (shop.Item)"] * 2, SENT, ProtoBundleExists),
        (["ALTER PROTO BUNDLE INSERT (shop.Item)"], SENT, ProtoBundleMissing),
        (["DROP PROTO BUNDLE"], SENT, ProtoBundleMissing),
        ([TABLE], SENT, TypeNotFound),
        (
            ["CREATE PROTO BUNDLE (shop.Item)", "ALTER PROTO BUNDLE DELETE (shop.Order)"],
            SENT,
            ProtoTypeNotFound,
        ),
        (
            ["CREATE PROTO BUNDLE (shop.Item, shop.Size)", TABLE, "DROP PROTO BUNDLE"],
            SENT,
            ProtoTypeInUse,
        ),
    ],
)
def test_refused(statements: list[str], sent: ProtoTypes, failure: type[SpannerError]) -> None:
    with pytest.raises(failure):
        applied(*statements, sent=sent)


def test_columns_change_between_types_with_the_same_encoding() -> None:
    schema = applied(
        "CREATE PROTO BUNDLE (shop.Item, shop.Order, shop.Size)",
        "CREATE TABLE T (k INT64, i shop.Item, s shop.Size) PRIMARY KEY (k)",
        "ALTER TABLE T ALTER COLUMN i BYTES(MAX)",
        "ALTER TABLE T ALTER COLUMN i shop.Order",
        "ALTER TABLE T ALTER COLUMN s INT64",
        "ALTER TABLE T ALTER COLUMN s shop.Size",
    )
    assert [str(column.type) for column in schema.tables["t"].columns] == [
        "INT64", "shop.Order", "shop.Size",
    ]  # fmt: skip
