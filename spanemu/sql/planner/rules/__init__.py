"""The rules that rewrite a plan without choosing algorithms, in the order of their application.

Each rule is a pure function of one node, driven bottom-up by `planner.rewrite`. Conditions move in
`push_filters` (through `planner.pushdown`). Unneeded columns are removed in `planner.prune`, and
algorithms are chosen in `planner.physical`, both of which work from the top.
"""

from __future__ import annotations

from spanemu.sql.planner.rewrite import Rule
from spanemu.sql.planner.rules.expand_structs import expand_structs
from spanemu.sql.planner.rules.fold_constants import fold_constants
from spanemu.sql.planner.rules.inline_common_tables import inline_common_tables
from spanemu.sql.planner.rules.join_arrays import join_arrays
from spanemu.sql.planner.rules.join_subqueries import join_subqueries
from spanemu.sql.planner.rules.simplify import (
    lift_subqueries,
    merge_projects,
    narrow_system_scans,
    push_filters,
)
from spanemu.sql.planner.rules.unnest_subqueries import unnest_subqueries

# Applied first, to statements with a WITH clause or a subquery.
EARLY_RULES: tuple[Rule, ...] = (inline_common_tables, lift_subqueries)

RULES: tuple[Rule, ...] = (
    fold_constants,
    expand_structs,
    unnest_subqueries,
    join_arrays,
    join_subqueries,
    push_filters,
)

# Applied after columns have been pruned.
LATE_RULES: tuple[Rule, ...] = (merge_projects, narrow_system_scans)
