"""Resolves INSERT, UPDATE and DELETE."""
