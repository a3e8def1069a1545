"""Calls that leave the engine: of models, of AI functions and of remote functions.

The analyzer describes what a statement calls (`Target`). The planner gathers the calls of each row
in a plan node, and the executor passes rows in batches to the statement's `RemoteCalls`, which the
database provides. `models` answers them, with the functions that a test has registered.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol

from spanemu.base.record import NamedTuple, Record, record
from spanemu.values.types import Type

Row = tuple[Any, ...]


class TargetKind(StrEnum):
    """The kind of a target; the values are the words by which plans show a call."""

    MODEL = "ML.PREDICT"
    MODEL_ROW = "spanner.ml_predict_row"
    AI_FUNCTION = "AI function"
    REMOTE_FUNCTION = "remote function"


@record
class TargetColumn(Record):
    """An input or an output of a target: a column of a model, or a parameter of a function."""

    name: str
    type: Type
    required: bool = True


@record
class Target(Record):
    """The target of a call: a model with the inputs that a statement gives it, or a function.

    `name` is the name of the model or of the function as declared. `endpoints` are tried in order.
    `batch_rows` is the number of rows in a request unless a hint says otherwise.
    """

    kind: TargetKind
    name: str
    inputs: tuple[TargetColumn, ...]
    outputs: tuple[TargetColumn, ...]
    endpoints: tuple[str, ...] = ()
    batch_rows: int = 10


class CallOptions(NamedTuple):
    """The options of a call, which are those of all rows of an execution.

    `parameters` is a STRUCT of the type `parameters_type`, or None. With `safe`, the outputs of a
    row that fails are NULL.
    """

    batch_rows: int
    safe: bool = False
    parameters: Any = None
    parameters_type: Type | None = None


class RemoteCalls(Protocol):
    """The calls of one statement. `waited` are the seconds that it has waited for functions."""

    waited: float

    def answer(self, target: Target, rows: Sequence[Row], options: CallOptions) -> Sequence[Row]:
        """Return the outputs of the target for each row of its inputs.

        The rows are sent in requests of at most `options.batch_rows`. Raises the error of the
        first request that fails.
        """
        ...


# Hints, in lower case.
BATCH_ROWS_HINT = "remote_udf_max_rows_per_rpc"
OUTSTANDING_HINT = "remote_udf_max_outstanding_rpcs"
