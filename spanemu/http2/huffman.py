"""Huffman coding of strings in header blocks (RFC 7541, 5.2 and appendix B), decoded by the byte.

A state is the part of a code that the bytes so far have begun: a node of the tree of codes. Each
byte leads from a state to another and completes some symbols. These steps are computed when they
are first needed, and kept. So are what the last strings began with and how they ended: a client's
strings mostly differ in a number at their ends, where they differ at all.
"""

from __future__ import annotations

from functools import lru_cache, partial

from spanemu.http2.errors import CompressionError

# The bits of the code of each symbol. Codes of the same length are consecutive numbers in the order
# of the symbols, and begin where the shorter codes end, so that the lengths say everything.
_LENGTHS = bytes.fromhex(
    "0d171c1c1c1c1c1c1c181e1c1c1e1c1c1c1c1c1c1c1c1e1c1c1c1c1c1c1c1c1c"
    "060a0a0c0d06080b0a0a080b080606060505050606060606060607080f060c0a"
    "0d06070707070707070707070707070707070707070707070807080d130d0e06"
    "0f05060506050606060507070606060506070605050607070707070f0b0e0d1c"
    "1416141416161617161717171717181718181617181717171715161716171718"
    "1615141616171715171616181516171715151615171617171416161617161617"
    "1a1a1413161716191a1a1a1b1b1a181913151a1b1b1a1b1815151a1a1c1b1b1b"
    "14181415161515171616191918181a171a1b1a1a1b1b1b1b1b1c1b1b1b1b1b1a"
    "1e"
)
_END = 256  # the symbol that must not appear, whose code pads the last byte
_PADDING_BITS_MAX = 7


class _Node:
    """A part of a code. `children` holds the node or the symbol behind each bit."""

    __slots__ = ("children", "is_padding", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.children: list[_Node | int] = [0, 0]
        self.is_padding = False


def _tree() -> list[_Node]:
    """Return the nodes of the tree of codes, the root first."""
    root = _Node(0)
    nodes = [root]
    code = used = 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(_LENGTHS)):
        code <<= length - used
        used = length
        node = root
        for position in range(length - 1, 0, -1):
            bit = code >> position & 1
            child = node.children[bit]
            if not isinstance(child, _Node):
                child = node.children[bit] = _Node(len(nodes))
                nodes.append(child)
            node = child
        node.children[code & 1] = symbol
        code += 1
    padding: _Node | int = root
    for _ in range(_PADDING_BITS_MAX + 1):
        assert isinstance(padding, _Node)
        padding.is_padding = True
        padding = padding.children[1]
    return nodes


_NODES = _tree()
_FINAL = frozenset(node.number << 8 for node in _NODES if node.is_padding)


class _Steps(dict[int, tuple[int, bytes]]):
    """The steps by state and byte (`state << 8 | byte`): the next state, shifted, and symbols."""

    def __missing__(self, key: int) -> tuple[int, bytes]:
        """Compute a step. Raises CompressionError."""
        step = self[key] = _step(key >> 8, key & 0xFF)
        return step


_STEPS = _Steps()


# Of a string that ends with a number that counts up, nearly all is remembered: a beginning, the end
# behind it, and of a new beginning all but the last digits.
_END_BYTES = 3
_LAST_DIGITS_BYTES = 6
_REMEMBERED_BYTES_MAX = 128
_BEGINNINGS_MAX = 256
_ENDS_MAX = 2_048


def decode(data: bytes) -> bytes:
    """Return the string that Huffman coding made `data` of. Raises CompressionError."""
    if len(data) > _REMEMBERED_BYTES_MAX:
        state, text = _decoded(0, data)
    else:
        state, text = _beginning(data[:-_END_BYTES])
        state, end = _end(state, data[-_END_BYTES:])
        text += end
    if state not in _FINAL:
        raise CompressionError("a Huffman code is incomplete")
    return text


def _decoded(state: int, data: bytes) -> tuple[int, bytes]:
    """Return the state behind a part of a string, and its symbols. Raises CompressionError."""
    steps, symbols = _STEPS, []
    for byte in data:
        state, completed = steps[state | byte]
        symbols.append(completed)
    return state, b"".join(symbols)


_end = lru_cache(_ENDS_MAX)(_decoded)
_shorter_beginning = lru_cache(_BEGINNINGS_MAX)(partial(_decoded, 0))


@lru_cache(_BEGINNINGS_MAX)
def _beginning(data: bytes) -> tuple[int, bytes]:
    """Return the same as `_decoded` for the beginning of a string."""
    state, text = _shorter_beginning(data[:-_LAST_DIGITS_BYTES])
    state, digits = _decoded(state, data[-_LAST_DIGITS_BYTES:])
    return state, text + digits


def _step(number: int, byte: int) -> tuple[int, bytes]:
    node, symbols = _NODES[number], bytearray()
    for position in range(7, -1, -1):
        child = node.children[byte >> position & 1]
        if isinstance(child, _Node):
            node = child
            continue
        if child == _END:
            raise CompressionError("a Huffman code ends the string early")
        symbols.append(child)
        node = _NODES[0]
    return node.number << 8, bytes(symbols)
