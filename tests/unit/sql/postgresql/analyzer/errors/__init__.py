"""Tests of the errors of the PostgreSQL analyzer."""
