"""How Sphinx builds these pages: `python -m sphinx -W -q docs build/docs` (extra `docs`)."""

project = "spanemu"
author = "the spanemu authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["clients", "examples"]
html_theme = "furo"
html_title = "spanemu"
myst_heading_anchors = 3
