"""Change streams: what they watch, the records of commits, and how clients read them.

A commit appends one raw entry to the store's change log (`storage.change_log`); everything else is
made when a stream is read. In reading order: `watching` (what each stream of a schema watches),
`partitions` (the key ranges of one stream through time), `tracking` (the partitions of all streams,
which follow splits and schema), `following` (where the streams of a new schema begin, the queries
that read at present, and what wakes them), `records` (an entry -> the data change records of one
stream). Records as rows of results: `formats` (the columns of each read function), `rows`
(GoogleSQL), `pg_json` (PostgreSQL), `mutable` (streams with mutable key ranges), `json_text` (keys
and values as JSON). Queries: `arguments` (the rules that they follow, and the errors), `reading`
(the rows of a query as they appear).
"""
