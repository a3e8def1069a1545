"""Full-text search: tokenizers, search functions, scores and snippets.

In reading order: `words` (a text cut into words), `tokenizers` with `number_tokens` and
`json_tokens` (the TOKENIZE_ functions), `query_tree` (what a query is), `rquery` (text -> tree),
`queries` (calls as prepared queries), `matcher` (whether a list fulfils a query), `terms` (what an
index looks up).
"""
