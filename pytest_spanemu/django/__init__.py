"""Django's own test classes and fixtures on the databases of a run.

In reading order: `setup` (points `DATABASES` at a database and patches Django where Spanner needs
it), `databases` (the databases of a run and of a test, by alias), `pytest_django` (replaces
pytest-django's databases, and lets the schema's migrations use the database).
"""
