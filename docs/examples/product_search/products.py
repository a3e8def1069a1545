"""Product search on the official client: pages, facets, snippets, completion, misspelled names."""

from dataclasses import dataclass

from google.cloud.spanner_v1 import param_types

PAGE = 10
# How many of the most popular matches are ranked and counted: a broad query may match millions.
DEPTH = 1_000

_MATCHES = """
  SELECT ProductId, Name, Description, Category, Tags, Cents, Tokens
  FROM Products
  WHERE SEARCH(Tokens, @query, dictionary => 'Synonyms')
    AND (@tag IS NULL OR ARRAY_INCLUDES(Tags, @tag))
  ORDER BY Popularity DESC
  LIMIT @depth
"""
_PAGE = f"""
SELECT ProductId, Name, Cents,
  SNIPPET(Description, @query, dictionary => 'Synonyms', max_snippets => 1, max_snippet_width => 80)
FROM ({_MATCHES})
ORDER BY SCORE(Tokens, @query, dictionary => 'Synonyms') DESC, ProductId
LIMIT @page OFFSET @offset
"""
_FACETS = f"""
WITH Matches AS ({_MATCHES})
SELECT 'category' AS Facet, Category AS Value, COUNT(*) AS Products FROM Matches GROUP BY Category
UNION ALL
SELECT 'tag', Tag, COUNT(*) FROM Matches, UNNEST(Tags) AS Tag GROUP BY Tag
ORDER BY Facet, Products DESC, Value
"""
_COMPLETION = """
SELECT Name FROM Products
WHERE SEARCH_SUBSTRING(NameParts, @typed, relative_search_type => 'word_prefix')
ORDER BY Popularity DESC
LIMIT 5
"""
_SIMILAR = """
SELECT Name FROM Products
WHERE SEARCH_NGRAMS(NameParts, @typed)
ORDER BY SCORE_NGRAMS(NameParts, @typed) DESC
LIMIT 5
"""


@dataclass(frozen=True)
class Hit:
    """A product on a page of results; `excerpt` is HTML with the words of the query in <b>."""

    product: str
    name: str
    cents: int
    excerpt: str


def search(database, query, *, tag=None, offset=0):
    """A page of the products that match what a user typed, the best first."""
    rows = _rows(database, _PAGE, query=query, tag=tag, depth=DEPTH, page=PAGE, offset=offset)
    return [Hit(product, name, cents, _marked(found)) for product, name, cents, found in rows]


def facets(database, query, *, tag=None):
    """The number of matches in each category and with each tag."""
    counts = {"category": {}, "tag": {}}
    for facet, value, products in _rows(database, _FACETS, query=query, tag=tag, depth=DEPTH):
        counts[facet][value] = products
    return counts


def completions(database, typed):
    """The most popular names with a word that begins like this."""
    return [name for (name,) in _rows(database, _COMPLETION, typed=typed)]


def similar_names(database, typed):
    """Names that look like this, for "did you mean"."""
    return [name for (name,) in _rows(database, _SIMILAR, typed=typed)]


def _rows(database, sql, **values):
    types = {
        name: param_types.INT64 if isinstance(value, int) else param_types.STRING
        for name, value in values.items()
    }
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql, values, types))


def _marked(found):
    """The first snippet with its highlights in <b>; begin and end count characters from 1."""
    if found is None or not found["snippets"]:
        return ""
    snippet = found["snippets"][0]
    text, marked, at = snippet["snippet"], "", 0
    for each in snippet["highlights"]:
        begin, end = int(each["begin"]) - 1, int(each["end"]) - 1
        marked += f"{text[at:begin]}<b>{text[begin:end]}</b>"
        at = end
    return marked + text[at:]
