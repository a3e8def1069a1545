"""The lexer: splits a statement's text into tokens with one regular expression, in chunks.

The lexer follows PostgreSQL 15. Comments and white space separate tokens and are dropped. Literals
and quoted names keep their quotes and escapes here; `literals` decodes those that the grammar
consumes. What a token's `kind` and `symbol` are:

    token                       kind          symbol
    select, left                KEYWORD       SELECT, LEFT     a word that no column can be named
    name, between, albums       IDENTIFIER    NAME, BETWEEN, ALBUMS
    "Albums", U&"d\\0061ta"      IDENTIFIER    identifier
    42                          INTEGER       integer literal
    4.2  1e5                    FLOAT         floating point literal
    'a'  E'a'  U&'a'  $$a$$     STRING        string literal
    B'101'  X'1F'               BITS          bit string literal
    $1                          PARAMETER     parameter
    ,  ::  <=  =>  [  /*@  */   PUNCTUATION   as written; <> for !=
    ||  ->>  @>  ~              OPERATOR      as written: an operator without a rule of its own
    the end                     END           end of statement

`/*@` begins a hint, which is no comment: its content is tokens, and `*/` ends it.

The expression uses possessive repeats throughout, so that no text takes more than linear time.
"""

from __future__ import annotations

import re
from itertools import islice

from spanemu.base.call import current
from spanemu.base.sql_states import SqlState
from spanemu.sql.errors import SyntaxFailure, UnclosedText, line_and_column
from spanemu.sql.postgresql.syntax.keywords import NOT_COLUMN_NAMES
from spanemu.sql.syntax_tree import Kind, Token


class PostgreSqlSyntaxFailure(SyntaxFailure, sql_state=SqlState.SYNTAX_ERROR):
    """The text does not follow PostgreSQL's grammar; `message` is PostgreSQL's own."""

    prose = "[ERROR] {message}"


class PostgreSqlUnclosedText(PostgreSqlSyntaxFailure, UnclosedText):
    """A comment, a literal or a quoted name has no end and extends to the end of the text."""


HINT_BEGIN, HINT_END = "/*@", "*/"

_BLANKS = " \t\n\r\f"
# Letters, "_" and every character beyond ASCII, then digits too, then "$" too. The classes name the
# characters that they exclude, because a class of a million characters takes long to compile.
_LETTER = r"[^\x00-@\[-^`{-\x7f]"
_LETTER_OR_DIGIT = r"[^\x00-/:-@\[-^`{-\x7f]"
_NAME = rf"{_LETTER}[^\x00-\x23\x25-/:-@\[-^`{{-\x7f]*+"
_TAG = rf"\$ (?: {_LETTER}{_LETTER_OR_DIGIT}*+ )?+ \$"
_BETWEEN = r"(?: [ \t\n\r\f]++ | --[^\n\r]*+ )*+"
_QUOTED = "'(?: [^']++ | '' )*+'"
_ESCAPED = r"'(?: [^'\\]++ | '' | \\. )*+'"
# Literals with only white space between them are parts of one literal if the space has a line end.
_CONTINUES = r"(?: [ \t\f]++ | --[^\n\r]*+ )*+ [\n\r] (?: [ \t\n\r\f]++ | --[^\n\r]*+[\n\r] )*+"
_UESCAPE = rf"(?: {_BETWEEN} (?i:UESCAPE) {_BETWEEN} {_QUOTED} )?+"

