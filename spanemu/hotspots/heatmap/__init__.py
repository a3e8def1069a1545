"""How load looks: rows from top to bottom, commits from left to right.

In reading order: `heatmap` (the figures), `overlay` (splits and servers over them), `patterns`
(what it looks like, in words), `runs` (one run beside an earlier one), `page` (HTML), `image`
(PNG), `file` (whichever a name asks for).
"""
