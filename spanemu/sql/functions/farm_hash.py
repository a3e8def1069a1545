"""FarmHash's 64-bit fingerprint (github.com/google/farmhash), for FARM_FINGERPRINT.

The package cityhash computes it thirty times faster, but is not built for every version of Python:
only tests use it, to compare results. All arithmetic is modulo 2**64, on words in little-endian
order.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

from spanemu.base.deadline_checks import interruptible_stream

_MASK = (1 << 64) - 1
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_SEED = 81

_BLOCK_BYTES = 64
_BLOCK = Struct("<8Q")
_word_at: Callable[[bytes, int], tuple[int]] = Struct("<Q").unpack_from
_half_word_at: Callable[[bytes, int], tuple[int]] = Struct("<I").unpack_from

_Pair = tuple[int, int]


def fingerprint64(value: bytes | str) -> int:
    """Return the unsigned fingerprint of bytes, or of a text's UTF-8 bytes."""
    data = value.encode() if isinstance(value, str) else value
    size = len(data)
    if size <= 16:
        return _of_16(data, size)
    if size <= 32:
        return _of_32(data, size)
    return _of_64(data, size) if size <= _BLOCK_BYTES else _of_blocks(data, size)


def _of_16(data: bytes, size: int) -> int:
    if size >= 8:
        factor = _K2 + size * 2
        first, last = _word(data, 0) + _K2 & _MASK, _word(data, size - 8)
        left = _rotated(last, 37) * factor + first
        right = (_rotated(first, 25) + last) * factor
        return _combined(left & _MASK, right & _MASK, factor)
    if size >= 4:
        (first,), (last,) = _half_word_at(data, 0), _half_word_at(data, size - 4)
        return _combined(size + (first << 3), last, _K2 + size * 2)
    if size:
        low = data[0] + (data[size >> 1] << 8)
        high = size + (data[-1] << 2)
        return _folded((low * _K2 ^ high * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _of_32(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K1 & _MASK, _word(data, 8)
    c, d = _word(data, size - 8) * factor & _MASK, _word(data, size - 16) * _K2
    left = _rotated(a + b & _MASK, 43) + _rotated(c, 30) + d
    right = a + _rotated(b + _K2 & _MASK, 18) + c
    return _combined(left & _MASK, right & _MASK, factor)


def _of_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K2 & _MASK, _word(data, 8)
    c, d = _word(data, size - 8) * factor & _MASK, _word(data, size - 16) * _K2
    y = _rotated(a + b & _MASK, 43) + _rotated(c, 30) + d & _MASK
    z = _combined(y, a + _rotated(b + _K2 & _MASK, 18) + c & _MASK, factor)
    e, f = _word(data, 16) * factor & _MASK, _word(data, 24)
    g = (y + _word(data, size - 32)) * factor & _MASK
    h = (z + _word(data, size - 24)) * factor
    left = _rotated(e + f & _MASK, 43) + _rotated(g, 30) + h
    right = e + _rotated(f + a & _MASK, 18) + g
    return _combined(left & _MASK, right & _MASK, factor)


def _of_blocks(data: bytes, size: int) -> int:
    x = _SEED * _K2 + _word(data, 0) & _MASK
    y = _SEED * _K1 + 113 & _MASK
    z = _folded(y * _K2 + 113 & _MASK) * _K2 & _MASK
    state = x, y, z, (0, 0), (0, 0)
    # The last block is the last 64 bytes, which may overlap the block before.
    whole = (size - 1) // _BLOCK_BYTES * _BLOCK_BYTES
    for words in interruptible_stream(_BLOCK.iter_unpack(memoryview(data)[:whole])):
        state = _mixed(words, state, _K1, 1)
    x, y, z, (v1, v2), (w1, w2) = state
    factor = _K1 + ((z & 0xFF) << 1) & _MASK
    w1 = w1 + (size - 1 & 63) & _MASK
    v1 = v1 + w1 & _MASK
    w1 = w1 + v1 & _MASK
    last = _BLOCK.unpack_from(data, size - _BLOCK_BYTES)
    x, y, z, v, w = _mixed(last, (x, y, z, (v1, v2), (w1, w2)), factor, 9)
    left = _combined(v[0], w[0], factor) + _folded(y) * _K0 + z
    right = _combined(v[1], w[1], factor) + x
    return _combined(left & _MASK, right & _MASK, factor)


_State = tuple[int, int, int, _Pair, _Pair]


def _mixed(words: tuple[int, ...], state: _State, factor: int, weight: int) -> _State:
    """Return the state after one more block; x and z change places with each block."""
    x, y, z, (v1, v2), (w1, w2) = state
    x = _rotated(x + y + v1 + words[1] & _MASK, 37) * factor
    y = _rotated(y + v2 + words[6] & _MASK, 42) * factor
    x = (x ^ w2 * weight) & _MASK
    y = y + v1 * weight + words[5] & _MASK
    z = _rotated(z + w1 & _MASK, 33) * factor & _MASK
    v = _seeded(words[:4], v2 * factor, x + w1)
    w = _seeded(words[4:], z + w2, y + words[2])
    return z, y, x, v, w


def _seeded(words: tuple[int, ...], a: int, b: int) -> _Pair:
    """Return a weak hash of four words with two seeds."""
    s0, s1, s2, s3 = words
    a += s0
    b = _rotated(b + a + s3 & _MASK, 21)
    c = a
    a += s1 + s2
    b += _rotated(a & _MASK, 44)
    return a + s3 & _MASK, b + c & _MASK


def _combined(left: int, right: int, factor: int) -> int:
    a = (left ^ right) * factor & _MASK
    a ^= a >> 47
    b = (right ^ a) * factor & _MASK
    b ^= b >> 47
    return b * factor & _MASK


def _folded(word: int) -> int:
    return word ^ word >> 47


def _rotated(word: int, bits: int) -> int:
    return (word >> bits | word << 64 - bits) & _MASK


def _word(data: bytes, at: int) -> int:
    return _word_at(data, at)[0]
