"""Rule names, and the rules and weak hits that the settings select.

A rule name is an id (SPN102), a prefix of ids (SPN1: all key rules), "all" or "default". Without
`select`, the default rules run. A rule of style is off by default (`Rule.opt_in`), and a hit with
weak evidence is not reported (`Hit.opt_in`). Both are reported when `select` names the rule by its
id, by a prefix of its id, or with "all".
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.errors import Code, SpannerError
from spanemu.base.suggestions import did_you_mean
from spanemu.lint.rules import RULES
from spanemu.lint.settings import Settings

ALL = "ALL"  # every rule, including opt-in rules
DEFAULT = "DEFAULT"  # the rules that run when nothing is selected


class UnknownRule(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "There is no rule {name!r}.{hint}"
    name: str
    hint: str


class UndecidedRule(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The linter cannot check {name!r}: only the hotspot report of a run does."
    name: str


def unknown_rule(name: str) -> UnknownRule:
    """Return the error for an unknown rule name, with a suggestion if a single id is close."""
    hint = did_you_mean(name.strip(), RULES)
    return UnknownRule(name, hint or " `spanemu lint --list-rules` lists all rules.")


def is_named(id_: str, name: str) -> bool:
    """Return whether `name` includes the rule `id_`."""
    prefix = name.strip().upper()
    if prefix == DEFAULT:
        return not RULES[id_].opt_in
    return prefix == ALL or (bool(prefix) and id_.startswith(prefix))


def check_rule_name(name: str) -> None:
    """Raise UnknownRule unless `name` includes at least one rule."""
    if not any(is_named(id_, name) for id_ in RULES):
        raise unknown_rule(name)


def check_decidable(name: str) -> None:
    """Raise UnknownRule for an unknown name, UndecidedRule if the linter checks no rule of it."""
    check_rule_name(name)
    if not any(rule.check and is_named(id_, name) for id_, rule in RULES.items()):
        raise UndecidedRule(name)


_WORDS = (ALL, DEFAULT)


def check_rule_names(settings: Settings) -> None:
    """Raise UnknownRule or UndecidedRule for the names in the settings."""
    of_tables = (name for table in settings.tables.values() for name in table.ignore)
    for name in (*settings.ignore, *of_tables):
        check_rule_name(name)
    for name in settings.select:
        check_decidable(name)


def is_selected(id_: str, settings: Settings) -> bool:
    """Return whether the settings select a rule.

    The longest matching name decides between select and ignore; the words "all" and "default" are
    shorter than any id.
    """
    selected = _specificity(id_, settings.select or (DEFAULT,))
    ignored = _specificity(id_, settings.ignore)
    return selected is not None and (ignored is None or selected > ignored)


def selects_weak_cases(id_: str, settings: Settings) -> bool:
    """Return whether `select` names a rule by other means than "default"."""
    named = (name for name in settings.select if name.strip().upper() != DEFAULT)
    return _specificity(id_, named) is not None


def _specificity(id_: str, names: Iterable[str]) -> int | None:
    """Return the length of the longest name that matches, 0 for a word, None without a match."""
    lengths = [
        0 if name.strip().upper() in _WORDS else len(name.strip())
        for name in names
        if is_named(id_, name)
    ]
    return max(lengths, default=None)
