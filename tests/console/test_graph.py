"""The picture of a graph in the result of a statement, as a person sees it in a browser."""

import pytest

pytestmark = pytest.mark.toolchain

SCHEMA = """
CREATE TABLE Account (AccountId INT64 NOT NULL, Owner STRING(MAX)) PRIMARY KEY (AccountId);
CREATE TABLE Sends (AccountId INT64 NOT NULL, ToAccountId INT64 NOT NULL, Number INT64, Amount INT64)
  PRIMARY KEY (AccountId, ToAccountId, Number), INTERLEAVE IN PARENT Account;
CREATE PROPERTY GRAPH Bank NODE TABLES (Account LABEL Account PROPERTIES (AccountId, Owner AS name))
  EDGE TABLES (Sends SOURCE KEY (AccountId) REFERENCES Account DESTINATION KEY (ToAccountId) REFERENCES Account)
"""


@pytest.fixture
def bank(emulator):
    database = emulator.create_database("bank", SCHEMA)
    with database.client().batch() as batch:
        batch.insert("Account", ["AccountId", "Owner"], [[1, "<i>Ann</i>"], [2, "Bob"], [3, "Cid"]])
        columns = ["AccountId", "ToAccountId", "Number", "Amount"]
        batch.insert("Sends", columns, [[1, 2, 1, 5], [1, 2, 2, 6], [2, 1, 1, 7], [3, 3, 1, 8]])
    yield database
    database.drop()


def ask(page, sql):
    page.type("#sql", sql)
    page.click("#run")


def test_nodes_and_edges_of_a_result_are_drawn(console, bank):
    page = console("sql", database=bank.name)
    ask(page, "GRAPH Bank MATCH p = (a)-[e]->(b) RETURN TO_JSON(p) AS p, e.Amount")
    page.see("4 rows in")
    assert page.run("return document.querySelectorAll('.graph .node').length") == 3
    assert page.run("return document.querySelectorAll('.graph .edge').length") == 4
    assert page.run("return document.querySelector('.legend').textContent") == "Account"
    assert page.run("return document.querySelector('.grid') !== null"), "the rows stay"
    drawn = page.run("return document.querySelector('.graph svg').outerHTML")
    assert "<i>" not in drawn, "a text of a row is no markup"
    page.run("document.querySelector('.graph .node').focus()")
    page.see("<i>Ann</i>")
    page.run("document.querySelectorAll('.graph .edge')[0].focus()")
    page.see("Edge Sends")
    page.run("document.querySelector('.graph summary').click()")
    page.see("Cid")
    ask(page, "GRAPH Bank MATCH p = (a)-[e]->(b) RETURN TO_JSON(p) AS p")
    page.see("4 rows in")
    again = page.run("return document.querySelector('.graph svg').outerHTML")
    assert again == drawn, "the same elements have the same picture"
    assert page.log() == []


def test_a_large_graph_is_counted_and_other_results_have_no_picture(console, bank):
    with bank.client().batch() as batch:
        batch.insert("Account", ["AccountId"], [[number] for number in range(10, 320)])
    page = console("sql", database=bank.name)
    ask(page, "GRAPH Bank MATCH (a) RETURN TO_JSON(a) AS a")
    page.see("The result has 313 nodes and edges; up to 300 are drawn.")
    ask(page, "SELECT JSON '{\"identifier\": 1}' AS j")
    page.see("1 row in")
    assert page.run("return document.querySelector('.graph') === null")
