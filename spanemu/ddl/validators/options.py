"""Options of objects as data: which there are, and what their values may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.ddl.errors.options import BadObjectOption, UnknownObjectOption
from spanemu.ddl.validators.database_options import retention_nanos
from spanemu.sql.syntax import ddl_ast
from spanemu.sql.syntax.ddl_ast import OptionValue


@dataclass(frozen=True, slots=True)
class Rule:
    """What values other than NULL an option takes, and the words for it."""

    accepts: Callable[[OptionValue], bool]
    supported: str


Rules = Mapping[str, Rule]


def is_text(value: OptionValue) -> bool:
    """A string that is not empty."""
    return isinstance(value, str) and value != ""


def is_bool(value: OptionValue) -> bool:
    """TRUE or FALSE."""
    return isinstance(value, bool)


def is_period(least: str, most: str) -> Callable[[OptionValue], bool]:
    """A duration such as '36h' between two others."""
    low, high = retention_nanos(least), retention_nanos(most)
    assert low is not None
    assert high is not None

    def accepts(value: OptionValue) -> bool:
        nanos = retention_nanos(value)
        return nanos is not None and low <= nanos <= high

    return accepts


TRUE_OR_FALSE = Rule(is_bool, "true or false")


def words(*allowed: str) -> Rule:
    """One of some words."""
    return Rule(lambda value: value in allowed, " or ".join(f"'{word}'" for word in allowed))


def whole(least: int, most: int) -> Rule:
    """An integer of a range."""
    return Rule(
        lambda value: type(value) is int and least <= value <= most,
        f"a whole number from {least} to {most}",
    )


def changed_options(
    place: tuple[str, str],
    written: ddl_ast.Options | None,
    rules: Rules,
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Options after those written; NULL takes one away. `place` is a kind and a name.

    Raises UnknownObjectOption or BadObjectOption.
    """
    options = dict(before or {})
    for name, value in ddl_ast.options_by_name(written).items():
        rule = rules.get(name)
        if rule is None:
            raise UnknownObjectOption(*place, name, ", ".join(sorted(rules)))
        if value is None:
            options.pop(name, None)
        elif rule.accepts(value):
            options[name] = value
        else:
            raise BadObjectOption(*place, name, str(value), rule.supported)
    return options
