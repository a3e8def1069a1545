"""Who is hot: watches one store, says where load concentrates and why, and draws it.

What is seen, in reading order: `thresholds` (every constant), `windows` (the share that is
measured), `samples`, `stream` (one stream of writes or reads), `scans`, `contention`, `sources`
(who wrote), `tree_load` (all of that of one tree), `trace` (the newest of it in order), `pages`
(rows as they are put down), `detector` (what store and locks tell), `queries` (what plans do with
tables).

What is said: `identifiers` (ids that begin with the time), `verdict`, `cause`, `keys`,
`assumptions`, `participants`, `judged` (a stream with all that was found out), `finding`, `fixes`,
`telling` (findings in words), `advice` (rules that need values, load or reads), `report`,
`split_stats` (the same in the shape of SPANNER_SYS).

What may come of it: `places` (where rows lie in the whole database), `split_info` (splits as users
are shown them), `simulation` (what a load does to splits and servers).

How it looks: `heatmap`.

Modules: `finding_builder`, `positions`, `stream_analysis`.
"""
