"""The hotspot detector: it observes one store, says where load concentrates and why, and draws it.

Observation, in reading order: `thresholds` (every constant), `windows` (the measured share),
`samples`, `stream` (one stream of writes or reads), `sources` (which code wrote), `tree_load`
(streams, scans, contention and queries of one tree), `trace` (the latest events in order), `pages`
(recorded rows), `detector` (the observer of store and locks).

Analysis: `identifiers` (ids that begin with a time), `verdict`, `cause`, `keys`, `assumptions`,
`stream_analysis` (a stream with everything derived from it), `finding`, `fixes`, `finding_builder`
(the text of findings), `advice` (rules that need values, load or reads), `report`.

Forecast: `positions` (where rows lie in the whole database), `split_info` (splits as users see
them, and the rows of SPANNER_SYS about them), `simulation` (what a load does to splits and
servers).

Drawing: `heatmap`.
"""
