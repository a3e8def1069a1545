"""Functions whose answers follow from the input: embeddings, choices, echo."""

from __future__ import annotations

from math import isclose

import pytest

from spanemu.models import ModelCall, choices, echo, embeddings
from spanemu.values.types import BOOL, FLOAT64, STRING, Type, array_of, struct_of


def call_of(function: str = "ML.PREDICT", **outputs: Type) -> ModelCall:
    return ModelCall(function, "m", "", {}, "googlesql", "d", {"content": STRING}, outputs)


def vectors(*texts: str, dimensions: int = 64) -> list[list[float]]:
    rows = [{"content": text} for text in texts]
    answers = embeddings(dimensions)(rows, call_of(values=array_of(FLOAT64)))
    return [answer["values"] for answer in answers]


def dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_embeddings_are_unit_vectors_of_their_text():
    first, again, empty = vectors("a red lamp", "a red lamp", "")
    assert first == again
    assert all(isclose(dot(each, each), 1.0) for each in (first, empty))


def test_texts_that_share_words_are_near():
    lamp, lamps, desk = vectors("a red lamp", "the red lamp", "oak desk")
    assert dot(lamp, lamps) > dot(lamp, desk)


def test_an_embedding_fills_the_outputs_of_a_model():
    statistics = struct_of(("truncated", BOOL), ("token_count", FLOAT64))
    type_ = struct_of(("statistics", statistics), ("values", array_of(FLOAT64)))
    ((answer),) = embeddings(4)([{"content": "two words"}], call_of(embeddings=type_))
    assert answer["embeddings"]["statistics"] == {"truncated": False, "token_count": 2}
    assert len(answer["embeddings"]["values"]) == 4


def test_dimensions_have_bounds():
    with pytest.raises(ValueError, match="dimensions=0"):
        embeddings(0)


def test_choices_are_those_that_the_text_mentions():
    rows = [{"prompt": "a refund", "categories": ["billing", "refund"]}]
    assert choices()(rows, call_of("AI.CLASSIFY", result=STRING)) == ["refund"]
    decide = choices({"refund": "billing"}, default="other")
    call = call_of(content=STRING)
    assert decide([{"prompt": "a REFUND"}, {"prompt": "hello"}], call) == [
        {"content": "billing"},
        {"content": "other"},
    ]


def test_choices_without_a_hint_follow_the_text():
    rows = [{"prompt": str(number)} for number in range(20)]
    answers = choices()(rows, call_of("AI.IF", result=BOOL))
    assert set(answers) == {True, False}
    assert answers == choices()(rows, call_of("AI.IF", result=BOOL))


def test_echo_answers_with_the_input():
    assert echo()([{"content": "x"}], call_of(Content=STRING)) == [{"Content": "x"}]
    assert echo()([{"content": "x"}], call_of("f", result=STRING)) == ["x"]
