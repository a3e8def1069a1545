"""The field's terms have one spelling, in the pages, in the README and in docstrings.

Code is left out: names between backticks, fenced blocks, addresses of links.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.tidy.modules import PACKAGE, PLUGIN, ROOT, modules, name_of, nodes_of

# The spelling -> the others, as a regular expression of whole words.
SPELLINGS = {
    "backend": "back[- ]end",
    "behaviour": "behaviors?",
    "built-in": "builtin|built in(?= functions?)",
    "cancelled": "canceled|cancelation",
    "checksum": "check[- ]sums?",
    "coordinator": "co-ordinators?",
    "data type": "datatypes?",
    "database": "data[- ]bases?",
    "DB-API": "DBAPI|DB API",
    "deadlock": "dead[- ]locks?",
    "endpoint": "end[- ]points?",
    "frontend": "front[- ]end",
    "full-text": "fulltext|full text(?= (?:index|search))",
    "GitHub": "Github",
    "gRPC": "GRPC|Grpc",
    "heatmap": "heat[- ]maps?",
    "host name": "hostnames?",
    "hotspot": "hot[- ]spots?",
    "indexes": "indices",
    "-ize": r"(?:un)?(?:initial|normal|optim|organ|parenthes|recogn|serial|summar)is(?:e[ds]?|ing)",
    "JavaScript": "Javascript|Java Script",
    "JSON": "Json",
    "key space": "key-?spaces?",
    "long-running": "longrunning|long running(?= (?:operation|transaction))",
    "lookup": "look-ups?",
    "macOS": "MacOS|Mac OS|OS X",
    "metadata": "meta[- ]data",
    "n-gram": "ngrams?",
    "namespace": "name[- ]spaces?",
    "OpenTelemetry": "Opentelemetry|Open Telemetry",
    "plugin": "plug-ins?",
    "PostgreSQL": "Postgres|Postgresql|PostgresQL",
    "quickstart": "quick[- ]start",
    "read-write": "read/write|readwrite|read write(?= transaction)",
    "rollback": "roll-backs?",
    "SQLAlchemy": "SQLalchemy|SqlAlchemy|SQL Alchemy",
    "subquery": "sub[- ]quer(?:y|ies)",
    "time zone": "time-?zones?",
    "timestamp": "time[- ]stamps?",
    "UTF-8": "UTF8|Utf-8",
    "wound-wait": "wound wait",
}
# A term in lower case is one at the beginning of a sentence, too.
PATTERNS = {
    spelling: re.compile(
        rf"(?<![\w.-])(?:{others})(?![\w-])", re.IGNORECASE if spelling.islower() else 0
    )
    for spelling, others in SPELLINGS.items()
}
CODE = re.compile(r"^ *```.*?^ *```|`[^`]*`|\]\([^)\s]*\)|^    .*?$", re.DOTALL | re.MULTILINE)


def prose(text: str) -> str:
    """Return a text with its code blanked, so that lines keep their numbers."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def texts() -> Iterator[tuple[str, str]]:
    """Yield what people read, each with the place where it stands."""
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        yield name_of(path), path.read_text(encoding="utf-8")
    for path in (*modules(PACKAGE), *modules(PLUGIN)):
        yield from docstrings(path)


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    for node in nodes_of(path):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            line = getattr(node, "lineno", 1)
            yield f"{name_of(path)}:{line}", ast.get_docstring(node) or ""


def misspelled(text: str) -> Iterator[str]:
    """Yield the other spellings in a text, each with the one to use."""
    plain = re.sub(r"\s+", " ", prose(text))
    for spelling, pattern in PATTERNS.items():
        for found in pattern.finditer(plain):
            yield f"{found[0]!r}: {spelling}"


def test_other_spellings_are_found() -> None:
    assert list(misspelled("A read/write\ntransaction")) == ["'read/write': read-write"]
    assert list(misspelled("Look-ups by key")) == ["'Look-ups': lookup"]
    assert not list(misspelled("`timezone` is a name,\n```sql\nSELECT timezone\n```\nof code"))


def test_terms_have_one_spelling() -> None:
    assert not [f"{place} {word}" for place, text in texts() for word in misspelled(text)]
