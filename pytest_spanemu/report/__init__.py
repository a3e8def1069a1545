"""What a run tells when it is over.

In reading order: `figures` (what one test did), `details` (in full), `book` (all of them; from
xdist's workers to their controller), `terminal` (a table), `documents` (files), `page` (HTML),
`github` (a summary of a workflow's step), `counts` (saved and compared), `ending` (all of it).
"""
