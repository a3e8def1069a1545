"""Functions of text and bytea.

strings     string functions that only PostgreSQL has
functions   the table, with functions of patterns
"""
