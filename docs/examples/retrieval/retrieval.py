"""Answers to questions, from the documents that are nearest to them."""

from google.cloud.spanner_v1 import param_types

NOT_EMBEDDED = """
UPDATE Documents SET Embedding = (
  SELECT embeddings.values
  FROM ML.PREDICT(MODEL Embedder, (SELECT Documents.Text AS content)))
WHERE Embedding IS NULL
"""
NEAREST = """
SELECT Id, Text FROM Documents
WHERE Embedding IS NOT NULL
ORDER BY COSINE_DISTANCE(Embedding, (
  SELECT embeddings.values FROM ML.PREDICT(MODEL Embedder, (SELECT @question AS content))))
LIMIT @count
"""
ANSWER = """
SELECT content
FROM ML.PREDICT(MODEL Writer, (SELECT @prompt AS prompt), STRUCT(256 AS maxOutputTokens))
"""


def embed_new_documents(database):
    """Embed the documents that have no embedding; return how many there were."""
    return database.execute_partitioned_dml(NOT_EMBEDDED)


def retrieve(database, question, count=2):
    """Return the documents that are nearest to a question, as (id, text)."""
    params = {"question": question, "count": count}
    types = {"question": param_types.STRING, "count": param_types.INT64}
    with database.snapshot() as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(NEAREST, params, types)]


def answer(database, question):
    """Return the answer to a question, and the ids of the documents that it is taken from."""
    found = retrieve(database, question)
    texts = "\n".join(text for _, text in found)
    prompt = f"Answer from these texts only.\n{texts}\nQuestion: {question}"
    types = {"prompt": param_types.STRING}
    with database.snapshot() as snapshot:
        ((text,),) = snapshot.execute_sql(ANSWER, {"prompt": prompt}, types)
    return text, [id_ for id_, _ in found]
