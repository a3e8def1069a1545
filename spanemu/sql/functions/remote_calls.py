"""AI functions, and functions of users that run outside of the database.

    AI.CLASSIFY(prompt, categories)    STRING    one of the categories
    AI.IF(prompt)                      BOOL
    AI.SCORE(prompt)                   FLOAT64

A prompt is a STRING, or a STRUCT of STRINGs whose text is joined. The planner makes such calls in
batches wherever it can (`planner.remote_calls`); the functions here make a call for one row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Context, Nulls, Overload, Signature
from spanemu.sql.remote_calls import CallOptions, Target, TargetColumn, TargetKind
from spanemu.values.types import BOOL, FLOAT64, STRING, Type, array_of


def one_row(target: Target) -> Callable[..., Any]:
    """Return the function of a context and the arguments of a row that calls a target."""

    def evaluate(context: Context, *arguments: Any) -> Any:
        options = CallOptions(target.batch_rows)
        ((result,),) = context.remote_calls.answer(target, [arguments], options)
        return result

    return evaluate


def remote_signature(target: Target) -> Signature:
    """Return the signature of calls of a remote function."""
    return Signature(
        target.name,
        tuple([parameter.type for parameter in target.inputs]),
        target.outputs[0].type,
        one_row(target),
        Nulls.CALLED,
        context=True,
        volatile=True,
        is_slow=True,
        target=target,
    )


_PROMPT = TargetColumn("prompt", STRING)
_CATEGORIES = TargetColumn("categories", array_of(STRING))


def _ai(name: str, result: Type, *texts: str) -> tuple[Overload, ...]:
    """Return the overloads of an AI function, one for each text."""
    inputs = (_PROMPT, _CATEGORIES) if name == "AI.CLASSIFY" else (_PROMPT,)
    output = TargetColumn("result", result)
    target = Target(TargetKind.AI_FUNCTION, name, inputs, (output,))
    evaluate = one_row(target)
    return tuple(
        [
            overload(text, evaluate, called=True, context=True, volatile=True, target=target)
            for text in texts
        ]
    )


CHAPTER = "machine learning"
FUNCTIONS = chapter(
    CHAPTER,
    {
        "AI.CLASSIFY": function(
            _ai(
                "AI.CLASSIFY",
                STRING,
                "(STRING, categories=>ARRAY<STRING>) -> STRING",
                "(STRING, categories=>ARRAY<T{STRUCT}>) -> STRING",
                "(T1{STRUCT}, categories=>ARRAY<STRING>) -> STRING",
                "(T1{STRUCT}, categories=>ARRAY<T{STRUCT}>) -> STRING",
            ),
            is_slow=True,
        ),
        "AI.IF": function(
            _ai("AI.IF", BOOL, "(STRING) -> BOOL", "(T{STRUCT}) -> BOOL"), is_slow=True
        ),
        "AI.SCORE": function(
            _ai("AI.SCORE", FLOAT64, "(STRING) -> FLOAT64", "(T{STRUCT}) -> FLOAT64"),
            is_slow=True,
        ),
    },
)
