"""The lexer: splits a statement's text into tokens with one regular expression, in chunks.

Comments and white space separate tokens and are dropped. The token of a literal keeps the quotes
and escapes; the grammar decodes the literals that it consumes (`decode_string` and its like, the
inverses of `functions.text.sql_text.literal`). The lexer follows the page "Lexical structure and
syntax in GoogleSQL". A part of a path behind a dot may begin with a digit: `t.1`, `t.2a`.

The expression uses possessive repeats throughout, so that no text takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from spanemu.base.call import current
from spanemu.base.deferred import lazy_pattern
from spanemu.base.identifiers import RESERVED_WORDS
from spanemu.sql.errors import SyntaxFailure, UnclosedText, line_and_column
from spanemu.sql.syntax_tree import Kind, Token
from spanemu.sql.token_cursor import BadLiteral

RESERVED = RESERVED_WORDS

# Keywords of the grammar that may also be names; error messages call them keywords.
_UNRESERVED_WORDS = """
    ABORT ACTION ACYCLIC ADD AGGREGATE ALTER ANALYZE ASCENDING ASSERT BATCH BEGIN CALL CASCADE
    CHEAPEST CHECK CLONE CLUSTER COLUMN COLUMNS COMMIT CONFLICT CONSTRAINT COPY COST DATA DATABASE
    DELETE DESCENDING DESTINATION DETERMINISTIC DO DROP EDGE ENFORCED EXECUTE EXPLAIN EXPORT EXTEND
    FILTER FIRST FOREIGN FORMAT FUNCTION GENERATED GRANT GRAPH HIDDEN IDENTITY IMMEDIATE IMPORT
    INDEX INPUT INSERT INVOKER ISOLATION KEY LABEL LABELED LANGUAGE LAST LET LEVEL LIST LOAD MATCH
    MATCHED MODEL NEXT NODE NOTHING OFFSET ONLY OPTIONAL OPTIONS OUTPUT OVERWRITE PATH PATHS PER
    PERCENT PIVOT POLICY PRIMARY PRIVILEGES PROCEDURE PROPERTIES PROPERTY PUBLIC QUALIFY RAISE
    READ REFERENCES REMOTE REMOVE RENAME REPEAT REPEATABLE REPLACE RESTRICT RETURN RETURNS REVOKE
    ROLE ROLLBACK ROW RUN SAFE_CAST SCHEMA SECURITY SEQUENCE SHORTEST SHOW SIMPLE SKIP SOURCE SQL
    STORED STORING SYSTEM SYSTEM_TIME TABLE TRAIL TRANSACTION TRUNCATE TYPE UNIQUE UNPIVOT UPDATE
    VALUE VALUES VECTOR VIEW VIEWS WALK WEIGHT YIELD ZONE
