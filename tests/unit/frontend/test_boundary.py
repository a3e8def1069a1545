from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from google.rpc.error_details_pb2 import ErrorInfo, Help, ResourceInfo, RetryInfo
from google.rpc.status_pb2 import Status

from spanemu.base import errors
from spanemu.base.errors import Code, Detail, SpannerError
from spanemu.base.limits import ERROR_MESSAGE_BYTES_MAX
from spanemu.frontend.boundary import failure_from, status_to_proto


@dataclass(eq=False)
class Broken(SpannerError):
    code = Code.ABORTED
    prose = "{text}"
    text: str
    facts: tuple[Detail, ...] = ()

    def details(self) -> tuple[Detail, ...]:
        return self.facts


def test_a_failure_has_its_code_and_message() -> None:
    failure = failure_from(Broken("lost"), "/s/M")
    assert (failure.code, failure.message, failure.trailers) == (Code.ABORTED, "lost", ())


def test_details_are_sent_twice() -> None:
    facts = (
        errors.RetryInfo(2_000_000_001),
        errors.ResourceInfo("type", "name", "gone"),
        errors.ErrorInfo("SQL_ERROR", "spanner", (("k", "v"),)),
        errors.HelpLink("more", "there"),
    )
    trailers = dict(failure_from(Broken("lost", facts), "/s/M").trailers)
    retry, resource = RetryInfo(), ResourceInfo()
    retry.retry_delay.FromNanoseconds(2_000_000_001)
    resource.resource_type, resource.resource_name = "type", "name"
    resource.description = "gone"
    assert RetryInfo.FromString(trailers.pop("google.rpc.retryinfo-bin")) == retry
    assert ResourceInfo.FromString(trailers.pop("google.rpc.resourceinfo-bin")) == resource
    status = Status.FromString(trailers.pop("grpc-status-details-bin"))
    assert trailers == {}
    assert (status.code, status.message) == (10, "lost")
    unpacked = RetryInfo(), ResourceInfo(), ErrorInfo(), Help()
    assert all(any_.Unpack(into) for any_, into in zip(status.details, unpacked, strict=True))
    assert unpacked == (
        retry,
        resource,
        ErrorInfo(reason="SQL_ERROR", domain="spanner", metadata={"k": "v"}),
        Help(links=[Help.Link(description="more", url="there")]),
    )


@pytest.mark.parametrize("character", ["x", "\u00e9", "\U0001f600"])
def test_messages_are_cut_between_characters(character: str) -> None:
    message = failure_from(Broken(character * 2000), "/s/M").message
    assert ERROR_MESSAGE_BYTES_MAX - 4 <= len(message.encode()) <= ERROR_MESSAGE_BYTES_MAX
    assert set(message) == {character, "."}


def test_a_bug_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    failure = failure_from(ZeroDivisionError("inside"), "/s/M")
    assert failure.code is Code.INTERNAL
    assert "inside" not in failure.message
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ZeroDivisionError)
    assert str(record.args[0]) in failure.message  # type: ignore[index]


def test_status_inside_a_reply() -> None:
    status = status_to_proto(Broken("lost", (errors.RetryInfo(1),)))
    assert (status.code, status.message, len(status.details)) == (10, "lost", 1)


def test_status_of_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    assert status_to_proto(ValueError("x")).code == 13
    assert caplog.records


def test_a_process_without_memory_exhausts_resources(caplog: pytest.LogCaptureFixture) -> None:
    assert failure_from(MemoryError(), "/a.B/C").code is Code.RESOURCE_EXHAUSTED
    assert status_to_proto(MemoryError()).code == Code.RESOURCE_EXHAUSTED
    assert not caplog.records


@pytest.mark.parametrize("convert", [lambda error: failure_from(error, "M"), status_to_proto])
def test_a_failure_that_is_kept_keeps_no_frames(convert: Callable[[Any], object]) -> None:
    class Held:
        pass

    held: list[weakref.ref[Held]] = []

    def fail() -> None:
        local = Held()
        held.append(weakref.ref(local))
        try:
            raise Broken("One")
        except Broken as cause:
            raise Broken("Two") from cause

    kept: list[Broken] = []
    try:
        fail()
    except Broken as error:
        kept.append(error)
        convert(error)
    assert kept[0].__cause__ is not None
    assert held[0]() is None
