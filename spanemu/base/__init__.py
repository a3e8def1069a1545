"""Foundations that know nothing of databases; everything else may import them.

In reading order: `errors` (how a failure becomes a code and a sentence), `clock` (the only
source of time) and `nanos` (its units), `rand` (the only source of randomness), `limits` (every
published quota), `names` (paths, ids and labels of resources), `nearest` (to a misspelt name),
`excerpts` (of statements, with a caret),
`identifiers` (of SQL), `call` (the request's deadline), `pace` and `long_sort` (long loops that
look at it), `paging` (pages of a listing), `tree` (the one ASCII tree printer), `record` (light
classes for frozen data), `plain` (objects as plain data), `raw_key` (keys as requests have them),
`reserved` (words that need backticks), `site` (the line that made a request), `process`
(attributes that a forked child may not read), `severity` and `name_hints` (for the linter and the
detector).

Modules: `call_site`, `deadline_checks`, `resource_ids`, `resource_names`, `serialization`,
`suggestions`.
"""
