"""Statements with one thing wrong with them: a name, a type, a word too many or too few."""

from __future__ import annotations

import re
from random import Random

from tests.differential.expressions import Expressions
from tests.differential.queries import Queries
from tests.differential.tree import Piece

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\w+|\s+|.")
_WRONG = (
    "1", "'x'", "TRUE", "NULL", "1.5", "DATE '2024-02-29'", "[1]", "(1, 2)", "Nowhere", "t1.Nope",
    "COUNT(*)", "(SELECT 1, 2)", "@u_int", "JSON '1'", "b'x'", "ARRAY<STRING>[]", "",
)  # fmt: skip
_FUNCTIONS = (
    "LENGTH",
    "ABS",
    "UPPER",
    "COUNT",
    "SUM",
    "DATE_ADD",
    "NOT_A_FUNCTION",
    "ARRAY_LENGTH",
)


def random_mistake(random: Random) -> Piece:
    """Return a query in which one piece or one token has been replaced."""
    query = Queries(random).statement()
    return Piece(
        "mistake", (random.choice((_wrong_piece, _wrong_piece, _wrong_token))(random, query),)
    )


def _wrong_piece(random: Random, query: Piece) -> str:
    """Replace one expression by one of another type, or by a call it is no argument of."""
    text = str(query)
    pieces = [each for each in query.pieces() if each.kind in Expressions(random).types]
    if not pieces:
        return _wrong_token(random, query)
    chosen = str(random.choice(pieces))
    if random.random() < 0.4:
        wrong = f"{random.choice(_FUNCTIONS)}({chosen})"
    else:
        wrong = random.choice(_WRONG)
    at = text.index(chosen)
    return text[:at] + wrong + text[at + len(chosen) :]


def _wrong_token(random: Random, query: Piece) -> str:
    """Leave out one token, repeat it, or swap it with the next."""
    tokens = _TOKEN.findall(str(query))
    places = [number for number, token in enumerate(tokens) if not token.isspace()]
    at = random.choice(places)
    how = random.random()
    if how < 0.4:
        tokens[at] = ""
    elif how < 0.7:
        tokens[at] += " " + tokens[at]
    else:
        other = random.choice(places)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)
