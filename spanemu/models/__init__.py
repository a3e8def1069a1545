"""Answers to calls of models, AI functions and remote functions: functions that tests register.

    from spanemu import models

    emulator.models.register("Embedder", models.embeddings(dimensions=768))

In reading order: `registry` (what is registered, and what was called), `statement` (the calls of
one statement), `request` (one request, as functions see it), `values` and `answers` (between SQL
and Python), `pool` (the threads on which functions run), `default_answer` (the answer of a model
without a function), `predict_row` (the arguments of PostgreSQL's function), `answerers` and
`http_answers` (answers of functions, of data and of URLs), `recorded`, `errors`.

`embeddings`, `choices` and `echo` make functions whose answers follow from the input alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanemu.base.deferred import lazy_names

if TYPE_CHECKING:
    from spanemu.models.helpers import choices, echo, embeddings
    from spanemu.models.request import ModelCall

__all__ = ["ModelCall", "choices", "echo", "embeddings"]

_HELPERS = "spanemu.models.helpers"

__getattr__ = lazy_names(
    __name__,
    {
        "ModelCall": "spanemu.models.request",
        "choices": _HELPERS,
        "echo": _HELPERS,
        "embeddings": _HELPERS,
    },
)
