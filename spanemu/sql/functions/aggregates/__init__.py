"""Aggregate functions.

`aggregate` and `statistical_aggregate` declare the functions of these chapters as data;
`accumulators` and `sums` hold the running states of a group, and `loops` writes some of them as
statements of a generated loop.
"""
