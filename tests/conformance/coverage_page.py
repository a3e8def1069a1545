"""A generator of docs/coverage.md from tables of the code and the tests.

python -m tests.conformance.coverage_page        writes the page
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill

from spanemu.ddl.kinds.table import STATEMENTS as KIND_STATEMENTS
from spanemu.ddl.statements import BUNDLE_STATEMENTS, STATEMENTS
from spanemu.frontend.services import REFUSED_SERVICES, SERVICES
from spanemu.sql import ddl_ast, graph_ast
from spanemu.sql.googlesql.catalog import CATALOG
from tests.conformance import coverage, coverage_admin, coverage_writes

ITEMS = coverage.ITEMS + coverage_writes.ITEMS + coverage_admin.ITEMS
SECTIONS = {**coverage.SECTIONS, **coverage_writes.SECTIONS, **coverage_admin.SECTIONS}
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
WIDTH = 100  # characters in a line of prose

OPENING = """\
# Coverage

The features of Spanner that spanemu supports, and the features that it refuses with UNIMPLEMENTED
and the feature's name. Generated from the code's own tables by
`python -m tests.conformance.coverage_page`; do not edit this page.
"""


def page() -> str:
    """Return the text of the page."""
    parts = [OPENING, *_rpcs(), *_ddl(), *_functions(), *_behaviours()]
    return "\n".join(parts) + "\n"


def _rpcs() -> Iterator[str]:
    yield "## RPCs\n"
    yield "| service | served | UNIMPLEMENTED |"
    yield "|---|---|---|"
    for service in (*SERVICES, *REFUSED_SERVICES):
        served = sorted(method.name for method in service.methods if method.implemented)
        refused = sorted(method.name for method in service.methods if not method.implemented)
        yield f"| {service.name} | {', '.join(served)} | {', '.join(refused)} |"
    yield ""


# Classes of the syntax tree that are no statement themselves.
_FAMILIES = (
    ddl_ast.DdlStatement,
    ddl_ast.CreateWithOptions,
    ddl_ast.AlterOptions,
    ddl_ast.Drop,
    ddl_ast.IndexDefinition,
)


def _ddl() -> Iterator[str]:
    kinds = [
        kind
        for kind in {**vars(ddl_ast), **vars(graph_ast)}.values()
        if isinstance(kind, type) and issubclass(kind, ddl_ast.DdlStatement)
        if kind not in _FAMILIES
    ]
    assert set(kinds) == {*STATEMENTS, *BUNDLE_STATEMENTS, *KIND_STATEMENTS}
    done = sorted(map(_words, kinds))
    yield "## Schema statements\n"
    yield fill(f"Applied: {', '.join(done)}.", WIDTH) + "\n"
    yield ("Refused: graph algorithms (EXPORT DATA ... AS GRAPH) are UNIMPLEMENTED.\n")


def _words(kind: type) -> str:
    name = kind.__name__
    return "".join(f" {c}" if c.isupper() and i else c for i, c in enumerate(name)).upper()


def _functions() -> Iterator[str]:
    yield "## Functions\n"
    yield "| chapter | functions |"
    yield "|---|---|"
    chapters: Mapping[str, set[str]] = defaultdict(set)
    for name, function in CATALOG.scalars.items():
        if not function.hidden:
            chapters[function.chapter].add(name)
    for name, aggregate in CATALOG.aggregates.items():
        if not name.startswith("$"):
            chapters[aggregate.chapter].add(name)
    for chapter, names in sorted(chapters.items()):
        yield f"| {chapter} | {', '.join(sorted(names))} |"
    yield (
        "\nForms with the syntax of functions are supported as well: CAST, SAFE_CAST, EXTRACT, "
        "REPLACE_FIELDS,\nML.PREDICT and PROPERTY_EXISTS, and in graph queries IS_FIRST.\n"
    )
    yield "Refused as UNIMPLEMENTED:\n"
    yield "| chapter | functions |"
    yield "|---|---|"
    refused: Mapping[str, set[str]] = defaultdict(set)
    for name, chapter in CATALOG.unsupported.items():
        refused[chapter].add(name)
    for chapter, names in sorted(refused.items()):
        yield f"| {chapter} | {', '.join(sorted(names))} |"
    yield ""


def _behaviours() -> Iterator[str]:
    yield "## Behaviours\n"
    yield "Every documented behaviour of Spanner has a test through the official client, except:\n"
    yield "| behaviour | spanemu |"
    yield "|---|---|"
    for item in ITEMS:
        if not item.is_proved:
            yield f"| {SECTIONS[item.section]}: {item.text} | {item.proof} |"
    proved = sum(item.is_proved for item in ITEMS)
    yield f"\n{proved} of {len(ITEMS)} behaviours have a test."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
