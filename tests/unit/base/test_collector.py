"""Blocks without collections, and the objects that collections skip."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from textwrap import dedent
from threading import Event, Thread

import pytest

from spanemu.base import collector
from spanemu.base.collector import Pause


def test_no_collection_starts_in_a_pause() -> None:
    with Pause():
        assert not gc.isenabled()
        with Pause():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_ends_a_pause() -> None:
    with pytest.raises(KeyError), Pause(), Pause():
        raise KeyError
    assert gc.isenabled()


def test_the_pauses_of_threads_overlap() -> None:
    begun, done = Event(), Event()

    def work() -> None:
        with Pause():
            begun.set()
            assert done.wait(10)

    thread = Thread(target=work, daemon=True)
    with Pause():
        thread.start()
        assert begun.wait(10)
    assert not gc.isenabled()
    done.set()
    thread.join(60)
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    try:
        with Pause():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_pauses_that_overlap_without_end_let_collections_happen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, third = Pause(), Pause(), Pause()
    now = 0.0
    monkeypatch.setattr(collector, "monotonic", lambda: now)
    first.begin()
    now = collector.PAUSE_SECONDS_MAX + 1
    second.begin()
    assert gc.isenabled()
    third.begin()
    assert not gc.isenabled()
    first.end()
    second.end()
    assert not gc.isenabled()
    third.end()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_collects_garbage() -> None:
    with Pause():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert not gc.isenabled()


PRELUDE = """
import gc
import sys
from weakref import ref
from spanemu.base import collector
from spanemu.base.collector import Heap

class Node:
    def __init__(self):
        self.itself = self

def collect():
    'Make Python start a full collection, as it does when objects have accumulated.'
    done = []
    def count(phase, facts):
        if phase == "stop" and facts["generation"] == 2:
            done.append(1)
    gc.callbacks.append(count)
    kept = []
    while not done and len(kept) < 1_000_000:
        kept.append([])
    gc.callbacks.remove(count)
    assert done

