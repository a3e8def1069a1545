"""The places of header fields are those that a look at each field gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanemu.http2 import header_block
from spanemu.http2.header_block import Field, HeaderDecoder
from spanemu.http2.request_fields import Kind, layout_of

FIELDS = (
    (b":method", b"POST"),
    (b":method", b"GET"),
    (b":scheme", b"http"),
    (b":path", b"/a.B/C"),
    (b":path", b""),
    (b":authority", b"localhost"),
    (b":status", b"200"),
    (b"content-type", b"application/grpc"),
    (b"content-type", b"application/grpc+proto"),
    (b"content-type", b"text/html"),
    (b"content-length", b"12"),
    (b"te", b"trailers"),
    (b"te", b"gzip"),
    (b"grpc-timeout", b"1S"),
    (b"grpc-timeout", b"2S"),
    (b"grpc-encoding", b"gzip"),
    (b"grpc-accept-encoding", b"gzip"),
    (b"user-agent", b"test"),
    (b"Upper", b"case"),
    (b"connection", b"close"),
)
REQUIRED = FIELDS[0], FIELDS[2], FIELDS[3]
GRPC = *REQUIRED, FIELDS[5], FIELDS[7], FIELDS[11], FIELDS[13], FIELDS[17]
INVALID = {FIELDS[4], FIELDS[6], FIELDS[12], FIELDS[18], FIELDS[19]}
Pairs = list[tuple[bytes, bytes]]


def decoded(pairs: Pairs) -> list[Field]:
    fields = HeaderDecoder().decode(
        b"".join(header_block.literal(*pair) for pair in pairs), 1 << 20
    )
    assert fields is not None
    return fields


def expected_kind(pairs: Pairs) -> Kind:
    """Return what RFC 9113 and the protocol of gRPC make of header fields, field by field."""
    names: list[bytes] = []
    is_regular, is_valid = False, True
    for pair in pairs:
        name = pair[0]
        if pair in INVALID:
            is_valid = False
        if name.startswith(b":"):
            is_valid = is_valid and not is_regular and name not in names
        else:
            is_regular = True
        names.append(name)
    if not is_valid or not {b":method", b":scheme", b":path"} <= set(names):
        return Kind.MALFORMED
    types = [value for name, value in pairs if name == b"content-type"]
    is_grpc = any(value.startswith(b"application/grpc") for value in types)
    return Kind.GRPC if is_grpc and (b":method", b"POST") in pairs else Kind.OTHER


def value_at(fields: list[Field], position: int) -> bytes | None:
    return None if position < 0 else fields[position].value


def last_of(pairs: Pairs, name: bytes) -> bytes | None:
    return next((value for each, value in reversed(pairs) if each == name), None)


def check(pairs: Pairs) -> None:
    fields = decoded(pairs)
    layout = layout_of(fields)
    assert layout.kind is expected_kind(pairs)
    if layout.kind is not Kind.MALFORMED:
        assert value_at(fields, layout.path) == last_of(pairs, b":path")
        assert value_at(fields, layout.timeout) == last_of(pairs, b"grpc-timeout")
        assert value_at(fields, layout.encoding) == last_of(pairs, b"grpc-encoding")
        assert value_at(fields, layout.content_length) == last_of(pairs, b"content-length")


@given(st.lists(st.sampled_from(FIELDS), max_size=12))
def test_any_fields_have_the_places_of_a_look_at_each(pairs: Pairs) -> None:
    check(pairs)


@given(st.permutations(GRPC), st.lists(st.sampled_from(FIELDS), max_size=3))
def test_requests_of_grpc_in_any_order_have_the_places_of_a_look_at_each(
    pairs: Pairs, more: Pairs
) -> None:
    check(pairs)
    check([*GRPC, *more])
    check([*more, *GRPC])


def test_more_fields_than_are_remembered_have_places() -> None:
    many = [(b"x-many", b"%d" % number) for number in range(1_000)]
    fields = decoded([*REQUIRED, *many, FIELDS[7], FIELDS[14]])
    layout = layout_of(fields)
    assert layout.kind is Kind.GRPC
    assert fields[layout.timeout].value == b"2S"


def test_the_role_of_a_path_is_its_own() -> None:
    assert decoded([FIELDS[3]])[0].role == header_block.PATH
    assert decoded([FIELDS[4]])[0].role == header_block.INVALID
