"""Rows for tests, typed by the schema and filled in by Faker.

factory     what a test calls: `factory.Singers(FirstName="Marc")`, `many`, `ref`, `graph`
making      one row after another: keys, parents, foreign keys, uniqueness, checks and the values
they list values      a value for a column, by its name and type
writing     rows to the database and back, completed by the server
"""
