"""Header blocks are decoded as the library hpack decodes them, and bad ones are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hpack import Decoder, Encoder
from hpack.exceptions import HPACKError
from hpack.table import HeaderTable
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spanemu.http2.errors import CompressionError, ConnectionFailure, ErrorCode
from spanemu.http2.header_block import INVALID, METADATA, HeaderDecoder, indexed, literal

LIMIT = 1 << 20
NAMES = st.sampled_from([b":path", b"content-type", b"te", b"x-a", b"x-long-name", b"grpc-timeout"])
FIELDS = st.lists(st.tuples(NAMES, st.binary(max_size=40)), max_size=8)


def pairs(fields: Any) -> list[tuple[bytes, bytes]]:
    return [(each[0], each[1]) for each in fields]


def test_the_static_table() -> None:
    expected = HeaderTable.STATIC_TABLE
    block = bytes(0x80 | index for index in range(1, len(expected) + 1))
    assert pairs(HeaderDecoder().decode(block, LIMIT)) == pairs(expected)


@settings(max_examples=40)
@given(st.lists(st.tuples(FIELDS, st.booleans(), st.sampled_from([None, 0, 64, 4096])), max_size=6))
def test_blocks_of_a_connection_are_decoded(blocks: Any) -> None:
    encoder, decoder = Encoder(), HeaderDecoder()
    for fields, is_huffman, table_size in blocks:
        if table_size is not None:
            encoder.header_table_size = table_size
        block = encoder.encode(fields, huffman=is_huffman)
        assert pairs(decoder.decode(block, LIMIT)) == pairs(fields)


@settings(max_examples=40)
@given(st.lists(st.binary(max_size=30), max_size=3))
@example([b"\x82\x00\x01a\x01b"])
def test_any_bytes_are_decoded_or_refused(blocks: list[bytes]) -> None:
    own, other = HeaderDecoder(), Decoder()
    for block in blocks:
        try:
            expected = pairs(other.decode(block, raw=True))
        except HPACKError:
            # The library ignores some faults, so that the reverse does not hold.
            with pytest.raises(CompressionError):
                own.decode(block, LIMIT)
            return
        try:
            assert pairs(own.decode(block, LIMIT)) == expected
        except CompressionError:
            return


def test_a_bomb_of_indexes_is_not_unpacked() -> None:
    decoder = HeaderDecoder()
    large = b"\x40\x01a\x7f\xa1\x1e" + b"v" * 4000
    assert decoder.decode(large + b"\xbe" * 16_000, 64 * 1024) is None
    assert pairs(decoder.decode(b"\xbe", 64 * 1024)) == [(b"a", b"v" * 4000)]


def test_a_block_of_many_literals_ends_the_connection() -> None:
    with pytest.raises(ConnectionFailure) as caught:
        HeaderDecoder().decode(b"\x01\x00" * 200_000, LIMIT)
    assert caught.value.code == ErrorCode.ENHANCE_YOUR_CALM


def test_a_block_changes_the_table_size_twice_at_most() -> None:
    assert HeaderDecoder().decode(b"\x20\x3f\xe1\x1f\x82", LIMIT)
    with pytest.raises(CompressionError):
        HeaderDecoder().decode(b"\x20\x20\x20\x82", LIMIT)


@pytest.mark.parametrize(
    "field",
    [
        (b"Upper", b"a"),
        (b"x a", b"a"),
        (b":unknown", b"a"),
        (b"connection", b"close"),
        (b"te", b"gzip"),
        (b"x-a", b"a\nb"),
        (b"x-a", b" a"),
    ],
)
def test_fields_that_no_request_may_have_are_marked(field: tuple[bytes, bytes]) -> None:
    (decoded,) = HeaderDecoder().decode(literal(*field), LIMIT)
    assert decoded.role == INVALID


def test_encoded_blocks_are_decoded() -> None:
    block = indexed(b":status", b"200") + literal(b"x-a", b"v" * 300)
    status, field = HeaderDecoder().decode(block, LIMIT)
    assert pairs([status, field]) == [(b":status", b"200"), (b"x-a", b"v" * 300)]
    assert field.role == METADATA
