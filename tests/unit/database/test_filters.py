"""What list filters keep, and that no text breaks them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.database.errors import InvalidFilter
from spanemu.database.filters import DEPTH_MAX, Instant, compile_filter

ITEM = {
    "name": "projects/p/instances/Howl",
    "display_name": "The moving castle",
    "labels.env": "dev",
    "labels.empty": "",
    "done": True,
    "error.code": 9,
    "statements": ("CREATE TABLE A", "CREATE TABLE B"),
    "metadata.start_time": Instant(1_522_248_600_123_456_789),  # 2018-03-28T14:50:00.123456789Z
    "metadata.@type": "type.googleapis.com/google.spanner.CreateMetadata",
}

KEPT = [
    "",
    "   ",
    "name:howl",
    "NAME:HOWL",
    "name:*",
    'metadata.start_time < "2019-1-1T0:0:0Z"',
    "name : howl",
    "labels.env:dev",
    "labels.env:*",
    "labels.empty:*",
    "labels.env=DEV",
    "labels.env!=prod",
    "labels.env>=dev",
    "name:howl labels.env:dev",
    "name:howl AND labels.env:dev",
    "name:nobody OR labels.env:dev",
    "name:nobody name:nobody OR labels.env:dev",
    "(name:nobody OR name:howl) AND (done:true)",
    "NOT name:nobody",
    "-name:nobody",
    "NOT NOT name:howl",
    "NOT (name:howl AND name:nobody)",
    'display_name:"moving castle"',
    "display_name='the moving castle'",
    "done=true",
    "done:true",
    "done!=false",
    "error.code=9",
    "error.code>8",
    "error.code<=9",
    "statements:table",
    'statements="create table b"',
    'metadata.start_time < "2018-03-28T14:50:01Z"',
    'metadata.start_time > "2018-03-28T14:50:00Z"',
    'metadata.start_time = "2018-03-28T14:50:00.123456789Z"',
    'metadata.start_time >= "2018-03-28T16:50:00.1+02:00"',
    "metadata.start_time<2018-03-28T14:50:01Z",
    "metadata.@type:type.googleapis.com/google.spanner.CreateMetadata",
    "(metadata.@type:CreateMetadata)AND(done:true)",
]

DROPPED = [
    "name:nobody",
    "labels.env:prod",
    "labels.team:*",
    "labels.team:x",
    "labels.team!=x",
    "error:*",
    "done=false",
    "done:maybe",
    "error.code=ten",
    "name:howl AND labels.env:prod",
    "name:howl labels.env:prod",
    "NOT name:howl",
    "-(name:howl)",
    'metadata.start_time > "2019-01-01T00:00:00Z"',
    'metadata.start_time > "2019-1-1T0:0:0Z"',
    'metadata.start_time > "yesterday"',
    'statements="create table c"',
]

MALFORMED = [
    "name",
    "name:",
    "name:howl AND",
    "name:howl OR",
    "AND name:howl",
    "OR",
    "(name:howl",
    "name:howl)",
    "()",
    ":howl",
    "name howl",
    "name!howl",
    'name:"howl',
    "NOT",
]


@pytest.mark.parametrize("text", KEPT)
def test_filters_that_keep_the_item(text):
    assert compile_filter(text)(ITEM)


@pytest.mark.parametrize("text", DROPPED)
def test_filters_that_drop_the_item(text):
    assert not compile_filter(text)(ITEM)


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_filters_are_refused(text):
    with pytest.raises(InvalidFilter) as caught:
        compile_filter(text)
    assert caught.value.filter == text


def test_a_listing_names_its_fields():
    with pytest.raises(InvalidFilter):
        compile_filter("color:red", lambda field: field == "name")
    compile_filter("NAME:red", lambda field: field == "name")


def test_depth_and_length_are_bounded():
    deep = "(" * DEPTH_MAX + "a:b" + ")" * DEPTH_MAX
    with pytest.raises(InvalidFilter):
        compile_filter(deep)
    compile_filter("(" * 40 + "a:b" + ")" * 40)
    with pytest.raises(InvalidFilter):
        compile_filter("NOT " * 100_000 + "a:b")
    with pytest.raises(InvalidFilter):
        compile_filter("(" * 9_999)
    compile_filter("NOT " * 2_000 + "a:b")


@given(st.text(alphabet="ab:=<>!*-()\"'\\ .@ANDORT", max_size=40))
def test_any_text_is_a_filter_or_refused(text):
    try:
        keep = compile_filter(text)
    except InvalidFilter:
        return
    assert keep({"a": "b", "ab": True}) in (True, False)
