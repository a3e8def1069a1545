"""Which rules the settings ask for, and whether they ask for weak cases too.

Without `select` the default rules run. A rule is off by default when it is a matter of taste
(`Rule.opt_in`); a hit is left out when its evidence is weak (`Hit.opt_in`). Both are reported when
`select` names the rule: by its id, by the beginning of its id, or with "all".
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.lint.rule_names import ALL, DEFAULT, check_decidable, check_rule_name, is_named
from spanemu.lint.settings import Settings

_WORDS = (ALL, DEFAULT)


def check_rule_names(settings: Settings) -> None:
    """Raise UnknownRule or UndecidedRule for the names in the settings."""
    of_tables = (name for each in settings.tables.values() for name in each.ignore)
    for name in (*settings.ignore, *of_tables):
        check_rule_name(name)
    for name in settings.select:
        check_decidable(name)


def is_selected(id_: str, settings: Settings) -> bool:
    """Return whether the settings ask for a rule.

    The longest matching name decides between select and ignore; the words "all" and "default" are
    shorter than any id.
    """
    selected = _specificity(id_, settings.select or (DEFAULT,))
    ignored = _specificity(id_, settings.ignore)
    return selected is not None and (ignored is None or selected > ignored)


def selects_weak_cases(id_: str, settings: Settings) -> bool:
    """Return whether `select` names a rule otherwise than as one of the default rules."""
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
