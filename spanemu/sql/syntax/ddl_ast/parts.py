"""The bottom of every DDL tree: the statement base, options, key parts, SQL kept as text."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from spanemu.base.record import record
from spanemu.sql.syntax.ast import Expression, Identifier, Node, Path, Query

OptionValue = str | int | float | bool | tuple["OptionValue", ...] | None


@record
class DdlStatement(Node):
    """A whole DDL statement."""


@record
class Drop(DdlStatement):
    """DROP kind [IF EXISTS] name; subclasses say the kind."""

    name: Path
    if_exists: bool = False


@record
class SqlExpression(Node):
    """An expression inside DDL: `text` is what stands between the parentheses, trimmed."""

    text: str
    tree: Expression


@record
class SqlQuery(Node):
    """The body of a view: `text` is the query as written, trimmed, without a closing `;`."""

    text: str
    tree: Query


@record
class Option(Node):
    """`name = value` in OPTIONS (...). NULL is None, a list is a tuple."""

    name: str
    value: OptionValue


Options = tuple[Option, ...]


def options_by_name(options: Options | None) -> Mapping[str, OptionValue]:
    """Options as a mapping; the last of two with one name wins."""
    return {option.name: option.value for option in options or ()}


@record
class KeyPart(Node):
    """`column [ASC | DESC] [NULLS FIRST | NULLS LAST]`; `order` is None when not written."""

    column: Identifier
    order: str | None = None
    nulls: str | None = None

    @property
    def descending(self) -> bool:
        return self.order == "DESC"


@record
class SequenceClauses(Node):
    """Clauses of a sequence or an identity column, each at most once.

    `counter` is the number of START COUNTER WITH in a CREATE and of RESTART COUNTER WITH in an
    ALTER.
    """

    bit_reversed_positive: bool = False
    skip_range: tuple[int, int] | None = None
    no_skip_range: bool = False
    counter: int | None = None

    @property
    def is_empty(self) -> bool:
        """No clause was written."""
        return self == SequenceClauses()


class OnDelete(StrEnum):
    """What happens to a child row, or a referring row, when its parent goes."""

    CASCADE = "CASCADE"
    NO_ACTION = "NO ACTION"
