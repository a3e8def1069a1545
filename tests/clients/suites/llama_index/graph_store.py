"""The documented flow of llama-index's SpannerPropertyGraphStore, with either schema.

    python graph_store.py PROJECT INSTANCE DATABASE

Each schema is made anew.
"""

from __future__ import annotations

import sys

from google.cloud.spanner import Client
from llama_index.core.graph_stores.types import ChunkNode, EntityNode, Relation
from llama_index.core.vector_stores.types import VectorStoreQuery
from llama_index_spanner import SpannerPropertyGraphStore

LETTERS = "abcdefgh"


def embedding(text: str) -> list[float]:
    return [float(text.count(letter)) for letter in LETTERS]


def entity(name: str, label: str, **properties: object) -> EntityNode:
    return EntityNode(name=name, label=label, properties=properties, embedding=embedding(name))


def flow(store: SpannerPropertyGraphStore) -> None:
    """Write nodes and edges, read them in every way, and delete some."""
    people = [entity("aab", "Person", age=30), entity("bbc", "Person", age=40)]
    city = entity("ddd", "City")
    chunk = ChunkNode(id_="chunk", text="a page", embedding=embedding("h"))
    store.upsert_nodes([*people, city, chunk])
    store.upsert_relations(
        [
            Relation(
                source_id="aab", target_id="ddd", label="LIVES_IN", properties={"since": 2020}
            ),
            Relation(source_id="aab", target_id="bbc", label="KNOWS", properties={}),
            Relation(source_id="bbc", target_id="ddd", label="LIVES_IN", properties={}),
        ]
    )
    print("get:", sorted(node.id for node in store.get(ids=["aab", "ddd", "no"])))
    print("by property:", [node.id for node in store.get(properties={"age": 40})])
    triplets = store.get_triplets(entity_names=["aab"])
    print("triplets:", sorted((a.id, r.label, b.id) for a, r, b in triplets))
    far = store.get_rel_map(store.get(ids=["aab"]), depth=2, limit=30)
    print("map:", len(far) > 2, sorted({relation.label for _, relation, _ in far}))
    ignored = store.get_rel_map(store.get(ids=["aab"]), depth=1, ignore_rels=["KNOWS"])
    print("without:", sorted({relation.label for _, relation, _ in ignored}))
    query = VectorStoreQuery(query_embedding=embedding("ab"), similarity_top_k=1)
    nodes, scores = store.vector_query(query)
    print("near:", [node.id for node in nodes], [round(score, 2) for score in scores])
    count = "MATCH (n) RETURN COUNT(*) AS n"
    print("nodes:", store.structured_query(count))
    store.delete(ids=["chunk"])
    print("nodes:", store.structured_query(count))
    print("schema:", "Person" in str(store.get_schema(refresh=True)))
    store.clean_up()


def main() -> None:
    project, instance, database = sys.argv[1:]
    client = Client(project=project)
    for name, is_flexible in (("typed", False), ("flexible", True)):
        print(name)
        flow(
            SpannerPropertyGraphStore(
                instance_id=instance,
                database_id=database,
                graph_name=name,
                client=client,
                use_flexible_schema=is_flexible,
            )
        )


main()
