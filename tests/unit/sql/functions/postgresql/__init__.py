"""Tests of the functions of PostgreSQL databases."""
