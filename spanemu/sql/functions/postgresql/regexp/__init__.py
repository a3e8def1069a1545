"""Regular expressions of PostgreSQL: "advanced regular expressions", as its manual calls them.

    options     the flags of an expression, and the errors of malformed ones
    syntax      the nodes of a parsed expression
    characters  sets of characters, and how expressions write them: classes, ranges, escapes
    tokens      an expression cut into tokens
    parser      text -> nodes
    bitsets     all positions of a text that an expression reaches, as bits of an integer
    matcher     where an expression matches, and what its groups match
    search      the search in texts, by RE2 or the matcher
    functions   the functions

No library has these semantics: the leftmost match, the longest or the shortest as the whole
expression prefers, then the longest or shortest parts from left to right; with look-around and
back-references. Time is a polynomial in the lengths of text and expression, except with
back-references, whose search checks the deadline.
"""
