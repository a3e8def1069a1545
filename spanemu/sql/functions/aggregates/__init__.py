"""Aggregate functions: `aggregate` and `statistical_aggregate` are chapters, declared as data;
`accumulators` and `sums` are the states that a group runs through.
"""
