"""Calls of the embedded channel that run on another thread."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.wrappers_pb2 import StringValue

from spanemu.base.call import calling_site
from spanemu.frontend.dispatch import Endpoints, Method, Service
from spanemu.frontend.embedded.channel import EmbeddedChannel


def site(_world: object, _request: StringValue) -> StringValue:
    return StringValue(value=calling_site().line)


SITE = Service("test.Sites", (Method("Site", StringValue, StringValue, site),))


def test_a_future_knows_the_line_that_made_it() -> None:
    endpoints = Endpoints([SITE], None)
    with EmbeddedChannel(lambda: endpoints) as channel:
        ask = channel.unary_unary(
            "/test.Sites/Site", StringValue.SerializeToString, StringValue.FromString
        )
        for answer in (ask.future(StringValue()).result(), ask(StringValue())):
            assert Path(answer.value.split(":")[0]).name == Path(__file__).name