gc.set_threshold(10, 1, 1)
collector.COLLECTION_SECONDS_MAX = 0.0
heap = Heap()
"""


def run_apart(code: str) -> None:
    """Run code in a process of its own, so that no other test freezes its small heap."""
    subprocess.run([sys.executable, "-c", PRELUDE + dedent(code)], check=True, timeout=60)


def test_an_emulator_freezes_what_exists_until_the_last_is_closed() -> None:
    run_apart("""
        first, second = heap.hold(), heap.hold()
        assert gc.get_freeze_count() > 1_000
        first.release()
        assert gc.get_freeze_count() > 1_000
        second.release()
        assert gc.get_freeze_count() == 0
        assert not gc.callbacks
    """)


def test_few_rows_leave_the_collector_alone() -> None:
    run_apart("""
        rows = 0
        hold = heap.hold(lambda: rows)
        heap.note_rows(10 * collector.ROWS_MIN)
        rows = collector.ROWS_MIN - 1
        heap.note_rows(collector.ROWS_MIN)
        heap.freeze()
        heap.prepare_for_exit()
        collect()
        assert (gc.get_freeze_count(), gc.callbacks, heap.age) == (0, [], 0)
        hold.release()
        heap.note_rows(10 * collector.ROWS_MIN)
        assert (gc.get_freeze_count(), gc.callbacks) == (0, [])
    """)


def test_many_rows_of_all_emulators_freeze_the_heap_until_few_are_left() -> None:
    run_apart("""
        rows = collector.ROWS_MIN // 2
        holds = [heap.hold(lambda: rows), heap.hold(lambda: rows)]
        heap.note_rows(collector.ROWS_MIN)
        assert gc.get_freeze_count() > 1_000
        heap.collect_large_garbage()
        assert gc.get_freeze_count() > 1_000
        rows = collector.ROWS_MIN // 5
        heap.collect_large_garbage()
        assert (gc.get_freeze_count(), gc.callbacks) == (0, [])
        rows = collector.ROWS_MIN
        heap.note_rows(collector.ROWS_MIN)
        holds[0].release()
        assert gc.get_freeze_count() > 1_000
        holds[1].release()
        assert (gc.get_freeze_count(), gc.callbacks) == (0, [])
    """)


def test_an_unconditional_hold_keeps_the_heap_frozen() -> None:
    run_apart("""
        always, rows = heap.hold(), collector.ROWS_MIN
        other = heap.hold(lambda: rows)
        heap.note_rows(rows)
        rows = 0
        heap.collect_large_garbage()
        other.release()
        assert gc.get_freeze_count() > 1_000
        always.release()
        assert (gc.get_freeze_count(), gc.callbacks) == (0, [])
    """)


def test_a_count_of_rows_does_not_wait_for_another_thread() -> None:
    run_apart("""
        import threading
        hold = heap.hold(lambda: collector.ROWS_MIN)
        with heap._mutex:
            other = threading.Thread(target=heap.note_rows, args=(collector.ROWS_MIN,))
            other.start()
            other.join(30)
            assert not other.is_alive()
        assert gc.get_freeze_count() == 0
        heap.note_rows(1)
        assert gc.get_freeze_count() > 1_000
        hold.release()
    """)


def test_a_heap_that_others_have_frozen_is_left_alone() -> None:
    run_apart("""
        gc.freeze()
        hold = heap.hold()
        assert not gc.callbacks
        heap.freeze()
        assert heap.age == 0
        hold.release()
        assert gc.get_freeze_count() > 1_000
    """)


def test_a_requested_collection_visits_frozen_objects() -> None:
    run_apart("""
        node = Node()
        alive = ref(node)
        heap.hold()
        del node
        gc.collect(1)
        assert alive() is not None
        gc.collect()
        assert alive() is None
        assert Node in gc.get_objects()
    """)


def test_a_long_collection_freezes_the_survivors() -> None:
    run_apart("""
        heap.hold()
        gc.collect()
        collector.COLLECTION_SECONDS_MAX = 1e9
        collect()
        assert gc.get_freeze_count() <= collector.FROZEN_BY_PYTHON_MAX
        collector.COLLECTION_SECONDS_MAX = 0.0
        collect()
        assert gc.get_freeze_count() > 1_000
    """)


def test_garbage_among_frozen_objects_is_collected_if_expected() -> None:
    run_apart("""
        node = Node()
        alive = ref(node)
        heap.hold()
        del node
        collect()
        assert alive() is not None
        heap.expect_garbage()
        collect()
        assert alive() is None
    """)


def test_garbage_among_frozen_objects_is_collected_when_they_have_grown() -> None:
    run_apart("""
        node = Node()
        alive = ref(node)
        heap.hold()
        del node
        collect()
        assert alive() is not None
        more = [[] for _ in range(5 * sys.getallocatedblocks())]
        collect()
        collect()
        assert alive() is None
    """)


def test_much_garbage_is_collected_at_once_but_not_all_the_time() -> None:
    run_apart("""
        def dropped(size):
            node = Node()
            alive = ref(node)
            heap.hold()
            del node
            heap.count_garbage(size)
            heap.collect_large_garbage()
            return alive() is None

        assert not dropped(collector.GARBAGE_BYTES_MAX - 1)
        collector.COLLECTION_SHARE = 1e-9
        assert dropped(1)
        assert not dropped(collector.GARBAGE_BYTES_MAX)
        heap._rests_until = 0.0
        assert dropped(0)
    """)


def test_a_process_that_ends_visits_all_objects_once() -> None:
    run_apart("""
        node = Node()
        alive = ref(node)
        hold = heap.hold()
        heap.prepare_for_exit()
        del node
        hold.release()
        assert alive() is not None
        gc.collect()
        assert alive() is None
        assert gc.get_freeze_count() > 1_000
        heap.hold().release()
        assert gc.get_freeze_count() == 0
        assert not gc.callbacks
    """)


def test_objects_of_an_import_are_not_visited_by_the_next_collections() -> None:
    run_apart("""
        from spanemu.base.collector import age_objects
        with collector.Pause():
            stays = [[] for _ in range(10_000)]
            age_objects()
            assert gc.get_count()[0] < 1_000
        assert gc.get_freeze_count() == 0
        gc.freeze()
        age_objects()
        assert gc.get_freeze_count() > 1_000
    """)


def test_many_rows_written_together_are_frozen_unvisited() -> None:
    run_apart("""
        hold = heap.hold(lambda: collector.ROWS_MIN)
        heap.note_rows(collector.ROWS_MIN)
        gc.disable()
        rows = [(number, (number,)) for number in range(collector.ROWS_FROZEN_MIN)]
        frozen = gc.get_freeze_count()
        heap.note_rows(collector.ROWS_FROZEN_MIN - 1)
        assert gc.get_freeze_count() == frozen
        heap.note_rows(collector.ROWS_FROZEN_MIN)
        assert gc.get_freeze_count() >= frozen + 2 * len(rows)
        assert not heap._is_due
        heap.note_rows(collector.ROWS_MIN)
        assert not heap._is_due
        rows = [(number, (number,)) for number in range(10 * sys.getallocatedblocks())]
        heap.note_rows(collector.ROWS_MIN)
        assert heap._is_due
    """)


def test_many_rows_do_not_keep_dropped_databases_frozen() -> None:
    run_apart("""
        hold = heap.hold(lambda: collector.ROWS_MIN)
        heap.note_rows(collector.ROWS_MIN)
        heap.expect_garbage()
        heap.note_rows(collector.ROWS_MIN)
        assert heap._is_due
    """)
