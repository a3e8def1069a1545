"""A recursive-descent parser of regular expressions."""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.call import current
from spanemu.sql.functions.postgresql.regexp.characters import ANY, ANY_IN_LINE, single
from spanemu.sql.functions.postgresql.regexp.options import (
    BAD_BACK_REFERENCE,
    BAD_QUANTIFIER,
    TOO_COMPLEX,
    UNBALANCED_PARENTHESES,
    BadRegexp,
    Flavor,
    Options,
)
from spanemu.sql.functions.postgresql.regexp.syntax import (
    Alternation,
    BackReference,
    Characters,
    Concatenation,
    Constraint,
    Group,
    Look,
    Node,
    Position,
    Preference,
    Regexp,
    Repetition,
)
from spanemu.sql.functions.postgresql.regexp.tokens import Token, Tokenizer

_DEPTH_MAX = 100
_SIZE_MAX = 100_000  # characters of an expression whose repetitions are written out
_ELEMENTS_MAX = 100  # of a branch with a back-reference


def parse_regexp(text: str, options: Options) -> Regexp:
    """Return the parsed expression; raise BadRegexp if it is malformed or too complex."""
    parser = _Parser(text, options)
    root = parser.parse()
    return Regexp(root, parser.group_count, parser.ignores_case)


class _Parser:
    def __init__(self, text: str, options: Options) -> None:
        self._tokenizer = Tokenizer(text, options)
        options = self._tokenizer.options
        self.ignores_case = options.ignores_case
        self._flavor = options.flavor
        self._any = ANY_IN_LINE if options.newline_stops else ANY
        self._newline_anchors = options.newline_anchors
        self._groups: dict[int, Node] = {}
        self.group_count = 0
        self._depth = self._tokens = 0
        self._check = current().check
        self._token = self._tokenizer.next()

    def parse(self) -> Node:
        root = self._alternation(is_top=True, captures=True)
        if _size(root) > _SIZE_MAX:
            raise BadRegexp(TOO_COMPLEX)
        return root

    def _advance(self) -> Token:
        self._tokens += 1
        if self._tokens > _SIZE_MAX:
            raise BadRegexp(TOO_COMPLEX)
        self._check()
        token, self._token = self._token, self._tokenizer.next()
        return token

    def _alternation(self, is_top: bool, captures: bool) -> Node:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise BadRegexp(TOO_COMPLEX)
        branches = [self._branch(is_top, captures)]
        while self._token.kind == "|":
            self._advance()
            branches.append(self._branch(is_top, captures))
        self._depth -= 1
        if len(branches) == 1:
            return branches[0]
        return Alternation(branches, preference=Preference.LONGEST)

    def _branch(self, is_top: bool, captures: bool) -> Node:
        items: list[Node] = []
        while self._token.kind not in ("|", "end") and (is_top or self._token.kind != ")"):
            item = self._quantified(captures)
            if item is not None:
                items.append(item)
        if len(items) == 1:
            return items[0]
        preferences = [item.preference for item in items]
        first = next((p for p in preferences if p is not Preference.NONE), Preference.NONE)
        branch = Concatenation(items, preference=first)
        if branch.has_back_reference and len(items) > _ELEMENTS_MAX:
            raise BadRegexp(TOO_COMPLEX)
        return branch

    def _quantified(self, captures: bool) -> Node | None:
        """Read an atom with its quantifier, or a constraint; {0} leaves nothing."""
        token = self._advance()
        match token.kind:
            case "constraint":
                return Position(self._constraint(token.value))
            case "look":
                return self._look(*token.value)
            case "quantifier":
                raise BadRegexp(BAD_QUANTIFIER)
        atom = self._atom(token, captures)
        if self._token.kind != "quantifier":
            return atom
        least, most, preference = self._advance().value
        if most == 0:
            return None
        if preference is Preference.NONE:
            preference = atom.preference
        if isinstance(atom, BackReference):
            return replace(atom, least=least, most=most, preference=preference)
        return Repetition(atom, least, most, preference=preference)

    def _constraint(self, constraint: Constraint) -> Constraint:
        if self._newline_anchors:
            return constraint
        return _IN_TEXT.get(constraint, constraint)

    def _look(self, ahead: bool, positive: bool) -> Node:
        inner = self._alternation(is_top=False, captures=False)
        self._close()
        return Look(inner, ahead, positive)

    def _close(self) -> None:
        if self._token.kind != ")":
            raise BadRegexp(UNBALANCED_PARENTHESES)
        self._advance()

    def _atom(self, token: Token, captures: bool) -> Node:
        match token.kind:
            case "character":
                return Characters(single(token.value, self.ignores_case))
            case "set":
                return Characters(token.value)
            case "any":
                return Characters(self._any)
            case ")":
                if self._flavor is not Flavor.EXTENDED:
                    raise BadRegexp(UNBALANCED_PARENTHESES)
                return Characters(single(")", ignores_case=False))
            case "(":
                return self._group(token.value and captures, captures)
        return self._back_reference(token.value, captures)

    def _group(self, is_capturing: bool, captures: bool) -> Node:
        number = 0
        if is_capturing:
            self.group_count += 1
            number = self.group_count
        inner = self._alternation(is_top=False, captures=captures)
        self._close()
        if not is_capturing:
            return inner
        group = Group(inner, number, preference=inner.preference)
        self._groups[number] = group
        return group

    def _back_reference(self, number: int, captures: bool) -> Node:
        group = self._groups.get(number)
        if group is None or not captures:
            raise BadRegexp(BAD_BACK_REFERENCE)
        return BackReference(number, _without_constraints(group))


_IN_TEXT = {
    Constraint.LINE_START: Constraint.TEXT_START,
    Constraint.LINE_END: Constraint.TEXT_END,
}


def _without_constraints(node: Node) -> Node:
    """Return a node that matches at least what `node` matches, wherever it stands."""
    match node:
        case Position() | Look():
            return Concatenation(())
        case Group(inner):
            return _without_constraints(inner)
        case Concatenation(items):
            return Concatenation([_without_constraints(item) for item in items])
        case Alternation(branches):
            return Alternation([_without_constraints(branch) for branch in branches])
        case Repetition(inner, least, most):
            return Repetition(_without_constraints(inner), least, most)
        case BackReference(_, inner, least, most):
            return Repetition(inner, least, most)
    return node


def _size(node: Node) -> int:
    """Return the number of characters and constraints with all repetitions written out."""
    if isinstance(node, Repetition):
        return _size(node.inner) * max(node.most or node.least + 1, 1)
    if isinstance(node, BackReference):
        return _size(node.inner) * max(node.most or node.least + 1, 1)
    if isinstance(node, Look):
        return _size(node.inner)
    return 1 + sum(map(_size, node.parts))
