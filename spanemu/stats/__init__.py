"""Who is hot: watches the commits of a store and says where they concentrate, and why.

In reading order: `thresholds` (every constant), `windows` (the share that is measured), `samples`,
`stream` (one stream of writes), `detector` (what the store tells), `identifiers` (ids that begin
with the time), `verdict`, `cause`, `keys`, `finding`, `fixes`, `report` (findings by name),
`split_stats` (the same in the shape of SPANNER_SYS); `trace` (the writes in order), `places` (where
rows lie in the whole database), `split_settings` (every constant of splits), `split_model` and
`simulation` (what a load does to splits and servers), `heatmap` and `heatmap_page`.
"""
