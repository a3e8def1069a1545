"""Postings of the documents of a partition: numbers, live documents and sharing."""

from __future__ import annotations

from threading import Thread

from spanemu.base.bits import numbers_in
from spanemu.storage import postings
from spanemu.storage.postings import (
    ColumnPostings,
    DocumentLayout,
    Live,
    Partition,
    TreePostings,
)
from spanemu.values.token_list import TokenizedValue, Tokenizer, TokenKind, TokenList

WORDS = Tokenizer(TokenKind.FULLTEXT)
COLUMNS = (1,)


def tokens(*words: str) -> bytes:
    value = TokenizedValue(tuple(word.encode() for word in words))
    return TokenList(WORDS, [value]).encode()


def document(number: int, *words: str) -> tuple[int, bytes]:
    return number, tokens(*words)


def live_rows(partition: Partition) -> list[tuple[int, bytes]]:
    return [
        segment.rows[number]
        for segment, live in partition.segments
        for number in numbers_in(live.as_int())
    ]


def test_a_token_has_the_documents_that_contain_it():
    column = ColumnPostings()
    for number, list_ in enumerate([tokens("a", "b"), None, tokens("b", "b"), tokens()]):
        column.add(number, list_)
    assert numbers_in(column.documents(b"b")) == [0, 2]
    assert numbers_in(column.without_list()) == [1]
    assert [each >> 4 for each in column.occurrences(b"b", 2)] == [0, 1]
    assert column.occurrences(b"b", 1) == []
    assert column.documents(b"c") == 0
    column.add(4, tokens("b"))
    assert numbers_in(column.documents(b"b")) == [0, 2, 4]


def test_a_document_of_another_layout_makes_postings_incomplete():
    for cell in (7, b"no token list", "text"):
        column = ColumnPostings()
        column.add(0, cell)
        assert not column.is_complete


def test_the_newest_version_of_a_document_is_live():
    partition = Partition(COLUMNS, ())
    first, second = document(1, "a"), document(1, "b")
    partition.update([b"1"], [first])
    partition.update([b"1"], [second])
    assert live_rows(partition) == [second]
    partition.update([b"1"], [first])
    assert live_rows(partition) == [first]
    assert sum(len(segment.rows) for segment, _ in partition.segments) == 2
    partition.update([b"1"], [None])
    assert live_rows(partition) == []


def test_a_shared_segment_is_never_appended_to():
    partition = Partition(COLUMNS, ())
    rows = [document(number, "a") for number in range(200)]
    partition.update([b"%d" % number for number in range(200)], rows)
    partition.close()
    twin = partition.share()
    shared = twin.segments[0][0]
    partition.update([b"x"], [document(300, "b")])
    twin.update([b"0", b"y"], [None, document(301, "b")])
    assert len(shared.rows) == 200
    assert [number for number, _ in live_rows(partition)] == [*range(200), 300]
    assert [number for number, _ in live_rows(twin)] == [*range(1, 200), 301]


def test_small_shared_segments_are_merged():
    partition = Partition(COLUMNS, ())
    for number in range(40):
        partition.update([b"%d" % number], [document(number, "a")])
        partition = partition.share()  # whose segments are closed
    assert len(partition.segments) <= 3
    assert sorted(number for number, _ in live_rows(partition)) == list(range(40))


def test_compaction_removes_old_versions(monkeypatch):
    monkeypatch.setattr(postings, "_DEAD_MIN", 2)
    partition = Partition(COLUMNS, ())
    for number in range(9):
        partition.update([b"k"], [document(number, "a")])
    newest = live_rows(partition)
    partition.compact()
    assert partition.segments == []
    assert list(partition.touched) == [b"k"]
    partition.update([b"k"], newest)
    assert live_rows(partition) == newest


def test_bits_beyond_the_last_document_are_clear():
    live = Live()
    live.set(9)
    live.clear(100_000)
    assert numbers_in(live.as_int()) == [9]


def test_postings_of_a_list_are_filled_when_a_query_needs_them():
    partition = Partition((1, 2), ())
    rows = [(number, tokens("a"), tokens("b")) for number in range(600)]
    partition.update([b"%d" % number for number in range(600)], rows)
    (segment, _) = partition.segments[0]
    while partition.fill((2,)):
        pass
    assert numbers_in(segment.columns[2].documents(b"b")) == list(range(600))
    assert segment.columns[1].filled == 0
    partition.update([b"x"], [(600, tokens("a"), tokens("b"))])
    assert partition.fill((2,)) == 0
    assert numbers_in(segment.columns[2].documents(b"b"))[-1] == 600
    while partition.fill((1, 2)):
        pass
    assert len(segment.columns[1].tokens[b"a"]) == 601


def test_stores_that_share_a_segment_fill_it_once():
    partition = Partition(COLUMNS, ())
    partition.update(
        [b"%d" % number for number in range(900)], [document(number, "a") for number in range(900)]
    )
    twin = partition.share()
    threads = [Thread(target=lambda each=each: fill(each)) for each in (partition, twin)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    postings_of_a = partition.segments[0][0].columns[1].tokens[b"a"]
    assert [posting >> 32 for posting in postings_of_a] == list(range(900))


def fill(partition: Partition) -> None:
    while partition.fill(COLUMNS):
        pass


def test_clones_copy_partitions_when_one_of_them_changes_theirs():
    origin = TreePostings(DocumentLayout((), COLUMNS))
    origin._partitions[b""] = Partition(COLUMNS, ())
    origin._partitions[b""].update([b"1"], [document(1, "a")])
    twin = origin.share()
    third = twin.share()
    assert twin._partitions is origin._partitions is third._partitions
    twin.touch(b"2")
    twin._sort_touched()
    assert list(twin._partitions[b""].touched) == [b"2"]
    assert origin._partitions is third._partitions
    assert not origin._partitions[b""].touched
    twin._partitions[b""].update([b"2"], [document(2, "b")])
    assert [number for number, _ in live_rows(twin._partitions[b""])] == [1, 2]
    assert [number for number, _ in live_rows(third._partitions[b""])] == [1]
