"""Rows for tests, typed by the schema and filled in by Faker.

factory     what a test calls: `factory.Singers(FirstName="Marc")`, `many`, `ref`, `graph`
making      one row after another: keys, parents, foreign keys, uniqueness, checks
values      a value for a column, by its name and type
allowed     the values that a check lists for a column
writing     rows to the database and back, completed by the server
"""
