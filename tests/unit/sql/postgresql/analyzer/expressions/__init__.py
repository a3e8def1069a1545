"""Tests of the expressions of the PostgreSQL analyzer."""
