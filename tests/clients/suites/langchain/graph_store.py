"""The documented flow of LangChain's SpannerGraphStore, with a typed and with a flexible schema.

    python graph_store.py PROJECT INSTANCE DATABASE

Texts are embedded by the letters that they contain, so that the nearest node is known.
"""

from __future__ import annotations

import sys

from google.cloud.spanner import Client
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_google_spanner import SpannerGraphStore, SpannerGraphVectorContextRetriever
from langchain_google_spanner.graphs import GraphDocument, Node, Relationship

LETTERS = "abcdefgh"
TABLES = """
    SELECT COUNT(*) AS tables FROM INFORMATION_SCHEMA.TABLES
    WHERE TABLE_SCHEMA = '' AND TABLE_TYPE = 'BASE TABLE'
"""


class Letters(Embeddings):
    """An embedding with an element for each letter: how often a text contains it."""

    def embed_query(self, text: str) -> list[float]:
        return [float(text.count(letter)) for letter in LETTERS]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))


def document(nodes: list[Node], edges: list[Relationship]) -> GraphDocument:
    return GraphDocument(nodes=nodes, relationships=edges, source=Document(page_content="a page"))


def person(name: str, **properties: object) -> Node:
    embedding = Letters().embed_query(name)
    known = {"name": name, "embedding": embedding, **properties}
    return Node(id=name, type="Person", properties=known)


def flow(store: SpannerGraphStore, name: str, person_of: str, edge: str, since: str) -> None:
    """Add documents, ask, add properties and types that were not there, and clean up."""
    ann, bob = person("aab"), person("bbc")
    rome = Node(id="Rome", type="City", properties={"name": "Rome"})
    lives = Relationship(source=ann, target=rome, type="LivesIn", properties={"since": 2020})
    store.add_graph_documents([document([ann, bob, rome], [lives])])
    pattern = f"(p:{person_of})-[e:{edge}]->(c)"
    print("lives:", store.query(f"GRAPH {name} MATCH {pattern} RETURN p.id AS p, {since} AS y"))
    # A property that is a reserved word, a type of edge, and nodes that exist.
    cid = person("cd", order=3)
    knows = Relationship(source=bob, target=cid, type="Knows", properties={})
    store.add_graph_documents([document([cid, bob, person("aab", order=1)], [knows])])
    store.add_graph_documents([document([person("eee", order=2)], [])])
    hops = f"GRAPH {name} MATCH (p)-[]->(q) RETURN p.id AS p, q.id AS q ORDER BY p"
    print("hops:", store.query(hops))
    count = f"GRAPH {name} MATCH (p:{person_of}) RETURN COUNT(*) AS n"
    print("people:", store.query(count))
    print("schema:", all(word in store.get_schema for word in ("Person", "LivesIn", "order")))
    retriever = SpannerGraphVectorContextRetriever.from_params(
        embedding_service=Letters(),
        graph_store=store,
        label_expr=person_of.split()[0],
        embeddings_column="embedding",
        top_k=1,
        expand_by_hops=1,
    )
    texts = [found.page_content for found in retriever.invoke("ab")]
    print("near:", "aab" in texts[0], "Rome" in "".join(texts))
    store.cleanup()
    print("left:", store.query(TABLES))


def main() -> None:
    project, instance, database = sys.argv[1:]
    client = Client(project=project)
    print("typed")
    store = SpannerGraphStore(instance, database, "typed", client)
    flow(store, "typed", "Person", "Person_LivesIn_City", "e.since")
    print("flexible")
    store = SpannerGraphStore(
        instance,
        database,
        "flexible",
        client,
        use_flexible_schema=True,
        static_node_properties=["embedding"],
    )
    person_of, edge = "Node {label: 'Person'}", "Edge {label: 'LivesIn'}"
    flow(store, "flexible", person_of, edge, "INT64(e.properties.since)")


main()
