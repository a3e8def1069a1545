import pytest
import retrieval
from google.api_core.exceptions import ResourceExhausted


def test_the_nearest_documents_are_retrieved(documents):
    assert retrieval.retrieve(documents, "How wide is the desk?", 1)[0][0] == 2
    assert retrieval.retrieve(documents, "Where is the lamp switched on?", 1)[0][0] == 1


def test_the_model_is_asked_with_the_documents(documents, spanner_models):
    text, sources = retrieval.answer(documents, "How wide is the oak desk?")
    assert text == "The oak desk is 160 cm wide."
    assert sources[0] == 2
    asked = spanner_models.calls[-1]
    assert (asked.model, asked.parameters) == ("Writer", {"maxOutputTokens": 256})
    assert "Question: How wide is the oak desk?" in asked.rows[0]["prompt"]


def test_only_new_documents_are_embedded(documents, spanner_assert):
    with documents.batch() as batch:
        batch.insert("Documents", ["Id", "Text"], [(4, "Desks come in oak and pine.")])
    with spanner_assert.predictions(1):
        assert retrieval.embed_new_documents(documents) == 1


def test_a_question_costs_two_predictions(documents, spanner_assert):
    with spanner_assert.predictions(2):
        retrieval.answer(documents, "When are chairs delivered?")


def test_an_exceeded_quota_leaves_documents_without_embeddings(documents, spanner_models):
    with documents.batch() as batch:
        batch.insert("Documents", ["Id", "Text"], [(4, "Desks come in oak and pine.")])
    spanner_models.fail("Embedder", "quota")
    with pytest.raises(ResourceExhausted):
        retrieval.embed_new_documents(documents)
    assert retrieval.embed_new_documents(documents) == 1
