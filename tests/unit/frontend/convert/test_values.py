from __future__ import annotations

import pytest
from google.protobuf.struct_pb2 import ListValue, Struct, Value

from spanemu.frontend.convert.types import list_from_proto, struct_from_proto
from spanemu.frontend.errors import ValueWithoutKind


def test_a_struct_with_every_kind_of_value_is_read() -> None:
    given = {
        "text": "x",
        "empty": "",
        "number": 1.5,
        "zero": 0.0,
        "yes": True,
        "no": False,
        "null": None,
        "list": ["1", None, ["2", ""], False],
        "struct": {"a": "1", "b": {}},
    }
    message = Struct()
    message.update(given)
    assert struct_from_proto(message) == given


def test_false_is_not_read_as_zero() -> None:
    (value,) = list_from_proto(ListValue(values=[Value(bool_value=False)]))
    assert value is False


def test_no_kind() -> None:
    with pytest.raises(ValueWithoutKind):
        list_from_proto(ListValue(values=[Value()]))