"""
UNRESERVED = frozenset(_UNRESERVED_WORDS.split())


def describe(token: Token) -> str:
    """Return how an error message refers to `token`."""
    match token.kind:
        case Kind.END:
            return "end of statement"
        case Kind.PUNCTUATION:
            return f'"{token.text}"'
        case Kind.KEYWORD:
            return f"keyword {token.symbol}"
        case Kind.IDENTIFIER if token.symbol in UNRESERVED:
            return f"keyword {token.symbol}"
        case Kind.IDENTIFIER if token.text.startswith("`"):
            return f"identifier {token.text}"
        case Kind.STRING | Kind.BYTES:
            return f"{token.kind} {token.text}"
        case _:
            return f'{token.kind} "{token.text}"'


def describe_symbol(symbol: str) -> str:
    """Return how an error message refers to an expected symbol."""
    if symbol[:1].isalpha() and symbol.isupper():
        return f"keyword {symbol}"
    return symbol if symbol[:1].isalpha() else f'"{symbol}"'


_TOKEN = lazy_pattern(
    r"""
    (?: [\s\x08]++ | --[^\n\r]*+ | \#[^\n\r]*+ | /\*.*?\*/ )*+
    (?:
      (?! (?: [rR][bB]? | [bB][rR]? ) ['"] ) ( [A-Za-z_][A-Za-z0-9_]*+ )                # 1 word
    | ( \|> | \|\| | <= | >= | <> | << | >> | != | => | -> | @@
      | \.(?![0-9]) | /(?!\*) | [()\[\]{},;:?@+\-*%&|^~=<>!] )                          # 2 symbol
    | ( [0-9]++\.[0-9]*+ (?: [eE][+-]?[0-9]++ )?+ | [0-9]++[eE][+-]?[0-9]++
      | \.[0-9]++ (?: [eE][+-]?[0-9]++ )?+ )                                            # 3 float
    | ( 0[xX][0-9a-fA-F]++ | [0-9]++ )                                                  # 4 integer
    | ( [rR]?                                                                           # 5 string
        (?: '(?!'') (?: [^'\\\n\r]++ | \\[^\n\r] )*+ '
          | "(?!"") (?: [^"\\\n\r]++ | \\[^\n\r] )*+ "
          | '''     (?: [^'\\]++ | \\. | '(?!'') )*+ '''
          | \"""    (?: [^"\\]++ | \\. | "(?!"") )*+ \""" ) )
    | ( (?: [bB][rR]? | [rR][bB] )                                                      # 6 bytes
        (?: '(?!'') (?: [^'\\\n\r]++ | \\[^\n\r] )*+ '
          | "(?!"") (?: [^"\\\n\r]++ | \\[^\n\r] )*+ "
          | '''     (?: [^'\\]++ | \\. | '(?!'') )*+ '''
          | \"""    (?: [^"\\]++ | \\. | "(?!"") )*+ \""" ) )
    | ( ` (?: [^`\\\n\r]++ | \\[^\n\r] )*+ ` )                                          # 7 quoted
    | ( \Z )                                                                            # 8 end
    | ( . )                                                                             # 9 other
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD, _SYMBOL, _FLOAT, _INTEGER, _QUOTED, _END, _OTHER = 1, 2, 3, 4, 7, 8, 9
_LITERALS = {_FLOAT: Kind.FLOAT, _INTEGER: Kind.INTEGER, 5: Kind.STRING, 6: Kind.BYTES}
_PART = lazy_pattern(r"[A-Za-z0-9_]++")
_ENDS_OPERAND = frozenset({")", "]", "?"})
_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")
_UNCLOSED_QUOTE = lazy_pattern(r"""[rRbB]{0,2}('''|\"""|'|")""")


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
        current().check()
        append, text = self.tokens.append, self._text
        # A NamedTuple's own constructor costs twice as much, and this loop is half of the lexing.
        new, reserved, name, keyword = tuple.__new__, RESERVED, Kind.IDENTIFIER, Kind.KEYWORD
        for match in islice(self._matches, _CHUNK):
            group = match.lastindex
            assert group is not None
            word = match[group]
            at, end = match.span(group)
            if group == _WORD:
                symbol = word.upper()
                kind = keyword if symbol in reserved else name
                append(new(Token, (kind, symbol, word, at, end)))
            elif group == _SYMBOL:
                append(new(Token, (Kind.PUNCTUATION, word, word, at, end)))
            elif group == _END:
                at = len(text.rstrip())  # errors about missing tokens point behind the last word
                append(new(Token, (Kind.END, str(Kind.END), "", at, at)))
                self._is_finished = True
                break
            elif group in (_FLOAT, _INTEGER) and self._read_part(word, at):
                break  # and read on behind the part
            else:
                append(_literal_or_quoted(text, group, word, at))
        return True

    def _read_part(self, number: str, at: int) -> bool:
        """Read a part of a path that looks like a number; return False if it is a number.

        The part may extend further than the number, as in `t.1a`, or less far, as in `t.1e-5`.
        """
        tokens = self.tokens
        has_dot = number[0] == "."
        if not has_dot and not (tokens and tokens[-1].symbol == "."):
            return False
        if not _ends_operand(tokens, len(tokens) - (1 if has_dot else 2)):
            return False
        if has_dot:
            tokens.append(Token(Kind.PUNCTUATION, ".", ".", at, at + 1))
            at += 1
        part = _PART.match(self._text, at)
        assert part is not None
        tokens.append(Token(Kind.IDENTIFIER, part[0].upper(), part[0], at, part.end()))
        self._matches = _TOKEN.finditer(self._text, part.end())
        return True


def _ends_operand(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a dot behind the token at `position` continues a path or takes a field."""
    if position < 0:
        return False
    token = tokens[position]
    if token.kind is Kind.KEYWORD:  # a name only behind a dot, or as a parameter
        return position > 0 and tokens[position - 1].symbol in (".", "@", "@@")
    return token.kind is Kind.IDENTIFIER or token.symbol in _ENDS_OPERAND


def tokenize(text: str) -> list[Token]:
    """Return every token of `text`; the last token has kind END."""
    lexer = Lexer(text)
    while lexer.read_more():
        pass
    return lexer.tokens


def _literal_or_quoted(text: str, group: int, word: str, at: int) -> Token:
    """Return the token of a literal or a quoted name.

    Raises SyntaxFailure for a character that begins no token.
    """
    end = at + len(word)
    if group == _QUOTED:
        if word == "``":
            raise _failure(text, at, "Invalid empty identifier")
        return Token(Kind.IDENTIFIER, str(Kind.IDENTIFIER), word, at, end)
    if group == _OTHER:
        raise _no_token(text, at)
    kind = _LITERALS[group]
    is_number = kind is Kind.INTEGER or kind is Kind.FLOAT
    if is_number and text[end : end + 1] in _NAME_CHARACTERS and word[-1] != ".":
        raise _failure(text, end, "Missing whitespace between literal and alias")
    return Token(kind, str(kind), word, at, end)


def _no_token(text: str, at: int) -> SyntaxFailure:
    if unclosed := _unclosed(text, at):
        return UnclosedText(f"Unclosed {unclosed}", *line_and_column(text, at))
    return _failure(text, at, f'Illegal input character "{text[at]}"')


def _unclosed(text: str, at: int) -> str:
    """Return what kind of text begins at `at` and has no end; "" if nothing does."""
    if quote := _UNCLOSED_QUOTE.match(text, at):
        what = "bytes literal" if "b" in text[at : quote.start(1)].lower() else "string literal"
        return f"triple-quoted {what}" if len(quote[1]) == 3 else what
    if text[at] == "`":
        return "identifier literal"
    return "comment" if text.startswith("/*", at) else ""


def _failure(text: str, at: int, message: str) -> SyntaxFailure:
    return SyntaxFailure(message, *line_and_column(text, at))


# ---------------------------------------------------------------------------- literals

_SIMPLE = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_ESCAPE = lazy_pattern(
    r"""\\(?: ([abfnrtv\\?"'`]) | ([0-3][0-7]{2}) | [xX]([0-9a-fA-F]{2})
        | u([0-9a-fA-F]{4}) | U([0-9a-fA-F]{8}) | (.) )""",
    re.VERBOSE | re.DOTALL,
)
_OCTAL, _HEX, _SHORT_UNICODE, _LONG_UNICODE, _UNKNOWN = 2, 3, 4, 5, 6
_DIGITS_MAX = 1000  # far beyond any type; Python refuses to parse more than a few thousand
_LINE_END = lazy_pattern(r"\r\n?")


def decode_string(token: str) -> str:
    """Return the value of a string literal in any form of quoting."""
    body, start, raw = _unquote(token)
    if raw or "\\" not in body:
        return body
    return _unescape(body, start, of_bytes=False)


def decode_bytes(token: str) -> bytes:
    """Return the value of a bytes literal; characters beyond ASCII stand for their UTF-8."""
    body, start, raw = _unquote(token)
    if raw or "\\" not in body:
        return body.encode("utf-8", "surrogatepass")
    # An escape stands for one byte, a plain character for its UTF-8: plain parts are encoded apart.
    pieces: list[bytes] = []
    position = 0
    for match in _ESCAPE.finditer(body):
        pieces.append(body[position : match.start()].encode("utf-8", "surrogatepass"))
        pieces.append(_escaped(match, start, of_bytes=True).encode("latin-1"))
        position = match.end()
    pieces.append(body[position:].encode("utf-8", "surrogatepass"))
    return b"".join(pieces)


def decode_identifier(token: str) -> str:
    """Return the name that a word or a backquoted word stands for."""
    if not token.startswith("`"):
        return token
    body = token[1:-1]
    return _unescape(body, 1, of_bytes=False) if "\\" in body else body


def decode_integer(token: str) -> int:
    """Return the value of a decimal or hexadecimal literal, which may exceed INT64."""
    if len(token) > _DIGITS_MAX:
        raise BadLiteral(f"Invalid integer literal: {token}", 0)
    return int(token, 16) if token[:2] in ("0x", "0X") else int(token)


def decode_float(token: str) -> float:
    """Return the value of a floating point literal; infinity for a literal that is too large."""
    return float(token)


def _unquote(token: str) -> tuple[str, int, bool]:
    """Return the text between the quotes, its offset in the token, and whether it is raw."""
    start = min(at for at in (token.find("'"), token.find('"')) if at >= 0)
    prefix, quoted = token[:start].lower(), token[start:]
    width = 3 if len(quoted) >= 6 and quoted[:3] == quoted[0] * 3 else 1
    body = quoted[width:-width]
    if "\r" in body:
        body = _LINE_END.sub("\n", body)  # a line end inside triple quotes is one newline
    return body, start + width, "r" in prefix


def _unescape(body: str, start: int, *, of_bytes: bool) -> str:
    return _ESCAPE.sub(lambda match: _escaped(match, start, of_bytes=of_bytes), body)


def _escaped(match: re.Match[str], start: int, *, of_bytes: bool) -> str:
    """Return the character that an escape sequence stands for."""
    group, at = match.lastindex, start + match.start()
    assert group is not None
    digits = match[group]
    if group == _UNKNOWN:
        raise BadLiteral(_why_unknown(match, digits), at)
    if group == _OCTAL:
        return chr(int(digits, 8))
    if group == _HEX:
        return chr(int(digits, 16))
    if group in (_SHORT_UNICODE, _LONG_UNICODE):
        if of_bytes:
            kind = match[0][1]
            raise BadLiteral(f"Illegal escape sequence: Unicode escape sequence \\{kind} cannot be "
                            "used in bytes literals", at)  # fmt: skip
        return _unicode(int(digits, 16), match[0], at)
    return _SIMPLE[digits]


def _unicode(point: int, escape: str, at: int) -> str:
    if 0xD800 <= point <= 0xDFFF or point > 0x10FFFF:
        raise BadLiteral(f"Illegal escape sequence: Unicode value {escape} is invalid", at)
    return chr(point)


def _why_unknown(match: re.Match[str], letter: str) -> str:
    rules = {
        "x": "Hex escape must be followed by 2 hex digits",
        "u": "\\u must be followed by 4 hex digits",
        "U": "\\U must be followed by 8 hex digits",
    }
    key = "x" if letter == "X" else letter
    if key in rules:
        following = match.string[match.start() : match.end() + 8]
        return f"Illegal escape sequence: {rules[key]} but saw: {following}"
    if letter.isdigit():
        return "Illegal escape sequence: Octal escape must be followed by 3 octal digits"
    return f"Illegal escape sequence: \\{letter}"
