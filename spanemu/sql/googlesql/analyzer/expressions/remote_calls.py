"""Calls of AI functions and of remote functions of users: what their signatures do not say."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.objects import UserFunction
from spanemu.sql.functions.remote_calls import remote_signature
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import BadCall
from spanemu.sql.remote_calls import Target, TargetColumn, TargetKind
from spanemu.sql.resolved import Expr, FunctionCall, Literal, MakeArray, MakeStruct
from spanemu.values.types import STRING

_BATCH_ROWS = 100  # of a function without the option max_batching_rows
_LABELS = "an array of string literals, or of structs of two string literals"


def check_ai_call(call: FunctionCall, node: ast.Call) -> None:
    """Raise BadCall for a prompt of other parts than texts, and for categories that vary."""
    name = call.signature.function
    prompt = call.arguments[0].type
    if any(field.type != STRING for field in prompt.fields):
        problem = f"The parts of the prompt of {name} must be of type STRING, not {prompt}"
        raise BadCall(problem, at=node.arguments[0].at)
    if len(call.arguments) > 1 and not _are_labels(call.arguments[1]):
        written = node.arguments[1] if len(node.arguments) > 1 else node
        raise BadCall(f"The categories of {name} must be {_LABELS}", at=written.at)


def _are_labels(categories: Expr) -> bool:
    if isinstance(categories, Literal):
        return bool(categories.value) and categories.type.item() == STRING
    return (
        isinstance(categories, MakeArray)
        and bool(categories.items)
        and all(map(_is_label, categories.items))
    )


def _is_label(item: Expr) -> bool:
    if isinstance(item, MakeStruct):
        return len(item.items) == 2 and all(map(_is_text, item.items))
    return _is_text(item)


def _is_text(item: Expr) -> bool:
    return isinstance(item, Literal) and item.type == STRING and item.value is not None


def remote_function_call(
    function: UserFunction, arguments: Sequence[Expr], analysis: Analysis, at: int
) -> FunctionCall:
    """Return the call of a remote function with converted arguments."""
    assert function.returns is not None
    endpoint = function.options.get("endpoint")
    target = Target(
        TargetKind.REMOTE_FUNCTION,
        function.name,
        tuple([TargetColumn(each.name, each.type) for each in function.parameters]),
        (TargetColumn("result", function.returns, required=False),),
        () if endpoint is None else (endpoint,),
        function.options.get("max_batching_rows", _BATCH_ROWS),
    )
    analysis.traits.volatile = True
    analysis.traits.remote_calls.add(function.name)
    analysis.traits.tables.add(function.name)
    return FunctionCall(function.returns, remote_signature(target), tuple(arguments), at=at)
