"""Rows for tests, typed by the schema, with values from Faker.

In reading order: `factory` (what a test calls: `factory.Singers(FirstName="Marc")`, `many`, `ref`,
`graph`), `row_maker` (one row: keys, parents, foreign keys, uniqueness, checks), `values` (a value
for a column), `row_sql` (names, parameters and casts in SQL, for each dialect), `writing` (inserts,
and the rows as the server completed them).
"""
