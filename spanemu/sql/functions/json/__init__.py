"""Functions of JSON.

In reading order: `functions` (the chapter's table), `path` (JSONPath, parsed once), `text` and
`lenient` (reading out of a STRING that nobody has validated), `encode` (SQL values to JSON),
`convert` (JSON to SQL values), `edit` (documents changed).
"""
