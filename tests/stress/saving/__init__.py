"""A server with a data directory, killed at random moments and started again.

Every start must succeed, with at least the rows of the last completed save and at most the rows
that were committed.
"""
