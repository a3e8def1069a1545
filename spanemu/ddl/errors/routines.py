"""Functions of users, and models."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class FunctionInvalid(SpannerError):
    """A function whose definition means nothing, or nothing that a function may be."""

    code = Code.INVALID_ARGUMENT
    prose = "Error analyzing the definition of function `{function}`: {reason}"
    function: str
    reason: str


class FunctionReplacementInvalid(SpannerError):
    """The definition that is to replace a function's does not do."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot replace FUNCTION `{function}` because new definition is invalid with the following "
        "diagnostic message: {reason}"
    )
    function: str
    reason: str


class FunctionDefinerRights(SpannerError):
    """SQL SECURITY DEFINER, which functions do not have."""

    code = Code.INVALID_ARGUMENT
    prose = "Function `{function}` uses unsupported SQL SECURITY DEFINER clause."
    function: str


class FunctionNamedAsBuiltin(SpannerError):
    """A function takes the name of a built-in one."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot create a function with the same name as builtin function `{function}`."
    function: str


class FunctionTypeMismatch(SpannerError):
    """The body of a function gives another type than it says."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Function `{function}` has type mismatch. User provided type: `{declared}`. Actual type: "
        "`{actual}`."
    )
    function: str
    declared: str
    actual: str


class ModelInvalid(SpannerError):
    """A model that lacks what models must have, or has too much."""

    code = Code.FAILED_PRECONDITION
    prose = "Model {model} is invalid: {reason}."
    model: str
    reason: str


class ModelColumnInvalid(SpannerError):
    """A column that a model cannot have."""

    code = Code.FAILED_PRECONDITION
    prose = "Column {column} of Model {model} is invalid: {reason}."
    model: str
    column: str
    reason: str


class FunctionInUse(SpannerError):
    """Something calls the function that is to go."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot drop FUNCTION `{function}` on which there is a dependent {user}."
    function: str
    user: str
