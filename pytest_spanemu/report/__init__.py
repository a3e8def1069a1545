"""The reports of a run, made when it ends.

In reading order: `wanted` (which reports), `figures` (what one test did), `details` (in full),
`outcome` (how tests ended), `run_report` (all of it; from xdist's workers to their controller),
`run_facts` (date, command, commit), `terminal` (a table), `documents` (files), `page` (HTML) with
`parts` and `pictures` (heatmaps), `github` (a summary of a workflow's step), `counts` (saved and
compared, with limits), `pytest_html` (inside that plugin's page), `ending` (all reports).
"""
