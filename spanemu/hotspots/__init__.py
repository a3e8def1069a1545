"""The hotspot detector: observes one store, reports where load concentrates and why, and draws it.

Observation, in reading order: `thresholds` (every constant), `samples` (reservoir samples, frequent
rows and the measured share of a bucket), `stream` (one stream of writes or reads), `tree_load`
(streams, scans, contention, queries and writers of one tree), `trace` (the latest events in order),
`detector` (the observer of the store and its locks).

Analysis: `identifiers` (ids that begin with a time), `verdict` (whether a stream is hot, and why),
`assumptions` (what a test states about production), `stream_analysis` (a stream with everything
derived from it), `finding`, `fixes`, `finding_builder` (the text of findings), `advice` (rules that
need values, load or reads), `report`.

Forecast: `positions` (rows of the whole database in one order), `split_model` (how splits and
servers follow a load), `simulation` (a recorded load replayed on that model), `split_info` (splits
and keys as users see them, and the rows of SPANNER_SYS about them).

Drawing: `heatmap`.
"""
