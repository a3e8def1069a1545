"""The rules in the PostgreSQL dialect: other words for types and statements, other examples.

A rule checks the same trees in both dialects. Rules that no schema of the dialect can meet are left
out: a primary key has neither DESC nor nullable columns, and at least one column; a database of the
dialect has no property graph.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from spanemu.lint.rule import Rule
from spanemu.lint.rules import RULES
from spanemu.schema.dialect import POSTGRESQL

_NOT_APPLICABLE = frozenset({"SPN108", "SPN119", "SPN124", "SPN222", "SPN312", "SPN406"})

_CHANGES: Mapping[str, Mapping[str, str]] = {
    "SPN102": {
        "message": "The key of {object} begins with {column} of type timestamp with time zone: "
        "rows {of} about the same time land in the same split.",
    },
    "SPN106": {
        "why": "BIT_REVERSED_POSITIVE is the only sequence kind, and CREATE SEQUENCE fails if "
        "neither the statement nor the database's option default_sequence_kind names it.",
        "fix": "BIT_REVERSED_POSITIVE, or for the database: ALTER DATABASE db SET "
        "spanner.default_sequence_kind = 'bit_reversed_positive'",
    },
    "SPN109": {
        "fix": "UUID version 4 (gen_random_uuid()), or a hash or shard column first; reverse the "
        "bits of snowflakes",
    },
    "SPN114": {
        "why": "spanner.farm_fingerprint is a signed bigint and mod keeps the sign, so "
        "mod(spanner.farm_fingerprint(x), N) has 2N - 1 values; a query for shards 0 to N - 1 "
        "misses about half of the rows.",
    },
    "SPN118": {
        "why": "If queries read the newest entries first, an index in descending order stores "
        "these entries first and side by side. A primary key is always in ascending order.",
        "fix": "An index ON {object} ({key}) if the newest entries are read first",
    },
    "SPN123": {
        "fix": "{column} uuid NOT NULL DEFAULT gen_random_uuid()",
        "message": "{column} of {object} is character varying(36), the length of a UUID as text.",
    },
    "SPN129": {"fix": "A shard column first, read with shard_id IN (0, 1, ..., N - 1)"},
    "SPN203": {
        "why": "ON UPDATE spanner.pending_commit_timestamp() moves the entry of every row that "
        "changes to the end of the index, or with DESC to its beginning.",
    },
    "SPN205": {
        "fix": "A column of many values first, an index WHERE a column IS NOT NULL for the rows "
        "with work to do, or a shard column: (shard_id, {column}, ...)",
    },
    "SPN206": {"fix": "A partition number first: ON {table} (index_partition, {column})"},
    "SPN207": {
        "why": "Rows with NULL have entries too, all side by side, unless the index is UNIQUE or "
        "has WHERE ... IS NOT NULL. Queries must then exclude NULLs as well, by IS NOT NULL. The "
        "rule knows the column by its name, such as deleted_at or locked_by.",
    },
    "SPN208": {
        "why": "A row whose key has a NULL has no entry in a UNIQUE index, as NULLs are distinct, "
        "so nothing enforces its uniqueness.",
        "fix": "{column} ... NOT NULL, if every row must be unique",
        "message": "{object} is UNIQUE for rows without NULL: rows with NULL in {column} need not "
        "be unique.",
    },
    "SPN213": {"fix": "INCLUDE, or ALTER INDEX ... ADD INCLUDE COLUMN"},
    "SPN220": {"fix": "A composite key that begins with a column of many values"},
    "SPN228": {
        "why": "Without min and max, the tokens of a number divide the range of bigint: up to 64 "
        "for each number. Narrow limits that all numbers fit in need few.",
    },
    "SPN302": {
        "fix": "A root table with the same key, a bucket column between {parent} and {column}, or, "
        "if old rows may go, a TTL on {object}",
    },
    "SPN401": {"fix": "Drop it, if the application itself keeps the references valid"},
    "SPN402": {
        "fix": "Denormalise, or drop the foreign key, if the application itself keeps the "
        "references valid",
    },
    "SPN601": {
        "fix": "If rows may be deleted after a year: "
        "ALTER TABLE {object} ADD TTL INTERVAL '365 days' ON {column}",
    },
    "SPN602": {
        "fix": "A TTL on {object} too, by which rows go shortly before their {parent} rows and not "
        "earlier than they may",
    },
    "SPN603": {
        "fix": "Another column, or ALTER TTL; for a foreign key, ON DELETE CASCADE if the rows "
        "that refer to deleted rows may go with them",
        "message": "{object} cannot have a TTL on {column}: {reason}.",
    },
    "SPN604": {
        "why": "A TTL needs no index, and an index on a time is a hotspot.",
        "message": "{object} indexes {column}, the column of the TTL of {table}, which needs no "
        "index.",
    },
    "SPN605": {
        "why": "The TTL never deletes a row whose timestamp is NULL.",
        "fix": "{column} timestamp with time zone NOT NULL, or a generated column with COALESCE, "
        "if these rows may go",
    },
    "SPN231": {
        "fix": "Declare the column with VECTOR LENGTH",
        "message": "{object}.{column} is an array of floating-point numbers without VECTOR LENGTH.",
    },
    "SPN232": {
        "why": "float4 is recommended for embeddings: most models compute no more digits, and "
        "vectors and the entries of vector indexes take half the space.",
        "fix": "float4[] as the type of the column",
        "message": "{object}.{column} holds vectors of float8.",
    },
}

_TYPES = {
    "BOOL": "boolean",
    "BYTES": "bytea",
    "FLOAT32": "real",
    "FLOAT64": "double precision",
    "INT64": "bigint",
    "JSON": "jsonb",
    "NUMERIC": "numeric",
    "STRING": "character varying",
    "TIMESTAMP": "timestamp with time zone",
    "TOKENLIST": "spanner.tokenlist",
}
_TYPE = re.compile(rf"\b({'|'.join(_TYPES)})\b(?:\(MAX\))?")
_EXAMPLE = re.compile(r"^-- (SPN\d+), (reported|not reported)\n", re.MULTILINE)
_EXAMPLES = Path(__file__).with_name("postgresql_examples.sql")


def in_postgresql(fact: str) -> str:
    """Return a fact of a finding with PostgreSQL's names of types."""
    return _TYPE.sub(lambda match: _TYPES[match[1]], fact)


