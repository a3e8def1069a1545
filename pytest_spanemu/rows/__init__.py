"""Rows for tests, typed by the schema, with values from Faker.

In reading order: `factory` (what a test calls: `factory.Singers(FirstName="Marc")`, `many`, `ref`,
`graph`), `row_maker` (one row: keys, parents, foreign keys, uniqueness, checks), `values` (a value
for a column), `writing` (inserts in the SQL of each dialect, and the rows as the server completed
them), `property_graph` (nodes and edges in a shape).
"""
