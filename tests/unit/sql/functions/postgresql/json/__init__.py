"""Tests of the functions on JSONB. PostgreSQL 15 gave the results."""
