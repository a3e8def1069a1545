"""Foundations that know nothing of databases; everything else may import them.

In reading order: `errors` (how a failure becomes a code and a sentence), `clock` (the only
source of time), `rand` (the only source of randomness), `limits` (every published quota),
`names` (paths, ids and labels of resources), `identifiers` (of SQL), `call` (the request's
deadline), `pace` and `long_sort` (long loops that look at it), `paging` (pages of a listing),
`tree` (the one ASCII tree printer).
"""
