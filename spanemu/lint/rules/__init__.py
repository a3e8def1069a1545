"""All lint rules, one module per family.

In order of the ids: `key_order`, `key_shards`, `key_shape` (SPN1xx), `index_order`, `index_shape`,
`index_clauses`, `search_indexes` (2xx), `interleaving` (3xx), `constraints` (4xx, 5xx), `relations`
(2xx, 4xx, 5xx), `deletion` (6xx), `operations` (7xx), and `workload`, whose rules need more than a
schema. `fixes` composes the DDL of suggested fixes.

`postgresql` has the texts and examples of the rules in the PostgreSQL dialect.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.lint.rule import Rule
from spanemu.lint.rules import (
    constraints,
    deletion,
    index_clauses,
    index_order,
    index_shape,
    interleaving,
    key_order,
    key_shape,
    key_shards,
    operations,
    relations,
    search_indexes,
    workload,
)

_FAMILIES = (
    key_order.RULES,
    key_shards.RULES,
    key_shape.RULES,
    index_order.RULES,
    index_shape.RULES,
    index_clauses.RULES,
    search_indexes.RULES,
    interleaving.RULES,
    constraints.RULES,
    relations.RULES,
    deletion.RULES,
    operations.RULES,
    workload.RULES,
)

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in sorted((rule for family in _FAMILIES for rule in family), key=lambda rule: rule.id)
}

# Rules that the hotspot report checks, from the requests of a run.
DETECTED = frozenset(
    f"SPN{number}"
    for number in (
        *(102, 105, 109, 111, 112, 118, 126, 127, 128, 129),
        *(202, 204, 205, 206, 207, 213, 215, 219),
        *(303, 304, 401, 402, 501, 704, 707),
        *range(801, 814),
    )
)
