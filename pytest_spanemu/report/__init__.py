"""The reports of a run: a table on the terminal, JSON, HTML, summaries for other tools.

In reading order: `run_report` (a row for each test, totals, and how tests ended), `details`
(statements, transactions and heatmaps of a test), `run_facts` (date, command, commit), `page`
(HTML) with `fragments` and `lanes`, `saved_counts` (counts saved and compared), `output` (the table
on the terminal, GitHub Actions, pytest-html, and all files at the end of the run).
"""
