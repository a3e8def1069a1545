"""What is judged at the end of a write unit, a statement or a commit.

In reading order: `notes` (what is left to be judged), `rewrites` (rows that may not be written and
deleted in one unit), `verify` (the judgement).
"""
