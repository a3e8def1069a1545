"""The documented flow of LangChain's SpannerVectorStore, in both dialects, by either algorithm.

    python vector_store.py PROJECT INSTANCE DATABASE POSTGRESQL_DATABASE

Texts are embedded by the letters they contain, so that the nearest text is known.
"""

from __future__ import annotations

import datetime
import sys

from google.cloud.spanner import Client
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_google_spanner.vector_store import (
    DistanceStrategy,
    QueryParameters,
    SecondaryIndex,
    SpannerVectorStore,
    TableColumn,
    VectorSearchIndex,
)

LETTERS = "abcdefgh"
TEXTS = {"1": "aab", "2": "bbc", "3": "cd", "4": "defg", "5": "gggh"}
EXACT = QueryParameters.NearestNeighborsAlgorithm.EXACT_NEAREST_NEIGHBOR
APPROXIMATE = QueryParameters.NearestNeighborsAlgorithm.APPROXIMATE_NEAREST_NEIGHBOR
GOOGLESQL = {"text": "STRING(MAX)", "vector": "ARRAY<FLOAT64>"}
POSTGRESQL = {"text": "text", "vector": "float8[]"}


class Letters(Embeddings):
    """An embedding with an element for each letter: how often a text contains it."""

    def embed_query(self, text: str) -> list[float]:
        return [float(text.count(letter)) for letter in LETTERS]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))


def documents() -> list[Document]:
    return [
        Document(
            page_content=text,
            metadata={"title": f"t{id_}", "kind": "long" if len(text) > 3 else "short"},
        )
        for id_, text in TEXTS.items()
    ]


def flow(store: SpannerVectorStore) -> None:
    """Add, find, filter, and delete documents."""
    store.add_documents(documents(), ids=list(TEXTS))
    print("near:", [found.page_content for found in store.similarity_search("ab", k=2)])
    scored = store.similarity_search_with_score("gh", k=1)
    print("score:", [(found.page_content, round(score, 3)) for found, score in scored])
    filtered = store.similarity_search("a", k=2, pre_filter="kind = 'long'")
    print("filtered:", [found.metadata["title"] for found in filtered])
    by_vector = store.similarity_search_by_vector(Letters().embed_query("cd"), k=1)
    print("by vector:", [found.page_content for found in by_vector])
    diverse = store.max_marginal_relevance_search("ab", k=2, fetch_k=4, lambda_mult=0.1)
    print("diverse:", len({found.page_content for found in diverse}))
    print("deleted:", store.delete(documents=documents()[:1]))
    print("near:", [found.page_content for found in store.similarity_search("ab", k=1)])


def exact(client: Client, instance: str, database: str, types: dict[str, str]) -> None:
    for strategy in (DistanceStrategy.COSINE, DistanceStrategy.EUCLIDEAN):
        table = f"exact_{strategy.name.lower()}"
        embedding = TableColumn(name="embedding", type=types["vector"])
        SpannerVectorStore.init_vector_store_table(
            instance_id=instance,
            database_id=database,
            table_name=table,
            client=client,
            id_column="row_id",
            embedding_column=embedding,
            metadata_columns=[
                TableColumn(name="title", type=types["text"], is_null=True),
                TableColumn(name="kind", type=types["text"], is_null=True),
            ],
            secondary_indexes=[SecondaryIndex(index_name=f"{table}_titles", columns=["title"])],
        )
        print("exact", strategy.name)
        flow(
            SpannerVectorStore(
                instance_id=instance,
                database_id=database,
                table_name=table,
                client=client,
                id_column="row_id",
                embedding_service=Letters(),
                embedding_column=embedding,
                metadata_columns=["title", "kind"],
                query_parameters=QueryParameters(
                    algorithm=EXACT,
                    distance_strategy=strategy,
                    max_staleness=None,
                    read_timestamp=None,
                    exact_staleness=None,
                ),
            )
        )


def approximate(client: Client, instance: str, database: str) -> None:
    embedding = TableColumn(
        name="embedding", type="ARRAY<FLOAT64>", is_null=False, vector_length=len(LETTERS)
    )
    SpannerVectorStore.init_vector_store_table(
        instance_id=instance,
        database_id=database,
        table_name="approximate",
        client=client,
        id_column="row_id",
        embedding_column=embedding,
        metadata_columns=[
            TableColumn(name="title", type="STRING(MAX)", is_null=True),
            TableColumn(name="kind", type="STRING(MAX)", is_null=True),
        ],
        secondary_indexes=[
            VectorSearchIndex(
                index_name="nearest",
                columns=["embedding"],
                num_leaves=1000,
                num_branches=10,
                tree_depth=3,
                distance_type=DistanceStrategy.COSINE,
            )
        ],
    )
    print("approximate")
    store = SpannerVectorStore(
        instance_id=instance,
        database_id=database,
        table_name="approximate",
        client=client,
        id_column="row_id",
        embedding_service=Letters(),
        embedding_column=embedding,
        metadata_columns=["title", "kind"],
        vector_index_name="nearest",
        query_parameters=QueryParameters(
            algorithm=APPROXIMATE,
            distance_strategy=DistanceStrategy.COSINE,
        ),
    )
    store.add_documents(documents(), ids=list(TEXTS))
    result = store.similarity_search_with_score("ab", k=2, num_leaves=10, ascending=True)
    print("near:", [document.page_content for document, _ in result])


def stale(client: Client, instance: str, database: str) -> None:
    """Read at a timestamp of the past few seconds, as the documents advise."""
    store = SpannerVectorStore(
        instance_id=instance,
        database_id=database,
        table_name="exact_cosine",
        client=client,
        id_column="row_id",
        embedding_service=Letters(),
        metadata_columns=["title", "kind"],
        query_parameters=QueryParameters(
            distance_strategy=DistanceStrategy.COSINE,
            max_staleness=None,
            read_timestamp=datetime.datetime.now(datetime.UTC),
        ),
    )
    print("stale:", [found.page_content for found in store.similarity_search("cd", k=1)])


def main() -> None:
    project, instance, googlesql, postgresql = sys.argv[1:]
    client = Client(project=project)
    exact(client, instance, googlesql, GOOGLESQL)
    stale(client, instance, googlesql)
    approximate(client, instance, googlesql)
    print("PostgreSQL")
    exact(client, instance, postgresql, POSTGRESQL)


main()
