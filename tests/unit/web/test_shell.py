"""Pages that are one file: their parts, their navigation, and that they load nothing."""

from spanemu.web.shell import Section, fill, fix, page


def test_names_inside_parts_are_kept():
    assert fill("<__A__|__B__|__C__>", {"__A__": "__B__", "__B__": "2"}) == "<__B__|2|__C__>"


def test_sections_are_in_the_navigation():
    html = page(
        "A & B",
        [
            Section("", "", "<p>above"),
            Section("one", "One", "<p>1", 1_200),
            Section("two", "Two", ""),
        ],
    )
    assert "<title>A &amp; B</title>" in html
    assert '<li><a href="#one">One <span>1,200</span></a></li>' in html
    assert '<h2 id="one">One</h2>' in html
    assert "Two" not in html  # nothing to show
    assert html.index("<p>above") < html.index("<p>1")


def test_a_page_loads_nothing():
    html = page("Title", [Section("one", "One", "text")])
    assert "src=" not in html
    assert "<link" not in html
    assert "default-src 'none'" in html


def test_a_fix_is_code_if_it_is_a_script():
    assert fix("DROP INDEX <A>") == "<p>Fix: <code>DROP INDEX &lt;A&gt;</code></p>"
    assert fix("a random <key>") == "<p>Fix: a random &lt;key&gt;</p>"