_TOKEN = re.compile(
    rf"""
    (?: [ \t\n\r\f]++ | --[^\n\r]*+ | /\*(?!@) (?: [^*/]++ | \*(?!/) | /(?!\*) )*+ \*/ )*+
    (?:
      (?! [bBeEnNxX]' | [uU]&['"] ) ( {_NAME} )                                         # 1 word
    | ( \.\. | \.(?![0-9]) | :: | := | /\*@ | [,()\[\];:] )                             # 2 symbol
    | ( (?: (?! -- | /\* ) [-+*/<>=~!@\#%^&|`?] ){{1,64}}+ )                            # 3 operator
    | ( [0-9]++\.(?!\.)[0-9]*+ (?: [eE][-+]?[0-9]++ )?+ | [0-9]++[eE][-+]?[0-9]++
      | \.[0-9]++ (?: [eE][-+]?[0-9]++ )?+ )                                            # 4 float
    | ( [0-9]++ )                                                                       # 5 integer
    | ( {_QUOTED} (?: {_CONTINUES} {_QUOTED} )*+                                        # 6 string
      | [eE]{_ESCAPED} (?: {_CONTINUES} {_ESCAPED} )*+
      | [uU]&{_QUOTED} (?: {_CONTINUES} {_QUOTED} )*+ {_UESCAPE}
      | ( {_TAG} ) .*? \7 )                                                               # 7 tag
    | ( "(?: [^"]++ | "" )*+" | [uU]&"(?: [^"]++ | "" )*+" {_UESCAPE} )                 # 8 quoted
    | ( \$[0-9]++ )                                                                     # 9 param
    | ( [bBxX]{_QUOTED} (?: {_CONTINUES} {_QUOTED} )*+ )                                # 10 bits
    | ( [nN](?=') )                                                                     # 11 nchar
    | ( \Z )                                                                            # 12 end
    | ( . )                                                                             # 13 other
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD, _SYMBOL, _OPERATOR, _FLOAT, _INTEGER = 1, 2, 3, 4, 5
_STRING, _QUOTED_NAME, _PARAMETER, _BITS, _NCHAR, _END = 6, 8, 9, 10, 11, 12
_LITERALS = {
    _FLOAT: Kind.FLOAT,
    _INTEGER: Kind.INTEGER,
    _STRING: Kind.STRING,
    _QUOTED_NAME: Kind.IDENTIFIER,
    _PARAMETER: Kind.PARAMETER,
    _BITS: Kind.BITS,
}
_NUMBERS = frozenset({_FLOAT, _INTEGER, _PARAMETER})
_STARTS_NAME = re.compile(_LETTER)
_OPENS_COMMENT = re.compile(r"/\*(?!@)")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_UNCLOSED = {
    "'": "quoted string",
    '"': "quoted identifier",
    "$": "dollar-quoted string",
    "/": "/* comment",
}
_OPENS = re.compile(rf"""(?: [eExXbB] | [uU]& )?+ (['"]) | {_TAG} | /\*""", re.VERBOSE)

# Operators with a rule of their own in the grammar. The rest share a rule and a precedence.
_KNOWN_OPERATORS = frozenset(["+", "-", "*", "/", "%", "^", "<", ">", "=", "<=", ">=", "<>", "=>"])
_KEEPS_SIGN = re.compile(r"[~!@#%^&|`?]")

_CHUNK = 2_048  # tokens; most statements fit into one chunk


class Lexer:
    """A lexer that appends the tokens of a text to `tokens`; the last token has kind END."""

    def __init__(self, text: str) -> None:
        self.tokens: list[Token] = []
        self._text = text
        self._matches = _TOKEN.finditer(text)
        self._is_finished = False

    def read_more(self) -> bool:
        """Read the next chunk of tokens; return False if the text was already read to its end."""
        if self._is_finished:
            return False
        count = len(self.tokens)
        while len(self.tokens) == count:
            self._read_chunk()
        return True

    def _read_chunk(self) -> None:
        """Append tokens; none if the text has only white space before the next nested comment."""
        current().check()
        append = self.tokens.append
        # A NamedTuple's own constructor costs twice as much, and this loop is half of the lexing.
        new, keywords = tuple.__new__, NOT_COLUMN_NAMES
        keyword, name = Kind.KEYWORD, Kind.IDENTIFIER
        symbol_kind = Kind.PUNCTUATION
        for match in islice(self._matches, _CHUNK):
            group = match.lastindex
            assert group is not None
            word = match[group]
            at, end = match.span(group)
            if group == _WORD:
                # The letter case of other alphabets is never folded: no keyword has such letters.
                symbol = word.upper() if word.isascii() else name
                kind = keyword if symbol in keywords else name
                append(new(Token, (kind, symbol, word, at, end)))
            elif group == _SYMBOL:
                append(new(Token, (symbol_kind, word, word, at, end)))
            elif not self._read_rare(group, word, at, end):
                break

    def _read_rare(self, group: int, word: str, at: int, end: int) -> bool:
        """Append the token of a literal, an operator, a quoted name or the end of the text.

        Return whether the next match is the next token.
        """
        text = self._text
        if group == _OPERATOR:
            self._read_operators(word, at)
        elif group in _LITERALS:
            if group in _NUMBERS and _STARTS_NAME.match(text, end):
                what = "parameter" if group == _PARAMETER else "numeric literal"
                message = f'trailing junk after {what} at or near "{text[at : end + 1]}"'
                raise PostgreSqlSyntaxFailure(message, *line_and_column(text, at))
            kind = _LITERALS[group]
            self.tokens.append(Token(kind, str(kind), word, at, end))
        elif group == _END:
            at = len(text.rstrip(_BLANKS))  # errors about missing tokens point behind the last word
            self.tokens.append(Token(Kind.END, str(Kind.END), "", at, at))
            self._is_finished = True
            return False
        elif group == _NCHAR:
            self.tokens.append(Token(Kind.IDENTIFIER, "NCHAR", "nchar", at, end))
        elif _OPENS_COMMENT.match(text, at):
            self._matches = _TOKEN.finditer(text, _end_of_comment(text, at))
            return False
        elif unclosed := _OPENS.match(text, at):
            raise _unclosed(text, at, _UNCLOSED[unclosed[1] or text[at]])
        else:
            self.tokens.append(Token(Kind.PUNCTUATION, word, word, at, end))
        return True

    def _read_operators(self, run: str, at: int) -> None:
        """Append the operators of a run of operator characters.

        A run of several characters may end in a sign only if it has a character that no operator
        of the SQL standard has; other signs at its end are operators themselves: `a*-1`.
        """
        signs = len(run)
        if len(run) > 1 and run[-1] in "+-" and not _KEEPS_SIGN.search(run):
            signs = len(run.rstrip("+-"))
        parts = [run[:signs], *run[signs:]] if signs else list(run)
        for part in parts:
            symbol = "<>" if part == "!=" else part
            known = symbol in _KNOWN_OPERATORS or symbol == HINT_END
            kind = Kind.PUNCTUATION if known else Kind.OPERATOR
            self.tokens.append(Token(kind, symbol, part, at, at + len(part)))
            at += len(part)


def tokenize(text: str) -> list[Token]:
    """Return every token of `text`; the last token has kind END."""
    lexer = Lexer(text)
    while lexer.read_more():
        pass
    return lexer.tokens


def _end_of_comment(text: str, at: int) -> int:
    """Return the offset behind the comment that begins at `at` and may hold comments itself."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, at):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    raise _unclosed(text, at, _UNCLOSED["/"])


def _unclosed(text: str, at: int, what: str) -> PostgreSqlUnclosedText:
    shown = text[at : at + 64]
    message = f'unterminated {what} at or near "{shown}"'
    return PostgreSqlUnclosedText(message, *line_and_column(text, at))
