"""Fields of messages whose types SQL does not have: read in a schema, refused in statements."""

from base64 import b64encode

import pytest
from google.protobuf.descriptor_pb2 import (
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

from tests.conformance.raw import IA, insert, on_both, refused

TYPES = ("INT32", "SINT32", "SFIXED32", "UINT32", "FIXED32", "FLOAT", "UINT64")


def descriptors():
    """Return the type shop.Item, with a field of each type, called by the type's name."""
    file = FileDescriptorProto(name="shop.proto", package="shop", syntax="proto2")
    item = file.message_type.add(name="Item")
    for number, name in enumerate(TYPES, 1):
        item.field.add(
            name=f"f_{name.lower()}",
            number=number,
            label=FieldDescriptorProto.LABEL_OPTIONAL,
            type=getattr(FieldDescriptorProto, f"TYPE_{name}"),
        )
    return FileDescriptorSet(file=[file]).SerializeToString()


def created(raw, *columns):
    raw.ddl(
        "CREATE PROTO BUNDLE (shop.Item)",
        f"CREATE TABLE Items (Id INT64, Item shop.Item, {', '.join(columns)}) PRIMARY KEY (Id)",
        protos=descriptors(),
    )
    return raw.session()


@on_both
@pytest.mark.parametrize("stored", [" STORED", ""])
@pytest.mark.parametrize("field", TYPES[:-1])
def test_a_generated_column_reads_narrow_fields(raw, field, stored):
    created(raw, f"F FLOAT64 AS (Item.f_{field.lower()}){stored}")


@on_both
@pytest.mark.parametrize(
    "column",
    [
        "N INT64 AS (Item.f_int32) STORED",
        "N INT64 AS (Item.f_uint32)",
        "N INT64 AS (Item.f_int32 + 1) STORED",
        "N INT64 AS (IF(Item.f_uint32 > 1, Item.f_int32, 0)) STORED",
        "N NUMERIC AS (Item.f_uint64) STORED",
        "N FLOAT32 AS (Item.f_float) STORED",
        "N BOOL AS (Item.f_int32 IN (1, 2)) STORED",
        "N INT64 DEFAULT (CAST('f_int32: 1' AS shop.Item).f_int32)",
        "CHECK (Item.f_int32 > 0)",
    ],
)
def test_expressions_of_a_schema_read_narrow_fields(raw, column):
    created(raw, column)


@on_both
@pytest.mark.parametrize(
    "column",
    [
        "N STRING(MAX) AS (Item.f_int32) STORED",
        "N INT64 AS (Item.f_float) STORED",
        "N INT64 AS (Item.f_uint64) STORED",
    ],
)
def test_other_types_of_columns_are_refused(raw, column):
    with refused(IA):
        created(raw, column)


def test_narrow_fields_have_their_values(raw):
    session = created(
        raw,
        "A INT64 AS (Item.f_sint32) STORED",
        "B INT64 AS (Item.f_fixed32)",
        "C NUMERIC AS (Item.f_uint64) STORED",
        "D INT64 DEFAULT (CAST('f_int32: -7' AS shop.Item).f_int32)",
    )
    item = bytes([0x10, 0x09]) + bytes([0x2D, 0xFF, 0xFF, 0xFF, 0xFF]) + bytes([0x38, 0x05])
    session.commit(
        None, insert("Items", "Id Item", (1, b64encode(item).decode()), (2, ""), (3, None))
    )
    assert session.rows("Items", "A B C D") == [
        ["-5", "4294967295", "5", "-7"],
        ["0", "0", "0", "-7"],
        [None, None, None, "-7"],
    ]
