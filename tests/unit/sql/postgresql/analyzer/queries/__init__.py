"""Tests of the queries of the PostgreSQL analyzer."""
