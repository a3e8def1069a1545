"""A piece of generated SQL that remembers its parts, so that it can be made smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

OPTIONAL = "optional"  # the kind of a piece that may be left out


@dataclass(frozen=True)
class Piece:
    """Text and other pieces. Pieces of one kind may stand for each other."""

    kind: str
    parts: tuple[str | Piece, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    def pieces(self) -> Iterator[Piece]:
        """Yield this piece and all pieces inside."""
        yield self
        for part in self.parts:
            if isinstance(part, Piece):
                yield from part.pieces()


def optional(*parts: str | Piece) -> Piece:
    """Return a clause that may be left out."""
    return Piece(OPTIONAL, parts)


def smaller(piece: Piece, leaves: dict[str, str]) -> Iterator[Piece]:
    """Yield variants of a piece with something taken away, the boldest first."""
    inside = [each for part in piece.parts if isinstance(part, Piece) for each in part.pieces()]
    if piece.kind == OPTIONAL and piece.parts:
        yield replace(piece, parts=())
    yield from sorted(
        (each for each in inside if each.kind == piece.kind and each.kind != OPTIONAL),
        key=lambda each: len(str(each)),
    )
    leaf = leaves.get(piece.kind)
    if leaf is not None and str(piece) != leaf and len(str(piece)) > len(leaf):
        yield Piece(piece.kind, (leaf,))
    for number, part in enumerate(piece.parts):
        if isinstance(part, Piece):
            for variant in smaller(part, leaves):
                parts = (*piece.parts[:number], variant, *piece.parts[number + 1 :])
                yield replace(piece, parts=parts)


def minimal(piece: Piece, leaves: dict[str, str], fails: Callable[[str], bool]) -> Piece:
    """Return the smallest variant found that still fails, within a bounded number of tries."""
    tries = 300
    while True:
        for variant in smaller(piece, leaves):
            tries -= 1
            if tries < 0:
                return piece
            if fails(str(variant)):
                piece = variant
                break
        else:
            return piece
