"""Pages fit together without gaps, whatever happens in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.paging import PAGE_SIZE_MAX, InvalidPageToken, PageRequest, page


def listing(keys, request):
    start = request.start()
    return page(((key, key.upper()) for key in sorted(keys) if key >= start), request.limit)


def walk(keys, size):
    token, result = "", []
    while True:
        part = listing(keys, PageRequest(size, token))
        assert len(part.items) <= size
        result += part.items
        token = part.next_token
        if not token:
            return result


@given(st.sets(st.text(alphabet="abcé\U0001f600", max_size=5)), st.integers(1, 7))
def test_pages_put_together_are_the_listing(keys, size):
    assert walk(keys, size) == [key.upper() for key in sorted(keys)]


def test_a_page_stays_right_when_its_first_item_goes():
    first = listing({"a", "b", "c"}, PageRequest(1))
    assert listing({"a", "c"}, PageRequest(1, first.next_token)).items == ["C"]


@pytest.mark.parametrize("size", [0, -1, 1001, 2**31 - 1])
def test_odd_sizes_mean_the_largest(size):
    assert PageRequest(size).limit == PAGE_SIZE_MAX


@pytest.mark.parametrize("token", ["x", "abcd", "%%%", "é", "AQ==", "YQ", "a" * 99])
def test_unknown_tokens_are_refused(token):
    with pytest.raises(InvalidPageToken) as caught:
        PageRequest(1, token).start()
    assert caught.value.token == token
