import pytest
import retrieval

from spanemu import models

DOCUMENTS = [
    (1, "A lamp is switched on at its foot."),
    (2, "The oak desk is 160 cm wide."),
    (3, "Chairs are delivered within a week."),
]


def write(rows, call):
    """Answer as the model that writes: with the first text of the prompt."""
    return [{"content": row["prompt"].splitlines()[1]} for row in rows]


@pytest.fixture
def documents(spanner_database, spanner_models):
    spanner_models.register("Embedder", models.embeddings(dimensions=64))
    spanner_models.register("Writer", write)
    with spanner_database.batch() as batch:
        batch.insert("Documents", ["Id", "Text"], DOCUMENTS)
    retrieval.embed_new_documents(spanner_database)
    return spanner_database
