"""SPN601 to SPN605: row deletion policies (TTL)."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_absent, like_expiry, like_log
from spanemu.lint.model import Index, Schema, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_index, each_table, hit_on
from spanemu.lint.rules.fixes import drop
from spanemu.lint.rules.interleaving import cascades, global_indexes, refers_once
from spanemu.lint.values import growing_part, large_column
from spanemu.sql.ddl_ast import OnDelete
from spanemu.sql.inspection import columns_read


def _deleted_with_parent(table: Table) -> bool:
    clause = table.interleave
    return bool(
        clause is not None
        and clause.on_delete is OnDelete.CASCADE
        and any(each.policies for each in table.ancestors)
    )


def _endless_log(table: Table) -> Iterator[Hit]:
    if not like_log(table.spelling) or table.policies or _deleted_with_parent(table):
        return
    times = [column.name for column in table.columns.values() if column.type == "TIMESTAMP"]
    if times:
        yield hit_on(table, times[0])


def _child_left_behind(schema: Schema) -> Iterator[Hit]:
    """Yield tables without a policy whose rows are deleted with those of a table that has one.

    A child that grows by time is certain to be large. A log, or rows of large values, probably are.
    Deleting an order with its few lines is a small commit.
    """
    for table in schema.tables.values():
        if table.policies:
            continue
        indexes = global_indexes(table)
        parent = next((above for above in _deleting_ancestors(table) if above.policies), None)
        if parent is not None and indexes:
            part, by_name = growing_part(table, table.own_key)
            weak = part is None and large_column(table) is None
            own = any(index.is_root for index in table.indexes)
            severity = INFO if weak or by_name or not own else None
            facts = {"parent": parent.name, "index": indexes[0][0]}
            yield hit_on(table, severity=severity, opt_in=weak, **facts)
        yield from _referring_left_behind(table)


def _deleting_ancestors(table: Table) -> Iterator[Table]:
    """Yield the ancestors whose rows are deleted together with the rows of a table below them."""
    below = table
    for ancestor in table.ancestors:
        if not cascades(below):
            return
        yield ancestor
        below = ancestor


def _referring_left_behind(table: Table) -> Iterator[Hit]:
    indexes = [index.name for index in table.indexes if index.is_root]
    for key, position in table.foreign_keys:
        target = table.schema.table(str(key.referenced_table))
        if target is None or not target.policies or key.on_delete is not OnDelete.CASCADE:
            continue
        part, by_name = growing_part(table, table.key)
        if (indexes or part is not None) and not refers_once(table, key):
            severity = INFO if part is None or by_name or not indexes else None
            managed = f"the index of the foreign key to {target.name}"
            facts = {"parent": target.name, "index": (indexes or [managed])[0]}
            yield Hit(position, table.name, key.columns[0].name, severity, facts)


def _refused(schema: Schema) -> Iterator[Hit]:
    referring = {
        fold(str(key.referenced_table)): table.name
        for table in schema.tables.values()
        for key, _ in table.foreign_keys
        if key.enforced and key.on_delete is not OnDelete.CASCADE
    }
    for table in schema.tables.values():
        for policy, position in table.policies:
            reason = _refusal(table, policy.column.name) or _referred(referring, table)
            if reason:
                yield Hit(position, table.name, policy.column.name, facts={"reason": reason})
        if len(table.policies) > 1:
            policy, position = table.policies[-1]
            facts = {"reason": "the table already has a policy"}
            yield Hit(position, table.name, policy.column.name, facts=facts)


def _refusal(table: Table, name: str) -> str:
    column = table.column(name)
    if column is None or column.generated is None:
        return ""
    for read in sorted(columns_read(column.generated)):
        source = table.column(read)
        if source is not None and source.allows_commit_timestamp:
            return f"{column.name} is generated from the commit timestamp {source.name}"
    return ""


def _referred(referring: dict[str, str], table: Table) -> str:
    name = referring.get(fold(table.name))
    return f"{name} refers to the table without ON DELETE CASCADE" if name else ""


def _needless_index(index: Index) -> Iterator[Hit]:
    columns = {fold(policy.column.name) for policy, _ in index.table.policies}
    serves_more = index.unique or index.storing or index.is_in_hint or not index.is_root
    if not serves_more and len(index.key_parts) == 1 and index.key_names[0] in columns:
        column = index.key_parts[0][0]
        note = f"If no query reads by {column}. "
        yield hit_on(index, column, table=index.table.name, drop=drop(index, note))


def _never_expires(table: Table) -> Iterator[Hit]:
    for policy, position in table.policies:
        column = table.column(policy.column.name)
        if column is None or column.not_null or column.generated is not None:
            continue
        # NULL in a column of such a name marks rows that never expire.
        if not like_absent(column.spelling) and not like_expiry(column.spelling):
            # With a default, only a statement that says NULL stores one.
            yield Hit(position, table.name, column.name, opt_in=column.default is not None)


_LOGS = "CREATE TABLE Logs (Id STRING(64) NOT NULL, Ts TIMESTAMP NOT NULL) PRIMARY KEY (Id)"
_TTL = ", ROW DELETION POLICY (OLDER_THAN(Ts, INTERVAL 30 DAY))"
_CHILD = (
    "CREATE TABLE Lines (Id STRING(64) NOT NULL, N INT64 NOT NULL, Ts TIMESTAMP NOT NULL, "
    "Word STRING(64)) PRIMARY KEY (Id, Ts, N), INTERLEAVE IN PARENT Logs ON DELETE CASCADE"
)

RULES = (
    Rule(
        "SPN601", INFO, "D", "Log without a row deletion policy",
        "A table that only receives inserts grows without limit.",
        "If rows may be deleted after a year: "
        "ALTER TABLE {object} ADD ROW DELETION POLICY (OLDER_THAN({column}, INTERVAL 365 DAY))",
        "{object} looks like a log, and nothing deletes its old rows.",
        bad=_LOGS, good=_LOGS + _TTL, opt_in=True, check=each_table(_endless_log),
    ),
    Rule(
        "SPN602", WARNING, "DV", "Row deletion policy only on the parent",
        "Deleting a parent row deletes its children, interleaved or of a foreign key with ON "
        "DELETE CASCADE, in one commit with their index entries, managed indexes included. With "
        "more than a hundred or so children the commit can fail permanently.",
        "A policy on {object} too, by which rows go shortly before their {parent} rows and not "
        "earlier than they may",
        "Rows of {object} are deleted only with their {parent} rows, and have entries in {index}.",
        bad=f"{_LOGS}{_TTL};\n{_CHILD};\nCREATE INDEX ByWord ON Lines(Word)",
        good=f"{_LOGS}{_TTL};\n{_CHILD};\nCREATE INDEX ByWord ON Lines(Id, Word), INTERLEAVE IN "
        f"Logs",
        check=_child_left_behind,
    ),
    Rule(
        "SPN603", ERROR, "D", "Policy that Spanner refuses",
        "The column may not be generated from a commit timestamp, no foreign key may refer to "
        "the table without ON DELETE CASCADE, and a table has at most one policy.",
        "Another column, or REPLACE ROW DELETION POLICY; for a foreign key, ON DELETE CASCADE if "
        "the rows that refer to deleted rows may go with them",
        "{object} cannot have a row deletion policy on {column}: {reason}.",
        bad=f"{_LOGS}{_TTL};\nCREATE TABLE Notes (NoteId INT64 NOT NULL, LogId STRING(64), "
        "FOREIGN KEY (LogId) REFERENCES Logs (Id)) PRIMARY KEY (NoteId)",
        good=f"{_LOGS}{_TTL};\nCREATE TABLE Notes (NoteId INT64 NOT NULL, LogId STRING(64), "
        "FOREIGN KEY (LogId) REFERENCES Logs (Id) ON DELETE CASCADE) PRIMARY KEY (NoteId)",
        check=_refused,
    ),
    Rule(
        "SPN604", INFO, "D", "Index on the column of a row deletion policy",
        "A row deletion policy needs no index, and an index on a time is a hotspot.",
        "{drop}",
        "{object} indexes {column}, the column of the row deletion policy of {table}, which needs "
        "no index.",
        bad=f"{_LOGS}{_TTL};\nCREATE INDEX ByAt ON Logs(Ts)",
        good="CREATE TABLE Logs (Id STRING(64) NOT NULL, Word STRING(64), Ts TIMESTAMP NOT NULL) "
        f"PRIMARY KEY (Id){_TTL};\nCREATE INDEX ByWord ON Logs(Word, Ts)",
        opt_in=True, check=each_index(_needless_index),
    ),
    Rule(
        "SPN605", INFO, "D", "Rows that never expire",
        "The policy never deletes a row whose timestamp is NULL.",
        "{column} TIMESTAMP NOT NULL, or a generated column with COALESCE, if these rows may go",
        "{column} of {object} decides when a row is deleted, and can be NULL.",
        bad="CREATE TABLE Logs (Id STRING(64) NOT NULL, Ts TIMESTAMP) PRIMARY KEY (Id)" + _TTL,
        good=_LOGS + _TTL, check=each_table(_never_expires),
    ),
)  # fmt: skip
