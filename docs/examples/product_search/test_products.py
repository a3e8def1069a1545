"""What product search finds, in which order, and by which index."""

import products
import pytest


@pytest.fixture
def shelf(spanner_factory):
    """Five products; the factory fills what a test does not mention."""

    def put(name, description, category="tents", tags=(), popularity=1):
        spanner_factory.Products(
            Name=name,
            Description=description,
            Category=category,
            Tags=list(tags),
            Popularity=popularity,
        )

    put("Trail tent", "A light tent for two people and one dog.", tags=["light"], popularity=9)
    put("Family tent", "Room for six, and a porch against the rain.", tags=["large"], popularity=5)
    put("Rain cover", "Keeps a tent dry.", "covers", ["light", "large"], 7)
    put("Camping stove", "Boils water in two minutes.", "kitchen", ["light"], 8)
    put("Gas cartridge", "For the camping stove.", "kitchen", popularity=2)


def names(hits):
    return [hit.name for hit in hits]


def test_all_words_must_be_there(spanner_database, shelf):
    assert names(products.search(spanner_database, "tent light")) == ["Trail tent"]
    assert products.search(spanner_database, "tent submarine") == []


def test_names_count_more_than_descriptions(spanner_database, shelf):
    assert names(products.search(spanner_database, "camping stove")) == [
        "Camping stove",
        "Gas cartridge",
    ]
    assert names(products.search(spanner_database, "tent"))[-1] == "Rain cover"


def test_what_users_type_is_a_query(spanner_database, shelf):
    assert names(products.search(spanner_database, 'stove -"camping stove"')) == []
    assert set(names(products.search(spanner_database, "porch OR cartridge"))) == {
        "Family tent",
        "Gas cartridge",
    }
    assert products.search(spanner_database, '"((OR |- ') == []


def test_synonyms_are_rows(spanner_database, shelf):
    assert products.search(spanner_database, "shelter") == []
    with spanner_database.batch() as batch:
        batch.insert("Synonyms", ["Key", "Value"], [["shelter", ["tent", "rain cover"]]])
    assert len(products.search(spanner_database, "shelter")) == 3


def test_excerpts_show_where(spanner_database, shelf):
    (hit,) = products.search(spanner_database, "dog two")
    assert hit.excerpt == "A light tent for <b>two</b> people and one <b>dog</b>."


def test_facets_count_matches(spanner_database, shelf):
    assert products.facets(spanner_database, "tent") == {
        "category": {"tents": 2, "covers": 1},
        "tag": {"large": 2, "light": 2},
    }
    assert products.facets(spanner_database, "tent", tag="large")["category"] == {
        "covers": 1,
        "tents": 1,
    }


def test_pages_follow_each_other(spanner_database, shelf, monkeypatch):
    monkeypatch.setattr(products, "PAGE", 2)
    pages = [products.search(spanner_database, "tent", offset=offset) for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 1, 0]
    assert len({hit.product for page in pages for hit in page}) == 3


def test_completions_begin_a_word(spanner_database, shelf):
    assert products.completions(spanner_database, "te") == ["Trail tent", "Family tent"]
    assert products.completions(spanner_database, "STO") == ["Camping stove"]
    assert products.completions(spanner_database, "ent") == []


def test_misspelled_names_are_found(spanner_database, shelf):
    assert products.similar_names(spanner_database, "campnig stov")[0] == "Camping stove"


def test_a_change_is_found_at_once(spanner_database, shelf):
    spanner_database.run_in_transaction(
        lambda transaction: transaction.execute_update(
            "UPDATE Products SET Name = 'Hammock' WHERE Name = 'Trail tent'"
        )
    )
    assert names(products.search(spanner_database, "hammock")) == ["Hammock"]
    assert "Hammock" not in products.completions(spanner_database, "te")


def test_a_search_reads_the_index_alone(spanner_assert):
    spanner_assert.plan(
        "SELECT Name FROM Products WHERE SEARCH(Tokens, 'tent') ORDER BY Popularity DESC LIMIT 10"
    ).uses_index("ProductsByText").no_full_scan()
