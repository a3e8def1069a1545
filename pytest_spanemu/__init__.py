"""pytest fixtures for code that talks to Cloud Spanner: one emulator per run, a fresh database
per test.

Module: `plugin` (what pytest loads).
"""
