"""Execution of plans: each plan is compiled once into Python closures and then run any number of
times.

In reading order:

- `run`: the state of one execution, and the interface through which it reads rows
- `relation`: a compiled operator (its rows and their layout), and batches of rows
- `memory`: the account of the memory that operators hold
- `compiler`: the context that is passed around while one plan is compiled
- `codegen`, `codegen_templates`, `codegen_arithmetic`, `codegen_graph`, `codegen_protocols`:
  expressions as generated functions
- `subquery`: subqueries, lambdas and WITH expressions
- `ranges`: seeks as encoded key ranges
- `nearness`: bounds on the distances of many vectors
- `documents`, `search`, `implied` and `search_scores`: conditions of search functions, conditions
  that follow from others, and scores, over postings
- `operators`: the operators of a plan
- `dml`: row changes of DML, and THEN RETURN
- `build`: the table of operators and the entry points

Compiled code holds no state of a run: a compiled plan may run on many threads at once.
"""
