from __future__ import annotations

import pytest
from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.http2 import huffman
from spanemu.http2.errors import CompressionError

ENCODER = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH)


def test_every_symbol_has_its_code() -> None:
    every = bytes(range(256))
    assert huffman.decode(ENCODER.encode(every)) == every


@settings(max_examples=40)
@given(st.binary(max_size=60))
def test_encoded_text_is_decoded(text: bytes) -> None:
    assert huffman.decode(ENCODER.encode(text)) == text


def test_numbers_that_count_up_share_their_beginnings() -> None:
    texts = [
        b"1.5e884898da28047151d0e56f8dc6292773603d0d.1.%d.1" % number for number in range(3000)
    ]
    huffman._beginning.cache_clear()
    assert [huffman.decode(ENCODER.encode(text)) for text in texts] == texts
    assert huffman._beginning.cache_info().misses < len(texts) / 4


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",  # padding of eight bits
        b"\x1f\xff",  # "a" and padding of more than seven bits
        b"\x18",  # "a" and padding with zeros
        b"\xff\xff\xff\xff",  # the symbol of the end
    ],
)
def test_wrong_huffman_codes_are_refused(data: bytes) -> None:
    with pytest.raises(CompressionError):
        huffman.decode(data)
