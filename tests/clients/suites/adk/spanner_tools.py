"""The Spanner tools of Google's Agent Development Kit: metadata, SQL, searches, a vector store.

    python spanner_tools.py PROJECT INSTANCE DATABASE POSTGRESQL_DATABASE

Vectors come from the database's model, and for the vector store from a stand-in for Agent Platform
that counts letters.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from google import genai
from google.adk.tools.spanner import metadata_tool, query_tool, search_tool, utils
from google.adk.tools.spanner.settings import (
    SpannerToolSettings,
    SpannerVectorStoreSettings,
    TableColumn,
    VectorSearchIndexSettings,
)
from google.auth.credentials import AnonymousCredentials
from google.cloud.spanner_v1.database_sessions_manager import DatabaseSessionsManager

# The tools close their client, which waits for the next look at the age of its session.
DatabaseSessionsManager._MAINTENANCE_THREAD_POLLING_INTERVAL = timedelta(milliseconds=10)

LETTERS = "abcd"
TEXTS = ("aab", "bbc", "cd")
APPROXIMATE = "APPROXIMATE_NEAREST_NEIGHBORS"
ENDPOINT = "projects/p/locations/l/publishers/google/models/letters"
DISTANCES = ("COSINE", "EUCLIDEAN")


class Letters:
    """A client of Agent Platform whose embeddings count the letters of a text."""

    def __init__(self) -> None:
        self.models = SimpleNamespace(embed_content=self.embed)
        self.aio = SimpleNamespace(models=SimpleNamespace(embed_content=self.embed_later))

    def embed(self, *, contents: list[str], **_: Any) -> Any:
        vectors = [[float(text.count(letter)) for letter in LETTERS] for text in contents]
        return SimpleNamespace(embeddings=[SimpleNamespace(values=each) for each in vectors])

    async def embed_later(self, **request: Any) -> Any:
        return self.embed(**request)


def show(what: str, answer: Any) -> None:
    """Print the rows of an answer, or its error."""
    if answer.get("status") != "SUCCESS":
        print(what, "failed:", answer.get("error_details"))
        return
    print(what, answer.get("rows", answer.get("results")))


def metadata(database: dict[str, Any]) -> None:
    show("tables:", metadata_tool.list_table_names(**database))
    schema = metadata_tool.get_table_schema(**database, table_name="docs")
    columns = schema["results"]["schema"]
    print("types:", {name: each["SPANNER_TYPE"] for name, each in columns.items()})
    indexes = metadata_tool.list_table_indexes(**database, table_id="docs")
    print(
        "indexes:", sorted((each["INDEX_NAME"], each["INDEX_TYPE"]) for each in indexes["results"])
    )
    listed = metadata_tool.list_table_index_columns(**database, table_id="docs")
    print(
        "index columns:",
        sorted((each["INDEX_NAME"], each["COLUMN_NAME"]) for each in listed["results"]),
    )
    show("schemas:", metadata_tool.list_named_schemas(**database))


async def search(
    database: dict[str, Any], model: dict[str, str], algorithms: tuple[str, ...]
) -> None:
    for algorithm in algorithms:
        for distance in DISTANCES:
            answer = await search_tool.similarity_search(
                **database,
                table_name="docs",
                query="ab",
                embedding_column_to_search="embedding",
                columns=["id"],
                embedding_options=model,
                additional_filter="id < 3",
                search_options={
                    "top_k": 2,
                    "distance_type": distance,
                    "nearest_neighbors_algorithm": algorithm,
                },
            )
            rows = [[row[0], round(row[1], 3)] for row in answer.get("rows", ())]
            show(f"{algorithm[:5]} {distance}:", {**answer, "rows": rows})


async def vector_store(database: dict[str, Any], types: dict[str, str], algorithm: str) -> None:
    settings = SpannerToolSettings(
        vector_store_settings=SpannerVectorStoreSettings(
            project_id=database["project_id"],
            instance_id=database["instance_id"],
            database_id=database["database_id"],
            table_name="store",
            content_column="content",
            embedding_column="embedding",
            vector_length=len(LETTERS),
            vertex_ai_embedding_model_name="letters",
            selected_columns=["content", "kind"],
            nearest_neighbors_algorithm=algorithm,
            top_k=2,
            num_leaves_to_search=10,
            additional_filter="kind <> 'long'",
            vector_search_index_settings=VectorSearchIndexSettings(
                index_name="nearest", additional_key_columns=["kind"], num_leaves=10
            ),
            additional_columns_to_setup=[TableColumn(name="kind", type=types["text"])],
        )
    )
    store = utils.SpannerVectorStore(
        settings, credentials=database["credentials"], genai_client=Letters()
    )
    store.create_vector_store()
    if algorithm == APPROXIMATE:
        store.create_vector_search_index()
    store.add_contents(
        (*TEXTS, "aabb"), additional_columns_values=[{"kind": "short"}] * 3 + [{"kind": "long"}]
    )
    answer = await search_tool.vector_store_similarity_search(
        query="ab", credentials=database["credentials"], settings=settings
    )
    rows = [[*row[:2], round(row[2], 3)] for row in answer.get("rows", ())]
    show("store:", {**answer, "rows": rows})


async def main() -> None:
    project, instance, googlesql, postgresql = sys.argv[1:]
    genai.Client = Letters
    shared = {
        "project_id": project,
        "instance_id": instance,
        "credentials": AnonymousCredentials(),
    }
    database: dict[str, Any] = {**shared, "database_id": googlesql}
    metadata(database)
    settings, sql = SpannerToolSettings(), "SELECT id FROM docs ORDER BY id"
    answer = await query_tool.execute_sql(
        **database, query=sql, settings=settings, tool_context=None
    )
    show("sql:", answer)
    model = {"spanner_googlesql_embedding_model_name": "Embedder"}
    await search(database, model, ("EXACT_NEAREST_NEIGHBORS", APPROXIMATE))
    await vector_store(database, {"text": "STRING(MAX)"}, APPROXIMATE)
    print("PostgreSQL")
    database = {**shared, "database_id": postgresql}
    model = {"spanner_postgresql_vertex_ai_embedding_model_endpoint": ENDPOINT}
    await search(database, {**model, "output_dimensionality": 4}, ("EXACT_NEAREST_NEIGHBORS",))
    await vector_store(database, {"text": "text"}, "EXACT_NEAREST_NEIGHBORS")


asyncio.run(main())
