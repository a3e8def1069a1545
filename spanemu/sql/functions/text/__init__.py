"""Functions of texts and bytes.

In reading order: `string` (the chapter of that name), `concatenation`, `encodings` (base64, code
points, Unicode normal forms), `like` and `regexp` with `pattern_cache`, `format_text` (FORMAT) with
`sql_text` (values as text), `collation` (COLLATE) and `net` (addresses and host names).
"""
