"""Functions of JSON.

In reading order: `functions` (the chapter's table), `path` (JSONPath), `text`
(reading a STRING that was not validated as JSON), `encode` (SQL values to JSON), `convert` (JSON to
SQL values), `edit` (changes of documents).
"""
