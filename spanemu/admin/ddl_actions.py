"""The action of a schema statement in a few words, for the metadata of its operation.

Only the opening words are read, because the statement was parsed and validated before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred

if TYPE_CHECKING:
    from spanemu.ddl.kinds import table as kinds
else:
    kinds = deferred("spanemu.ddl.kinds.table")

_TOKEN = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*"
    r"((?:`[^`]*`|\w+)(?:\.(?:`[^`]*`|\w+))*)"
)
_TOKENS_MAX = 10  # Every statement names its object within these words.

_BEFORE_KIND = frozenset({"OR", "REPLACE", "UNIQUE", "NULL_FILTERED"})
_BEFORE_NAME = frozenset({"IF", "NOT", "EXISTS"})
_OTHER_KINDS = frozenset({"DATABASE", "INDEX", "PROTO BUNDLE", "SCHEMA", "STATISTICS", "TABLE"})


@dataclass(frozen=True, slots=True)
class DdlAction:
    """An action and its object; for `CREATE TABLE Singers (...)`: CREATE, TABLE, (Singers,)."""

    action: str
    entity_type: str = ""
    entity_names: tuple[str, ...] = ()


def ddl_action(statement: str) -> DdlAction:
    """Return the action of a well-formed statement.

    >>> ddl_action("create unique index if not exists `ByName` on Singers(Name)")
    DdlAction(action='CREATE', entity_type='INDEX', entity_names=('ByName',))
    """
    words = _opening_words(statement)
    action, *rest = words or [""]
    rest = _without(_BEFORE_KIND, rest)
    width = next((n for n in (1, 2) if _is_kind(" ".join(rest[:n]).upper())), 0)
    kind = " ".join(rest[:width]).upper()
    names = _without(_BEFORE_NAME, rest[width:])[:1] if kind else []
    return DdlAction(action.upper(), kind, tuple(name.replace("`", "") for name in names))


def _is_kind(words: str) -> bool:
    return words in _OTHER_KINDS or words in kinds.kind_words()


def _without(noise: frozenset[str], words: list[str]) -> list[str]:
    return list(dropwhile(lambda word: word.upper() in noise, words))


def _opening_words(statement: str) -> list[str]:
    words: list[str] = []
    position = 0
    while len(words) < _TOKENS_MAX and (match := _TOKEN.match(statement, position)):
        words.append(match[1])
        position = match.end()
    return words
