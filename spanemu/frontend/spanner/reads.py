"""Reads by key: Read, StreamingRead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.frontend.convert.requests import read_from_proto
from spanemu.frontend.convert.results import result_set_bytes
from spanemu.frontend.convert.resume import Breaking, place_from_token, resumable_chunks
from spanemu.frontend.convert.selectors import selector_from_proto
from spanemu.frontend.registry import session_of


def read(instances: Instances, request: Any) -> bytes:
    """The rows of some keys in one ResultSet."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    wanted = read_from_proto(request, selector)
    stream = session.read(wanted, selector, request.partition_token)
    return result_set_bytes(stream, instances.limits.unary_result_bytes)


def streaming_read(
    instances: Instances, request: Any, breaking: Breaking | None = None
) -> Iterable[bytes]:
    """The rows of some keys as PartialResultSets."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    wanted = read_from_proto(request, selector)
    place = place_from_token(request) if request.resume_token else None
    if place is not None:
        selector = place.selector(selector)
    stream = session.read(wanted, selector, request.partition_token)
    return resumable_chunks(request, stream, place, breaking)
