"""From the settings of one database to those of another: options, statistics, the proto bundle.

Types of protocol buffers come before the columns that have them, and go after those. What came with
the statements, the descriptors, has to come with these as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spanemu.base.reserved import quoted, quoted_path
from spanemu.schema.column_text import option_value
from spanemu.schema.ddl_text import shown_options
from spanemu.schema.object_text import proto_bundle_text, statistics_text
from spanemu.schema.schema import Schema

_STAYS = "default_sequence_kind"  # can be changed, and not be taken back


def options_changed(before: Schema, after: Schema, database: str) -> Iterator[str]:
    """ALTER DATABASE for each option; one that is not there any more becomes NULL."""
    mine, theirs = dict(shown_options(before)), dict(shown_options(after))
    for name in sorted(mine.keys() | theirs.keys()):
        value = theirs.get(name)
        if mine.get(name) != value and not (value is None and name == _STAYS):
            yield f"ALTER DATABASE {quoted(database)} SET OPTIONS ({name} = {option_value(value)})"


def statistics_changed(before: Schema, after: Schema) -> Iterator[str]:
    """ALTER STATISTICS; packages that nobody spoke of may be collected."""
    mine, theirs = before.statistics, after.statistics
    for package in sorted(mine.keys() | theirs.keys()):
        if mine.get(package, True) is not theirs.get(package, True):
            yield statistics_text(package, theirs.get(package, True))


def bundle_grown(before: Schema, after: Schema) -> Iterator[str]:
    """The types that are new, or described anew."""
    mine, theirs = before.proto_bundle, after.proto_bundle
    if theirs is None or mine == theirs:
        return
    if mine is None:
        yield proto_bundle_text(theirs)
        return
    clauses = [_clause("INSERT", theirs.names - mine.names)]
    if mine.descriptors != theirs.descriptors:
        clauses.append(_clause("UPDATE", theirs.names & mine.names))
    if any(clauses):
        yield f"ALTER PROTO BUNDLE{''.join(clauses)}"


def bundle_shrunk(before: Schema, after: Schema) -> Iterator[str]:
    """The types that nobody needs any more."""
    mine, theirs = before.proto_bundle, after.proto_bundle
    if mine is None:
        return
    if theirs is None:
        yield "DROP PROTO BUNDLE"
    elif gone := mine.names - theirs.names:
        yield f"ALTER PROTO BUNDLE{_clause('DELETE', gone)}"


def _clause(verb: str, names: Iterable[str]) -> str:
    listed = ", ".join(quoted_path(name) for name in sorted(names))
    return f" {verb} ({listed})" if listed else ""
