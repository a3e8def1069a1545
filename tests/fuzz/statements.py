"""SQL and DDL text: valid statements mutated token by token, and calls of every function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.calls import random_call
from tests.fuzz.corpus import DDL, FUNCTIONS, LITERALS, STATEMENTS, STRINGS, WORDS

_TOKEN = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\w+|\s+|.", re.DOTALL)
_NESTING = (3, 30, 200, 1_000, 20_000)
_CONTEXTS = (
    "SELECT {} FROM Singers",
    "SELECT {} FROM Singers",
    "SELECT {} FROM Singers GROUP BY SingerId",
    "SELECT 1 FROM Singers WHERE {}",
    "SELECT ARRAY_AGG(x) FROM (SELECT {} AS x FROM Singers)",
    "SELECT LastName FROM Singers ORDER BY {} LIMIT 2",
    "SELECT [{0}, {0}], STRUCT({0} AS a), {0} IS NULL, CAST({0} AS STRING) FROM Singers",
    "UPDATE Singers SET LastName = {} WHERE SingerId = 2",
)
_NESTED = (
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("(SELECT ", "1", ")"),
    ("NOT ", "TRUE", ""),
    ("-", "1", ""),
    ("1 + ", "1", ""),
    ("'a' || ", "'b'", ""),
    ("TRUE AND ", "FALSE", ""),
    ("ABS(", "1", ")"),
    ("CASE WHEN TRUE THEN ", "1", " END"),
    ("STRUCT(", "1", ")"),
    ("ARRAY(SELECT ", "1", ")"),
    ("CAST(", "1", " AS INT64)"),
    ("x.", "x", ""),
    ("x", "", "[0]"),
)
_WRAPPED = (
    ("SELECT 1 UNION ALL ", "SELECT 1", ""),
    ("SELECT * FROM (", "SELECT 1", ")"),
    ("WITH t AS (", "SELECT 1", ") SELECT 1"),
    ("SELECT * FROM Singers ", "", "JOIN Albums USING (SingerId) "),
    ("SELECT 1", "", " -- x\n"),
    ("SELECT CAST(NULL AS ", "INT64", ")"),
    ("SELECT ARRAY<", "INT64", ">[]"),
)


def random_sql(random: Random) -> str:
    """Return a query or a DML statement, rarely a valid one."""
    kind = random.random()
    if kind < 0.35:
        return _in_context(random, random_call(random))
    if kind < 0.45:
        return _in_context(random, _call(random))
    if kind < 0.5:
        return _nested(random)
    return mutated(random, STATEMENTS)


def _in_context(random: Random, expression: str) -> str:
    context = random.choice(_CONTEXTS).replace("{0}", "{}")
    return context.replace("{}", expression)


def random_ddl(random: Random) -> str:
    """Return a DDL statement, rarely a valid one."""
    return mutated(random, DDL)


def _call(random: Random, depth: int = 0) -> str:
    name = random.choice(FUNCTIONS)
    count = random.choice((0, 1, 1, 2, 2, 3, 3, 4, 6))
    arguments = [
        _call(random, depth + 1)
        if depth < 2 and random.random() < 0.15
        else random.choice((*LITERALS, "SingerId", "Title", "Tags", "Info"))
        for _ in range(count)
    ]
    prefix = random.choice(("", "", "", "DISTINCT ", "SAFE."))
    if prefix == "SAFE.":
        return f"SAFE.{name}({', '.join(arguments)})"
    return f"{name}({prefix}{', '.join(arguments)})"


def _nested(random: Random) -> str:
    depth = random.choice(_NESTING)
    if random.random() < 0.7:
        before, core, after = random.choice(_NESTED)
        return (
            random.choice(_CONTEXTS)
            .replace("{0}", "{}")
            .replace("{}", before * depth + core + after * depth, 1)
            .replace("{}", "1")
        )
    before, core, after = random.choice(_WRAPPED)
    depth = min(depth, 2_000)
    return before * depth + core + after * depth


def mutated(random: Random, corpus: Sequence[str]) -> str:
    """Return a statement of a corpus with some of its tokens changed."""
    tokens = _TOKEN.findall(random.choice(corpus))
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        random.choice(_EDITS)(random, tokens, corpus)
    return "".join(tokens)


def _place(random: Random, tokens: list[str]) -> int:
    return random.randrange(len(tokens) + 1)


def _delete(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    start = _place(random, tokens)
    del tokens[start : start + random.choice((1, 1, 2, 5))]


def _insert_word(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    tokens.insert(_place(random, tokens), f" {random.choice(WORDS)} ")


def _insert_literal(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    tokens.insert(_place(random, tokens), f" {random.choice(LITERALS)} ")


def _insert_garbage(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    tokens.insert(_place(random, tokens), random.choice(STRINGS))


def _replace_number(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    numbers = [place for place, token in enumerate(tokens) if token[:1].isdigit()]
    if numbers:
        tokens[random.choice(numbers)] = random.choice(LITERALS)


def _replace_word(random: Random, tokens: list[str], corpus: Sequence[str]) -> None:
    words = [place for place, token in enumerate(tokens) if token[:1].isalpha()]
    others = [token for token in _TOKEN.findall(random.choice(corpus)) if token.strip()]
    if words and others:
        tokens[random.choice(words)] = random.choice((random.choice(others), _call(random)))


def _repeat(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    start = _place(random, tokens)
    part = tokens[start : start + random.choice((1, 3, 8))]
    tokens[start:start] = part * random.choice((1, 2, 50))


def _swap(random: Random, tokens: list[str], _corpus: Sequence[str]) -> None:
    if len(tokens) > 1:
        one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]


def _splice(random: Random, tokens: list[str], corpus: Sequence[str]) -> None:
    other = _TOKEN.findall(random.choice(corpus))
    tokens[_place(random, tokens) :] = other[random.randrange(len(other)) :]


_EDITS: tuple[Callable[[Random, list[str], Sequence[str]], None], ...] = (
    _delete,
    _delete,
    _insert_word,
    _insert_word,
    _insert_literal,
    _insert_garbage,
    _replace_number,
    _replace_word,
    _replace_word,
    _repeat,
    _swap,
    _splice,
)
