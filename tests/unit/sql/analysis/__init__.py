"""Tests of what the analyzers of all dialects share."""
