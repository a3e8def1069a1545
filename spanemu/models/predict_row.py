"""The arguments of PostgreSQL's `spanner.ml_predict_row(model_endpoint, args)`.

    model_endpoint    a text, or {"endpoint": text} or {"endpoints": [text, ...]}, the latter two
                      with "default_batch_size" if need be
    args              {"instances": [...], "parameters": {...}}

The result is {"predictions": [...]}, with a prediction for each instance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.models.errors import BadRowArgument
from spanemu.models.values import plain_jsonb

BATCH_SIZE_MAX = 10

_ENDPOINT, _ARGS = "model_endpoint", "args"


class RowCall(NamedTuple):
    """The call for one row: the model's endpoints, its instances and parameters.

    `batch_rows` is 0 without a `default_batch_size`.
    """

    endpoints: tuple[str, ...]
    instances: Sequence[Any]
    parameters: Mapping[str, Any]
    batch_rows: int = 0


def read_call(endpoint: Any, args: Any) -> RowCall:
    """Return the call that two arguments describe. Raises BadRowArgument."""
    if endpoint is None:
        raise BadRowArgument(_ENDPOINT, "cannot be NULL")
    endpoints, batch_rows = _endpoints(endpoint)
    if args is None:
        raise BadRowArgument(_ARGS, "cannot be NULL")
    members = _members(_ARGS, args, {"instances", "parameters"})
    instances, parameters = members.get("instances", []), members.get("parameters")
    if not isinstance(instances, list) or not all(isinstance(each, dict) for each in instances):
        raise _wrong_type(_ARGS, "instances", "array of objects")
    if not instances:
        raise _refused(_ARGS, "must contain `instances`")
    if parameters is not None and not isinstance(parameters, dict):
        raise _wrong_type(_ARGS, "parameters", "object")
    return RowCall(endpoints, instances, parameters or {}, batch_rows)


def _endpoints(argument: Any) -> tuple[tuple[str, ...], int]:
    if isinstance(argument, str):
        if not argument:
            raise _refused(_ENDPOINT, "must name an endpoint")
        return (argument,), 0
    members = _members(_ENDPOINT, argument, {"endpoint", "endpoints", "default_batch_size"})
    single, several = members.get("endpoint", ""), members.get("endpoints", [])
    if not isinstance(single, str):
        raise _wrong_type(_ENDPOINT, "endpoint", "string")
    if not _is_texts(several):
        raise _wrong_type(_ENDPOINT, "endpoints", "array of strings")
    if single and several:
        raise _refused(_ENDPOINT, "cannot specify both `endpoint` and `endpoints`")
    if not single and not several:
        raise _refused(_ENDPOINT, "must specify either `endpoint` or `endpoints`")
    return (single,) if single else tuple(several), _batch_rows(members)


def _batch_rows(members: Mapping[str, Any]) -> int:
    if "default_batch_size" not in members:
        return 0
    size = members["default_batch_size"]
    if not isinstance(size, int) or isinstance(size, bool):
        raise _wrong_type(_ENDPOINT, "default_batch_size", "integer")
    if not 1 <= size <= BATCH_SIZE_MAX:
        problem = (
            f"contains `default_batch_size` with value of {size} outside of allowed range "
            f"[1, {BATCH_SIZE_MAX}]"
        )
        raise _refused(_ENDPOINT, problem)
    return size


def _refused(argument: str, problem: str) -> BadRowArgument:
    return BadRowArgument(argument, f"function {problem}")


def _wrong_type(argument: str, key: str, expected: str) -> BadRowArgument:
    problem = f"expects key `{key}` to contain value of type `{expected}`"
    return _refused(argument, problem)


def _members(argument: str, document: Any, known: set[str]) -> Mapping[str, Any]:
    """Return the members of an object with plain values. Raises BadRowArgument."""
    if not isinstance(document.value, dict):
        raise _refused(argument, "must be a JSON object")
    members: dict[str, Any] = {}
    for key, value in document.value.items():
        if key.lower() not in known:
            raise _refused(argument, f"does not support key: `{key}`")
        members[key.lower()] = plain_jsonb(value)
    return members


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
