"""Full-text search: tokenizers, search functions, scores and snippets.

In reading order: `words` (a text cut into words) with `segmentation`, and `html`; `settings`
(options and their checks), `tokenizers` with `number_tokens` and `json_tokens` (the TOKENIZE_
functions); `query_tree` (what a query is), `rquery` (text -> tree), `enhancement` (other words for
a word) with `word_forms`, `substring` (queries over n-grams) and `queries` (calls as prepared
queries); `matcher` (whether a list fulfils a query) and `implied` (what follows from conditions on
other columns); `score`, `ngram_score`, `snippet` and `debug`; and `functions`, the chapter. The
encoding of token lists is `values.token_list`.
"""