def rules_of(dialect: str) -> Mapping[str, Rule]:
    """Return the rules that apply in a dialect, by id: "googlesql" or "postgresql"."""
    return _postgresql_rules() if dialect == POSTGRESQL.option else RULES


@cache
def _postgresql_rules() -> Mapping[str, Rule]:
    """Return the rules that apply to PostgreSQL databases, with their texts and examples."""
    examples = _examples()
    return {
        id_: _changed(rule, {**_CHANGES.get(id_, {}), **examples.get(id_, {})})
        for id_, rule in RULES.items()
        if id_ not in _NOT_APPLICABLE
    }


def _changed(rule: Rule, texts: Mapping[str, str]) -> Rule:
    """Return a rule with other texts; without an example in `texts`, it has none."""
    return replace(
        rule,
        why=texts.get("why", rule.why),
        fix=texts.get("fix", rule.fix),
        message=texts.get("message", rule.message),
        bad=texts.get("bad", ""),
        good=texts.get("good", ""),
    )


def _examples() -> dict[str, dict[str, str]]:
    """Return the examples by rule, as the fields `bad` and `good` of the rule."""
    _, *parts = _EXAMPLE.split(_EXAMPLES.read_text(encoding="utf-8"))
    examples: dict[str, dict[str, str]] = {}
    for id_, kind, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        field = "bad" if kind == "reported" else "good"
        examples.setdefault(id_, {})[field] = text.strip().removesuffix(";")
    return examples
