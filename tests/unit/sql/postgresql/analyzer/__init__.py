"""Tests of the PostgreSQL analyzer."""
