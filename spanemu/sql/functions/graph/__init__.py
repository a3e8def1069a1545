"""Functions of graph elements and paths.

In reading order: `paths` (paths and their parts), `functions` (the chapter's table, with the
functions of elements) and `documents` (elements and paths as JSON).
"""
