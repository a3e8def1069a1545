"""`spanner_assert.plan(sql)`: assertions about a query plan.

The planner is spanemu's own, so the assertions cover only facts that Spanner's planner would agree
on: the index used, seek or full scan, sort or no sort, whether a join is distributed. They do not
cover costs or join algorithms.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from google.cloud.spanner_v1 import ExecuteSqlRequest

from pytest_spanemu.sql import is_dml, parameter_types


class PlanCheck:
    """A query plan. Each assertion returns the plan, so that assertions can be chained."""

    def __init__(
        self, sql: str, nodes: list[Any], hierarchies: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        self._sql = sql
        self._nodes = nodes
        self._hierarchies = hierarchies

    @classmethod
    def of(
        cls,
        database: Any,
        sql: str,
        params: dict[str, Any],
        hierarchies: Callable[[], Mapping[str, str]] = dict,
    ) -> PlanCheck:
        """Request the plan of `sql` from the server. Raises the official client's errors.

        `hierarchies` returns the root of the interleave hierarchy of each table and index.
        """
        types = parameter_types(database, params)

        def ask(transaction: Any) -> Any:
            results = transaction.execute_sql(
                sql,
                params=params or None,
                param_types=types or None,
                query_mode=ExecuteSqlRequest.QueryMode.PLAN,
            )
            list(results)
            return results.stats.query_plan.plan_nodes

        if is_dml(sql):  # PLAN mode writes nothing, but DML needs a read-write transaction.
            return cls(sql, list(database.run_in_transaction(ask)), hierarchies)
        with database.snapshot() as snapshot:
            return cls(sql, list(ask(snapshot)), hierarchies)

    def uses_index(self, name: str) -> PlanCheck:
        """Raise AssertionError unless the plan scans an index."""
        __tracebackhide__ = True
        if name not in {*self._targets("IndexScan"), *self._targets("SearchIndexScan")}:
            self._fail(f"Expected the plan to use index {name}")
        return self

    def no_full_scan(self) -> PlanCheck:
        """Raise AssertionError if the plan scans a whole table or index."""
        __tracebackhide__ = True
        if any(_metadata(node).get("Full scan") == "true" for node in self._nodes):
            self._fail("Expected no full scan")
        return self

    def no_sort(self) -> PlanCheck:
        """Raise AssertionError if the plan sorts."""
        __tracebackhide__ = True
        if any("Sort" in node.display_name for node in self._nodes):
            self._fail("Expected no sort")
        return self

    def no_distributed_join(self) -> PlanCheck:
        """Raise AssertionError if the plan reads tables and indexes of several interleave
        hierarchies, such as an index and its table: Spanner stores them in different splits.
        """
        __tracebackhide__ = True
        roots = self._hierarchies()
        sources = [name for kind in ("TableScan", "IndexScan") for name in self._targets(kind)]
        if len({roots.get(name, name) for name in sources}) > 1:
            listed = ", ".join(dict.fromkeys(sources))
            self._fail(
                f"Expected no distributed join, but the query reads {listed}, which are not "
                "interleaved in one hierarchy"
            )
        return self

    def seek_on(self, *columns: str) -> PlanCheck:
        """Raise AssertionError unless the seek condition of a scan names all these columns."""
        __tracebackhide__ = True
        conditions = [text for node in self._nodes for text in self._seeks_of(node)]
        if not any(all(name in text for name in columns) for text in conditions):
            self._fail(f"Expected a seek on {', '.join(columns)}")
        return self

    def matches(self, expected: str | PathLike[str]) -> PlanCheck:
        """Raise AssertionError unless the text of the plan is `expected`: a text, or a file's path.

        A missing file is written with the current plan, and the test fails once, so that somebody
        reviews the file.
        """
        __tracebackhide__ = True
        text = textwrap.dedent(str(self)).strip()
        if not isinstance(expected, str):
            path = Path(expected)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
                self._fail(f"{path} was missing; it now has this plan")
            expected = path.read_text(encoding="utf-8")
        expected_text = textwrap.dedent(expected).strip()
        if text != expected_text:
            self._fail(
                f"Expected another plan:\n{textwrap.indent(expected_text, '  ')}\nActual plan"
            )
        return self

    def _targets(self, kind: str) -> Iterator[str]:
        for node in self._nodes:
            if _metadata(node).get("scan_type") == kind:
                yield str(_metadata(node).get("scan_target"))

    def _seeks_of(self, node: Any) -> list[str]:
        return [
            self._nodes[link.child_index].short_representation.description
            for link in node.child_links
            if link.type_ == "Seek Condition"
        ]

    def _fail(self, text: str) -> None:
        __tracebackhide__ = True
        raise AssertionError(f"{text}:\n  {self._sql}\n{self}")

    def __str__(self) -> str:
        """Return the relational operators, indented by depth."""
        lines: list[str] = []

        def visit(index: int, depth: int) -> None:
            node = self._nodes[index]
            if node.kind.name == "RELATIONAL":
                shown = [
                    f"{key}: {_metadata(node)[key]}"
                    for key in ("scan_target", "Full scan")
                    if key in _metadata(node)
                ]
                shown += [f"seek: {text}" for text in self._seeks_of(node)]
                lines.append(f"{'  ' * (depth + 1)}{node.display_name} {' '.join(shown)}".rstrip())
                depth += 1
            for link in node.child_links:
                visit(link.child_index, depth)

        if self._nodes:
            visit(0, 0)
        return "\n".join(lines)


def _metadata(node: Any) -> Any:
    return node.metadata or {}
