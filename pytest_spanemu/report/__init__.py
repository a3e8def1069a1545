"""What a run tells when it is over.

In reading order: `wanted` (which reports), `figures` (what one test did), `details` (in full),
`book` (all of them; from xdist's workers to their controller), `terminal` (a table), `documents`
(files), `page` (HTML), `github` (a summary of a workflow's step), `counts` (saved and compared)
with `limits`, `pytest_html` (inside that plugin's page), `ending` (all of it).
"""
