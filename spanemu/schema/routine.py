"""Functions of users, and models: what a query calls by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; `default` is SQL text."""

    name: str
    type: Type
    default: str | None = None


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function as declared: a SQL expression over its parameters, or a remote endpoint."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type | None
    body: str | None = None
    invoker_rights: bool = False  # whether SQL SECURITY INVOKER was written
    determinism: str | None = None
    language: str | None = None
    remote: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """A column that a model takes or gives."""

    name: str
    type: Type
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Model:
    """A machine-learning model at an endpoint. Columns that were not written are None."""

    name: str
    inputs: tuple[ModelColumn, ...] | None = None
    outputs: tuple[ModelColumn, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
