"""The detector's workloads: generators of streams with known verdicts.

python -m tests.hotspots --seeds 300        the table of docs/hotspots.md, with the real store
"""
