"""The splits of a database and the distribution of its load.

In reading order: `split_manager` (boundaries, servers, and changes of splits), `size_cuts` (where
to cut a split that has grown), `split_points` (split points of users), `load_recorder` (the work of
the current virtual minute), `warm_splits` (warm splits of earlier minutes), `split_forecast`
(splits after a load), `hotspot_monitor` (the hotspot detector's connection to store, schema and
statements), and `query_uses` (how statements use tables).
"""
