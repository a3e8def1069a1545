"""The detector's workloads: generators of streams, and what is known of each.

python -m tests.hotspots --seeds 300        the table of docs/hotspots.md, through the real store
"""
