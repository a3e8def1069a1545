"""Functions of texts and bytes.

In reading order: `string` (the chapter of that name), `concatenation`, `encodings` with
`normalization`, `like` and `regexp` with `pattern_cache`,
`format_text` (FORMAT) with `sql_text` and `message_text` (values as text), `collation`, `search`,
and `net` with `public_suffix`.
"""
