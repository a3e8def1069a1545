"""Huffman coding of strings in header blocks (RFC 7541, 5.2 and appendix B), decoded by the byte.

A state is the part of a code that the bytes so far have begun: a node of the tree of codes. Each
byte leads from a state to another and completes some symbols. These steps are computed when they
are first needed, and kept.
"""

from __future__ import annotations

from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH

from spanemu.http2.errors import CompressionError

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
    for symbol, (code, length) in enumerate(zip(REQUEST_CODES, REQUEST_CODES_LENGTH, strict=True)):
        node = root
        for position in range(length - 1, 0, -1):
            bit = code >> position & 1
            child = node.children[bit]
            if not isinstance(child, _Node):
                child = node.children[bit] = _Node(len(nodes))
                nodes.append(child)
            node = child
        node.children[code & 1] = symbol
    padding: _Node | int = root
    for _ in range(_PADDING_BITS_MAX + 1):
        assert isinstance(padding, _Node)
        padding.is_padding = True
        padding = padding.children[1]
    return nodes


_NODES = _tree()
_FINAL = frozenset(node.number << 8 for node in _NODES if node.is_padding)
# By state and byte (`state << 8 | byte`): the next state, shifted, and the completed symbols.
_STEPS: dict[int, tuple[int, bytes]] = {}


def decode(data: bytes) -> bytes:
    """Return the string that Huffman coding made `data` of. Raises CompressionError."""
    state = 0
    symbols = []
    steps = _STEPS
    for byte in data:
        step = steps.get(state | byte)
        if step is None:
            step = _add_step(state, byte)
        state, completed = step
        symbols.append(completed)
    if state not in _FINAL:
        raise CompressionError("a Huffman code is incomplete")
    return b"".join(symbols)


def _add_step(state: int, byte: int) -> tuple[int, bytes]:
    node, symbols = _NODES[state >> 8], bytearray()
    for position in range(7, -1, -1):
        child = node.children[byte >> position & 1]
        if isinstance(child, _Node):
            node = child
            continue
        if child == _END:
            raise CompressionError("a Huffman code ends the string early")
        symbols.append(child)
        node = _NODES[0]
    step = _STEPS[state | byte] = (node.number << 8, bytes(symbols))
    return step
