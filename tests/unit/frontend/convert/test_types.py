from __future__ import annotations

import pytest

from spanemu.base.errors import Unsupported
from spanemu.frontend import wire
from spanemu.frontend.convert.types import type_from_proto, type_to_proto
from spanemu.frontend.errors import (
    ArrayWithoutElement,
    StructWithoutFields,
    TypeUnspecified,
    UnknownTypeCode,
)
from spanemu.values import types
from spanemu.values.types import SCALARS, Type, TypeCode, array_of, struct_of

EVERY = [
    *(scalar for scalar in SCALARS.values() if scalar is not types.TOKENLIST),
    *types.POSTGRESQL_SCALARS.values(),
    array_of(types.PG_NUMERIC),
    array_of(types.INT64),
    array_of(struct_of(("a", types.STRING), ("", array_of(types.UUID)))),
    struct_of(),
    Type(TypeCode.PROTO, proto_name="shop.Order"),
    Type(TypeCode.ENUM, proto_name="shop.State"),
]


@pytest.mark.parametrize("type_", EVERY, ids=str)
def test_round_trip(type_: Type) -> None:
    assert type_from_proto(type_to_proto(type_)) == type_


def test_every_code_of_the_client_is_known() -> None:
    codes = wire.Type.DESCRIPTOR.fields_by_name["code"].enum_type.values
    known = {type_to_proto(type_).code for type_ in EVERY}
    assert {code.number for code in codes} - known == {0}


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (wire.Type(), TypeUnspecified),
        (wire.Type(code=8), ArrayWithoutElement),
        (wire.Type(code=9), StructWithoutFields),
        (wire.Type(code=99), UnknownTypeCode),
        (wire.Type(code=10, type_annotation=3), Unsupported),
    ],
)
def test_refused(message, error) -> None:
    with pytest.raises(error):
        type_from_proto(message)
