"""Functions to register whose answers follow from the input alone.

    embeddings(dimensions=768)      unit vectors; texts that share words are near to each other
    choices("yes", "no")            one of some answers, by the input
    choices({"refund": "billing"}, default="other")      the answer of a word in the input
    echo()                          the inputs as outputs

Each can be registered for models in both dialects, and for AI and remote functions whose results
have a suitable type.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any

from spanemu.models.request import ModelCall
from spanemu.values.types import Type, TypeCode

Rows = Sequence[Mapping[str, Any]]
RowsFunction = Callable[[Rows, ModelCall], list[Any]]

DIMENSIONS_MAX = 8_192
_PARAMETER = "outputDimensionality"
_WORD = re.compile(r"\w+")
_SIGNS_PER_WORD = 8  # the coordinates that a word changes


def embeddings(dimensions: int = 768) -> RowsFunction:
    """Return a function that answers with unit vectors.

    The vector of a text is a sum over its words, so that texts with equal words are near. The
    parameter `outputDimensionality` of a call overrides `dimensions`.
    """
    if not 1 <= dimensions <= DIMENSIONS_MAX:
        raise ValueError(f"dimensions={dimensions} is not from 1 to {DIMENSIONS_MAX}")

    def embed(rows: Rows, call: ModelCall) -> list[Any]:
        length = call.parameters.get(_PARAMETER, dimensions)
        if not isinstance(length, int) or not 1 <= length <= DIMENSIONS_MAX:
            raise ValueError(f"{_PARAMETER}={length!r} is not from 1 to {DIMENSIONS_MAX}")
        return [_embedded(_text_of(row), length, call) for row in rows]

    return embed


def _embedded(text: str, length: int, call: ModelCall) -> dict[str, Any]:
    vector = unit_vector(text, length)
    words = len(_WORD.findall(text))
    if not call.outputs:  # PostgreSQL: the answer of Google's models for embeddings
        statistics = {"truncated": False, "token_count": words}
        return {"embeddings": {"values": vector, "statistics": statistics}}
    return {name: _filled(type_, vector, words) for name, type_ in call.outputs.items()}


def _filled(type_: Type, vector: list[float], words: int) -> Any:
    """Return a value of a type with the vector where it has an array of floats."""
    if type_.element is not None:
        return vector if type_.element.is_float else None
    if type_.is_struct:
        return {field.name: _filled(field.type, vector, words) for field in type_.fields}
    if type_.is_number:
        return words
    return False if type_.code is TypeCode.BOOL else None


def unit_vector(text: str, dimensions: int) -> list[float]:
    """Return a vector of length 1 for a text; texts without words have a fixed vector."""
    vector = [0.0] * dimensions
    for word in _WORD.findall(text.lower()) or [""]:
        digest = hashlib.blake2b(word.encode(), digest_size=4 * _SIGNS_PER_WORD).digest()
        for start in range(0, len(digest), 4):
            number = int.from_bytes(digest[start : start + 4], "big")
            vector[(number >> 1) % dimensions] += 1.0 if number & 1 else -1.0
    length = sqrt(sum([each * each for each in vector]))
    if not length:  # The words cancel each other out.
        return [1.0, *vector[1:]]
    return [each / length for each in vector]


def _text_of(row: Any) -> str:
    """Return the text of a row: its `content` or `prompt`, or else all texts of it."""
    if not isinstance(row, Mapping):
        return str(row)
    known = {str(name).lower(): value for name, value in row.items()}
    for name in ("content", "prompt"):
        if isinstance(known.get(name), str):
            return str(known[name])
    return " ".join([value for value in row.values() if isinstance(value, str)])


def choices(*answers: Any, default: Any = None) -> RowsFunction:
    """Return a function that chooses an answer by the input.

    The answers are listed, or a dict by the word or the part of a text that decides. Without
    answers, AI.CLASSIFY gets one of its categories, AI.IF TRUE or FALSE, and AI.SCORE 0 to 9.
    """
    if len(answers) == 1 and isinstance(answers[0], Mapping):
        by_word = {str(word).lower(): answer for word, answer in answers[0].items()}

        def decide(rows: Rows, call: ModelCall) -> list[Any]:
            return [_as_output(_decided(_text_of(row), by_word, default), call) for row in rows]

        return decide

    def choose(rows: Rows, call: ModelCall) -> list[Any]:
        return [_as_output(_chosen(row, answers, call), call) for row in rows]

    return choose


def _decided(text: str, by_word: Mapping[str, Any], default: Any) -> Any:
    lowered = text.lower()
    return next((answer for word, answer in by_word.items() if word in lowered), default)


def _chosen(row: Mapping[str, Any], answers: Sequence[Any], call: ModelCall) -> Any:
    text = _text_of(row)
    options = answers or row.get("categories") or _OPTIONS.get(call.function, ())
    if not options:
        raise ValueError(f"choices() needs answers for {call.model}")
    mentioned = [each for each in options if isinstance(each, str) and each.lower() in text.lower()]
    if mentioned:
        return mentioned[0]
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    return options[number % len(options)]


_OPTIONS: Mapping[str, Sequence[Any]] = {
    "AI.IF": (False, True),
    "AI.SCORE": tuple([float(number) for number in range(10)]),
}


def _as_output(answer: Any, call: ModelCall) -> Any:
    """Return an answer as the value of the first output, if a model has several."""
    if call.function != "ML.PREDICT" or isinstance(answer, Mapping):
        return answer
    return {name: answer if place == 0 else None for place, name in enumerate(call.outputs)}


def echo() -> RowsFunction:
    """Return a function that answers with the inputs.

    An output gets the input of its name, or else the first input of its type.
    """

    def answer(rows: Rows, call: ModelCall) -> list[Any]:
        if not call.outputs:
            return [dict(row) for row in rows]
        if call.function != "ML.PREDICT":
            (type_,) = call.outputs.values()
            return [_same(row, "", type_, call) for row in rows]
        return [
            {name: _same(row, name, type_, call) for name, type_ in call.outputs.items()}
            for row in rows
        ]

    return answer


def _same(row: Mapping[str, Any], name: str, type_: Type, call: ModelCall) -> Any:
    known = {each.lower(): each for each in row}
    if name.lower() in known:
        return row[known[name.lower()]]
    return next((row[each] for each, given in call.inputs.items() if given == type_), None)
