"""Django's own tests on a run's databases.

In reading order: `setup` (`DATABASES` pointed at a database), `commit_callbacks`
(those of `TestCase`), `databases` (those of Django's tests,
made, lent and watched), `pytest_django` (takes the place of that plugin's).
"""
