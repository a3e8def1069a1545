"""One request to a model or a function: the arguments of a registered function, and its answer.

def embed(rows, call):
    return [{"embeddings": {"values": vector(row["content"])}} for row in rows]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from spanemu.base.record import dataclass
from spanemu.models.answers import Columns, ToDicts, dict_maker
from spanemu.sql.remote_calls import Row, TargetKind
from spanemu.values.types import Type


@dataclass(frozen=True)
class ModelCall:
    """The model or function that is called, and how: the second argument of a registered function.

    function      "ML.PREDICT", "spanner.ml_predict_row", "AI.IF", or the name of a remote function
    model         the name of the model or of the function; the endpoint in PostgreSQL
    endpoint      the endpoint that is tried, "" if there is none
    parameters    the STRUCT of ML.PREDICT, or "parameters" of `ml_predict_row`
    dialect       "googlesql" or "postgresql"
    database      the full name of the database
    inputs        the types of the inputs by name; empty for `ml_predict_row`
    outputs       the types of the outputs by name; empty for `ml_predict_row`
    """

    function: str
    model: str
    endpoint: str
    parameters: Mapping[str, Any]
    dialect: str
    database: str
    inputs: Mapping[str, Type]
    outputs: Mapping[str, Type]


class Work(Protocol):
    """The work that a request belongs to, on a thread of the pool."""

    @property
    def is_abandoned(self) -> bool:
        """True once the statement has ended without waiting for the result."""
        ...

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline of the statement, None without one."""
        ...


class Request:
    """A request of some rows: the inputs as values, and as a function gets them.

    `inputs` are the columns of the rows; None if each row is an instance of `ml_predict_row`.
    `to_dicts` is their `dict_maker`, which a sender of many requests looks up once.
    `typed_parameters` are the STRUCT of ML.PREDICT and its type.
    """

    def __init__(
        self,
        kind: TargetKind,
        call: ModelCall,
        rows: Sequence[Row],
        inputs: Columns | None,
        work: Work,
    ) -> None:
        self.kind = kind
        self.call = call
        self.rows = rows
        self.inputs = inputs
        self.work = work
        self.to_dicts: ToDicts | None = None
        self.typed_parameters: tuple[Any, Type] | None = None

    @cached_property
    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dicts of Python objects by the names of the inputs."""
        to_dicts = self.to_dicts or dict_maker(self.inputs)
        return to_dicts(self.rows)


class Answerer(Protocol):
    """A source of answers to requests. `is_json` says whether answers came as JSON."""

    is_json: bool

    def answer(self, request: Request) -> Sequence[Any]:
        """Return an answer for each row; an exception among them is the failure of its row."""
        ...

    def __str__(self) -> str:
        """Return how messages name it."""
        ...
