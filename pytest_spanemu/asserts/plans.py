"""`spanner_assert.plan(sql)`: robust facts of a query plan.

The planner is spanemu's own, so only what any sensible planner would agree on is offered: which
index, a seek or a whole scan, a sort or none, whether what is read lies together. Never the cost,
or how tables are joined.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from google.cloud.spanner_v1 import ExecuteSqlRequest

from pytest_spanemu.sql import is_change, type_of


class PlanCheck:
    """A plan. Each assertion gives the plan back, so that they can be chained."""

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
        """Ask the server for the plan. Raises what the official client raises.

        `hierarchies` gives the table or index that another is interleaved in, the topmost.
        """
        types = {name: type_ for name, value in params.items() if (type_ := type_of(value))}

        def ask(transaction: Any) -> Any:
            results = transaction.execute_sql(
                sql,
                params=params or None,
                param_types=types or None,
                query_mode=ExecuteSqlRequest.QueryMode.PLAN,
            )
            list(results)
            return results.stats.query_plan.plan_nodes

        if is_change(sql):  # planned only, but asked for in a transaction that could make it
            return cls(sql, list(database.run_in_transaction(ask)), hierarchies)
        with database.snapshot() as snapshot:
            return cls(sql, list(ask(snapshot)), hierarchies)

    def uses_index(self, name: str) -> PlanCheck:
        """Raise AssertionError unless the plan scans an index."""
        __tracebackhide__ = True
        if name not in set(self._targets("IndexScan")):
            self._fail(f"Expected the plan to use index {name}")
        return self

    def no_full_scan(self) -> PlanCheck:
        """Raise AssertionError if the plan goes through a whole table or index."""
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
        """Raise AssertionError if the plan reads what does not lie together: tables and indexes
        that are not interleaved in one another, such as an index and its table.
        """
        __tracebackhide__ = True
        top = self._hierarchies()
        read = [name for kind in ("TableScan", "IndexScan") for name in self._targets(kind)]
        if len({top.get(name, name) for name in read}) > 1:
            listed = ", ".join(dict.fromkeys(read))
            self._fail(f"Expected no distributed join, but it reads {listed}, which lie apart")
        return self

    def seek_on(self, *columns: str) -> PlanCheck:
        """Raise AssertionError unless a scan seeks by a condition over all these columns."""
        __tracebackhide__ = True
        conditions = [text for node in self._nodes for text in self._seeks_of(node)]
        if not any(all(name in text for name in columns) for text in conditions):
            self._fail(f"Expected a seek on {', '.join(columns)}")
        return self

    def matches(self, expected: str | PathLike[str]) -> PlanCheck:
        """Raise AssertionError unless the plan, as text, is `expected`: the text, or a file's path.

        A file that is not there is written; the test fails that once, so that somebody looks.
        """
        __tracebackhide__ = True
        text = textwrap.dedent(str(self)).strip()
        if not isinstance(expected, str):
            path = Path(expected)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{text}\n", encoding="utf-8")
                self._fail(f"{path} was not there; it has this plan now")
            expected = path.read_text(encoding="utf-8")
        wanted = textwrap.dedent(expected).strip()
        if text != wanted:
            self._fail(f"Expected another plan:\n{textwrap.indent(wanted, '  ')}\nnot this one")
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
        """The relational operators, indented as they nest."""
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
