"""The reports of a run: a table on the terminal, JSON, HTML, summaries for other tools.

In reading order: `options` (which reports a run writes, and its limits), `run_report` (a row for
each test, and totals), `details` (statements and transactions of a test), `outcome` (how tests
ended), `run_facts` (date, command, commit), `terminal` (the table), `page` (HTML) with `fragments`
and `heatmaps`, `saved_counts` (counts saved and compared), `summaries` (GitHub Actions and
pytest-html), `output` (writes all reports at the end of the run).
"""
