from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from spanemu.frontend.convert import timestamps
from spanemu.frontend.errors import (
    InvalidDuration,
    InvalidReadTimestamp,
    NegativeStaleness,
    TimestampOutOfRange,
)


@pytest.mark.parametrize("nanos", [0, 1, -1, 1_700_000_000_123_456_789, -62_135_596_800 * 10**9])
def test_round_trip(nanos: int) -> None:
    message = timestamps.timestamp_to_proto(nanos)
    assert 0 <= message.nanos < 10**9
    assert timestamps.timestamp_from_proto(message) == nanos


@pytest.mark.parametrize(
    ("seconds", "nanos"),
    [(-62_135_596_801, 0), (253_402_300_800, 0), (0, -1), (0, 1_000_000_000)],
)
def test_out_of_range(seconds: int, nanos: int) -> None:
    with pytest.raises(TimestampOutOfRange):
        timestamps.timestamp_from_proto(Timestamp(seconds=seconds, nanos=nanos))


def test_read_timestamps_are_whole_microseconds() -> None:
    message = Timestamp(seconds=5, nanos=1_999)
    assert timestamps.read_timestamp_from_proto(message, "exact") == 5_000_001_000


@pytest.mark.parametrize(
    "message", [Timestamp(seconds=-1), Timestamp(seconds=253_402_300_799, nanos=999_999_999)]
)
def test_read_timestamp_at_the_edges_of_time(message: Timestamp) -> None:
    with pytest.raises(InvalidReadTimestamp) as caught:
        timestamps.read_timestamp_from_proto(message, "min")
    assert caught.value.kind == "min"


def test_staleness() -> None:
    assert timestamps.staleness_from_proto(Duration(seconds=1, nanos=1_500)) == 1_000_001_000
    with pytest.raises(NegativeStaleness):
        timestamps.staleness_from_proto(Duration(nanos=-1))


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(1, -1), (-1, 1), (315_576_000_001, 0), (0, 1_000_000_000)]
)
def test_invalid_duration(seconds: int, nanos: int) -> None:
    with pytest.raises(InvalidDuration):
        timestamps.duration_from_proto(Duration(seconds=seconds, nanos=nanos))
