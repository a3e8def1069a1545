"""Which rows of one database are served together, and where its load goes.

In reading order: `splitting` (where splits begin, on which servers they are, what moves them),
`size_cuts` (where to cut one that has grown), `split_points` (those that users make), `load_book`
(what made work in the present virtual minute), `warm_splits` (which were warm in earlier ones),
`foreseen` (what would become of them), `participants` (which splits a commit touched),
`query_uses` (what the plans of statements do with tables), `declared` (how many values a column may
have), and `heat` (the detector of hotspots' place between store and schema); `errors`.

Modules: `hotspot_monitor`, `load_recorder`, `split_forecast`, `split_manager`.
"""
