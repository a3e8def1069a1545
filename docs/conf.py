"""How Sphinx builds these pages: `python -m sphinx -W -q docs build/docs` (extra `docs`)."""

import ast
import re
import textwrap
from typing import Any

project = "spanemu"
author = "the spanemu authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["clients", "examples"]
html_theme = "furo"
html_title = "spanemu"
myst_heading_anchors = 3
autodoc_default_options = {
    "members": True,
    "inherited-members": "Exception, BaseException, int",  # but not theirs
    "exclude-members": "SCOPE_TYPE",
}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True


def is_code(paragraph: str) -> bool:
    """Return whether a paragraph of a docstring is a program or a table, and no prose."""
    lines = paragraph.split("\n")
    if lines[0].startswith("- "):
        return False
    if any(re.search(r"^ |\S {2,}\S", line) for line in lines):
        return True
    try:
        compile(paragraph, "docstring", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:
        return False
    return True


def convert(*event: Any) -> None:
    """Convert a docstring, whose names and programs are marked as in Markdown, for autodoc."""
    lines: list[str] = event[-1]
    paragraphs = re.split(r"\n\n+", "\n".join(lines).strip("\n"))
    for number, paragraph in enumerate(paragraphs):
        if number and is_code(paragraph):
            paragraphs[number] = "::\n\n" + textwrap.indent(paragraph, "    ")
        else:
            paragraphs[number] = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", paragraph)
    lines[:] = [*"\n\n".join(paragraphs).split("\n"), ""]


def setup(app: Any) -> None:
    """Register the conversion of docstrings."""
    app.connect("autodoc-process-docstring", convert)
