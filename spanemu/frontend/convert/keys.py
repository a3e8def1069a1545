"""google.spanner.v1.KeySet -> `values.mutation.RawKeySet`; the parts stay raw."""

from __future__ import annotations

from typing import Any

from spanemu.frontend.convert.values import list_from_proto
from spanemu.frontend.errors.reads import RangeWithoutEndpoint
from spanemu.values.mutation import RawKeySet, RawRange

# oneof case -> whether the endpoint belongs to the range
_START = {"start_closed": True, "start_open": False}
_END = {"end_closed": True, "end_open": False}


def key_set_from_proto(message: Any) -> RawKeySet:
    """The keys that a read or a delete means. Raises RangeWithoutEndpoint."""
    return RawKeySet(
        all=message.all_,
        keys=list(map(list_from_proto, message.keys)),
        ranges=list(map(_range_from_proto, message.ranges)),
    )


def _range_from_proto(message: Any) -> RawRange:
    start = message.WhichOneof("start_key_type")
    if start is None:
        raise RangeWithoutEndpoint("start")
    end = message.WhichOneof("end_key_type")
    if end is None:
        raise RangeWithoutEndpoint("end")
    return RawRange(
        start=list_from_proto(getattr(message, start)),
        start_closed=_START[start],
        end=list_from_proto(getattr(message, end)),
        end_closed=_END[end],
    )
