"""Rules by name: an id (SPN102), the beginning of ids (SPN1: all about keys), "all", "default"."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.suggestions import did_you_mean
from spanemu.lint.rules import RULES

ALL = "ALL"  # every rule, matters of taste included
DEFAULT = "DEFAULT"  # the rules that run when nothing is selected


class UnknownRule(SpannerError):
    """A name that is neither the id of a rule nor the beginning of one."""

    code = Code.INVALID_ARGUMENT
    prose = "There is no rule {name!r}.{hint}"
    name: str
    hint: str


class UndecidedRule(SpannerError):
    """No text tells of such rules: they are about values, load or queries."""

    code = Code.INVALID_ARGUMENT
    prose = "The linter cannot decide {name!r}: the report on hotspots tells it from what was run."
    name: str


def unknown_rule(name: str) -> UnknownRule:
    """Return the error for a name that no rule has; it suggests a rule if only one is close."""
    hint = did_you_mean(name.strip(), RULES)
    return UnknownRule(name, hint or " `spanemu lint --list-rules` lists all.")


def is_named(id_: str, name: str) -> bool:
    """Return whether a name means a rule."""
    wanted = name.strip().upper()
    if wanted == DEFAULT:
        return not RULES[id_].opt_in
    return wanted == ALL or (bool(wanted) and id_.startswith(wanted))


def check_rule_name(name: str) -> None:
    """Raise UnknownRule unless `name` means some rule."""
    if not any(is_named(id_, name) for id_ in RULES):
        raise unknown_rule(name)


def check_decidable(name: str) -> None:
    """Raise UnknownRule, and UndecidedRule if no rule that is meant is one of the linter's."""
    check_rule_name(name)
    if not any(rule.check and is_named(id_, name) for id_, rule in RULES.items()):
        raise UndecidedRule(name)
